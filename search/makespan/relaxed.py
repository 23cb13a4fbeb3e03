"""Solving a relaxation that a rounding needs, in the time that is left."""

from ...formulations.program import Caps, Matrix, Solution
from ...formulations.solver_interface.solve import solve
from ...instances import Limits

LEAST_S = 1.0
"""Seconds that a program gets even if there are none left: without one there is no schedule."""


def solve_relaxed(program: Matrix, limits: Limits) -> Solution:
    """Solve a linear program in the time that is left, and in a second if there is less."""
    left = limits.left_s()
    return solve(program, caps=Caps(time_s=None if left is None else max(left, LEAST_S)))
