"""Exact bounds from duals: below every point for any duals, at the optimum for good ones."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from ringyard.formulations.exact import dual_bound
from ringyard.formulations.program import Matrix
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import SolutionStatus

numbers = st.integers(-40, 40).map(lambda n: n / 8) | st.sampled_from([0.0, 0.0, 1.0, -1.0])
wild = numbers | st.sampled_from([2.0**-30, -(2.0**-30), 2.0**20])
duals = st.floats(-1e9, 1e9) | st.sampled_from([0.0, -1.0, 1.0, inf, -inf, np.nan, 1e300])


@st.composite
def around(draw: st.DrawFn, value: float, endless: bool = True) -> tuple[float, float]:
    """Draw bounds on both sides of a value, infinite ones among them if `endless`."""
    ends = [value, value - 1, value - 0.125, -inf], [value, value + 1, value + 0.125, inf]
    low, high = (draw(st.sampled_from(end if endless else end[:3])) for end in ends)
    return low, high


@st.composite
def programs(
    draw: st.DrawFn, values: st.SearchStrategy[float], endless: bool = True
) -> tuple[Matrix, list[Fraction]]:
    """Draw a linear program with a point in it; every sum of products is a double."""
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    point = np.array(draw(st.lists(numbers, min_size=n, max_size=n)))
    cost = draw(st.lists(values, min_size=n, max_size=n))
    a = np.array(draw(st.lists(values, min_size=n * m, max_size=n * m))).reshape(m, n)
    limits = np.array([draw(around(value, endless)) for value in point])
    sides = np.array([draw(around(value)) for value in a @ point])
    matrix = Matrix(
        columns=tuple(f"x[{j}]" for j in range(n)),
        rows=tuple(f"r[{i}]" for i in range(m)),
        cost=np.array(cost),
        offset=draw(numbers),
        lower=limits[:, 0],
        upper=limits[:, 1],
        integer=np.zeros(n, dtype=np.bool_),
        a=csr_array(a),
        row_lower=sides[:, 0],
        row_upper=sides[:, 1],
    )
    return matrix, [Fraction(value) for value in point]


@given(programs(wild), st.data())
def test_any_duals_give_a_bound_below_every_point(
    drawn: tuple[Matrix, list[Fraction]], data: st.DataObject
) -> None:
    matrix, point = drawn
    y = np.array([data.draw(duals) for _ in matrix.rows])
    bound = dual_bound(matrix, y)
    terms = (Fraction(c) * x for c, x in zip(matrix.cost, point, strict=True))
    assert bound is None or bound <= sum(terms, Fraction(matrix.offset))


@given(programs(numbers, endless=False))
def test_the_best_duals_give_the_optimum(drawn: tuple[Matrix, list[Fraction]]) -> None:
    matrix, _ = drawn
    solution = solve(matrix)
    assert solution.status is SolutionStatus.OPTIMAL
    assert solution.duals is not None
    assert solution.value is not None
    bound = dual_bound(matrix, solution.duals)
    assert bound is not None
    assert float(bound) == pytest.approx(solution.value, rel=1e-9, abs=1e-9)


def program(**changes: object) -> Matrix:
    """Return min x + 2 y with x + y >= 3, x <= 2, both at least 0, as changed."""
    fields = {
        "columns": ("x", "y"),
        "rows": ("both",),
        "cost": [1, 2],
        "offset": 0.5,
        "lower": [0, 0],
        "upper": [2, inf],
        "integer": np.zeros(2, dtype=np.bool_),
        "a": csr_array(np.array([[1.0, 1.0]])),
        "row_lower": [3],
        "row_upper": [inf],
    } | changes
    floats = {key: np.array(v, dtype=float) for key, v in fields.items() if isinstance(v, list)}
    return Matrix(**fields | floats)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dual", "bound"),
    [
        (2.0, Fraction(9, 2)),
        (0.0, Fraction(1, 2)),
        (-1.0, Fraction(1, 2)),
        (1.0, Fraction(7, 2)),
        (2.5, Fraction(9, 2)),
        (np.nan, Fraction(1, 2)),
    ],
)
def test_bounds_by_hand(dual: float, bound: Fraction) -> None:
    assert dual_bound(program(), np.array([dual])) == bound


def test_no_rounding_enters() -> None:
    tenth = Fraction(0.1)
    assert dual_bound(program(), np.array([0.1])) == 3 * tenth + Fraction(1, 2)


def test_duals_are_shrunk_where_no_single_one_mends_a_cost() -> None:
    free = program(
        rows=("one", "two"),
        upper=[inf, inf],
        a=csr_array(np.array([[2.0, 3.0], [1.0, 1.0]])),
        row_lower=[3, 3],
        row_upper=[inf, inf],
    )
    bound = dual_bound(free, np.array([1.0, 2.0]))
    assert bound is not None
    assert 0 < bound <= Fraction(7, 2)


def test_without_end_there_is_no_bound() -> None:
    assert dual_bound(program(lower=[-inf, 0], upper=[2, inf]), np.array([0.0])) is not None
    assert dual_bound(program(cost=[-1, 2], upper=[inf, inf]), np.array([0.0])) is None


def test_integers_only_raise_the_optimum() -> None:
    matrix = program(
        a=csr_array(np.array([[2.0, 2.0]])), row_lower=[1], integer=np.ones(2, dtype=np.bool_)
    )
    assert dual_bound(matrix, np.array([0.5])) == 1
