"""The contribution of each part of the default method: each bound and search left out in turn.

The instances are the drawn ones of `fresh`, and some small ones. A part that cannot apply to a
group is not left out there: nested blocks, for example, need sizes that divide one another.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from statistics import fmean
from typing import get_args

from ..analysis.tables import Cell, Table
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import NO_LIMITS, MakespanInstance
from ..search.makespan.annealing.block_moves import MOVES
from ..search.makespan.bounds.counting import combinatorial_bounds
from ..search.makespan.bounds.slow_bounds import OPTIONAL, slow_bounds
from ..search.makespan.portfolio import PortfolioPart
from .fresh import FIRST_SEED, GROUPS, DrawnGroup, drawn
from .study import Compared, compared, ours, table_of

WHOLE = "all on"

BOUNDS = tuple(name.replace(" ", "-") for name in OPTIONAL)

FOR_FEW = ("branch-and-bound", "list-schedulers", "enumeration")

FOR_BLOCKS = ("nested", *MOVES, "block-dive")

FOR_RINGS = "whole-server-list"
"""The part for jobs larger than every server."""

COSTLY = tuple(
    DrawnGroup(f"knot-alpha-{alpha}", "knot", (("degradation", Decimal(alpha)),))
    for alpha in (10, 30)
)
"""Groups in which rings that share an uplink slow each other down very much."""

TRIED = ("mobihoc-10", "mobihoc-15", "mobihoc-20", "tight-full", "knot-full")
"""Groups of `fresh` that take part."""

TIMES = {"mobihoc-20": 2}
"""Groups with more seconds, because a diving heuristic needs some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AblatedGroup:
    """Drawn instances, and the parts of the default that can be left out on them."""

    drawn: DrawnGroup
    parts: tuple[str, ...]


def groups() -> tuple[AblatedGroup, ...]:
    """Return the groups, the group with few jobs first."""
    few = DrawnGroup("small-24x8", "small", (("jobs", 24), ("servers", 8)))
    known = {one.name: one._replace(times=TIMES.get(one.name, 1)) for one in GROUPS}
    known |= {one.name: one for one in COSTLY}
    found = [AblatedGroup(drawn=few, parts=(*BOUNDS, *FOR_FEW, FOR_RINGS, "local-search"))]
    for name in (*TRIED, *(one.name for one in COSTLY)):
        blocks = ("cells",) if name.startswith("knot") else FOR_BLOCKS
        rings = () if name.startswith("mobihoc") else (FOR_RINGS,)
        parts = (*BOUNDS, *blocks, *rings, "local-search")
        found.append(AblatedGroup(drawn=known[name], parts=parts))
    return tuple(found)


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield a run of the whole method, and a run without each part, for every instance."""
    for group in settings.some(groups()):
        for some in _runs(group, settings).values():
            yield from some


def report(settings: Settings, answers: Answers) -> Results:
    """Make tables of slots, proofs and bounds, and say which parts cost most and least."""
    some = settings.some(groups())
    found = {one.drawn.name: compared(_runs(one, settings), answers) for one in some}
    tables = {
        "slots": _table(
            "Mean slots above the best bound, and the increase below the first line", found
        ),
        "proofs": _table("Runs that proved their own schedule best", found, proofs=True),
        "bounds": _bounds(some, settings),
    }
    return Results(tables=tables, statements=tuple(_statements(found)))


def _runs(group: AblatedGroup, settings: Settings) -> dict[str, list[Run]]:
    """Return runs by the omitted part, one for each instance."""
    methods = {WHOLE: ours()} | {part: f"{ours()}:without={part}" for part in group.parts}
    limit = settings.time_limit * group.drawn.times
    some = drawn(group.drawn, settings.seeds)
    return {
        name: [Run(instance=one, method=method, time_limit=limit) for one in some]
        for name, method in methods.items()
    }


def _slots(one: Compared, name: str) -> float:
    """Return the mean of the slots above the best certified bound of all runs."""
    return fmean(value - bound for value, bound in zip(one.values(name), one.bounds, strict=True))


def _proofs(one: Compared, name: str) -> int:
    """Return how many runs ended because their own schedule met their own bound."""
    rows = one.rows[name]
    return sum(row["termination"] == "done" and row["status"] == "optimal" for row in rows)


def _table(caption: str, found: dict[str, Compared], proofs: bool = False) -> Table:
    """Return a line for each part that is left out, and a column for each group."""

    def cell(one: Compared, name: str) -> Cell:
        if name not in one.rows:
            return "-"
        if proofs:
            return f"{_proofs(one, name)} of {len(one.bounds)}"
        if name == WHOLE:
            return f"{_slots(one, name):.1f}"
        return f"{_slots(one, name) - _slots(one, WHOLE):+.1f}"

    lines = [
        (name, *(cell(one, name) for one in found.values()))
        for name in (WHOLE, *get_args(PortfolioPart))
        if any(name in one.rows for one in found.values())
    ]
    heads = {"without": None} | dict.fromkeys(found)
    return table_of(
        caption,
        heads,
        lines,
        (f"Seeds from {FIRST_SEED} on. A dash means that a group has no such part."),
    )


@cache
def values_of(instance: MakespanInstance) -> dict[str, int]:
    """Return the value of each bound alone, without a time limit: the same on every machine."""
    asked = [*combinatorial_bounds(instance), *slow_bounds(instance, NO_LIMITS).found]
    return {bound.name: int(bound.value) for bound in asked}


def _bounds(some: Sequence[AblatedGroup], settings: Settings) -> Table:
    """Return the mean loss of the best bound, in slots, when a bound is left out."""
    lines: list[tuple[Cell, ...]] = []
    values = [[values_of(one) for one in drawn(group.drawn, settings.seeds)] for group in some]
    best = [fmean(max(one.values()) for one in group) for group in values]
    lines.append((WHOLE, *(f"{one:.1f}" for one in best)))
    for name in OPTIONAL:
        cells = [f"{fmean(lost(one, name) for one in group):.1f}" for group in values]
        lines.append((name.replace(" ", "-"), *cells))
    heads = {"without": None} | dict.fromkeys(group.drawn.name for group in some)
    caption = "The best bound in slots. Below the first line: the loss without this bound"
    return table_of(caption, heads, lines)


def lost(values: dict[str, int], name: str) -> int:
    """Return by how much the best bound falls without the bound of this name."""
    others = (value for other, value in values.items() if other != name)
    return max(0, max(values.values()) - max(others))


def _statements(found: dict[str, Compared]) -> Iterator[str]:
    """Name the part whose absence costs most in each group, and parts without a cost in any."""
    parts = [
        part for part in get_args(PortfolioPart) if any(part in o.rows for o in found.values())
    ]
    for group, one in found.items():
        costs = {part: _slots(one, part) - _slots(one, WHOLE) for part in parts if part in one.rows}
        worst = max(costs, key=lambda part: costs[part])
        if costs[worst] > 0:
            yield f"{group}: leaving out {worst} costs most, {costs[worst]:.1f} slots on average."
        else:
            yield f"{group}: leaving out any one part costs no slot on average."
    idle = [part for part in parts if all(_unmissed(one, part) for one in found.values())]
    if idle:
        yield f"Leaving out one of these loses no slot and no proof in any run: {', '.join(idle)}."


def _unmissed(one: Compared, part: str) -> bool:
    """Return True if no run of a group is worse without a part."""
    if part not in one.rows:
        return True
    pairs = zip(one.rows[part], one.rows[WHOLE], strict=True)
    same = all(row["objective"] <= whole["objective"] for row, whole in pairs)
    return same and _proofs(one, part) >= _proofs(one, WHOLE)
