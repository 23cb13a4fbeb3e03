"""How far schedules are from proved bounds, by instance group and method."""

from collections.abc import Collection, Mapping, Sequence
from math import inf

from ...instances.errors import InputError
from ..rows import Row, answered
from ..sources import NOTHING, Sources
from ..stats.cases import common_set
from ..stats.comparisons import compare_values
from ..stats.means import geometric_mean
from ..stats.references import PROVED, Key, best_bounds, key_of, ratio
from ..stats.wrong import mark_wrong
from ..tables import Cell, Column, Table, numbers, texts
from .blocks import ResultBlock, blocks

BEST = "Bold: the best of a group, and what is shown equal to it."
"""What is bold, for legends."""

NOTE = (
    "Objective over the best proved bound of the instance, or bound over objective where it "
    "is to be large: 1 is optimal, and the distance to the optimum is at most that."
)
OF_MEAN = (
    "Mean: geometric, over the instances with a bound of which every method answered all runs "
    "(compared), methods apart that answered none; of several runs on an instance the geometric "
    "mean counts."
)
OF_WORST = "Worst: of all answered runs."

STARS = {0.001: "***", 0.01: "**", 0.05: "*"}
"""Marks by the chance below which they stand."""

LEGEND = (
    "Stars: worse than the best of the group, by Wilcoxon's signed-rank test over instances with "
    "Holm's correction for all pairs of the group: "
    + ", ".join(f"{mark} p < {chance}" for chance, mark in sorted(STARS.items(), reverse=True))
    + "."
)

ABOUT = (
    (NOTE, ("mean", "worst")),
    (OF_MEAN, ("mean", "compared")),
    (" (compared)", ("compared",)),
    (OF_WORST, ("worst",)),
    (BEST, ("mean",)),
    (LEGEND, ("stars",)),
)


def ratios(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return mean and worst ratio to the proved bound for each method."""
    marked = mark_wrong(rows)
    bounds = best_bounds(marked)
    kinds = _kinds(marked, bounds)
    groups, seedless = blocks(marked, grouped=True), sources.seedless(marked)
    told = [[_line(block, method, bounds, kinds) for method in block.methods] for block in groups]
    lines = [line for some in told for line in some]
    pairs = zip(groups, told, strict=True)
    marks = [mark for block, some in pairs for mark in _marks(block, some, seedless)]
    starred = any(marks)
    return Table(
        caption="Schedules over proved bounds, by instance group",
        columns=(
            *texts("instances", "method"),
            *numbers("runs", "answered", "compared"),
            Column(head="mean", digits=3, best="min"),
            *texts(*["stars"] * starred),
            Column(head="worst", digits=3),
            Column(head="proved by", digits=None),
        ),
        rows=tuple(
            (*line[:MEAN], *[mark] * starred, *line[MEAN:])
            for line, mark in zip(lines, marks, strict=True)
        ),
        notes=(f"{NOTE} {OF_MEAN} {OF_WORST}",),
        legend=f"{BEST} {LEGEND}" if starred else BEST,
        about=ABOUT,
        shared=1,
    )


MEAN = 6
"""Cells of a line up to the mean, which stars follow."""


def _marks(
    block: ResultBlock, lines: Sequence[tuple[Cell, ...]], seedless: Collection[str]
) -> list[str]:
    """Return the stars of the lines of a block, where they have any."""
    means = {str(line[1]): line[MEAN - 1] for line in lines}
    known = {method: mean for method, mean in means.items() if isinstance(mean, float)}
    found = stars(block, known, seedless)
    return [found.get(method, "") for method in means]


def stars(
    block: ResultBlock, means: Mapping[str, float], seedless: Collection[str]
) -> dict[str, str]:
    """Return the marks of methods that are worse than the one with the least mean.

    There are none where the runs cannot be compared: some are made again, or under other limits.
    """
    try:
        common = common_set(block.rows, seedless=seedless, restrict=True)
        pairs = compare_values(common) if len(means) > 1 else []
    except InputError:
        return {}
    best = min(means, key=lambda name: means[name], default="")
    found: dict[str, str] = {}
    for one in pairs:
        if best in (one.method, one.other) and (one.effect > 0) == (one.method == best):
            worse = one.other if one.method == best else one.method
            mark = next((mark for chance, mark in STARS.items() if one.holm < chance), "")
            found |= {worse: mark} if mark and worse in means else {}
    return found


def _kinds(rows: Sequence[Row], bounds: dict[Key, float]) -> dict[Key, str]:
    """Return by which kind each of the bounds is proved."""
    return {
        key_of(row): row["bound_kind"]
        for row in rows
        if row["bound_kind"] in PROVED and row["bound"] == bounds[key_of(row)]
    }


def over_bound(row: Row, bounds: dict[Key, float]) -> float:
    """Return the ratio of an answered run to its bound; infinite if it is worth nothing."""
    found = ratio(row["objective"], bounds[key_of(row)], row["sense"])
    return inf if found is None else found


def compared(block: ResultBlock, bounds: dict[Key, float]) -> list[Key]:
    """Return the problems with a bound that all methods answered which answered any."""
    some = {row["method"] for row in block.rows if answered(row)}
    return [
        key
        for key, rows in block.problems.items()
        if key in bounds and all(answered(row) for row in rows if row["method"] in some)
    ]


def _line(
    block: ResultBlock, method: str, bounds: dict[Key, float], kinds: dict[Key, str]
) -> tuple[Cell, ...]:
    by_problem = block.runs(method)
    mine = [row for runs in by_problem.values() for row in runs]
    good = [row for row in mine if answered(row)]
    keys = compared(block, bounds) if good else []
    each = [[over_bound(row, bounds) for row in by_problem[key]] for key in keys]
    finite = bool(keys) and max(map(max, each)) < inf
    known = [over_bound(row, bounds) for row in good if key_of(row) in bounds]
    return (
        block.name,
        method,
        len(mine),
        len(good),
        len(keys),
        geometric_mean(map(geometric_mean, each)) if finite else None,
        max(known, default=None),
        ", ".join(sorted({kinds[key] for key in block.problems if key in kinds})) or None,
    )
