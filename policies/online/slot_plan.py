"""What one job's samples in one slot cost at least, and where they go; kernels.

The job holds all of its parts on one machine, the cheapest where they fit, or goes across: then
the linear relaxation of the slot's program is made whole (`rounded.py`).
"""

import numpy as np

from ...simulation.jit import kernel
from ...simulation.model import Floats
from .polygons import MachineRoom
from .rounded import round_off
from .slot_scratch import ACROSS, CLOSE, NOWHERE, JobDemand, SlotScratch, SlotTask, due, fits
from .walk import begin, reach
from .walk_state import WalkSlot, forget


@kernel
def plan_slot(task: SlotTask, slot: int, last: int, worth: float) -> int:
    """Write what 1 to `last` quanta cost, and where; return the most that fit.

    Nothing is sought across machines that costs `worth` or more. If the plan of `last` goes
    across machines, it is what is left in `workers` and `servers`.
    """
    price(task.scratch, task.ask, task.price[slot], task.free[slot])
    inside = plan_inside(task.scratch, task.ask, last)
    return max(inside, plan_across(task, slot, last, worth))


@kernel
def price(scratch: SlotScratch, ask: JobDemand, price_of: Floats, free: Floats) -> None:
    """Write the costs of a worker and a server, and the most workers inside, of every machine."""
    counts = scratch.counts[0]
    counts.workers_sorted, counts.servers_sorted = 0, 0
    for h in range(free.shape[0]):
        worker = server = 0.0
        most = float(ask.batch)
        for r in range(free.shape[1]):
            worker += price_of[h, r] * ask.worker[r]
            server += price_of[h, r] * ask.server[r]
            need = ask.worker[r] + ask.server[r] / ask.gamma
            if need > 0:
                most = min(most, free[h, r] / need)
        scratch.worker_cost[h], scratch.server_cost[h] = worker, server
        w = int(most + CLOSE)
        while w > 0 and not fits(ask, free[h], w, due(ask, w)):
            w -= 1
        scratch.most[h] = w


@kernel
def plan_inside(scratch: SlotScratch, ask: JobDemand, last: int) -> int:
    """Take the cheapest machine for each number of quanta; return the most that fit."""
    most = 0
    for q in range(1, last + 1):
        workers = ask.inside[q]
        servers = due(ask, workers)
        scratch.where[q], scratch.cost[q] = NOWHERE, np.inf
        for h in range(scratch.most.size):
            if workers <= scratch.most[h]:
                cost = workers * scratch.worker_cost[h] + servers * scratch.server_cost[h]
                if cost < scratch.cost[q]:
                    scratch.where[q], scratch.cost[q], most = h, cost, q
    return most


@kernel
def plan_across(task: SlotTask, slot: int, last: int, worth: float) -> int:
    """Go across machines where that is cheaper; return the most quanta for which it is."""
    scratch, ask, free = task.scratch, task.ask, task.free[slot]
    walk, key = scratch.walk, task.key + slot * (ask.quanta + 1)
    forget(walk)
    batch = float(ask.batch)
    most_servers = float(due(ask, ask.batch))
    room = MachineRoom(free, ask.worker, ask.server, batch, most_servers, task.how.whole)
    priced = WalkSlot(scratch.worker_cost, scratch.server_cost, room, 1.0 / ask.gamma)
    begin(priced, walk)
    most, before, least = 0, 0, np.inf
    for q in range(1, last + 1):
        workers = ask.outside[q]
        if workers > ask.batch:
            break
        if workers != before:
            relaxed = reach(priced, walk, float(workers))
            if relaxed >= worth:
                break
            least = np.inf
            if relaxed < scratch.cost[q]:
                least = round_off(task, free, key + q, workers, relaxed)
            before = workers
        if least < scratch.cost[q]:
            scratch.cost[q], scratch.where[q], most = least, ACROSS, q
    return most
