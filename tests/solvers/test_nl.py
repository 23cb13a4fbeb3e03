"""NL text read back says of a point what the Pyomo model says, without a solver."""

from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringyard.formulations.files.nl import nl_checker
from ringyard.formulations.matrix import nonlinear_of
from ringyard.instances import RefusedError
from ringyard.testing.programs import hidden


def model_of_all() -> Any:
    """Return a model with every operator, shared expressions, and columns of every group."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(0, 10))
    model.y = pyo.Var(bounds=(0, 10), domain=pyo.Integers)
    model.b = pyo.Var(domain=pyo.Binary)
    model.z = pyo.Var(bounds=(-3, 9), domain=pyo.Integers)
    model.only_cost = pyo.Var(bounds=(-2, 2))
    model.straight = pyo.Var()
    model.whole = pyo.Var(domain=pyo.Integers, bounds=(None, 5))
    model.area = pyo.Expression(expr=model.x * model.y)
    model.product = pyo.Constraint(expr=model.area + model.b >= 3.5)
    model.curved = pyo.Constraint(
        expr=(
            1,
            model.area * model.b
            - model.z / (1 + model.x)
            + abs(model.z)
            + pyo.sqrt(model.x + 1)
            + model.x**2
            + pyo.exp(model.x / 10)
            + pyo.log(1 + model.y),
            80,
        )
    )
    model.line = pyo.Constraint(expr=model.straight == model.z + model.x + 2 * model.whole)
    model.least = pyo.Objective(expr=model.straight + model.area**2 - model.only_cost**3)
    return model


MODEL = model_of_all()
PROGRAM = nonlinear_of(MODEL)
CHECKER = nl_checker(PROGRAM.nl)
NUMBER = st.floats(0, 5, allow_nan=False)


def set_values(point: np.ndarray) -> None:
    for name, value in zip(PROGRAM.columns, point, strict=True):
        MODEL.find_component(name).set_value(value, skip_validation=True)


@settings(max_examples=50)
@given(st.lists(NUMBER, min_size=7, max_size=7).map(np.array))
def test_rows_and_objective_are_those_of_the_model(point: np.ndarray) -> None:
    set_values(point)
    rows = [MODEL.product, MODEL.curved, MODEL.line]
    assert CHECKER.rows(point) == pytest.approx([pyo.value(row.body) for row in rows], abs=1e-9)
    assert CHECKER.value(point) == pytest.approx(pyo.value(MODEL.least))


def test_bounds_and_integers_are_those_of_the_model() -> None:
    variables = [MODEL.find_component(name) for name in PROGRAM.columns]
    assert CHECKER.integer.tolist() == [not one.is_continuous() for one in variables]
    bounds = [[one.lb, one.ub] for one in variables]
    found = np.column_stack([CHECKER.lower, CHECKER.upper])
    assert found.tolist() == [
        [-np.inf if low is None else low, np.inf if high is None else high] for low, high in bounds
    ]
    assert CHECKER.row_lower.tolist() == [3.5, 1.0, 0.0]
    assert CHECKER.row_upper.tolist() == [np.inf, 80.0, 0.0]


def test_a_point_without_a_value_misses_every_row() -> None:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(bounds=(-5, 5))
    model.root = pyo.Constraint(expr=pyo.sqrt(model.x) <= 1)
    model.least = pyo.Objective(expr=model.x)
    checker = nl_checker(nonlinear_of(model).nl)
    assert checker.violation(np.array([0.25])) == 0.0
    assert checker.violation(np.array([4.0])) == pytest.approx(1.0)
    assert checker.violation(np.array([-1.0])) == np.inf


def test_what_cannot_be_checked_is_refused() -> None:
    model, _ = hidden()
    model.least.sense = pyo.maximize
    with pytest.raises(RefusedError, match="minimised"):
        nl_checker(nonlinear_of(model).nl)
    model.least.sense = pyo.minimize
    model.wave = pyo.Constraint(expr=pyo.sin(model.x) <= 0.5)
    with pytest.raises(RefusedError, match="operator 'o41'"):
        nl_checker(nonlinear_of(model).nl)
