"""Configurations: jobs that work side by side in one slot, each with GPUs of its own.

What a configuration is worth depends on the paces of its jobs; the best one is found exactly,
in whole numbers, by a best-first search. Servers with equally many free GPUs and the same
rings on them are exchangeable; if jobs are bound to regions, only servers of one region are.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from typing import NamedTuple

from ....instances import Limits
from ..parts.data import ProgramData
from ..parts.paces import Pace
from ..parts.placements import Counts, splits


class PlacedJob(NamedTuple):
    """A job of a configuration, and its GPUs on every server."""

    job: str
    gpus: Counts


Configuration = tuple[PlacedJob, ...]
Gains = Mapping[str, Mapping[Pace, int]]
"""What a slot of a job is worth at each of its paces; more rings are never worth more."""


class BestConfiguration(NamedTuple):
    """The most valuable configuration, and a value that none exceeds: its own, if proved."""

    configuration: Configuration
    most: int


def paces(data: ProgramData, configuration: Configuration) -> dict[str, Pace]:
    """Return the paces of the jobs that work side by side."""
    spread = [placed.gpus for placed in configuration if max(placed.gpus) < sum(placed.gpus)]
    rings = [sum(map(bool, column)) for column in zip(*spread, strict=True)]
    found: dict[str, Pace] = {}
    for job, gpus in configuration:
        units = data.units(sum(map(bool, gpus)), max(gpus))
        inside = max(gpus) == sum(gpus)
        busiest = max(rings[s] for s, held in enumerate(gpus) if held) if not inside else 0
        found[job] = (units, busiest)
    return found


def best_configuration(
    data: ProgramData, jobs: Sequence[str], gains: Gains, limits: Limits
) -> BestConfiguration:
    """Search the configurations of `jobs`; with no time left, return an empty one and a bound.

    A node has placed or left out the first jobs. What it may still gain is bounded by the best
    way to place the others if rings did not slow each other down.
    """
    order = sorted(jobs, key=lambda job: -data.tasks[job].gpus)
    hope = _Hope(data, order, gains, limits)
    free = tuple(data.sizes.values())
    heap: list[tuple[int, int, int, Counts, Configuration]] = []
    heappush(heap, (-hope.most(0, free), 0, 0, free, ()))
    pushed = 0
    while True:
        bound, depth, _, free, placed = heappop(heap)
        if -depth == len(order):
            return BestConfiguration(placed, -bound)
        if limits.over():
            return BestConfiguration((), -bound)
        for after, chosen in _children(data, order[-depth], gains, free, placed):
            value = _value(data, gains, chosen) + hope.most(1 - depth, after)
            pushed += 1
            heappush(heap, (-value, depth - 1, -pushed, after, chosen))


def all_configurations(data: ProgramData, jobs: Sequence[str]) -> Iterator[Configuration]:
    """Yield all configurations of `jobs`, up to the exchange of servers with equal history."""
    some = {job: {(0, 0): 1} for job in jobs}
    stack: list[tuple[int, Counts, Configuration]] = [(0, tuple(data.sizes.values()), ())]
    while stack:
        depth, free, placed = stack.pop()
        if depth == len(jobs):
            yield placed
            continue
        for after, chosen in _children(data, jobs[depth], some, free, placed):
            stack.append((depth + 1, after, chosen))


def _value(data: ProgramData, gains: Gains, configuration: Configuration) -> int:
    found = paces(data, configuration).items()
    return sum(gains[job].get(pace, 0) for job, pace in found)


def _children(
    data: ProgramData, job: str, gains: Gains, free: Counts, placed: Configuration
) -> Iterator[tuple[Counts, Configuration]]:
    """Leave a job out, or place it, once for each set of exchangeable servers."""
    yield free, placed
    if not any(gains[job].values()):
        return
    rings = [one.gpus for one in placed if max(one.gpus) < sum(one.gpus)]
    alike: tuple[Hashable, ...] = tuple(zip(free, *rings, strict=True))
    if data.closed:
        alike = tuple(zip(map(data.site, data.sizes), alike, strict=True))
    rooms = (data.room(job, server) for server in data.sizes)
    room = tuple(map(min, free, rooms)) if job in data.closed else free
    for gpus in splits(room, alike, data.tasks[job].gpus):
        after = tuple(have - held for have, held in zip(free, gpus, strict=True))
        yield after, (*placed, PlacedJob(job, gpus))


class _Hope:
    """The most that the last jobs can gain on free GPUs if no ring slows another down.

    When time is up, it counts all gains of the jobs for which it has not been found yet.
    """

    def __init__(
        self, data: ProgramData, order: Sequence[str], gains: Gains, limits: Limits
    ) -> None:
        self._data, self._order, self._gains, self._limits = data, order, gains, limits
        self._known: dict[tuple[int, Counts], int] = {}

    def most(self, first: int, free: Counts) -> int:
        """Return it for the jobs from number `first` on."""
        if first == len(self._order):
            return 0
        key = first, tuple(sorted(free, reverse=True))
        if key not in self._known:
            self._known[key] = self._found(*key)
        return self._known[key]

    def _found(self, first: int, free: Counts) -> int:
        if self._limits.over():
            return sum(max(self._gains[job].values()) for job in self._order[first:])
        job = self._order[first]
        gains, best = self._gains[job], self.most(first + 1, free)
        for servers, most, after in moves(self._data.tasks[job].gpus, free):
            pace = self._data.units(servers, most), min(1, servers - 1)
            if gains.get(pace, 0):
                best = max(best, gains[pace] + self.most(first + 1, after))
        return best


@lru_cache(maxsize=100_000)
def moves(gpus: int, free: Counts) -> tuple[tuple[int, int, Counts], ...]:
    """Return servers, most GPUs on one, and what stays free, for all ways to place `gpus`."""
    found: dict[tuple[int, int, Counts], None] = {}
    for held in splits(free, tuple((room,) for room in free), gpus):
        after = tuple(sorted((a - b for a, b in zip(free, held, strict=True)), reverse=True))
        found[sum(map(bool, held)), max(held), after] = None
    return tuple(found)
