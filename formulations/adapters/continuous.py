"""What solvers of linear programs without integers share: what they refuse, bounds from duals."""

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Nonlinear, Program, Solution
from ..solver_interface.checker import TOLERANCE


def refuses(program: Program) -> str | None:
    """Say why a solver for continuous columns cannot treat `program`, or None."""
    if isinstance(program, Nonlinear):
        return "it takes linear rows only"
    return "it has integers; relax it first" if program.integer.any() else None


def over(caps: Caps, began: float) -> Solution | None:
    """Return the answer of a solver whose time was over before it began, or None if it was not."""
    if caps.since(began).time_s != 0:
        return None
    note = "its time was over before it began"
    return Solution(
        termination=TerminationReason.TIME_LIMIT, status=SolutionStatus.NOTHING, note=note
    )


def dual_bound(program: Matrix, duals: Floats) -> float:
    """Return the bound of weak duality, where what is almost zero counts as zero."""
    reduced = program.cost - program.a.T @ duals
    near = TOLERANCE * max(1.0, float(np.abs(program.cost).max(initial=0.0)))
    total = program.offset
    for prices, lower, upper in (
        (duals, program.row_lower, program.row_upper),
        (reduced, program.lower, program.upper),
    ):
        side = np.where(prices > 0, lower, upper)
        kept = np.isfinite(side) | (np.abs(prices) > near)
        total += float(prices[kept] @ side[kept])
    return total
