"""Programs in other units: the same program, and the same answers where solvers lose their way."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array

from ringyard.formulations.exact import dual_bound
from ringyard.formulations.program import Floats, Matrix
from ringyard.formulations.solver_interface.solve import scaled, solve
from ringyard.instances import SolutionStatus


def drawn(seed: int, mixed: bool = False) -> Matrix:
    """Draw a program in which resources limit what pays."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(2, 6)), int(rng.integers(2, 6))
    return Matrix(
        columns=tuple(f"x{j}" for j in range(n)),
        rows=tuple(f"r{i}" for i in range(m)),
        cost=-rng.uniform(1, 9, n),
        offset=1.0,
        lower=np.zeros(n),
        upper=np.full(n, 5.0),
        integer=np.arange(n) < (n // 2 if mixed else 0),
        a=csr_array(rng.uniform(0.5, 3, (m, n))),
        row_lower=np.full(m, -np.inf),
        row_upper=rng.uniform(2, 9, m),
    )


def small_and_large(matrix: Matrix, seed: int) -> tuple[Matrix, Floats, float]:
    """Return the program in units as odd as a file may have them; columns, and the objective."""
    rng = np.random.default_rng(seed)
    row = np.exp2(rng.integers(-30, 30, len(matrix.rows)))
    column = np.where(matrix.integer, 1.0, np.exp2(rng.integers(-30, 30, len(matrix.columns))))
    cost = 2.0**-30
    odd = replace(
        matrix,
        cost=matrix.cost * column * cost,
        offset=matrix.offset * cost,
        lower=matrix.lower / column,
        upper=matrix.upper / column,
        a=csr_array(diags_array(row) @ matrix.a @ diags_array(column)),
        row_upper=matrix.row_upper * row,
    )
    return odd, column, cost


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("mixed", [False, True])
def test_units_change_no_answer(seed: int, mixed: bool) -> None:
    plain = drawn(seed, mixed)
    odd, column, cost = small_and_large(plain, seed)
    first, second = solve(plain), solve(odd)
    assert first.status is second.status is SolutionStatus.OPTIMAL
    assert first.point is not None
    assert second.point is not None
    assert first.value is not None
    assert second.value == pytest.approx(first.value * cost, rel=1e-6)
    assert second.bound == pytest.approx(first.value * cost, rel=1e-6)
    assert (odd.a @ second.point <= odd.row_upper * (1 + 1e-6)).all()
    assert plain.cost @ (second.point * column) + 1 == pytest.approx(first.value, rel=1e-6)
    if not mixed:
        assert second.duals is not None
        found = dual_bound(odd, second.duals)
        assert found is not None
        assert float(found) == pytest.approx(first.value * cost, rel=1e-9)


def test_what_a_row_asks_for_is_not_lost_in_the_unit_of_a_column() -> None:
    """In a unit in which 1e-15 is plain, a share of 1 is less than a solver's tolerance."""
    shares = Matrix(
        columns=("share", "other"),
        rows=("one", "budget"),
        cost=np.ones(2),
        offset=0.0,
        lower=np.zeros(2),
        upper=np.full(2, np.inf),
        integer=np.zeros(2, np.bool_),
        a=csr_array([[1.0, 0.0], [1e-15, 1.0]]),
        row_lower=np.array([1.0, 0.5]),
        row_upper=np.array([1.0, 2e12]),
    )
    found = solve(shares)
    assert (found.status, found.point) == (SolutionStatus.OPTIMAL, pytest.approx([1.0, 0.5]))


@pytest.mark.parametrize("seed", range(5))
def test_points_told_on_the_way_are_in_the_units_of_the_program(seed: int) -> None:
    odd, _, _ = small_and_large(drawn(seed, mixed=True), seed)
    told: list[tuple[Floats, float]] = []
    found = solve(odd, watch=lambda point, value: told.append((point, value)), start=odd.lower)
    for point, value in told:
        assert value == pytest.approx(float(odd.cost @ point) + odd.offset)
    assert all(after <= before for (_, before), (_, after) in pairwise(told))
    assert found.value == pytest.approx(told[-1][1])


def test_plain_numbers_are_left_as_they_are() -> None:
    plain = drawn(0)
    assert scaled(plain).matrix is plain
