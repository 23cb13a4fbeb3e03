"""One call of a solver: in this process, or in one of its own where that is needed."""

from ..adapters.solver import Solver, Tell
from ..program import Caps, Floats, Nonlinear, Program, Solution
from .apart import run_apart
from .attempt import attempt

LARGE = 20_000
"""With a time limit, programs with more columns are solved in a process of their own, which is
ended: of these, presolve may take long to notice the clock."""

LARGE_NONLINEAR = 2_000
"""The same for nonlinear programs."""


def call(
    solver: Solver, program: Program, caps: Caps, start: Floats | None, tell: Tell
) -> Solution:
    """Return what a solver claims, or how it failed."""
    asked = caps.own_process or caps.cpu_s is not None or caps.memory_mb is not None
    most = LARGE_NONLINEAR if isinstance(program, Nonlinear) else LARGE
    large = caps.time_s is not None and len(program.columns) > most
    late = caps.time_s is not None and not solver.clock
    runner = run_apart if asked or large or late or solver.alone else attempt
    return runner(solver, program, caps, start, tell)
