"""One call of an adapter: whatever happens in it becomes a typed answer."""

import time
from contextlib import suppress
from dataclasses import replace

from ...instances import SolutionStatus, TerminationReason
from ...instances.errors import RingyardError
from ..adapters.solver import Solver, Tell, Telling
from ..program import Caps, Floats, Program, Solution


def attempt(
    solver: Solver, program: Program, caps: Caps, start: Floats | None, tell: Tell
) -> Solution:
    """Return what a solver claims, or how it failed, with the seconds it took."""
    with suppress(Exception):  # What is wrong with it is said when it is called.
        solver.load()
    began, told = time.monotonic(), Telling(tell)
    try:
        claimed = _solution(solver, solver.run(program, caps, start, told))
    except RingyardError:
        raise
    except KeyboardInterrupt:
        claimed = failure(solver, TerminationReason.INTERRUPTED)
    except MemoryError:
        claimed = failure(solver, TerminationReason.MEMORY_LIMIT)
    except Exception as error:  # What vendors raise has no common base.
        claimed = failure(solver, TerminationReason.FAILED, f"{type(error).__name__}: {error}")
    if told.ended is not None:
        raise told.ended
    return replace(claimed, solver=solver.name, seconds=time.monotonic() - began)


def _solution(solver: Solver, given: object) -> Solution:
    """Return what a solver gave; one of another package may give anything."""
    if isinstance(given, Solution):
        return given
    return failure(
        solver, TerminationReason.FAILED, f"it gave a {type(given).__name__}, no Solution"
    )


def failure(solver: Solver, termination: TerminationReason, note: str = "") -> Solution:
    """Return the answer of a solver that left nothing."""
    return Solution(
        solver=solver.name, termination=termination, status=SolutionStatus.NOTHING, note=note
    )
