"""What comes out of a Pyomo model: rows, bounds, names and points."""

import numpy as np
import pyomo.environ as pyo
import pytest

from ringyard.formulations.matrix import (
    is_linear,
    matrix_of,
    nonlinear_of,
    point_of,
    set_point,
)
from ringyard.instances import RefusedError


def small() -> pyo.ConcreteModel:
    """Make a model with one of everything that a row or a column can be."""
    m = pyo.ConcreteModel()
    m.unused = pyo.Var(bounds=(-1, 4))
    m.x = pyo.Var(["b", "a"], [0, 1], bounds=(0, 3))
    m.y = pyo.Var(domain=pyo.Binary)
    m.k = pyo.Var(domain=pyo.Integers, bounds=(-2, None))
    m.fixed = pyo.Var(initialize=2.5)
    m.fixed.fix()
    m.between = pyo.Constraint(expr=(1, m.x["b", 0] + m.x["a", 1] + 2 * m.fixed + 4, 19))
    m.equal = pyo.Constraint(["b", "a"], rule=lambda m, j: m.x[j, 1] + 2 * m.y + 1 == m.fixed)
    m.above = pyo.Constraint(expr=m.k >= m.y - 1)
    m.nothing = pyo.Constraint(expr=(0, m.fixed, 3))
    m.gain = pyo.Objective(expr=3 * m.x["a", 0] - m.k + m.fixed + 7, sense=pyo.maximize)
    return m


def test_columns_and_rows_keep_their_order_and_names() -> None:
    matrix = matrix_of(small())
    xs = ("x[b,0]", "x[b,1]", "x[a,0]", "x[a,1]")
    assert matrix.columns == ("unused", *xs, "y", "k", "fixed")
    assert matrix.rows == ("between", "equal[b]", "equal[a]", "above")
    assert matrix.integer.tolist() == [*5 * [False], True, True, False]
    assert matrix.lower.tolist() == [-1, 0, 0, 0, 0, 0, -2, 2.5]
    assert matrix.upper.tolist() == [4, 3, 3, 3, 3, 1, np.inf, 2.5]


def test_constants_are_in_the_bounds_and_a_ranged_row_is_one() -> None:
    matrix = matrix_of(small())
    rows = matrix.a.toarray()
    assert rows[0].tolist() == [0, 1, 0, 0, 1, 0, 0, 0]
    assert rows[2].tolist() == [0, 0, 0, 0, 1, 2, 0, 0]
    assert rows[3].tolist() == [0, 0, 0, 0, 0, 1, -1, 0]
    assert matrix.row_lower.tolist() == [-8, 1.5, 1.5, -np.inf]
    assert matrix.row_upper.tolist() == [10, 1.5, 1.5, 1]


def test_a_maximised_objective_is_turned() -> None:
    matrix = matrix_of(small())
    assert matrix.cost.tolist() == [0, 0, 0, -3, 0, 0, 1, 0]
    assert matrix.offset == -9.5


def test_two_models_of_one_program_give_one_matrix() -> None:
    first, second = matrix_of(small()), matrix_of(small())
    assert (first.columns, first.rows) == (second.columns, second.rows)
    assert first.a.indices.tolist() == second.a.indices.tolist()


def test_a_row_that_no_point_meets_is_refused() -> None:
    model = small()
    model.never = pyo.Constraint(expr=model.fixed >= 3)
    with pytest.raises(RefusedError, match="never"):
        matrix_of(model)


def test_one_objective_or_none() -> None:
    model = small()
    model.gain.deactivate()
    assert not matrix_of(model).cost.any()
    model.gain.activate()
    model.other = pyo.Objective(expr=model.k)
    with pytest.raises(RefusedError, match="this one has 2"):
        matrix_of(model)


def test_linear_is_what_has_no_products_and_no_logic() -> None:
    model = small()
    assert is_linear(model)
    model.harmless = pyo.Constraint(expr=model.fixed * model.k <= 3)
    assert is_linear(model)
    model.product = pyo.Constraint(expr=model.y * model.k <= 3)
    assert not is_linear(model)
    model.product.deactivate()
    model.flag = pyo.BooleanVar()
    model.logic = pyo.LogicalConstraint(expr=model.flag)
    assert not is_linear(model)


def test_a_point_goes_in_and_comes_out() -> None:
    model = small()
    matrix = matrix_of(model)
    point = np.arange(8.0)
    set_point(model, matrix, point)
    assert model.x["a", 1].value == 4
    assert model.fixed.value == 2.5
    assert point_of(model, matrix).tolist() == [*range(7), 2.5]


def test_a_nonlinear_program_names_the_columns_that_it_uses() -> None:
    model = small()
    model.product = pyo.Constraint(expr=model.y * model.k <= 3)
    program = nonlinear_of(model)
    assert sorted(program.columns) == sorted(set(matrix_of(small()).columns) - {"unused", "fixed"})
    assert set(program.columns[:2]) == {"y", "k"}
    assert program.nl.startswith(b"g3 ")
    set_point(model, program, np.arange(6.0))
    assert model.k.value == program.columns.index("k")
    assert model.unused.value == 0
