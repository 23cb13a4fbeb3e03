"""Sharing machines among jobs in a slot: inside one machine if that is at least as fast.

Kernels allocate workers one at a time, each with its parameter servers. A job begins on the machine
with the most room for its maximum demand, and stays inside it while the next worker fits there.
After that, pieces go to the first machine where they fit.
"""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from ...instances import OnlineInstance
from ...simulation.heaps import pop_least, push
from ...simulation.jit import entry, kernel
from ...simulation.online import Flags, Floats, Ints, online_model
from .planning import OnlinePlans, SlotPlacement, give, servers_due, take

NOWHERE, SPREAD = -1, -2
"""Instead of the number of the one machine that holds a job."""


class Holders(NamedTuple):
    """Machines: their possible jobs, and the total of each resource."""

    works: Flags
    serves: Flags
    total: Floats


class WorkerDemand(NamedTuple):
    """Jobs: needs of a worker and a server, servers due by number of workers, most workers.

    `open` has the machines that each job may use.
    """

    worker: Floats
    server: Floats
    due: Ints
    most: Ints
    open: Flags


class FairAim(NamedTuple):
    """The order of jobs, and the allowed distance of shares from fair ones.

    By share, the job with the least dominant share is next; else the one of the least rank.
    """

    by_share: bool
    rank: Floats
    fair: Floats
    loss: float
    """Sum of the distances from the fair shares at the beginning."""
    most_loss: float
    """A worker that raises the sum above this is not given out."""


@entry
def fill(
    holders: Holders, demand: WorkerDemand, aim: FairAim, free: Floats, workers: Ints, servers: Ints
) -> None:
    """Allocate workers while any fits. `free` and the counts by job and machine change."""
    jobs, machines = workers.shape
    count, served = np.zeros(jobs, np.int64), np.zeros(jobs, np.int64)
    home, heap = np.empty(jobs, np.int64), np.empty(jobs, np.int64)
    key, put = aim.rank.copy(), np.zeros(machines, np.int64)
    size, loss = 0, aim.loss
    for j in range(jobs):
        count[j], served[j] = workers[j].sum(), servers[j].sum()
        home[j] = _home(j, workers, servers)
        if aim.by_share:
            key[j] = _share(holders, demand, j, count[j], served[j])
        if count[j] < demand.most[j]:
            push(heap, size, key, j)
            size += 1
    while size > 0:
        j = pop_least(heap, size, key)
        size -= 1
        due = max(served[j], demand.due[j, count[j] + 1])
        share = _share(holders, demand, j, count[j] + 1, due)
        now = _share(holders, demand, j, count[j], served[j])
        after = loss + abs(share - aim.fair[j]) - abs(now - aim.fair[j])
        if after > max(aim.most_loss, loss):
            continue
        home[j] = _grow(holders, demand, j, home[j], due - served[j], free, workers, servers, put)
        if home[j] == NOWHERE:
            continue
        loss, count[j], served[j] = after, count[j] + 1, due
        if aim.by_share:
            key[j] = share
        if count[j] < demand.most[j]:
            push(heap, size, key, j)
            size += 1


@entry
def most_inside(
    holders: Holders, demand: WorkerDemand, least: int, free: Floats
) -> tuple[int, int]:
    """Return the most workers of the first job that fit on one machine, and the machine.

    If fewer than `least` fit on every machine, it is NOWHERE.
    """
    for count in range(demand.most[0], least - 1, -1):
        due = demand.due[0, count]
        for h in range(free.shape[0]):
            both = holders.works[h] and holders.serves[h]
            if both and _fits(demand, 0, count, due, h, free):
                return count, h
    return 0, NOWHERE


@kernel
def _home(j: int, workers: Ints, servers: Ints) -> int:
    found = NOWHERE
    for h in range(workers.shape[1]):
        if workers[j, h] + servers[j, h] > 0:
            if found >= 0:
                return SPREAD
            found = h
    return found


@kernel
def _share(holders: Holders, demand: WorkerDemand, j: int, workers: int, servers: int) -> float:
    """Return the dominant share of a job with the given workers and servers."""
    most = 0.0
    for r in range(holders.total.size):
        used = workers * demand.worker[j, r] + servers * demand.server[j, r]
        if used > 0:
            most = max(most, used / holders.total[r])
    return most


