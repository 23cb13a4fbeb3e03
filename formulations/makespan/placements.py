"""Placements of jobs on servers, and the windows of slots in which they can work there."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple

from ...instances import MakespanInstance
from ...simulation.model import open_servers
from .data import ProgramData
from .timetable import roomy_data

Counts = tuple[int, ...]
"""One number for each server."""


class Placement(NamedTuple):
    """GPUs of one job. Rates depend on overhead `units` and on the other rings.

    `rings` is the most spread rings that its busiest server can have, itself included, and 0
    for a job inside one server.
    """

    gpus: tuple[tuple[str, int], ...]
    units: int
    rings: int


class Window(NamedTuple):
    """A job at work on the placement of that number in slots start .. end - 1."""

    job: str
    place: int
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementSet:
    """All placements and windows within a horizon. `last` is the requested one, if it is sooner."""

    data: ProgramData
    last: int
    anchor: str | None
    """The job whose GPUs do not increase along servers of equal size in one region, if any."""
    places: dict[str, list[Placement]]
    windows: list[Window]

    def of(self, window: Window) -> Placement:
        """Return the placement of a window."""
        return self.places[window.job][window.place]

    def rate(self, job: str, units: int, rings: int) -> Fraction:
        """Return iterations per slot, on any placement with `units` units."""
        return next(
            rate_of(self.data, job, place, rings)
            for place in self.places[job]
            if place.rings and place.units == units
        )


def layout_of(instance: MakespanInstance, horizon: int | None) -> PlacementSet:
    """Return all placements and windows, up to the exchange of servers of equal size.

    Servers of equal size can be renamed in every schedule, within a region if jobs are bound to
    some, unless jobs hold GPUs at slot 0. The job with the most placements is therefore given its
    GPUs in descending order along them.
    """
    data, last = roomy_data(instance, horizon)
    anchor = None
    if not any(task.held for task in data.tasks.values()):
        anchor = max(data.tasks, key=lambda job: how_many(instance, job))
    places: dict[str, list[Placement]] = {}
    windows: list[Window] = []
    for job in data.tasks:
        places[job] = list(_placements(data, job, falling=job == anchor))
        for number, place in enumerate(places[job]):
            spans = _windows(data, job, place)
            windows.extend(Window(job, number, start, end) for start, end in spans)
    return PlacementSet(data=data, last=last, anchor=anchor, places=places, windows=windows)


def rate_of(data: ProgramData, job: str, place: Placement, rings: int) -> Fraction:
    """Return iterations per slot on a placement with `rings` rings on its busiest server."""
    most = max(count for _, count in place.gpus)
    return data.rate(job, len(place.gpus), most, rings)


def shifts(least: Fraction, most: Fraction, slots: int, iterations: int | Fraction) -> int:
    """Return the number of `slots` in which a job may have rate `least`, with `most` else."""
    if least == most:
        return slots
    return min(slots, floor((slots * most - iterations) / (most - least)))


@lru_cache(maxsize=1_000)
def how_many(instance: MakespanInstance, job: str) -> int:
    """Return the number of placements of a job without listing them."""
    one = next(one for one in instance.jobs if one.name == job)
    gpus = one.gpus
    counts = [1] + [0] * gpus
    for server in open_servers(instance, one.allowed_regions):
        counts = [sum(counts[max(0, n - server.gpus) : n + 1]) for n in range(gpus + 1)]
    return counts[gpus]


def _placements(data: ProgramData, job: str, falling: bool) -> Iterator[Placement]:
    sizes = tuple(data.room(job, server) for server in data.sizes)
    looks = tuple((size, data.site(server)) for server, size in data.sizes.items())
    alike = looks if falling else tuple(data.sizes)
    others = sum(data.spreads(other) for other in data.tasks if other != job)
    found = splits(sizes, alike, data.tasks[job].gpus)
    if held := dict(data.tasks[job].held):
        found = iter([tuple(held.get(server, 0) for server in data.sizes)])
    for counts in found:
        gpus = tuple((server, n) for server, n in zip(data.sizes, counts, strict=True) if n)
        units = data.units(len(gpus), max(count for _, count in gpus))
        beside = max(min(data.sizes[server] - count, others) for server, count in gpus)
        yield Placement(gpus, units, 0 if len(gpus) == 1 else 1 + beside)


def splits(free: Counts, alike: tuple[Hashable, ...], wanted: int) -> Iterator[Counts]:
    """Yield GPUs per server that sum to `wanted`, not increasing along servers that are alike."""
    if not free:
        if not wanted:
            yield ()
        return
    for count in range(min(free[0], wanted), max(0, wanted - sum(free[1:])) - 1, -1):
        capped = tuple(
            min(room, count) if kind == alike[0] else room
            for room, kind in zip(free[1:], alike[1:], strict=True)
        )
        yield from ((count, *rest) for rest in splits(capped, alike[1:], wanted - count))


def _windows(data: ProgramData, job: str, place: Placement) -> Iterator[tuple[int, int]]:
    """Yield starts and ends. A ring that may be slowed down may take its slowest time."""
    task = data.tasks[job]
    fast, slow = (rate_of(data, job, place, rings) for rings in (1, max(1, place.rings)))
    if not fast:
        return
    least = ceil(task.iterations / fast)
    most = ceil(task.iterations / slow) if slow else data.horizon
    latest = 0 if task.held else data.horizon - least
    for start in range(task.release, latest + 1):
        for end in range(start + least, min(start + most, data.horizon) + 1):
            yield start, end
