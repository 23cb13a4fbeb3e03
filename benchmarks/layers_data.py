"""Three programs of different shape, each at three sizes: instances, and the numbers of their rows.

`occupancy` has windows of slots, `load-limit` two entries in each column, as in a transport, and
`tickwise` sums over all ticks so far. Numbers are those that the programs of the package see.
"""

from collections.abc import Callable
from math import gcd
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ringyard.formulations.makespan.data import data_of
from ringyard.formulations.makespan.load_limit import estimates
from ringyard.formulations.trace.demand import demands
from ringyard.instances.generate import generate

Ints = NDArray[np.int64]


class OccupancyNumbers(NamedTuple):
    """Jobs that take their GPUs, anywhere, for some slots from their start on."""

    gpus: Ints
    least: Ints
    """Slots that each job takes."""
    sizes: Ints
    """GPUs of each server."""
    slots: int


class LoadNumbers(NamedTuple):
    """Jobs that are assigned to GPUs whose loads have a limit."""

    gpus: Ints
    work: NDArray[np.float64]
    places: int
    """GPUs of the cluster."""
    most: float


class TickNumbers(NamedTuple):
    """Jobs that run, or not, in every tick from their release on."""

    release: Ints
    ticks: Ints
    """Ticks that each job runs at least."""
    need: Ints
    rate: Ints
    halves: Ints
    """Half GPUs that each job takes."""
    room: int
    last: int


class Subject(NamedTuple):
    """A program of an instance up to a horizon."""

    instance: Any
    horizon: int | None


SIZES: dict[str, dict[str, tuple[int, ...]]] = {
    "occupancy": {"small": (5, 2, 20), "middle": (16, 8, 60), "large": (64, 16, 180)},
    "load-limit": {"small": (10, 2), "middle": (100, 10), "large": (500, 40)},
    "tickwise": {"small": (7, 14), "middle": (16, 60), "large": (36, 190)},
}
"""Jobs, servers and slots; jobs and servers; jobs and ticks until the last of them arrives."""


def subject(program: str, size: str) -> Subject:
    """Return the instance whose program is stated."""
    return SUBJECTS[program](*SIZES[program][size])


def numbers(program: str, one: Subject) -> Any:
    """Read out of an instance what the rows of its program need."""
    return NUMBERS[program](one)


def _occupancy(jobs: int, servers: int, slots: int) -> Subject:
    times = {"least_slots": slots // 10, "most_slots": 3 * slots // 10}
    return Subject(generate("mobihoc", seed=0, jobs=jobs, servers=servers, **times), slots)


def _load(jobs: int, servers: int) -> Subject:
    return Subject(generate("mobihoc", seed=0, jobs=jobs, servers=servers), None)


def _tick(jobs: int, ticks: int) -> Subject:
    seconds = {"least_s": 3 * ticks, "most_s": 18 * ticks, "gap_s": max(1, 15 * ticks // jobs)}
    plain = {"tick_s": 60, "restart_s": 0, "resume_s": 0, "servers": 1}
    instance = generate("philly", seed=0, jobs=jobs, **seconds, **plain)
    asked = demands(instance)
    return Subject(instance, max(job.release + 2 * job.ticks for job in asked))


def _occupancy_numbers(one: Subject) -> OccupancyNumbers:
    data = data_of(one.instance, one.horizon)
    tasks = data.tasks.values()
    gpus, least = (np.array([getattr(task, key) for task in tasks]) for key in ("gpus", "least"))
    return OccupancyNumbers(gpus, least, np.array(list(data.sizes.values())), data.horizon)


def _load_numbers(one: Subject) -> LoadNumbers:
    data = data_of(one.instance)
    work = np.array([float(slots) for slots in estimates(one.instance).values()])
    gpus = np.array([task.gpus for task in data.tasks.values()])
    return LoadNumbers(gpus, work, sum(data.sizes.values()), float(data.horizon))


def _tick_numbers(one: Subject) -> TickNumbers:
    rows = []
    for job in demands(one.instance):
        (mode,) = job.modes
        part = gcd(job.work, mode.rate)
        rows.append((job.release, job.ticks, job.work // part, mode.rate // part, mode.halves))
    columns = (np.array(column) for column in zip(*rows, strict=True))
    assert one.horizon is not None
    return TickNumbers(*columns, room=2 * one.instance.gpus, last=one.horizon)


SUBJECTS: dict[str, Callable[..., Subject]] = {
    "occupancy": _occupancy,
    "load-limit": _load,
    "tickwise": _tick,
}
NUMBERS: dict[str, Callable[[Subject], Any]] = {
    "occupancy": _occupancy_numbers,
    "load-limit": _load_numbers,
    "tickwise": _tick_numbers,
}
