"""Comparison of methods: solved instances, times and memory."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from ...instances.errors import plural
from ..rows import ANSWERED, BOUND, Row, answered, by_key, solved
from ..sources import NOTHING, Sources
from ..stats.cases import Common, common_set
from ..stats.comparisons import FLOOR_S
from ..stats.means import SHIFT_S
from ..stats.summary import REFUSED, UNPROVED, Summary, summary
from ..tables import Aside, Cell, Column, Table
from .quality import BEST_OF_GROUP, INSTANCES, METHOD, RUNS, ResultBlock, blocks

OF_CASES = (
    "The methods of a group ran on the same instances with the same seeds. A deterministic method "
    "runs once, and this run is used for every seed."
)

STATUS = Column(
    head="<status>",
    about="runs with this status, such as `crashed` (one column per status that occurs)",
    optional=1,
)
TIME = Column(
    head="time",
    over="seconds",
    digits=2,
    floor=FLOOR_S,
    best="min",
    about="shifted geometric mean of the times, with failures at the time limit",
    notes=(
        f"Time: geometric mean shifted by {SHIFT_S:g} s, with unsolved runs at their time limit. "
        "For a method that mostly ends on its own without a proof, it is the mean over its runs "
        "and never bold.",
    ),
)
PAR10 = Column(
    head="PAR10",
    over="seconds",
    digits=1,
    best="min",
    about="mean of the times, with failures at 10 times the time limit",
    notes=(
        "PAR10: arithmetic mean of the times, with unsolved runs at 10 times their time limit, "
        "omitted for a method that mostly ends on its own without a proof.",
    ),
    optional=3,
)
SOLVER_COLUMNS = (
    INSTANCES,
    METHOD,
    Column(
        head="cases",
        about="instances with their seeds and repetitions, run by all methods",
        optional=4,
    ),
    Column(
        head="solved",
        best="max",
        about="runs that proved optimality or infeasibility",
        notes=("Solved: proved optimal or infeasible.",),
    ),
    Column(
        head="feasible",
        about="runs with a valid schedule and no proof",
        notes=("Feasible: a valid schedule without a proof of optimality.",),
        optional=2,
    ),
    STATUS,
    TIME,
    PAR10,
    Column(
        head="longest",
        over="seconds",
        digits=2,
        floor=FLOOR_S,
        about="time of the longest run, whatever its status",
        notes=("Longest: the longest run, whatever its status.",),
        optional=5,
    ),
    Column(
        head="gap, %",
        digits=1,
        best="min",
        about="mean gap between objective and the method's own bound",
        notes=(
            "Gap: mean gap between objective and the method's own bound, 100 % for runs without a "
            "schedule or a bound.",
        ),
    ),
    Column(
        head="MB",
        about="most memory of a run, in megabytes",
        notes=("MB: the most memory that a run used, in megabytes.",),
        optional=6,
    ),
)
"""Columns of the comparison of methods."""


def solvers(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return solved runs, mean times, PAR10, gap and memory for each method."""
    groups, seedless = blocks(rows, grouped=False), sources.seedless(rows)
    common = [common_set(block.rows, seedless=seedless, restrict=True) for block in groups]
    views = [summary(block.rows, seedless=seedless, restrict=True) for block in groups]
    statuses = {s for view in views for line in view.methods for s in line.counts.statuses}
    bad = sorted(statuses - set(ANSWERED))
    lines = [
        line
        for block, some, view in zip(groups, common, views, strict=True)
        for line in _lines(block, some, view.methods, bad)
    ]
    reasons = _reasons([line for view in views for line in view.methods])
    notes = [OF_CASES]
    if left_out := sum(view.left_out for view in views):
        cases = plural(left_out, "case")
        notes.append(f"Left out: {cases} that some method of the group did not run.")
    return Table(
        caption="Comparison of methods",
        columns=tuple(_columns(bad, reasons)),
        rows=tuple(lines),
        notes=tuple(notes),
        bold=BEST_OF_GROUP,
        shared=1,
    )


def _columns(statuses: Sequence[str], reasons: tuple[str, ...]) -> Iterator[Column]:
    """Yield the columns, one for each status, with reasons for missing mean times."""
    for one in SOLVER_COLUMNS:
        if one is STATUS:
            yield from (replace(STATUS, head=status) for status in statuses)
        elif one in (TIME, PAR10):
            yield replace(one, notes=(*one.notes, *reasons))
        else:
            yield one


def _lines(
    block: ResultBlock, common: Common, found: Sequence[Summary], bad: list[str]
) -> Iterator[tuple[Cell, ...]]:
    for line in found:
        runs = common.runs[line.method]
        ran = [] if REFUSED in line.notes else runs
        memory = [row["memory_mb"] for row in ran if row["memory_mb"] is not None]
        yield (
            block.name,
            line.method,
            line.counts.runs,
            line.counts.solved,
            line.counts.feasible,
            *(line.counts.statuses.get(status, 0) for status in bad),
            _time(line),
            line.par10,
            max((row["seconds"] for row in ran if row["seconds"] is not None), default=None),
            100 * fmean(1.0 if row["gap"] is None else row["gap"] for row in ran) if ran else None,
            max(memory, default=None),
        )


def _time(line: Summary) -> float | None:
    """Return the mean time of a method. Times without proofs compete with no times to proofs."""
    if UNPROVED in line.notes and line.own is not None:
        return Aside(line.own)
    return None if line.seconds is None else line.seconds.value


def _reasons(lines: Sequence[Summary]) -> tuple[str, ...]:
    """Return sentences that say why mean times are missing."""
    notes = {note for line in lines for note in line.notes} - {UNPROVED}
    reasons = {note for note in notes if note.startswith("no mean time")}
    return tuple(f"{reason[0].upper()}{reason[1:]}." for reason in sorted(reasons))


OVERVIEW_COLUMNS = (
    METHOD,
    RUNS,
    Column(head="valid", about="runs with a valid schedule"),
    Column(
        head="proved",
        about="runs that proved optimality or infeasibility",
        notes=("Proved: proved optimal or infeasible.",),
    ),
    Column(
        head="mean gap, %",
        digits=1,
        about="mean gap between objective and bound",
        notes=("Gap: mean over the runs that have a valid schedule and a bound.",),
    ),
)
"""Columns of the overview."""


def overview(rows: Sequence[Row], caption: str, notes: Sequence[str] = ()) -> Table:
    """Return the methods of a campaign in a few numbers, as Python shows them."""
    runs = (row for row in rows if row["method"] != BOUND)
    by_method = by_key(runs, lambda row: str(row["method"]))
    return Table(
        caption=caption,
        columns=OVERVIEW_COLUMNS,
        rows=tuple((method, *_counts(some)) for method, some in sorted(by_method.items())),
        notes=tuple(notes),
    )


def _counts(rows: Sequence[Row]) -> tuple[Cell, ...]:
    gaps = [row["gap"] for row in rows if answered(row) and row["gap"] is not None]
    mean = 100 * fmean(gaps) if gaps else None
    return len(rows), sum(map(answered, rows)), sum(map(solved, rows)), mean
