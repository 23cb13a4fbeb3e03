"""Sizes that branch and bound solves alone: more seeds and sizes than `frontier`."""

from collections.abc import Iterator

from ..analysis.tables import Cell, columns_of, texts
from ..campaigns.reproductions import Answers, Known, Results, Run, Settings
from ..instances import BoundKind
from .frontier import cell, drawn, numbers_of, slots_of
from .study import sound, table_of

SIZES = ("24x8", "30x10", "36x12")
"""Jobs x servers."""

METHOD = "branch-and-bound"


def runs(settings: Settings, _: Known | None = None) -> Iterator[Run]:
    """Yield a run for every instance."""
    for size in settings.some(SIZES):
        yield from _runs(size, settings)


def report(settings: Settings, answers: Answers) -> Results:
    """Make a table with a line for each size."""
    columns = columns_of({"instances": None, "jobs": 0, "servers": 0})
    columns += texts("slots", "proved", "by a search")
    lines = tuple(_line(size, settings, sound(answers)) for size in settings.some(SIZES))
    caption = f"Share proved optimal by {METHOD}, {settings.time_limit:g} s for each run"
    return Results(tables={"far": table_of(caption, columns, lines)})


def _runs(size: str, settings: Settings) -> list[Run]:
    some = drawn(size, settings.seeds)
    return [Run(instance=one, method=METHOD, time_limit=settings.time_limit) for one in some]


def _line(size: str, settings: Settings, answers: Answers) -> tuple[Cell, ...]:
    """Return how many are proved, and how many of the bounds come from the search itself."""
    rows = [answers(run) for run in _runs(size, settings)]
    searched = sum(row["bound_kind"] == BoundKind.SEARCHED for row in rows)
    return size, *numbers_of(size), slots_of(rows), cell(rows), str(searched)
