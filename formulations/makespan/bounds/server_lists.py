"""All configurations of servers, all cuts and all runs of jobs, for tiny instances."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from ....instances import RingJob
from ..parts.crowding import two_rates
from ..parts.data import ProgramData
from ..parts.paces import units_of

Sizes = tuple[int, ...]
"""GPUs of pieces, or of jobs, in descending order."""

INSIDE = 0
"""Stands for units of overhead in a run inside one server."""


class Contents(NamedTuple):
    """What a server has in a configuration: jobs inside it, and pieces of rings."""

    inside: Sizes
    pieces: Sizes


class UnitSlots(NamedTuple):
    """Calm and crowded slots of a job with `units` units; inside one server all are calm."""

    units: int
    slots: tuple[int, int]


def cuts(data: ProgramData, gpus: int) -> Iterator[Sizes]:
    """Yield the ways to cut a job into two pieces or more that servers can hold."""
    return _cuts(gpus, min(gpus - 1, max(data.sizes.values())), len(data.sizes))


def contents(data: ProgramData, size: int) -> Iterator[Contents]:
    """Yield the configurations of a server."""
    jobs = sorted({task.gpus for task in data.tasks.values()}, reverse=True)
    pieces = range(min(size, jobs[0] - 1), 0, -1)
    for held in _within(pieces, size, data.most_rings):
        for alone in _within(jobs, size - sum(held), size):
            if held or alone:
                yield Contents(alone, held)


def runs(data: ProgramData, job: RingJob) -> Iterator[UnitSlots]:
    """Yield the shortest runs of a job: with no slot less is all its work done."""
    task = data.tasks[job.name]
    if data.fits(job.name):
        yield UnitSlots(INSIDE, (task.least, 0))
    rates = two_rates(data.instance, job, units_of(data, job.name))
    for units, (calm, crowded) in rates.items():
        for first in range(ceil(task.iterations / calm) + 1 if calm else 0):
            left = max(Fraction(0), task.iterations - first * calm)
            if crowded or not left:
                yield UnitSlots(units, (first, ceil(left / crowded) if left else 0))


def _cuts(gpus: int, largest: int, most: int) -> Iterator[Sizes]:
    if not gpus:
        yield ()
    elif most:
        for first in range(min(gpus, largest), 0, -1):
            yield from ((first, *rest) for rest in _cuts(gpus - first, first, most - 1))


def _within(sizes: Sequence[int], room: int, most: int) -> Iterator[Sizes]:
    """Yield the multisets of at most the given number of sizes that fit into a room."""
    yield ()
    for i, gpus in enumerate(sizes if most else ()):
        if gpus <= room:
            yield from ((gpus, *rest) for rest in _within(sizes[i:], room - gpus, most - 1))
