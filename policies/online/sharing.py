"""Handing out machines in a slot: inside one machine where that is at least as fast."""

from collections.abc import Sequence
from math import ceil

import numpy as np

from ...instances import OnlineInstance
from ...simulation.online.model import Floats, online_model
from .growth import FairAim, Holders, WorkerDemand, fill, most_inside
from .planning import OnlinePlans, SlotPlacement, give, servers_due, take

MANY = 1000
"""No job gets more workers in a slot than this, however large its batch."""


class WorkerSharing:
    """Places the workers of jobs, and the parameter servers due to them, in one slot."""

    def __init__(self, instance: OnlineInstance, plans: OnlinePlans) -> None:
        """Count once how many servers are due to how many workers."""
        self.model, self._plans = online_model(instance), plans
        total = self.model.capacity.sum(axis=0)
        self._holders = Holders(self.model.works, self.model.serves, total)
        self._parts = np.where(total > 0, total, np.inf)
        most = min(MANY, int(self.model.batch.max()))
        self._due = np.array(
            [[servers_due(job, count) for count in range(most + 1)] for job in instance.jobs]
        )

    def useful(self, job: int, inside: bool = False) -> int:
        """Return the most workers that a job can make use of in a slot."""
        left = self._plans.worker_slots(job, inside)
        return min(MANY, int(self.model.batch[job]), left)

    def shares(self, held: dict[int, SlotPlacement]) -> dict[int, float]:
        """Return dominant shares: the largest part that each job holds of any resource."""
        rows = np.array(list(held), np.int64)
        workers = np.array([placement.size for placement in held.values()])[:, None]
        servers = np.array([sum(placement.servers.values()) for placement in held.values()])
        used = workers * self.model.worker[rows] + servers[:, None] * self.model.server[rows]
        return dict(zip(held, (used / self._parts).max(axis=1).tolist(), strict=True))

    def utilisation(self, jobs: Sequence[int]) -> Floats:
        """Return what a worker takes with its part of a server, over all resources as parts."""
        rows = np.array(jobs, np.int64)
        demand = self.model.worker[rows] + self.model.server[rows] / self.model.ratio[rows, None]
        return np.asarray((demand / self._parts).sum(axis=1))

    def fairly(
        self, free: Floats, jobs: Sequence[int], most: Sequence[int]
    ) -> dict[int, SlotPlacement]:
        """Give the next worker to the job with the least dominant share, until nothing fits."""
        nothing = np.zeros(len(jobs))
        return self.hand_out(free, jobs, most, FairAim(True, nothing, nothing, 0.0, np.inf), {})

    def hand_out(
        self,
        free: Floats,
        jobs: Sequence[int],
        most: Sequence[int],
        aim: FairAim,
        begun: dict[int, SlotPlacement],
    ) -> dict[int, SlotPlacement]:
        """Return what jobs hold if workers are given out on top of what is begun."""
        shape = len(jobs), len(free)
        workers, servers = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for row, job in enumerate(jobs):
            if job in begun:
                for numbers, part in zip((workers, servers), begun[job], strict=True):
                    numbers[row, list(part)] = list(part.values())
        fill(self._holders, self._demand(jobs, most), aim, free, workers, servers)
        found: dict[int, SlotPlacement] = {}
        for name, numbers in (("workers", workers), ("servers", servers)):
            for row, h in np.stack(np.divmod(np.flatnonzero(numbers), len(free)), 1).tolist():
                placement = found.setdefault(jobs[row], SlotPlacement({}, {}))
                getattr(placement, name)[h] = int(numbers[row, h])
        return found

    def place(self, free: Floats, job: int, count: int) -> SlotPlacement | None:
        """Return where the given workers fit, inside one machine if they do; None if nowhere."""
        placement = self._inside(free, job, count, count)
        if placement is None:
            placement = self.fairly(free.copy(), [job], [count]).get(job)
        return placement if placement and placement.size == count else None

    def settle(self, free: Floats, job: int, placement: SlotPlacement) -> SlotPlacement:
        """Move a job into one machine if it is at least as fast there with as many workers.

        There it needs no more than finish its work in this slot.
        """
        count, most = placement.size, self.useful(job, inside=True)
        if placement.inside and count <= most:
            return placement
        ratio = self.model.outside[job] / self.model.inside[job]
        enough = count if placement.inside else ceil(count * ratio)
        most = min(most, count)
        give(self.model, free, job, placement)
        moved = self._inside(free, job, min(enough, most), most) or placement
        take(self.model, free, job, moved)
        return moved

    def _inside(self, free: Floats, job: int, least: int, most: int) -> SlotPlacement | None:
        count, machine = most_inside(self._holders, self._demand([job], [most]), least, free)
        if count == 0:
            return None
        return SlotPlacement({machine: count}, {machine: int(self._due[job, count])})

    def _demand(self, jobs: Sequence[int], most: Sequence[int]) -> WorkerDemand:
        rows, model = np.array(jobs, np.int64), self.model
        return WorkerDemand(
            model.worker[rows],
            model.server[rows],
            self._due[rows],
            np.array(most, np.int64),
            model.open_to(rows),
        )
