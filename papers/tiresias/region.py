"""Conditions for the directions of Tiresias' paper: a search over its open parameters.

A *point* is a version of Tiresias (who gets idle GPUs, the threshold), a pair of conditions that
its two experiments share (the costs of a restart and of many servers), and for each experiment a
load and a law of durations. Points are tried with few seeds. One point with all directions is
rechecked with other seeds and all jobs, and the point nearest to each number with other seeds.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cache, partial
from itertools import chain, product
from math import log
from typing import Any, NamedTuple

from ...analysis.figures.canvas import Figure, finished
from ...analysis.figures.categories import by_name, category_figure
from ...analysis.tables import Cell, Column, Table, numbers, texts
from ...campaigns.reproductions import Answers, Known, Results, Run, Settings
from ...instances import TraceInstance
from ...instances.generate import generate
from ..study import (
    Compared,
    RunsByName,
    answered,
    compared,
    flat,
    seeded,
    smallest_clashes,
    sound,
    table_of,
)
from . import INTERVALS, NEAR, Direction, directions, directions_table
from .experiments import BASE, METHODS, MIXES, SMALL, TESTBED, TRACE

SEEDS, JOBS = 3, 500
"""Seeds of a point, and jobs of its trace."""

FRESH = 100
"""The first seed for the recheck of points, which were chosen without them."""

CLEAR = 0.01
"""A ratio has to be so far on the paper's side of 1."""

Changes = Mapping[str, Any]

LEVEL: Changes = {"communication": Decimal(0), "skewed_communication": Decimal(0)}

SHARED: dict[str, Changes] = {
    "restarts 60 s": {},
    "restarts 0 s": {"restart_s": Decimal(0)},
    "restarts 60 s, many servers as fast as one": LEVEL,
}
"""Conditions that the two experiments have in common."""

OWN: dict[str, dict[str, Changes]] = {
    TESTBED: {
        "every 30 s": {},
        "every 45 s": {"gap_s": Decimal(45)},
        "uniform law": {"durations": "uniform"},
        "Philly's law": {"durations": "philly"},
    },
    TRACE: {
        "load 0.9": {},
        "load 1.2": {"load": Decimal("1.2")},
        "load 1.5": {"load": Decimal("1.5")},
        "load 1.5, up to a week": {"load": Decimal("1.5"), "most_s": Decimal(604_800)},
    },
}
"""Loads and laws of each. The first is as in the experiments."""

RIVALS = {TESTBED: ("YARN-CS",), TRACE: ("YARN-CS", "Best-effort", "Gandiva", "SRTF")}


class Version(NamedTuple):
    """A version of Tiresias."""

    idle: str
    threshold: int

    def methods(self, mix: str) -> dict[str, str]:
        """Return the comparisons on a mix, with the methods."""
        options = f":idle={self.idle}:thresholds=[{self.threshold}]"
        own = (BASE,) if mix == TESTBED else (BASE, "Tiresias-G")
        return {
            **{name: METHODS[name] + options for name in own},
            **{name: METHODS[name] for name in RIVALS[mix]},
        }


VERSIONS = [Version(*one) for one in product(("kept", "offered"), (3200, 14_400, 57_600))]


class Confirmed(NamedTuple):
    """A point that is rechecked with other seeds and all jobs."""

    version: Version
    shared: str
    own: Mapping[str, str]


CONFIRMED = Confirmed(
    Version("offered", 14_400), "restarts 60 s", {TESTBED: "every 30 s", TRACE: "load 1.2"}
)

Point = tuple[Version, str]
Held = dict[tuple[Point, str, str], frozenset[str]]
"""By point, mix and conditions, the directions that hold there."""


def runs(settings: Settings, known: Known | None = None) -> Iterator[Run]:
    """Yield every run once. The points nearest to the paper's numbers follow from all others."""
    searched = [runs for _, runs in _searched(settings)]
    first = list(flat(chain(searched, (_confirming(mix, settings) for mix in OWN))))
    yield from first
    if known is None or any(known(run) is None for run in flat(searched)):
        return

    def answer(run: Run) -> Any:
        return known(run)

    keys = {run.key for run in first}
    chosen = _nearest(_found(settings, answer))
    again = flat(_again(one, at, settings) for one, at in chosen)
    yield from (run for run in again if run.key not in keys)


def report(settings: Settings, answers: Answers) -> Results:
    """Count directions at every point, and recheck one point and the nearest to each number."""
    answers = sound(answers)
    found = _found(settings, answers)
    held: Held = {
        ((version, shared), mix, own): frozenset(
            _name(one.over) for one in some if agrees(one.over)
        )
        for (version, shared, mix, own), some in found.items()
    }
    rerun = [(one, at, compared(_again(one, at, settings), answers)) for one, at in _nearest(found)]
    again = {mix: compared(_confirming(mix, settings), answers) for mix in OWN}
    confirmed = list(directions(again))
    return Results(
        tables={
            "region": _region_table(held),
            "held": _held_table(held, confirmed),
            "confirmed": directions_table(again, settings),
            "nearest": _nearest_table(rerun, settings),
        },
        charts={"held": partial(_draw, held)},
        statements=tuple(_statements(held, confirmed)),
    )


