"""`ringyard corpus rerun`: one solver on all programs, compared with its stored runs."""

from fnmatch import fnmatchcase
from pathlib import Path

from ...campaigns.drive import drive
from ...campaigns.store import prepared
from ...engines.engine import LIMIT_S, ORDERS, Engine, engines
from ...engines.kept import kept_rows
from ...engines.program_run import ProgramRun, run_of
from ...engines.upgrade import Upgrade, upgrade
from ...formulations.corpus.index import corpus
from ...instances.arguments import at_least_one, time_limit_problems
from ...instances.errors import InputError, Problem, raise_any, unknown
from ...instances.writing import UnwrittenError
from ...interrupts import keeping
from ..shared.campaign import executor, follow, why_stopped
from ..shared.options import AsJson, Whole
from ..shared.output import emit, note, say, table


def rerun_command(
    solver: str,
    /,
    *,
    only: str = "*",
    seeds: Whole | None = None,
    time_limit: float | None = None,
    out: Path | None = None,
    workers: Whole | None = None,
    dask: str | None = None,
    json: AsJson = False,
) -> int:
    """Run one solver on the programs of the corpus, and report the changes.

    Compares with the solver's stored runs: statuses, wrong answers, programs newly solved or no
    longer solved, and the ratio of times. Times are comparable on one machine only. The exit code
    is 1 if an answer is newly wrong. After Ctrl-C, rerun the command to resume.

    Parameters
    ----------
    solver
        The solver, as named in the tables of the comparison: highs, cp-sat-x2, ..
    only
        Only programs whose name matches this pattern.
    seeds
        Number of orders of rows and columns in which each program is solved (default: 3).
    time_limit
        Seconds for each run (default: as in the stored runs).
    out
        Folder for the rows (default: out/rerun-SOLVER).
    workers
        Parallel runs on this machine (default: one thread per processor).
    dask
        Address of a Dask scheduler whose workers execute the runs.
    """
    raise_any(
        "ringyard corpus rerun",
        at_least_one("--seeds", seeds) + time_limit_problems(time_limit),
    )
    runs = _runs(_engine(solver), only, seeds or ORDERS, time_limit or LIMIT_S)
    before = kept_rows()
    store = prepared(out or Path("out", f"rerun-{solver}"))
    with executor(workers, dask) as does:
        try:
            with keeping(), follow(solver) as tell:
                drive(store, [run for run in runs if not store.has(run)], does, tell)
        except (KeyboardInterrupt, UnwrittenError) as error:
            why, code = why_stopped(error)
            left = sum(not store.has(run) for run in runs)
            note(f"{solver}: {why}, {left} runs are missing. Rerun the command to resume.")
            return code
    return _say(upgrade(solver, before, [store.row(run) for run in runs], corpus()), json)


def _engine(name: str) -> Engine:
    known = {one.name: one for one in engines()}
    if name not in known:
        hint = "see `ringyard list solvers`"
        raise InputError("ringyard corpus rerun", [unknown("SOLVER", name, known, hint)])
    return known[name]


def _runs(engine: Engine, only: str, seeds: int, limit_s: float) -> list[ProgramRun]:
    found = [
        run_of(engine, entry, seed, limit_s)
        for seed in range(seeds)
        for entry in corpus().values()
        if fnmatchcase(entry.name, only) and engine.takes(entry)
    ]
    if not found:
        expected = f"a pattern that matches programs which {engine.name} supports"
        problem = Problem("--only", only, expected, "see `ringyard corpus`")
        raise InputError("ringyard corpus rerun", [problem])
    return found


def _say(found: Upgrade, json: bool) -> int:
    """Print the changes and return the exit code."""
    ratio, wrong, moved = found.ratio(), found.new_wrong, list(found.moved())
    shown = found.table()
    if json:
        heads = [column.head or "when" for column in shown.columns]
        emit(
            {
                "ends": [dict(zip(heads, row, strict=True)) for row in shown.rows],
                "time_ratio": None if ratio is None else [ratio.mean, ratio.low, ratio.high],
                "newly_wrong": wrong,
                "moved": moved,
            }
        )
        return 1 if wrong else 0
    table([column.head for column in shown.columns], shown.texts())
    for sentence in moved:
        say(sentence)
    if ratio is not None:
        ends = f", {ratio.low:.2f} to {ratio.high:.2f}" if ratio.bounded else ""
        say(f"ratio of times, now to before, where both solved: {ratio.mean:.2f}{ends}")
    for sentence in wrong:
        say(f"newly WRONG: {sentence}")
    if not wrong:
        say("no answer is newly wrong")
    return 1 if wrong else 0
