"""What a solver says of a program by itself: as it stands, asked once, with nothing checked.

The door scales programs, checks points, and some adapters ask again about answers that they
doubt. Whoever looks for wrong answers wants those that the solver gave.
"""

from dataclasses import replace

from ...instances import MissingError, RefusedError
from ..adapters.solver import Solver
from ..program import Caps, Matrix, Solution
from .apart import run_apart
from .attempt import attempt


def plain_answer(solver: Solver, program: Matrix, caps: Caps) -> Solution:
    """Return what a solver claims.

    Raises:
        MissingError: If the solver is not installed.
        RefusedError: If it cannot treat such a program.
    """
    if solver.missing:
        raise MissingError(solver.missing)
    if reason := solver.refuses(program):
        raise RefusedError(f"{solver.name} cannot solve this program: {reason}")
    bare = replace(solver, run=solver.plain or solver.run)
    runner = run_apart if caps.own_process or solver.alone else attempt
    return runner(bare, program, caps, None, lambda point, bound: None)