def agrees(one: Direction) -> bool:
    """Return True if the mean over the seeds is clearly on the paper's side, or near 1 as there."""
    if abs(one.paper - 1) <= NEAR:
        return abs(one.here.mean - 1) <= NEAR
    return one.here.mean >= 1 + CLEAR if one.paper > 1 else one.here.mean <= 1 - CLEAR


def _name(one: Direction) -> str:
    return f"{one.mix}: {one.name}, {one.measure}"


Searched = tuple[Version, str, str, str]
"""A version, conditions that are shared, a mix, and its own conditions."""


def _jobs(mix: str, settings: Settings) -> int:
    """Return the number of jobs in the search."""
    usual = JOBS if mix == TRACE else int(MIXES[mix][1]["jobs"])
    return SMALL if settings.points else usual


def _searched(settings: Settings) -> Iterator[tuple[Searched, RunsByName]]:
    """Yield the runs at every point, mix and conditions."""
    seeds = range(min(SEEDS, settings.seeds))
    for version, shared, mix in product(VERSIONS, settings.some(SHARED), OWN):
        for own in settings.some(OWN[mix]):
            draw = partial(_drawn, mix, shared=shared, own=own, jobs=_jobs(mix, settings))
            yield (version, shared, mix, own), seeded(version.methods(mix), draw, seeds)


class SeenDirection(NamedTuple):
    """A ratio of the paper at a point: over the seeds, and on each draw alone."""

    over: Direction
    draws: tuple[float, ...]


Found = dict[Searched, list[SeenDirection]]


def _found(settings: Settings, answers: Answers) -> Found:
    """Return the paper's ratios as they are at every point."""
    found: Found = {}
    for at, some in _searched(settings):
        seeds = range(len(some[BASE]))
        alone = [
            directions({at[2]: answered({name: [own[s]] for name, own in some.items()}, answers)})
            for s in seeds
        ]
        over = directions({at[2]: compared(some, answers)})
        every = zip(over, zip(*alone, strict=True), strict=True)
        found[at] = [
            SeenDirection(one, tuple(draw.here.mean for draw in draws)) for one, draws in every
        ]
    return found


def _nearest(found: Found) -> list[tuple[Direction, Searched]]:
    """Return each ratio of the paper where it is nearest to the paper's, with the points.

    One has the nearest mean. Another one, if there is, has the nearest draw.
    """

    def off(here: float, seen: SeenDirection) -> float:
        return abs(log(here / seen.over.paper))

    by_name: dict[str, list[tuple[SeenDirection, Searched]]] = {}
    for at, some in found.items():
        for one in some:
            by_name.setdefault(_name(one.over), []).append((one, at))
    chosen: list[tuple[Direction, Searched]] = []
    for pairs in by_name.values():
        mean = min(pairs, key=lambda pair: off(pair[0].over.here.mean, pair[0]))
        draw = min(pairs, key=lambda pair: min(off(one, pair[0]) for one in pair[0].draws))
        chosen += [(seen.over, at) for seen, at in ([mean] if mean == draw else [mean, draw])]
    return chosen


def _again(one: Direction, at: Searched, settings: Settings) -> RunsByName:
    """Return the runs behind a ratio at a point, with seeds by which it was not chosen."""
    version, shared, mix, own = at
    methods = {name: version.methods(mix)[name] for name in (one.name, BASE)}
    draw = partial(_drawn, mix, shared=shared, own=own, jobs=_jobs(mix, settings))
    return seeded(methods, draw, range(FRESH, FRESH + settings.seeds))


def _confirming(mix: str, settings: Settings) -> RunsByName:
    jobs = SMALL if settings.points else int(MIXES[mix][1]["jobs"])
    draw = partial(_drawn, mix, shared=CONFIRMED.shared, own=CONFIRMED.own[mix], jobs=jobs)
    seeds = range(FRESH, FRESH + settings.seeds)
    return seeded(CONFIRMED.version.methods(mix), draw, seeds)


@cache
def _drawn(mix: str, seed: int, shared: str, own: str, jobs: int) -> TraceInstance:
    family, usual = MIXES[mix]
    options = {**usual, **SHARED[shared], **OWN[mix][own], "jobs": jobs}
    name = f"{mix}-{jobs}-s{seed} {shared}, {own}"
    found: TraceInstance = generate(family, seed=seed, name=name, **options)
    return found


def _conditions(held: Held) -> list[tuple[str, str]]:
    return list(dict.fromkeys((mix, own) for _, mix, own in held))


def _points(held: Held) -> list[Point]:
    return list(dict.fromkeys(point for point, _, _ in held))


