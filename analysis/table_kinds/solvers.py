"""Methods side by side: what they solved, in what time, with how much memory."""

from collections.abc import Iterator, Sequence
from statistics import fmean

from ..rows import ANSWERED, Row
from ..sources import NOTHING, Sources
from ..stats.cases import Common, common_set
from ..stats.means import SHIFT_S
from ..stats.summary import REFUSED, Summary, summary
from ..tables import Cell, Column, Table, columns_of
from .blocks import ResultBlock, blocks
from .ratios import BEST

GROUPS = (
    "Methods of a group ran on the same instances; the run of one without random steps is for "
    "every seed."
)
TIMES = ("time", "PAR10")
OF_COLUMNS = (
    ("Solved: optimal, or infeasible.", ("solved",)),
    ("Feasible: a valid schedule without proof.", ("feasible",)),
    (
        f"Time: geometric mean shifted by {SHIFT_S:g} s; what is not solved counts with its time "
        "limit, in PAR10 with ten of them (arithmetic mean).",
        TIMES,
    ),
    ("Longest: of the runs themselves, however they ended.", ("longest",)),
    ("Gap: mean of the method's own; 100 % without schedule or bound.", ("gap",)),
    ("MB: the most memory of a run.", ("MB",)),
)
NOTE = " ".join([GROUPS, *(sentence for sentence, _ in OF_COLUMNS)])


def solvers(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return counts, mean times, PAR10, gap and memory for each method."""
    groups, seedless = blocks(rows, grouped=False), sources.seedless(rows)
    common = [common_set(block.rows, seedless=seedless, restrict=True) for block in groups]
    views = [summary(block.rows, seedless=seedless, restrict=True) for block in groups]
    said = {s for view in views for line in view.methods for s in line.counts.statuses}
    bad = sorted(said - set(ANSWERED))
    lines = [
        line
        for block, some, view in zip(groups, common, views, strict=True)
        for line in _lines(block, some, view.methods, bad)
    ]
    left_out = sum(view.left_out for view in views)
    why = [*_why([line for view in views for line in view.methods], left_out)]
    return Table(
        caption="Comparison of methods",
        columns=(
            *columns_of({"instances": None, "method": None, "cases": 0}),
            Column(head="solved", best="max"),
            Column(head="feasible"),
            *(Column(head=status) for status in bad),
            Column(head="time", over="seconds", digits=2, best="min"),
            Column(head="PAR10", over="seconds", digits=1, best="min"),
            Column(head="longest", over="seconds", digits=2),
            Column(head="gap, %", digits=1, best="min"),
            Column(head="MB"),
        ),
        rows=tuple(lines),
        notes=(NOTE, *why),
        legend=BEST,
        about=(
            *OF_COLUMNS,
            (", in PAR10 with ten of them (arithmetic mean)", ("PAR10",)),
            *((reason, TIMES) for reason in why if reason.startswith("No mean time")),
            (BEST, ("solved", *TIMES, "gap")),
        ),
        shared=1,
    )


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
            None if line.seconds is None else line.seconds.value,
            line.par10,
            max((row["seconds"] for row in ran if row["seconds"] is not None), default=None),
            100 * fmean(1.0 if row["gap"] is None else row["gap"] for row in ran) if ran else None,
            max(memory, default=None),
        )


def _why(lines: Sequence[Summary], left_out: int) -> Iterator[str]:
    """Say which runs do not take part, and why numbers are missing."""
    if left_out:
        yield f"Left out: {left_out} cases (seeds, repetitions) that not all of a group ran."
    reasons = {note for line in lines for note in line.notes if note.startswith("no mean time")}
    yield from (f"{reason[0].upper()}{reason[1:]}." for reason in sorted(reasons))
