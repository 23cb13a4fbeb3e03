"""Quality of schedules by instance group and method: ratios to bounds, and mean objectives.

Only comparable runs are used: a `ResultBlock` has problems on which the same methods ran.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from re import sub
from statistics import fmean

from ...instances.errors import InputError
from ..intervals import FEWEST, Interval, mean_above
from ..rows import BOUND, Row, answered, by_key, objective_head
from ..sources import NOTHING, Sources
from ..stats.cases import common_set
from ..stats.comparisons import compare_values
from ..stats.means import geometric_mean
from ..stats.references import PROVED, Key, best_bounds, key_of, mark_wrong, ratio
from ..tables import Cell, Column, Table, value_decimals

SEED_OR_SIZE = r"-(s\d+|\d+x\d+(x\d+)*)(?=-|$)"
"""The parts of an instance's name that give its seed and size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultBlock:
    """Problems with the runs of each method on every one of them."""

    name: str
    methods: tuple[str, ...]
    problems: dict[Key, tuple[Row, ...]]

    @property
    def rows(self) -> list[Row]:
        """All runs."""
        return [row for rows in self.problems.values() for row in rows]

    def runs(self, method: str) -> dict[Key, list[Row]]:
        """Return the runs of a method by problem."""
        return {
            key: [row for row in rows if row["method"] == method]
            for key, rows in self.problems.items()
        }


def group_of(name: str) -> str:
    """Return the common part of instance names that differ in seed or size."""
    return sub(SEED_OR_SIZE, "", name)


def blocks(rows: Iterable[Row], *, grouped: bool) -> list[ResultBlock]:
    """Split rows by the methods that ran on their problem, and if `grouped` by instance group.

    Runs that only compute a bound are left out.
    """
    problems = by_key((row for row in rows if row["method"] != BOUND), key_of)
    alike: dict[tuple[str, tuple[str, ...]], dict[Key, tuple[Row, ...]]] = {}
    for key, some in problems.items():
        group = group_of(some[0]["instance"]) if grouped else ""
        methods = tuple(sorted({row["method"] for row in some}))
        alike.setdefault((group, methods), {})[key] = tuple(some)
    found = [
        ResultBlock(name=_name_of(found.values()), methods=methods, problems=found)
        for (_, methods), found in alike.items()
    ]
    return sorted(found, key=lambda block: (block.name, block.methods))


def _name_of(problems: Iterable[Sequence[Row]]) -> str:
    """Return the names of the groups of instances, or of the first ones if there are many."""
    names = sorted({group_of(rows[0]["instance"]) for rows in problems})
    return ", ".join(names[:2]) + (", .." if len(names) > 2 else "")


INSTANCES = Column(
    head="instances", digits=None, about="group of instances, without seeds and sizes"
)
METHOD = Column(head="method", digits=None, about="method as it was called")
RUNS = Column(head="runs", about="runs of the method")

BEST_OF_GROUP = "the best of each group, including ties"
"""The numbers that are bold."""

OF_RATIO = (
    "Ratio: objective / best proved bound of the instance (inverse when maximizing). "
    "A ratio of 1 is optimal, and a ratio r is within a factor r of the optimum."
)
OF_COMPARED = (
    "Compared: instances with a proved bound and a valid schedule from every run of every method. "
    "Methods without any valid schedule are left out."
)

STARS = {0.001: "***", 0.01: "**", 0.05: "*"}
"""Marks by the p-value below which they are shown."""

OF_STARS = (
    "Stars: significantly worse than the best of the group, "
    + ", ".join(f"{mark} p < {chance}" for chance, mark in sorted(STARS.items(), reverse=True))
    + "."
)
OF_TEST = (
    "two-sided Wilcoxon signed-rank test over instances, with Holm's correction for all pairs of "
    "methods of a group."
)

SIGNIFICANCE = Column(
    head="stars",
    digits=None,
    about="significance of the distance from the best of the group, if any is significant",
    notes=(f"Significance: {OF_TEST}",),
    legend=(OF_STARS,),
    beside=True,
)
RATIO_COLUMNS = (
    INSTANCES,
    METHOD,
    replace(RUNS, optional=3),
    Column(head="answered", about="runs that gave a valid schedule", optional=2),
    Column(head="compared", about="instances in the mean", notes=(OF_COMPARED,), optional=1),
    Column(
        head="mean",
        digits=3,
        best="min",
        about="geometric mean of objective / best proved bound",
        notes=(
            OF_RATIO,
            OF_COMPARED,
            "Mean: geometric mean over the compared instances, after averaging the runs on each in "
            "the same way.",
        ),
    ),
    SIGNIFICANCE,
    Column(
        head="worst",
        digits=3,
        about="largest ratio of a run",
        notes=(OF_RATIO, "Worst: largest ratio of all runs with a valid schedule."),
    ),
    Column(head="proved by", digits=None, about="kinds of the bounds", optional=4),
)
"""Columns of the table of ratios."""


