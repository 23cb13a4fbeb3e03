"""What solvers of linear programs without integers share: what they refuse, bounds from duals."""

import numpy as np

from ..door.checker import TOLERANCE
from ..program import Floats, Matrix, Nonlinear, Program


def refuses(program: Program) -> str | None:
    """Say why a solver for continuous columns cannot treat `program`, or None."""
    if isinstance(program, Nonlinear):
        return "it takes linear rows only"
    return "it has integers; relax it first" if program.integer.any() else None


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
