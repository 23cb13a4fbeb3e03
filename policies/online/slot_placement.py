"""What is free on every machine, in one slot or in many, and what a job holds there.

Amounts are whole numbers in floating point, so nothing is ever rounded.
"""

from typing import NamedTuple

import numpy as np

from ...instances import TrainingJob
from ...simulation.online.model import Floats, Ints, OnlineModel

ENDLESS = 2**53
"""More than fits anywhere: a server takes a unit or more, and fewer units are in the cluster."""


class SlotPlacement(NamedTuple):
    """What a job holds in a slot: numbers of workers and of parameter servers, by machine."""

    workers: dict[int, int]
    servers: dict[int, int]

    @property
    def inside(self) -> bool:
        """Whether all of it is on one machine, so that the job runs at its internal rate."""
        return len(self.workers.keys() | self.servers.keys()) == 1

    @property
    def size(self) -> int:
        """The number of workers."""
        return sum(self.workers.values())


def placement_of(workers: Ints, servers: Ints) -> SlotPlacement:
    """Return a placement from numbers on every machine."""
    return SlotPlacement(
        *({int(h): int(part[h]) for h in np.flatnonzero(part)} for part in (workers, servers))
    )


def all_free(model: OnlineModel) -> Floats:
    """Return what is free before any job holds anything, by slot, machine and resource."""
    return np.repeat(model.capacity[None], model.slots, axis=0)


def take(model: OnlineModel, free: Floats, job: int, placement: SlotPlacement) -> None:
    """Let a job hold a placement in all slots of `free`, or in the one it is about."""
    for demand, part in zip((model.worker[job], model.server[job]), placement, strict=True):
        for machine, count in part.items():
            free[..., machine, :] -= count * demand


def give(model: OnlineModel, free: Floats, job: int, placement: SlotPlacement) -> None:
    """Take the same back."""
    for demand, part in zip((model.worker[job], model.server[job]), placement, strict=True):
        for machine, count in part.items():
            free[..., machine, :] += count * demand


def servers_due(job: TrainingJob, workers: int) -> int:
    """Return how many parameter servers the given workers need, exactly; no more than `ENDLESS`."""
    top, bottom = job.workers_per_server.as_integer_ratio()
    return min(ENDLESS, -(-workers * bottom // top))
