"""Choco and Pumpkin get what they can take: no number too large, no row without a variable."""

import numpy as np
import pytest

from ringyard.formulations.adapters import choco, pumpkin
from ringyard.formulations.adapters.integral import cost_range, inequalities, integral
from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import RefusedError, SolutionStatus
from ringyard.testing.programs import INF, brute_force, matrix

BOTH = [choco.SOLVER, pumpkin.SOLVER]

FIXED = matrix([2, 1, 3], [[1, 4, 0], [0, 5, 0]], ([-1, 1], [9, INF]), ([0, 2, 0], [3, 2, 1]))
"""Its second column is 2, and its second row holds no other."""


def test_inequalities_have_the_points_of_the_rows() -> None:
    whole = integral(FIXED)
    rows = [(row.columns, row.factors, row.most) for row in inequalities(whole)]
    assert rows == [([0], [1], 9 - 8), ([0], [-1], 1 + 8), ([], [], 10 - 1)]
    assert cost_range(whole) == (2, 6 + 2 + 3)


@pytest.mark.parametrize(
    "one",
    [choco.SOLVER, pytest.param(pumpkin.SOLVER, marks=pytest.mark.slow)],
    ids=lambda one: one.name,
)
@pytest.mark.skipif(not all(one.installed for one in BOTH), reason="not installed")
class TestBoth:
    def test_fixed_columns_and_empty_rows_are_taken_out(self, one: Solver) -> None:
        found = solve(FIXED, one)
        assert (found.status, found.value) == (SolutionStatus.OPTIMAL, 2.0)
        broken = matrix([1, 1], [[0, 1], [1, 1]], ([2, 1], [3, 9]), ([0, 1], [3, 1]))
        assert solve(broken, one).status is SolutionStatus.INFEASIBLE

    def test_without_costs_any_point_is_an_optimum(self, one: Solver) -> None:
        found = solve(matrix(0, [[2, 1], [1, 1]], ([3, 1], [3, 9]), (0, 3), offset=4.5), one)
        assert (found.status, found.value, found.bound) == (SolutionStatus.OPTIMAL, 4.5, 4.5)

    def test_what_does_not_fit_into_its_numbers_is_refused(self, one: Solver) -> None:
        for wide in (
            matrix([1], [[1]], (0, INF), (0, 2.0**31)),
            matrix([1], [[2.0**28]], (0, INF), (0, 9)),
            matrix([2.0**28], [[1]], (0, INF), (0, 9)),
        ):
            with pytest.raises(RefusedError, match="beyond"):
                solve(wide, one)

    @pytest.mark.slow
    def test_the_largest_numbers_that_it_takes_are_right(self, one: Solver) -> None:
        """The best is found by hand: the least x with 3 x >= most - 1."""
        most = (choco.LARGEST if one is choco.SOLVER else pumpkin.LARGEST) // 3
        program = matrix([1, 0], [[3, -1]], (3 * most - 4, INF), ([0, 0], [most - 1, 2]))
        assert solve(program, one).value == most - 1

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(5))
    def test_drawn_programs_are_solved(self, one: Solver, seed: int) -> None:
        rng = np.random.default_rng(seed)
        a, side = rng.integers(-9, 10, (3, 4)), rng.integers(-9, 10, 3)
        program = matrix(rng.integers(-9, 10, 4), a, (side, side + 5), (-3, 3))
        found, least = solve(program, one), brute_force(program)
        if np.isinf(least):
            assert found.status is SolutionStatus.INFEASIBLE
        else:
            assert (found.status, found.value) == (SolutionStatus.OPTIMAL, pytest.approx(least))
