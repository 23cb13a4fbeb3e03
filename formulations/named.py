"""Programs by a name that may hold a transformation: `disjunctive-hull` for the hull model."""

import logging
from typing import Any

from .catalogue import Formulation, find_formulation


def parts(name: str) -> tuple[Formulation, str]:
    """Return the formulation, and the name of Pyomo's transformation or nothing."""
    plain, dash, change = name.partition("-")
    return find_formulation(plain), f"gdp.{change}" if dash else ""


def build_named(name: str, instance: Any, horizon: int | None = None) -> Any:
    """Return the model of an instance, transformed if its name says so."""
    import pyomo.environ as pyo

    formulation, change = parts(name)
    logging.getLogger("pyomo.core").setLevel(logging.CRITICAL)  # else Ctrl-C leaves its text
    model = formulation.build(instance, horizon)
    if change:
        pyo.TransformationFactory(change).apply_to(model)
    return model
