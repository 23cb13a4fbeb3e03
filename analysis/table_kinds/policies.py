"""What methods are worth on average, by instance group."""

from collections.abc import Callable, Sequence
from math import isfinite
from statistics import fmean
from typing import Literal

from ..intervals import ABOVE, FEWEST, Interval, mean_above
from ..rows import Row, answered, objective_head
from ..sources import NOTHING, Sources
from ..stats.references import Key, best_bounds, key_of
from ..stats.wrong import mark_wrong
from ..tables import Cell, Column, Table, columns_of, value_decimals
from .blocks import ResultBlock, blocks
from .ratios import BEST, over_bound

LEGEND = (
    f"In brackets: 95 % intervals, {ABOVE} the least possible value, 0 of objectives and 1 of "
    f"ratios; none of fewer than {FEWEST} values. {BEST}"
)

NOTE = (
    "Means are over the instances of a group, of which the runs of a method are averaged first; "
    "over its runs where the group is one instance. No mean where a run has no schedule, or an "
    "instance no proved bound."
)
OF_RATIO = (
    "Ratio: objective over the best proved bound, or bound over objective where it is to be large."
)

ABOUT = (
    (NOTE, ("objective", "ratio")),
    (LEGEND, ("objective", "ratio")),
    (", or an instance no proved bound", ("ratio",)),
    (OF_RATIO, ("ratio",)),
    (" and 1 of ratios", ("ratio",)),
    (" 0 of objectives and", ("objective",)),
)


def policies(rows: Sequence[Row], sources: Sources = NOTHING) -> Table:
    """Return mean objective and mean ratio to the proved bound for each method."""
    marked = mark_wrong(rows)
    bounds = best_bounds(marked)
    found = blocks(marked, grouped=True)
    same = sources.seedless(rows)
    lines = [
        _line(block, method, bounds, same=method in same)
        for block in found
        for method in block.methods
    ]
    objectives = value_decimals([line[4] for line in lines])
    return Table(
        caption="Mean objective and its ratio to the proved bound, by instance group",
        columns=(
            *columns_of({"instances": None, "method": None, "count": 0, "runs": 0}),
            Column(head=objective_head(rows), digits=objectives, best=_better(found)),
            Column(head="ratio", digits=3, best="min"),
        ),
        rows=tuple(lines),
        notes=(f"{NOTE} {OF_RATIO}",),
        legend=LEGEND,
        about=ABOUT,
        shared=1,
    )


def _better(found: list[ResultBlock]) -> Literal["min", "max"] | None:
    """Return which objective is the better one, if that is the same in all rows."""
    senses = {row["sense"] for block in found for row in block.rows}
    if senses == {"min"}:
        return "min"
    return "max" if senses == {"max"} else None


def _line(
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
    """Return the mean; runs that are the `same`, without random steps, count as one."""
    each = [list(map(value, runs)) for runs in by_problem.values()]
    once = same and len({*each[0]}) == 1
    values = [fmean(some) for some in each] if len(each) > 1 or once else each[0]
    return mean_above(values, least) if all(map(isfinite, values)) else None