def _region_table(held: Held) -> Table:
    """Return how many directions hold at every point."""
    cases = _conditions(held)
    rows: list[tuple[Cell, ...]] = []
    for point in _points(held):
        (idle, threshold), shared = point
        counts = [len(held[point, mix, own]) for mix, own in cases]
        rows.append((idle, str(threshold), shared, *counts))
    return table_of(
        "Directions of the paper that hold: of 4 on the testbed, of 15 on the trace",
        (
            *texts("idle GPUs", "threshold", "conditions"),
            *numbers(*(f"{mix}, {own}" for mix, own in cases)),
        ),
        rows,
        f"By geometric means over {SEEDS} seeds. The trace has {JOBS} jobs. Thresholds in "
        f"GPU-seconds. A ratio has to be {CLEAR:g} on the paper's side of 1, or within "
        f"{NEAR:g} of 1 where the paper's is.",
    )


def _held_table(held: Held, confirmed: Sequence[Direction]) -> Table:
    """Return of each direction at which part of the points it holds."""
    rows: list[tuple[Cell, ...]] = []
    for one in sorted(confirmed, key=lambda one: one.mix):
        name = _name(one)
        cells: list[Cell] = [one.mix, one.name, one.measure, one.paper]
        for idle in ("kept", "offered"):
            own = [s for ((v, _), mix, _), s in held.items() if mix == one.mix and v.idle == idle]
            cells.append(round(100 * sum(name in some for some in own) / len(own)))
        rows.append(tuple(cells))
    return table_of(
        "Frequency of each direction, by the use of idle GPUs",
        (
            *texts("jobs", "policy", "measure"),
            Column(head="paper", digits=2),
            *numbers("holds, kept, %", "holds, offered, %"),
        ),
        rows,
        "Of all parameter settings of the previous table, by the use of idle GPUs.",
        shared=2,
    )


def _nearest_table(
    rerun: Sequence[tuple[Direction, Searched, Compared]], settings: Settings
) -> Table:
    """Return each ratio of the paper at its nearest point, with other seeds."""
    rows: list[tuple[Cell, ...]] = []
    for one, (version, shared, mix, own), some in sorted(rerun, key=lambda row: row[0].mix):
        (again,) = (
            new
            for new in directions({mix: some})
            if (new.name, new.measure) == (one.name, one.measure)
        )
        about = f"idle GPUs {version.idle}, threshold {version.threshold}, {shared}, {own}"
        rows.append((mix, one.name, one.measure, one.paper, again.here, about))
    return table_of(
        "The paper's ratios at the settings that are nearest to them",
        (
            *texts("jobs", "policy", "measure"),
            Column(head="paper", digits=2),
            Column(head="nearest setting, rerun", digits=3),
            *texts("nearest setting"),
        ),
        rows,
        "Of all settings, the one whose mean in the search is nearest to this ratio, and the one "
        "with the nearest draw, if it is another one. Geometric "
        f"means over {settings.seeds} other seeds, {INTERVALS}. The trace has {JOBS} jobs.",
    )


def _draw(held: Held) -> Figure:
    """Draw the directions of the trace that hold by load, under the first shared conditions."""
    cases, shared = [own for mix, own in _conditions(held) if mix == TRACE], next(iter(SHARED))
    names = [own.removeprefix("load ").replace("up to a ", "") for own in cases]
    about = (
        f"Directions of the trace that hold, of 15, where idle GPUs are kept or offered: {shared}"
    )
    versions = ("kept", "offered")
    panels = [(f"load, {shared}", names, f"directions, idle GPUs {idle}") for idle in versions]
    figure, row = category_figure(about, *panels)
    for axes, idle in zip(row, versions, strict=True):
        curves = {
            f"threshold {version.threshold}": [
                float(len(held[(version, shared), TRACE, own])) for own in cases
            ]
            for version in VERSIONS
            if version.idle == idle
        }
        by_name(axes, curves, "line")
    return finished(figure)


def _statements(held: Held, confirmed: Sequence[Direction]) -> Iterator[str]:
    """Yield at how many points all directions hold, or which never hold together."""
    names = [_name(one) for one in confirmed]
    for idle in ("kept", "offered"):
        points = [point for point in _points(held) if point[0].idle == idle]
        sets = []
        for point in points:
            own = {m: [s for (p, mix, _), s in held.items() if (p, mix) == (point, m)] for m in OWN}
            sets += [one | other for one, other in product(own[TESTBED], own[TRACE])]
        full = sum(len(some) == len(names) for some in sets)
        where = f"{full} of {len(sets)} settings"
        yield f"idle GPUs {idle}: all {len(names)} directions hold at {where}"
        if not full:
            yield f"idle GPUs {idle}: at most {max(map(len, sets))} directions hold together"
            clashes = smallest_clashes(sets, names)
            shown = "; or ".join(" with ".join(sorted(one)) for one in clashes)
            yield f"idle GPUs {idle}, never together: {shown}"
