"""Ipopt, Bonmin and Couenne: programs on the user's PATH that read NL text and write a .sol file.

Couenne proves optima of nonconvex programs. The other solvers find points without proofs, so their
claims of optimality or infeasibility are not accepted. They were tried as stand-ins only, which
write the files of the format.
"""

import shutil
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from ...instances import SolutionStatus, TerminationReason
from ..files.nl import nl_checker, read_nl
from ..files.sol import read_ampl_sol
from ..program import Caps, Floats, Nonlinear, Program, Solution
from ..stated import fixed, own
from .executable import call
from .solver import End, Report, Solver, claim

CLOCK = {"ipopt": "max_wall_time", "bonmin": "bonmin.time_limit", "couenne": "bonmin.time_limit"}

PROVES, WHOLE = ("couenne",), ("bonmin", "couenne")
"""The solvers that prove optima, and the ones that accept integers."""

SOLVED, NO_POINT, NO_END, LIMIT, FAILURE = 0, 2, 3, 4, 5
"""Hundreds of the code of an answer."""


def refuses(engine: str, program: Program) -> str | None:
    """Return why it cannot treat `program`, or None."""
    if not isinstance(program, Nonlinear):
        return "it accepts programs as NL text only"
    if engine not in WHOLE and read_nl(program.nl).integer.any():
        return "it has integers: relax it first"
    return None


def lacks(engine: str) -> str | None:
    """Return the missing requirement if there is no such program, else None."""
    return None if shutil.which(engine) else f"needs the executable {engine} on the PATH"


def run(
    engine: str, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Solve a program in NL text."""
    assert isinstance(program, Nonlinear)
    began = time.monotonic()
    clock = [] if caps.time_s is None else [f"{CLOCK[engine]}={max(caps.time_s, 1e-3)!r}"]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.nl").write_bytes(program.nl)
        setup_s = time.monotonic() - began
        ended = call([engine, "program.nl", "-AMPL", *clock], folder, caps)
        file = folder / "program.sol"
        text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else None
    if text is None:
        last = ended.words.strip().rpartition("\n")[2][:200]
        note = f"it wrote no answer: {last}".rstrip("; ")
        why = ended.cut or (TerminationReason.FAILED, note)
        return claim(*why, memory_mb=ended.memory_mb)
    answer = read_ampl_sol(text, len(program.columns), f"what {engine} wrote")
    late = caps.since(began).time_s == 0
    limit = TerminationReason.TIME_LIMIT if late else TerminationReason.WORK_LIMIT
    end = _end(engine, answer.code // 100, limit)
    optimal, point = end is SolutionStatus.OPTIMAL, answer.point
    if end in {SolutionStatus.INFEASIBLE, SolutionStatus.UNBOUNDED, SolutionStatus.NOTHING}:
        point = None
    bound = nl_checker(program.nl).value(point) if optimal and point is not None else None
    found = claim(end, point=point, bound=bound, setup_s=setup_s, memory_mb=ended.memory_mb)
    return replace(
        found,
        termination=found.termination if ended.cut is None else ended.cut[0],
        note="" if optimal else answer.message[:200],
    )


def _end(engine: str, hundreds: int, limit: TerminationReason) -> End:
    """Return how a program ended, by its code. `limit` is the limit reached, if any."""
    proved = {
        SOLVED: SolutionStatus.OPTIMAL,
        NO_POINT: SolutionStatus.INFEASIBLE,
        NO_END: SolutionStatus.UNBOUNDED,
    }
    if hundreds in proved and engine not in PROVES:
        return SolutionStatus.FEASIBLE if hundreds == SOLVED else SolutionStatus.NOTHING
    stopped = {LIMIT: limit, FAILURE: TerminationReason.FAILED}
    return proved.get(hundreds) or stopped.get(hundreds, TerminationReason.NUMERICAL)


SOLVERS = tuple(
    Solver(
        name=engine,
        module="",
        install=f"put the executable {engine} on the PATH",
        can=("nonconvex",) if engine in PROVES else ("local",),
        run=partial(run, engine),
        refuses=partial(refuses, engine),
        lacks=partial(lacks, engine),
        remark="tried with a stand-in only",
        stated={"row tolerance": own("tol"), "threads": fixed("1")},
    )
    for engine in CLOCK
)
