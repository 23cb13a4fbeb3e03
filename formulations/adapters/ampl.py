"""Ipopt, Bonmin and Couenne: programs on the user's PATH that read NL text and write a .sol file.

Couenne proves optima of nonconvex programs; the others find points and prove nothing, so what they
call optimal or infeasible is not taken for that. None was at hand: stand-ins were, which write the
files of the format.
"""

import shutil
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from ...instances import SolutionStatus, TerminationReason
from ..files.nl import nl_checker, read_nl
from ..files.sol import AmplAnswer, read_ampl_sol
from ..program import Caps, Floats, Nonlinear, Program, Solution
from .executable import call
from .solver import Solver, Tell

CLOCK = {"ipopt": "max_wall_time", "bonmin": "bonmin.time_limit", "couenne": "bonmin.time_limit"}

PROVES, WHOLE = ("couenne",), ("bonmin", "couenne")
"""Which prove, and which take integers."""

SOLVED, NO_POINT, NO_END, LIMIT, FAILURE = 0, 2, 3, 4, 5
"""Hundreds of the code of an answer."""


def refuses(engine: str, program: Program) -> str | None:
    """Say why it cannot treat `program`, or None."""
    if not isinstance(program, Nonlinear):
        return "it takes programs as NL text only"
    if engine not in WHOLE and read_nl(program.nl).integer.any():
        return "it has integers; relax it first"
    return None


def lacks(engine: str) -> str | None:
    """Say that there is no such program, or None if there is one."""
    return None if shutil.which(engine) else f"needs a program {engine} on the PATH"


def run(engine: str, program: Program, caps: Caps, start: Floats | None, tell: Tell) -> Solution:
    """Solve a program in NL text."""
    assert isinstance(program, Nonlinear)
    began = time.monotonic()
    limit = [] if caps.time_s is None else [f"{CLOCK[engine]}={max(caps.time_s, 1e-3)!r}"]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.nl").write_bytes(program.nl)
        setup_s = time.monotonic() - began
        ended = call([engine, "program.nl", "-AMPL", *limit], folder, caps)
        file = folder / "program.sol"
        text = file.read_text(encoding="utf-8", errors="replace") if file.exists() else None
    if text is None:
        last = ended.words.strip().rpartition("\n")[2][:200]
        termination, note = ended.cut or (
            TerminationReason.FAILED,
            f"it wrote no answer; {last}".rstrip("; "),
        )
        return Solution(
            termination=termination,
            status=SolutionStatus.NOTHING,
            note=note,
            memory_mb=ended.memory_mb,
        )
    answer = read_ampl_sol(text, len(program.columns), f"what {engine} wrote")
    late = (
        TerminationReason.TIME_LIMIT
        if caps.since(began).time_s == 0
        else TerminationReason.WORK_LIMIT
    )
    termination, left = _meaning(engine, answer, late)
    bound = None
    if left is SolutionStatus.OPTIMAL and answer.point is not None:
        bound = nl_checker(program.nl).value(answer.point)
    return Solution(
        termination=termination if ended.cut is None else ended.cut[0],
        status=left,
        point=answer.point if left in {SolutionStatus.OPTIMAL, SolutionStatus.FEASIBLE} else None,
        bound=bound,
        setup_s=setup_s,
        memory_mb=ended.memory_mb,
        note="" if left is SolutionStatus.OPTIMAL else answer.message[:200],
    )


def _meaning(
    engine: str, answer: AmplAnswer, late: TerminationReason
) -> tuple[TerminationReason, SolutionStatus]:
    """Return why it stopped and what it left; `late` is the limit that was met, if one was."""
    kind, proves = answer.code // 100, engine in PROVES
    if kind == SOLVED:
        return TerminationReason.DONE, SolutionStatus.OPTIMAL if proves else SolutionStatus.FEASIBLE
    if kind == NO_POINT:
        return (
            TerminationReason.DONE,
            SolutionStatus.INFEASIBLE if proves else SolutionStatus.NOTHING,
        )
    if kind == NO_END:
        return (
            TerminationReason.DONE,
            SolutionStatus.UNBOUNDED if proves else SolutionStatus.NOTHING,
        )
    termination = {LIMIT: late, FAILURE: TerminationReason.FAILED}.get(
        kind, TerminationReason.NUMERICAL
    )
    return (
        termination,
        SolutionStatus.FEASIBLE if answer.point is not None else SolutionStatus.NOTHING,
    )


SOLVERS = tuple(
    Solver(
        name=engine,
        module="",
        package="",
        install=f"put a program {engine} on the PATH",
        can=("nonconvex",) if engine in PROVES else ("local",),
        run=partial(run, engine),
        refuses=partial(refuses, engine),
        lacks=partial(lacks, engine),
        remark="tried with a stand-in only",
    )
    for engine in CLOCK
)
