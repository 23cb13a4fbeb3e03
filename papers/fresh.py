"""Rate at which the default method proves optima on instances not used for tuning."""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from ..analysis.tables import Cell
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import MakespanInstance
from ..instances.generate import generate
from .closing import NEAR, near
from .study import BEST, Compared, ours, sound, table_of

FIRST_SEED, FRESH_SEED = 9000, 9400
"""Far from the seeds of the catalogue and of tests, and the first seed without any choice."""


class DrawnGroup(NamedTuple):
    """Instances of a preset with options, a share of the seeds, a multiple of the seconds.

    Seeds begin with `first`.
    """

    name: str
    family: str
    options: tuple[tuple[str, Any], ...]
    share: int = 1
    times: int = 1
    first: int = FIRST_SEED


GROUPS = (
    *(DrawnGroup(f"mobihoc-{n}", "mobihoc", (("servers", n),)) for n in (10, 15, 20)),
    DrawnGroup("tight-full", "tight", ()),
    DrawnGroup("tight-half", "tight", (("share", Decimal("0.5")),)),
    DrawnGroup("knot-full", "knot", ()),
    DrawnGroup("knot-half", "knot", (("share", Decimal("0.5")),)),
    DrawnGroup("knot-cheap", "knot", (("communication", Decimal("0.1")),)),
    DrawnGroup("large-2000", "large", (), 1, 6),
    DrawnGroup("large-20000", "large", (("jobs", 20_000), ("servers", 2000)), 5, 18),
)
FRESH = tuple(group._replace(first=FRESH_SEED) for group in GROUPS)


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield a run for every instance."""
    for group in settings.some(FRESH):
        yield from _runs(group, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make a table with a line for each group."""
    heads = {"instances": None, "seconds": 0, **NEAR}
    lines = tuple(_line(group, settings, sound(answers)) for group in settings.some(FRESH))
    caption = f"Distance to the proved bound, seeds from {FRESH_SEED} on"
    return Results(tables={"fresh": table_of(caption, heads, lines)})


@cache
def drawn(group: DrawnGroup, seeds: int) -> tuple[MakespanInstance, ...]:
    """Draw the instances of a group, each made once."""
    some = range(group.first, group.first + max(1, seeds // group.share))
    made = (generate(group.family, seed=seed, **dict(group.options)) for seed in some)
    return tuple(instance for instance in made if isinstance(instance, MakespanInstance))


def _runs(group: DrawnGroup, settings: Settings) -> list[Run]:
    limit, some = settings.time_limit * group.times, drawn(group, settings.seeds)
    return [Run(instance=one, method=ours(), threads=2, time_limit=limit) for one in some]


def _line(group: DrawnGroup, settings: Settings, answers: Answers) -> tuple[Cell, ...]:
    rows = [answers(run) for run in _runs(group, settings)]
    one = Compared(rows={BEST: rows}, bounds=[float(row["bound"]) for row in rows])
    return group.name, round(settings.time_limit * group.times), *near(one)