@kernel
def _fits(demand: WorkerDemand, j: int, workers: int, servers: int, h: int, free: Floats) -> bool:
    if not demand.open[j, h]:
        return False
    for r in range(free.shape[1]):
        if workers * demand.worker[j, r] + servers * demand.server[j, r] > free[h, r]:
            return False
    return True


@kernel
def _take(demand: WorkerDemand, j: int, workers: int, servers: int, h: int, free: Floats) -> None:
    for r in range(free.shape[1]):
        free[h, r] -= workers * demand.worker[j, r] + servers * demand.server[j, r]


@kernel
def _grow(
    holders: Holders,
    demand: WorkerDemand,
    j: int,
    home: int,
    due: int,
    free: Floats,
    workers: Ints,
    servers: Ints,
    put: Ints,
) -> int:
    """Place one more worker and `due` servers, and return the job's home, or NOWHERE."""
    if home == NOWHERE:
        home = _roomiest(holders, demand, j, due, free)
    both = home >= 0 and holders.works[home] and holders.serves[home]
    if both and _fits(demand, j, 1, due, home, free):
        _take(demand, j, 1, due, home, free)
        workers[j, home] += 1
        servers[j, home] += due
        return home
    for servers_first in (False, True):
        at = _scatter(holders, demand, j, due, servers_first, free, put)
        if at >= 0:
            workers[j, at] += 1
            for h in range(put.size):
                servers[j, h] += put[h]
                put[h] = 0
            return SPREAD
    return NOWHERE


@kernel
def _roomiest(holders: Holders, demand: WorkerDemand, j: int, due: int, free: Floats) -> int:
    """Return the machine that holds the largest part of all that the job may get."""
    most, best, room = demand.most[j], NOWHERE, 0.0
    for h in range(free.shape[0]):
        if holders.works[h] and holders.serves[h] and _fits(demand, j, 1, due, h, free):
            part = 1.0
            for r in range(free.shape[1]):
                whole = most * demand.worker[j, r] + demand.due[j, most] * demand.server[j, r]
                if whole > 0:
                    part = min(part, free[h, r] / whole)
            if part > room:
                best, room = h, part
    return best


@kernel
def _scatter(
    holders: Holders,
    demand: WorkerDemand,
    j: int,
    due: int,
    servers_first: bool,
    free: Floats,
    put: Ints,
) -> int:
    """Put a worker and servers where they fit first. Return the worker's machine, or NOWHERE."""
    at, h = NOWHERE, 0
    if not servers_first:
        at = _for_worker(holders, demand, j, free)
    left = due if servers_first or at >= 0 else 0
    while left > 0 and h < put.size:
        if holders.serves[h] and _fits(demand, j, 0, 1, h, free):
            _take(demand, j, 0, 1, h, free)
            put[h] += 1
            left -= 1
        else:
            h += 1
    if left == 0 and servers_first:
        at = _for_worker(holders, demand, j, free)
    if left == 0 and at >= 0:
        return at
    if at >= 0:
        _take(demand, j, -1, 0, at, free)
    for h in range(put.size):
        if put[h] > 0:
            _take(demand, j, 0, -put[h], h, free)
            put[h] = 0
    return NOWHERE


@kernel
def _for_worker(holders: Holders, demand: WorkerDemand, j: int, free: Floats) -> int:
    """Allocate a worker on the first machine where it fits."""
    for h in range(free.shape[0]):
        if holders.works[h] and _fits(demand, j, 1, 0, h, free):
            _take(demand, j, 1, 0, h, free)
            return h
    return NOWHERE


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
        """Return the use of a worker and its share of a server, in fractions of all resources."""
        rows = np.array(jobs, np.int64)
        demand = self.model.worker[rows] + self.model.server[rows] / self.model.ratio[rows, None]
        return np.asarray((demand / self._parts).sum(axis=1))

    def fairly(
        self, free: Floats, jobs: Sequence[int], most: Sequence[int]
    ) -> dict[int, SlotPlacement]:
        """Give the next worker to the job with the least dominant share, while any fits."""
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
        """Return the allocation after adding workers to the one given."""
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
        """Return a placement of the given workers, inside one machine if possible, or None."""
        placement = self._inside(free, job, count, count)
        if placement is None:
            placement = self.fairly(free.copy(), [job], [count]).get(job)
        return placement if placement and placement.size == count else None

    def consolidate(self, free: Floats, job: int, placement: SlotPlacement) -> SlotPlacement:
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
