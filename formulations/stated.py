"""An instance stated as a program of the catalogue, for solvers and files."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..instances import MakespanInstance, RefusedError
from .catalogue import Formulation
from .data import serial_horizon
from .matrix import matrix_of
from .program import Matrix

MOST_PLACES = 3_000_000
"""Triples of job, server and slot; models of more would not fit into ordinary memories."""


def stated_model(
    instance: MakespanInstance, formulation: Formulation, horizon: int | None = None
) -> Any:
    """Return the model of an instance; disjunctions become rows with big-M.

    Raises:
        RefusedError: If the program cannot state the instance, or would be too large.
    """
    _refuse(instance, formulation, horizon)
    model = formulation.build(instance, horizon)
    if formulation.form == "disjunctive":
        pyo.TransformationFactory("gdp.bigm").apply_to(model)
    return model


def stated_matrix(
    instance: MakespanInstance, formulation: Formulation, horizon: int | None = None
) -> Matrix:
    """Return the matrix of an instance, from arrays where the program has such a twin.

    Raises:
        RefusedError: If the program cannot state the instance, would be too large, or is
            nonlinear.
    """
    if formulation.form == "nonlinear":
        raise RefusedError(f"{formulation.name} is not linear: export it as nl, or take another")
    if formulation.twin is None:
        return matrix_of(stated_model(instance, formulation, horizon))
    _refuse(instance, formulation, horizon)
    return formulation.twin(instance, horizon)


def _refuse(instance: MakespanInstance, formulation: Formulation, horizon: int | None) -> None:
    reason = formulation.refuses(instance)
    if reason is not None:
        raise RefusedError(reason)
    slots = serial_horizon(instance) if horizon is None else horizon
    places = len(instance.jobs) * len(instance.cluster.servers) * slots
    if places > MOST_PLACES:
        raise RefusedError(
            f"{len(instance.jobs)} jobs, {len(instance.cluster.servers)} servers and {slots} "
            f"slots are {places:,} places, more than {MOST_PLACES:,}; give a shorter horizon"
        )


def relaxed(matrix: Matrix) -> Matrix:
    """Return the program without integrality."""
    return replace(matrix, integer=np.zeros(len(matrix.columns), dtype=np.bool_))