def ratios(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return mean and worst ratio to the proved bound for each method."""
    marked = mark_wrong(rows)
    bounds = best_bounds(marked)
    kinds = _kinds(marked, bounds)
    groups, seedless = blocks(marked, grouped=True), sources.seedless(marked)
    lines: list[tuple[tuple[Cell, ...], str]] = []
    for block in groups:
        some = [_ratio_line(block, method, bounds, kinds) for method in block.methods]
        lines += zip(some, _marks(block, some, seedless), strict=True)
    starred = any(mark for _, mark in lines)
    return Table(
        caption="Ratios of objectives to proved bounds, by instance group",
        columns=tuple(one for one in RATIO_COLUMNS if starred or one is not SIGNIFICANCE),
        rows=tuple(
            (*line[:UP_TO_MEAN], *[mark] * starred, *line[UP_TO_MEAN:]) for line, mark in lines
        ),
        bold=BEST_OF_GROUP,
        shared=1,
    )


UP_TO_MEAN = RATIO_COLUMNS.index(SIGNIFICANCE)
"""Number of cells of a line up to the mean, after which stars follow."""


def _marks(
    block: ResultBlock, lines: Sequence[tuple[Cell, ...]], seedless: Collection[str]
) -> list[str]:
    """Return the stars of the lines of a block, if there are any."""
    means = {str(line[1]): line[UP_TO_MEAN - 1] for line in lines}
    known = {method: mean for method, mean in means.items() if isinstance(mean, float)}
    found = stars(block, known, seedless)
    return [found.get(method, "") for method in means]


def stars(
    block: ResultBlock, means: Mapping[str, float], seedless: Collection[str]
) -> dict[str, str]:
    """Return the marks of methods that are worse than the method with the smallest mean.

    There are no marks if the runs are incomparable because of repeated runs or different limits.
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
    """Return the kind of each proved bound."""
    return {
        key_of(row): row["bound_kind"]
        for row in rows
        if row["bound_kind"] in PROVED and row["bound"] == bounds[key_of(row)]
    }


def over_bound(row: Row, bounds: dict[Key, float]) -> float:
    """Return the ratio of an answered run to its bound, infinite for a worthless answer."""
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


def _ratio_line(
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


OF_MEANS = (
    "Means are taken over the instances of a group after averaging the runs on each, or over the "
    "runs of a single instance. They are omitted if a run gave no schedule."
)
BRACKETS = "In brackets: 95 % confidence intervals."
OF_INTERVALS = (
    f"Intervals: Student's t on log(mean - minimum), omitted for fewer than {FEWEST} values."
)

OBJECTIVE = Column(
    head="objective",
    about="mean objective with its 95 % confidence interval",
    notes=(OF_MEANS, OF_INTERVALS, "The minimum is 0 for objectives."),
    legend=(BRACKETS,),
)
POLICY_COLUMNS = (
    INSTANCES,
    METHOD,
    Column(head="count", about="instances of the group", optional=1),
    replace(RUNS, optional=2),
    OBJECTIVE,
    Column(
        head="ratio",
        digits=3,
        best="min",
        about="mean of objective / best proved bound, with its 95 % confidence interval",
        notes=(
            OF_MEANS,
            "Ratio: objective / best proved bound (inverse when maximizing), omitted if an "
            "instance has no proved bound.",
            OF_INTERVALS,
            "The minimum is 1 for ratios.",
        ),
        legend=(BRACKETS,),
    ),
)
"""Columns of the table of policies."""


def policies(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return mean objective and mean ratio to the proved bound for each method."""
    marked = mark_wrong(rows)
    bounds = best_bounds(marked)
    found = blocks(marked, grouped=True)
    same = sources.seedless(rows)
    lines = [
        _policy_line(block, method, bounds, same=method in same)
        for block in found
        for method in block.methods
    ]
    senses = {row["sense"] for block in found for row in block.rows}
    place = POLICY_COLUMNS.index(OBJECTIVE)
    objective = replace(
        OBJECTIVE,
        head=objective_head(rows),
        digits=value_decimals([line[place] for line in lines]),
        best=senses.pop() if len(senses) == 1 else None,
    )
    return Table(
        caption="Mean objectives and their ratios to proved bounds, by instance group",
        columns=tuple(objective if one is OBJECTIVE else one for one in POLICY_COLUMNS),
        rows=tuple(lines),
        bold=BEST_OF_GROUP,
        shared=1,
    )


def _policy_line(
    block: ResultBlock, method: str, bounds: dict[Key, float], *, same: bool
) -> tuple[Cell, ...]:
    by_problem = block.runs(method)
    runs = [row for some in by_problem.values() for row in some]
    whole = all(map(answered, runs))
    bounded = whole and all(key_of(row) in bounds for row in runs)
    return (
        block.name,
        method,
        len(by_problem),
        len(runs),
        _mean(by_problem, lambda row: float(row["objective"]), 0, same=same) if whole else None,
        _mean(by_problem, lambda row: over_bound(row, bounds), 1, same=same) if bounded else None,
    )


def _mean(
    by_problem: dict[Key, list[Row]], value: Callable[[Row], float], least: float, *, same: bool
) -> Interval | None:
    """Return the mean. Equal runs of a deterministic method (`same`) are merged."""
    each = [list(map(value, runs)) for runs in by_problem.values()]
    once = same and len({*each[0]}) == 1
    values = [fmean(some) for some in each] if len(each) > 1 or once else each[0]
    return mean_above(values, least) if all(map(isfinite, values)) else None
