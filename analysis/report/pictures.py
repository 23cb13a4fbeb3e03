"""The figures of the page, as SVG: for each problem family those that its rows allow."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ...instances import AnySchedule, Instance
from ...instances.errors import InputError
from ..check import check
from ..figures import Panel, svg_text
from ..figures.convergence import convergence
from ..figures.ecdf import completion_times, ecdf
from ..figures.looks import LOOKS
from ..figures.profile import profile
from ..figures.ratios import ratios_of
from ..rows import Row
from ..stats.cases import BOUND, common_set
from ..stats.profiles import ratio_profiles, time_profiles
from ..stats.references import key_of
from ..stats.steps import Steps
from .comparable import comparable, latest

Read = Callable[[Row], tuple[Instance, AnySchedule]]

MOST_METHODS = len(LOOKS)
MOST_POINTS = 3_000
"""Runs of a scatter plot, and steps of a curve; of more, an even choice is drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A drawing with the sentence below it."""

    svg: str
    caption: str


def pictures(rows: Sequence[Row], read: Read) -> tuple[tuple[Figure, ...], tuple[str, ...]]:
    """Return the figures that the rows allow, and say which are missing and why."""
    figures: list[Figure] = []
    missing: list[str] = []
    for family in dict.fromkeys(row["family"] for row in rows):
        mine = [row for row in rows if row["family"] == family]
        chosen, others = _methods(mine)
        if others:
            missing.append(f"{family}: figures leave out {', '.join(others)}")
        few = [row for row in mine if row["method"] in (*chosen, BOUND)]
        for draw in (_times, _qualities, _distances, _progress, _completions):
            try:
                figures += [
                    Figure(svg=svg_text(panel), caption=f"{family}: {caption}")
                    for panel, caption in draw(few, read)
                ]
            except InputError as error:
                missing.append(f"{family}: a figure is missing, since {error}")
    return tuple(figures), tuple(dict.fromkeys(missing))


def _methods(rows: Sequence[Row]) -> tuple[list[str], list[str]]:
    """Return the methods with the most runs, as many as can be told apart, and the others."""
    count = Counter(row["method"] for row in rows if row["method"] != BOUND)
    ranked = [name for name, _ in count.most_common()]
    return ranked[:MOST_METHODS], sorted(ranked[MOST_METHODS:])


Drawn = Iterator[tuple[Panel, str]]


def _times(rows: Sequence[Row], _: Read) -> Drawn:
    common = common_set(comparable(latest(rows))[0], restrict=True)
    steps = _thinned(time_profiles(common))
    if sum(map(bool, steps.values())) > 1:
        cases = f"over {len(common.cases):,} cases"
        caption = f"part of the cases solved within a factor of the fastest method, {cases}"
        yield profile(steps, across="time over the fastest"), caption


def _qualities(rows: Sequence[Row], _: Read) -> Drawn:
    common = common_set(comparable(latest(rows))[0], restrict=True)
    steps = _thinned(ratio_profiles(common, common.best))
    if any(steps.values()):
        cases = f"over {len(common.cases):,} cases"
        caption = f"part of the cases within a factor of the best objective found, {cases}"
        yield profile(steps, across="objective over the best found"), caption


def _distances(rows: Sequence[Row], _: Read) -> Drawn:
    valid = [row for row in rows if row["valid"]]
    every = 1 + len(valid) // MOST_POINTS
    kept = valid[::every] + [row for row in rows if row["method"] == BOUND]
    panel = ratios_of(kept)
    if any(series.points for series in panel.series):
        share = f"; every run number {every}" if every > 1 else ""
        yield panel, f"ratio to the best certified bound, run by run{share}"


def _progress(rows: Sequence[Row], _: Read) -> Drawn:
    """Draw the instance on which most methods tell of more than one schedule."""
    telling: dict[object, dict[str, Row]] = {}
    for row in rows:
        if len(row["trajectory"] or ()) > 1:
            telling.setdefault(key_of(row), {}).setdefault(row["method"], row)
    if telling:
        chosen = max(telling.values(), key=_told)
        panel = convergence(list(chosen.values()), log_time=True)
        name = next(iter(chosen.values()))["instance"]
        yield panel, f"best schedule known over time on {name}, where most methods tell of theirs"


def _told(runs: dict[str, Row]) -> tuple[int, int]:
    """Return how many methods tell of schedules, and of how many."""
    return len(runs), sum(len(row["trajectory"]) for row in runs.values())


def _completions(rows: Sequence[Row], read: Read) -> Drawn:
    """Draw the completion times on the instance that most methods have a schedule for."""
    found: dict[object, dict[str, Row]] = {}
    for row in rows:
        if row["schedule"] and row["valid"] and row["family"] != "reserved":
            found.setdefault(key_of(row), {}).setdefault(row["method"], row)
    if found:
        chosen = max(found.values(), key=len)
        times = {}
        for method, row in chosen.items():
            instance, schedule = read(row)
            times[method] = completion_times(instance, check(instance, schedule))
        name = next(iter(chosen.values()))["instance"]
        yield ecdf(times), f"part of the jobs of {name} that are done within a time"


def _thinned(profiles: dict[str, Steps]) -> dict[str, list[tuple[float, float]]]:
    """Return the points of steps, of very many an even choice with the last."""
    thinned = {}
    for name, steps in profiles.items():
        points = list(zip(steps.places, steps.heights, strict=True))
        every = 1 + len(points) // MOST_POINTS
        thinned[name] = points[::-every][::-1]
    return thinned
