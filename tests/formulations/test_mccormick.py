"""Envelopes of products: what is allowed stays allowed, and the value never gets above."""

from dataclasses import replace

import pyomo.environ as pyo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringyard.formulations.catalogue import find_formulation
from ringyard.formulations.matrix import relaxed, stated_matrix, stated_model
from ringyard.formulations.mccormick import mccormick
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import RefusedError
from ringyard.instances.catalogue import load

ENDS = st.tuples(st.integers(-3, 3), st.integers(-3, 3)).map(sorted)


def two(x: list[int], y: list[int], sign: int) -> pyo.ConcreteModel:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=tuple(x)), pyo.Var(bounds=tuple(y))
    model.aim = pyo.Objective(expr=sign * model.x * model.y)
    return model


@given(x=ENDS, y=ENDS, sign=st.sampled_from([-1, 1]))
@settings(max_examples=15)
def test_one_product_has_its_hull(x: list[int], y: list[int], sign: int) -> None:
    found = solve(mccormick(two(x, y, sign)))
    assert found.value == pytest.approx(min(sign * a * b for a in x for b in y), abs=1e-6)


@given(st.integers(0, 10), st.integers(0, 10))
@settings(max_examples=15)
def test_a_point_that_is_allowed_stays_allowed(first: int, second: int) -> None:
    model = pyo.ConcreteModel()
    model.x, model.y = pyo.Var(bounds=(0, 10)), pyo.Var(bounds=(1, 11))
    model.ratio = pyo.Var(bounds=(0, 10))
    x, y = first, second + 1
    model.divide = pyo.Constraint(expr=model.ratio == model.x / model.y)
    model.cube = pyo.Constraint(expr=model.x * model.y * (2 - model.x) <= x * y * (2 - x))
    model.aim = pyo.Objective(expr=(model.x - x) * 0 + model.ratio)
    program = mccormick(model)
    values = {"x": x, "y": y, "ratio": x / y}
    low, high = program.lower.copy(), program.upper.copy()
    for name, value in values.items():
        low[program.columns.index(name)] = high[program.columns.index(name)] = value
    fixed = solve(replace(program, lower=low, upper=high))
    assert fixed.point is not None


def test_the_printed_program_is_relaxed() -> None:
    instance = load("small-04x2")
    model = stated_model(instance, find_formulation("nonconvex"), 11)
    value = solve(mccormick(model)).value
    assert value is not None
    assert 0 < value <= 11
    other = stated_matrix(instance, find_formulation("disjunctive"), 11)
    assert value == pytest.approx(solve(relaxed(other)).value)


def test_what_has_no_envelope_is_refused() -> None:
    model = two([0, 1], [0, 1], 1)
    model.power = pyo.Constraint(expr=pyo.exp(model.x) <= 2)
    with pytest.raises(RefusedError, match="has no UnaryFunctionExpression"):
        mccormick(model)
    model = two([0, 1], [0, 1], 1)
    model.y.setub(None)
    with pytest.raises(RefusedError, match="needs bounds"):
        mccormick(model)
    model = two([0, 1], [0, 1], 1)
    model.quotient = pyo.Constraint(expr=model.x / model.y <= 2)
    with pytest.raises(RefusedError, match="by a term that may be 0"):
        mccormick(model)
