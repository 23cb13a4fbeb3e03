"""What a solver says of a program by itself: as it stands, asked once, with nothing checked.

The interface scales programs, checks points, and some adapters ask again about answers that they
doubt. Whoever looks for wrong answers wants those that the solver gave.
"""

from dataclasses import replace

from ...instances import MissingError, RefusedError
from ..adapters.solver import Solver, Tell
from ..program import Caps, Floats, Program, Solution
from .call import call


def unheard(point: Floats, bound: float | None) -> None:
    """Take a point that nobody asked for."""


def plain_answer(solver: Solver, program: Program, caps: Caps, tell: Tell = unheard) -> Solution:
    """Return what a solver claims.

    Raises:
        MissingError: If the solver is not installed.
        RefusedError: If it cannot treat such a program.
    """
    if solver.missing:
        raise MissingError(solver.missing)
    if reason := solver.refuses(program):
        raise RefusedError(f"{solver.name} cannot solve this program: {reason}")
    return call(replace(solver, run=solver.plain or solver.run), program, caps, None, tell)
