"""An instance stated as a program of the catalogue, for solvers and files; or that relaxed."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyomo.environ as pyo

from ..instances import RefusedError
from .catalogue import Formulation
from .matrix import matrix_of
from .program import Matrix


def stated_model(instance: Any, formulation: Formulation, horizon: int | None = None) -> Any:
    """Return the model of an instance; disjunctions become rows with big-M.

    Raises:
        RefusedError: If the program cannot state the instance, or would be too large.
    """
    model = formulation.build(instance, horizon)
    if formulation.form == "disjunctive":
        pyo.TransformationFactory("gdp.bigm").apply_to(model)
    return model


def stated_matrix(instance: Any, formulation: Formulation, horizon: int | None = None) -> Matrix:
    """Return the matrix of an instance, from arrays where the program has such a twin.

    Raises:
        RefusedError: If the program cannot state the instance, would be too large, or is
            nonlinear.
    """
    if formulation.form == "nonlinear":
        raise RefusedError(f"{formulation.name} is not linear: export it as nl, or take another")
    if formulation.twin is None:
        return matrix_of(stated_model(instance, formulation, horizon))
    formulation.check(instance, horizon)
    return formulation.twin(instance, *(() if horizon is None else (horizon,)))


def relaxed(matrix: Matrix) -> Matrix:
    """Return the program without integrality."""
    return replace(matrix, integer=np.zeros(len(matrix.columns), dtype=np.bool_))


def relax(model: Any) -> Any:
    """Return a copy of a model without the demand for integers; the model stays as it is.

    A model with disjunctions is first made linear, by ``gdp.bigm`` or ``gdp.hull``: those
    give different relaxations.
    """
    return pyo.TransformationFactory("core.relax_integer_vars").create_using(model)
