"""The figures of the page as SVG, for each problem family as far as its rows allow."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ...instances.errors import InputError
from ..check.judge import check
from ..figures.canvas import Figure, svg_text
from ..figures.comparisons import (
    completion_times,
    convergence,
    ecdf,
    item_of,
    ratio_profile_of,
    ratios_of,
    time_profile_of,
    unit_of,
)
from ..figures.style import LOOKS
from ..rows import BOUND, Row, solved
from ..sources import Read
from ..stats.references import key_of
from .tables import comparable, latest

MOST_METHODS = len(LOOKS)
MOST_POINTS = 1_500
"""Maximum number of runs in a scatter plot. With more, a regular subset is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionedFigure:
    """A drawing with the sentence below it."""

    svg: str
    caption: str


def captioned_figures(
    rows: Sequence[Row], read: Read, seedless: Collection[str] = ()
) -> tuple[tuple[CaptionedFigure, ...], tuple[str, ...]]:
    """Return the figures that the rows allow, and reasons for the missing ones.

    The single run of a `seedless` method is used for every seed.
    """
    figures: list[CaptionedFigure] = []
    missing: list[str] = []
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = [row for row in rows if row["family"] == family]
        chosen, others = _methods(mine)
        if others:
            missing.append(f"{family}: figures leave out {', '.join(others)}")
        few = [row for row in mine if row["method"] in (*chosen, BOUND)]
        for drawn in (  # Each draws, and may fail, when it is asked.
            _times(few, seedless, chosen),
            _qualities(few, seedless, chosen),
            _distances(few, chosen),
            _progress(few, chosen),
            _completions(few, read, chosen),
        ):
            try:
                figures += [
                    CaptionedFigure(svg=svg_text(figure), caption=f"{family}: {caption}")
                    for figure, caption in drawn
                ]
            except InputError as error:
                missing.append(f"{family}: a figure is missing: {error}")
    return tuple(figures), tuple(dict.fromkeys(missing))


def _methods(rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    """Return the distinguishable methods with the most runs, and the omitted methods."""
    count = Counter(row["method"] for row in rows if row["method"] != BOUND)
    ranked = [name for name, _ in count.most_common()]
    return ranked[:MOST_METHODS], sorted(ranked[MOST_METHODS:])


Drawn = Iterator[tuple[Figure, str]]


def _times(rows: Sequence[Row], seedless: Collection[str], among: Collection[str]) -> Drawn:
    some, _ = comparable(latest(rows), seedless)
    if len({row["method"] for row in some if solved(row)}) > 1:
        caption = "share of cases solved within a factor of the fastest method"
        yield time_profile_of(some, seedless=seedless, among=among), caption


def _qualities(rows: Sequence[Row], seedless: Collection[str], among: Collection[str]) -> Drawn:
    some, _ = comparable(latest(rows), seedless)
    caption = "share of cases within a factor of the best objective found"
    yield ratio_profile_of(some, seedless=seedless, among=among), caption


def _distances(rows: Sequence[Row], among: Collection[str]) -> Drawn:
    valid = [row for row in rows if row["valid"]]
    every = 1 + len(valid) // MOST_POINTS
    bounds = [row for row in rows if row["method"] == BOUND]
    figure = ratios_of(valid[::every] + bounds, among=among)
    if any(len(line.get_xdata()) for axes in figure.axes for line in axes.lines):
        share = f" (one run in {every})" if every > 1 else ""
        yield figure, f"ratio to the best proved bound by run{share}"


def _progress(rows: Sequence[Row], among: Collection[str]) -> Drawn:
    """Draw the instance on which most methods report more than one schedule."""
    reporting: dict[object, dict[str, Row]] = {}
    for row in rows:
        if len(row["trajectory"] or ()) > 1:
            reporting.setdefault(key_of(row), {}).setdefault(row["method"], row)
    if reporting:
        chosen = max(reporting.values(), key=_reported)
        figure = convergence(list(chosen.values()), log_time=True, among=among)
        name = next(iter(chosen.values()))["instance"]
        yield figure, f"incumbent over time on {name}, where most methods report incumbents"


def _reported(runs: dict[str, Row]) -> tuple[int, int]:
    """Return the number of reporting methods, and of their schedules."""
    return len(runs), sum(len(row["trajectory"]) for row in runs.values())


def _completions(rows: Sequence[Row], read: Read, among: Collection[str]) -> Drawn:
    """Draw the completion times on the instance that most methods have a schedule for."""
    found: dict[object, dict[str, Row]] = {}
    for row in rows:
        if row["schedule"] and row["valid"]:
            found.setdefault(key_of(row), {}).setdefault(row["method"], row)
    chosen = max(found.values(), key=len, default={})
    times = {}
    for method, row in chosen.items():
        instance, schedule = read(row)
        times[method] = completion_times(instance, check(instance, schedule))
    if any(times.values()):
        some = list(chosen.values())
        item, name = item_of(some), some[0]["instance"]
        figure = ecdf(times, unit=unit_of(some), item=item, among=among)
        yield figure, f"share of the {item}s of {name} completed within a time"
