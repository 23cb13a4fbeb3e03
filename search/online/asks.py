"""An `online` instance for pricing: machines in groups of equal prices, jobs for kernels."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ...formulations.online.rooms import rooms
from ...instances import OnlineInstance, Sigmoid, TrainingJob
from ...simulation.online.model import Floats, Ints, online_model, utilities
from .pricing import GroupedJob

MOST_STATES = 2_000
"""Tables have no more states; jobs that would need coarser ones are priced by envelopes."""

LEAST_PARTS, MOST_PARTS = 8, 64

ROUNDOFF = 2.0**-53


@dataclass(frozen=True, slots=True, eq=False)
class Market:
    """Machines by groups, and the jobs that ask for them."""

    group: Ints
    """Of each machine."""
    capacity: Floats
    """Of each group."""
    jobs: tuple[GroupedJob, ...]
    slots: int
    margin: float
    """More than the relative error of any sum that pricing makes."""

    @property
    def hope(self) -> float:
        """The sum of utilities of jobs that need no time."""
        return float(sum(ask.worth[0] for ask in self.jobs))


def market(instance: OnlineInstance, group: Ints) -> Market:
    """Return the market in which machines of one group, numbered from 0, have equal prices."""
    model = online_model(instance)
    capacity = np.zeros((int(group.max()) + 1, model.capacity.shape[1]))
    np.add.at(capacity, group, model.capacity)
    needs = _needs(instance)
    longest = max(len(need) for need in needs)
    margin = 8 * ROUNDOFF * (2 * longest * model.slots + model.capacity.size)
    fits, parts = _grouped(instance, group, len(capacity)), parts_of(instance)
    jobs = tuple(
        GroupedJob(
            arrival=int(model.arrival[i]),
            worker=model.worker[i],
            server=model.server[i],
            need=needs[i],
            inside=fits[0][i],
            workers=fits[1][i],
            servers=fits[2][i],
            fast=float(model.inside[i]),
            slow=float(model.outside[i]),
            work=float(model.work[i]) * (1 - margin),
            worth=_worth(job, model.slots - job.arrival_slot),
            parts=parts[i],
        )
        for i, job in enumerate(instance.jobs)
    )
    return Market(group=group, capacity=capacity, jobs=jobs, slots=model.slots, margin=margin)


def _worth(job: TrainingJob, count: int) -> Floats:
    """Return no less than what a job is worth after 0, 1, .. slots.

    The power of a sigmoid has rounding errors of four terms, relative to steepness times slots;
    the utility itself is rounded to twelve decimals.
    """
    worth = utilities(job.utility, count)
    if isinstance(job.utility, Sigmoid):
        reach = np.arange(count) + float(job.utility.midpoint_slots)
        power = 8 * ROUNDOFF * (1 + float(job.utility.steepness) * reach)
        worth = np.minimum(worth * np.exp(np.minimum(power, 700)), float(job.utility.value)) + 1e-12
    return np.nextafter(worth, np.inf)


@lru_cache(maxsize=2)
def _needs(instance: OnlineInstance) -> list[Floats]:
    """Return the parameter servers that 0, 1, .. workers of each job need, rounded down."""
    model, most = online_model(instance), rooms(instance)
    anywhere = np.minimum(model.batch, most.workers.sum(axis=1))
    enough = np.ceil(model.work / model.outside) + 1
    return [
        np.ceil(np.arange(count + 1) / ratio * (1 - 1e-12))
        for count, ratio in zip(np.minimum(anywhere, enough), model.ratio, strict=True)
    ]


def _grouped(instance: OnlineInstance, group: Ints, groups: int) -> tuple[Ints, Ints, Ints]:
    """Return what machines of a group hold: one of them inside, all of them across."""
    most, shape = rooms(instance), (len(instance.jobs), groups)
    inside, workers, servers = (np.zeros(shape, np.int64) for _ in range(3))
    np.maximum.at(inside.T, group, most.inside.T)
    np.add.at(workers.T, group, most.workers.T)
    np.add.at(servers.T, group, most.servers.T)
    return inside, workers, servers


def parts_of(instance: OnlineInstance) -> list[int]:
    """Return the parts of a worker's samples in the table of each job, as `_parts`."""
    model = online_model(instance)
    return [_parts(float(workers)) for workers in model.work / model.inside]


def _parts(workers: float) -> int:
    """Return the parts of a worker's samples in the table of a job; 0 if they are too coarse."""
    parts = int(MOST_STATES / workers)
    return min(parts, MOST_PARTS) if parts >= LEAST_PARTS else 0
