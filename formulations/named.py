"""Programs by a name that may hold a transformation: `disjunctive-hull` for the hull model."""

import logging
from typing import Any

from .catalogue import Formulation, all_formulations, find_formulation


def parts(name: str) -> tuple[Formulation, str]:
    """Return the formulation, and the name of Pyomo's transformation or an empty text."""
    plain, dash, change = name.partition("-")
    if plain not in {one.name for one in all_formulations()}:
        return find_formulation(name), ""
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


def solvers_of(name: str) -> list[str]:
    """Return the installed solvers that prove optima of a program."""
    from .solver_interface.solve import SOLVERS

    able = [solver for solver in SOLVERS if _need(name) in solver.can]
    return [solver.name for solver in able if solver.installed]


def no_solver(name: str, solver: str) -> str | None:
    """Return why a solver cannot be called for a program, or None if it can."""
    from .solver_interface.solve import find_solver

    chosen = find_solver(solver)
    able = {_need(name)} | ({"local"} if _need(name) == "nonconvex" else set())
    if able.isdisjoint(chosen.can):
        return f"{solver} does not support programs such as {name}"
    return chosen.missing


def _need(name: str) -> str:
    """Return the capability that a program requires of its solver."""
    return "nonconvex" if parts(name)[0].form == "nonlinear" else "milp"
