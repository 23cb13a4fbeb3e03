"""The cheapest plan of one job in a slot, and the schedule that pays most over all slots; kernels.

The job holds all of its parts on one machine, the cheapest where they fit, or goes across: then
the linear relaxation of the slot's program is made whole (`rounded.py`).

The decision of PD-ORS on one job: the schedule that pays most at today's prices; kernels.
For every slot and number of quanta the cheapest plan is priced, and a dynamic program over
slots spreads the job's quanta: ``D(t, q) = min_d D(t - 1, q - d) + theta(t, d)``. Completing by
slot t pays ``u(t - a) - D(t, V)``. As utilities never grow and costs are not below 0, the search
ends at the slot after which no utility exceeds the best payoff found.
"""

import numpy as np

from ...simulation.jit import entry, kernel
from ...simulation.model import Floats, Ints
from .polygons import MachineRoom
from .rounded import ACROSS, CLOSE, NOWHERE, JobDemand, SlotScratch, SlotTask, due, fits, round_off
from .walk import WalkSlot, begin, forget, reach


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


@entry
def decide(task: SlotTask, choice: Ints) -> tuple[float, int]:
    """Return the best payoff, 0 if none is above 0, and the last slot of its schedule.

    `choice[t, q]` says how many of q quanta slot t takes when they are done by then.
    """
    ask, scratch = task.ask, task.scratch
    quanta, best, last = ask.quanta, 0.0, -1
    done = np.full(quanta + 1, np.inf)
    done[0] = 0.0
    for t in range(ask.arrival, task.price.shape[0]):
        if ask.worth[t - ask.arrival] <= best:
            break
        # What costs as much as the utility exceeds the best payoff is in no better schedule.
        spare = ask.worth[t - ask.arrival] - best
        most = plan_slot(task, t, quanta, spare)
        for q in range(quanta, 0, -1):
            least, taken = done[q], 0
            for d in range(1, min(q, most) + 1):
                cost = done[q - d] + scratch.cost[d]
                if cost < least:
                    least, taken = cost, d
            done[q], choice[t, q] = least, taken
        payoff = ask.worth[t - ask.arrival] - done[quanta]
        if payoff > best:
            best, last = payoff, t
    return best, last


@entry
def place(task: SlotTask, slot: int, last: int) -> int:
    """Make the plan of `last` quanta in a slot again; return its machine, or `ACROSS`."""
    scratch = task.scratch
    plan_slot(task, slot, last, np.inf)
    where = int(scratch.where[last])
    if where != ACROSS:
        scratch.workers[:], scratch.servers[:] = 0, 0
    return where
