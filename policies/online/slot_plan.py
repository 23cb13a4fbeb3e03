"""The cheapest plan of one job in a slot, and the most profitable schedule over slots (kernels).

The decision of PD-ORS on one job is the schedule with the best payoff at current prices. For every
slot and number of quanta the cheapest plan is priced. A dynamic program over slots spreads the
job's quanta: ``D(t, q) = min_d D(t - 1, q - d) + theta(t, d)``. Completing by slot t pays ``u(t -
a) - D(t, V)``. Utilities never grow and costs are at least 0, so the search ends at the slot after
which no utility exceeds the best payoff found.

In a slot the job is on one machine, the cheapest where it fits, or goes across machines. In the
second case the linear relaxation of the slot's program is rounded at random and repaired to fit.

Independent rounding after a gain G (PD-ORS): a number x becomes ceil(G x) with the fractional part
of G x as its probability, and floor(G x) otherwise. A plan that does not fit is dropped, or
repaired: on each machine parts are dropped until the remaining ones fit. Then excess parts are
dropped where they are dearest, and missing parts are added where they are cheapest and fit.

Random numbers for kernels: a stream for every key, so that a plan can be reproduced. Methods have
`request.rng`, which `run.py` makes from the seed. Keys of kernels are drawn from it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...simulation.heaps import pop_least, push
from ...simulation.jit import entry, kernel
from ...simulation.model import Floats, Ints
from .polygons import MachineRoom, new_polygons
from .walk import WalkScratch, WalkSlot, begin, forget, new_walk, point, reach

Words = NDArray[np.uint64]


@kernel
def shuffle(rng: Words, key: int) -> None:
    """Begin the stream of a key: ``rng[0]`` becomes its state, ``rng[1]`` is the seed."""
    word = rng[1] + np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    rng[0] = (word ^ (word >> np.uint64(31))) | np.uint64(1)


@kernel
def fraction(rng: Words) -> float:
    """Draw a number from 0 to 1, without 1, by a xorshift of 64 bits (Marsaglia 2003)."""
    word = rng[0]
    word ^= word << np.uint64(13)
    word ^= word >> np.uint64(7)
    word ^= word << np.uint64(17)
    rng[0] = word
    return float(word >> np.uint64(11)) * 2.0**-53


ACROSS, NOWHERE = -1, -2
"""In place of a machine: the plan goes across machines, or there is no plan."""

CLOSE = 1e-9
"""Numbers that are nearer than this to a whole one are meant to be it."""


class JobDemand(NamedTuple):
    """A job with a demand. Its work comes in `quanta` equal parts."""

    worker: Floats
    server: Floats
    gamma: float
    top: int
    bottom: int
    """Whole numbers: `bottom` parameter servers are due to `top` workers."""
    batch: int
    quanta: int
    inside: Ints
    """Workers on one machine that do 0, 1, .. quanta in a slot."""
    outside: Ints
    """The same across machines."""
    arrival: int
    worth: Floats
    """Utility by slots from the arrival."""


class Rounding(NamedTuple):
    """Rounding of a point of the relaxation.

    It is multiplied by `gain` and rounded at random `tries` times, and the cheapest plan that fits
    is kept. With `repair` each try is made to fit. With `whole` the relaxation is the stronger one,
    over integer hulls.
    """

    gain: float
    tries: int
    repair: bool
    whole: bool


WORKERS, SERVERS = 0, 1
"""Rows of arrays for both."""


class SlotScratch(NamedTuple):
    """Space for the plans of one slot, with `walk` for the relaxation.

    `cost` and `where` are by quanta, other arrays by machine. Arrays with two rows have one for
    workers and one for servers. `plan` has the last plan across machines. The first ``used[0]`` of
    `touched` are the machines with some of `trial`. Machines are in the order of their `unit_cost`
    in ``by_cost[kind]`` if ``in_order[kind]``.
    """

    walk: WalkScratch
    unit_cost: Floats
    most: Ints
    cost: Floats
    where: Ints
    machine: Ints
    point: Floats
    plan: Ints
    trial: Ints
    touched: Ints
    used: Ints
    by_cost: Ints
    in_order: Ints
    heap: Ints
    rng: Words


class SlotTask(NamedTuple):
    """A job with prices and room by slot, and space to work on its plans."""

    scratch: SlotScratch
    ask: JobDemand
    how: Rounding
    price: Floats
    free: Floats
    key: int
    """Key of the job's random numbers. Each slot and number of quanta derives its own from it."""


def new_scratch(machines: int, corners: int, quanta: int, seed: int) -> SlotScratch:
    """Return arrays for machines, and the most corners of their polygons."""
    return SlotScratch(
        walk=new_walk(new_polygons(machines, corners)),
        unit_cost=np.zeros((2, machines)),
        most=np.zeros(machines, np.int64),
        cost=np.zeros(quanta + 1),
        where=np.zeros(quanta + 1, np.int64),
        machine=np.zeros(machines, np.int64),
        point=np.zeros((2, machines)),
        plan=np.zeros((2, machines), np.int64),
        trial=np.zeros((2, machines), np.int64),
        touched=np.zeros(machines, np.int64),
        used=np.zeros(1, np.int64),
        by_cost=np.zeros((2, machines), np.int64),
        in_order=np.zeros(2, np.int64),
        heap=np.zeros(machines, np.int64),
        rng=np.array([1, seed], np.uint64),
    )


@kernel
def due(ask: JobDemand, workers: int) -> int:
    """Return how many parameter servers the given workers need."""
    return -(-workers * ask.bottom // ask.top)


@kernel
def fits(ask: JobDemand, free: Floats, workers: int, servers: int) -> bool:
    """Return True if a machine has room for them."""
    for r in range(free.size):
        if workers * ask.worker[r] + servers * ask.server[r] > free[r]:
            return False
    return True


@kernel
def round_off(task: SlotTask, free: Floats, key: int, workers: int, least: float) -> float:
    """Write the cheapest plan found at the demand that was reached, and return its cost.

    No plan is cheaper than `least`, the cost of the relaxation.
    """
    scratch, how = task.scratch, task.how
    size = point(scratch.walk, scratch.machine, scratch.point[WORKERS], scratch.point[SERVERS])
    shuffle(scratch.rng, key)
    best = np.inf
    for _ in range(how.tries):
        certain = round_randomly(scratch, how.gain, size)
        if make_fit(scratch, task.ask, how.repair, free, workers):
            cost = cost_of(scratch)
            if cost < best:
                best = cost
                for kind in range(2):
                    for h in range(free.shape[0]):
                        scratch.plan[kind, h] = scratch.trial[kind, h]
        if certain or best <= least * (1.0 + CLOSE):
            break
    return best


@kernel
def round_randomly(scratch: SlotScratch, gain: float, size: int) -> bool:
    """Round the current point to a trial, and return True if the result is deterministic."""
    scratch.trial[:] = 0
    certain = True
    for i in range(size):
        h = scratch.machine[i]
        for kind in range(2):
            x = scratch.point[kind, i] * gain
            whole = np.floor(x + CLOSE)
            if x - whole > CLOSE:
                certain = False
                if fraction(scratch.rng) < x - whole:
                    whole += 1.0
            scratch.trial[kind, h] = int(whole)
        scratch.touched[i] = h
    scratch.used[0] = size
    return certain


@kernel
def make_fit(
    scratch: SlotScratch, ask: JobDemand, repair: bool, free: Floats, workers: int
) -> bool:
    """Return True if the trial fits and covers the demand, after repair if that is wanted."""
    trial, servers = scratch.trial, due(ask, workers)
    for i in range(scratch.used[0]):
        h = scratch.touched[i]
        while not fits(ask, free[h], trial[WORKERS, h], trial[SERVERS, h]):
            if not repair:
                return False
            shrink(scratch, h)
    if repair:
        drop(scratch, WORKERS, workers)
        drop(scratch, SERVERS, servers)
        if not add(scratch, ask, free, WORKERS, workers):
            return False
        if not add(scratch, ask, free, SERVERS, servers):
            return False
    held, serving = total(scratch, WORKERS), total(scratch, SERVERS)
    return workers <= held <= ask.batch and serving >= due(ask, held)


@kernel
def shrink(scratch: SlotScratch, h: int) -> None:
    """Drop the part that costs more on a machine that holds too much."""
    trial, cost = scratch.trial, scratch.unit_cost
    dearer = trial[WORKERS, h] == 0 or cost[SERVERS, h] > cost[WORKERS, h]
    trial[SERVERS if trial[SERVERS, h] > 0 and dearer else WORKERS, h] -= 1


@kernel
def drop(scratch: SlotScratch, kind: int, need: int) -> None:
    """Drop excess parts where they are dearest."""
    part, cost = scratch.trial[kind], scratch.unit_cost[kind]
    spare = total(scratch, kind) - need
    while spare > 0:
        dearest = -1
        for i in range(scratch.used[0]):
            h = scratch.touched[i]
            if part[h] > 0 and (dearest < 0 or cost[h] > cost[dearest]):
                dearest = h
        gone = min(spare, part[dearest])
        part[dearest] -= gone
        spare -= gone


@kernel
def add(scratch: SlotScratch, ask: JobDemand, free: Floats, kind: int, need: int) -> bool:
    """Add missing parts where they are cheapest and fit, and return True if all were added."""
    trial, short = scratch.trial, need - total(scratch, kind)
    if short <= 0:
        return True
    if not scratch.in_order[kind]:
        put_in_order(scratch.by_cost[kind], scratch.heap, scratch.unit_cost[kind])
        scratch.in_order[kind] = 1
    for h in scratch.by_cost[kind]:
        while short > 0 and fits(
            ask, free[h], trial[WORKERS, h] + 1 - kind, trial[SERVERS, h] + kind
        ):
            if trial[WORKERS, h] == 0 and trial[SERVERS, h] == 0:
                touch(scratch, h)
            trial[kind, h] += 1
            short -= 1
        if short == 0:
            return True
    return False


@kernel
def put_in_order(machines: Ints, heap: Ints, cost: Floats) -> None:
    """Sort machines by cost."""
    for h in range(cost.size):
        push(heap, h, cost, h)
    for i in range(cost.size):
        machines[i] = pop_least(heap, cost.size - i, cost)


@kernel
def touch(scratch: SlotScratch, h: int) -> None:
    """Note that a machine has some of the trial."""
    for i in range(scratch.used[0]):
        if scratch.touched[i] == h:
            return
    scratch.touched[scratch.used[0]] = h
    scratch.used[0] += 1


@kernel
def total(scratch: SlotScratch, kind: int) -> int:
    """Return how many workers, or servers, the trial has."""
    found = 0
    for i in range(scratch.used[0]):
        found += scratch.trial[kind, scratch.touched[i]]
    return found


@kernel
def cost_of(scratch: SlotScratch) -> float:
    """Return the cost of the trial."""
    cost = 0.0
    for i in range(scratch.used[0]):
        h = scratch.touched[i]
        for kind in range(2):
            cost += scratch.trial[kind, h] * scratch.unit_cost[kind, h]
    return cost


@kernel
def plan_slot(task: SlotTask, slot: int, last: int, worth: float) -> int:
    """Write costs and machines of 1 to `last` quanta, and return the most that fit.

    Plans across machines that cost `worth` or more are not sought. If the plan of `last` goes
    across machines, it is in `plan` afterwards.
    """
    price(task.scratch, task.ask, task.price[slot], task.free[slot])
    inside = plan_inside(task.scratch, task.ask, last)
    return max(inside, plan_across(task, slot, last, worth))


@kernel
def price(scratch: SlotScratch, ask: JobDemand, price_of: Floats, free: Floats) -> None:
    """Write the costs of a worker and a server, and the most workers inside, of every machine."""
    scratch.in_order[:] = 0
    for h in range(free.shape[0]):
        worker = server = 0.0
        most = float(ask.batch)
        for r in range(free.shape[1]):
            worker += price_of[h, r] * ask.worker[r]
            server += price_of[h, r] * ask.server[r]
            need = ask.worker[r] + ask.server[r] / ask.gamma
            if need > 0:
                most = min(most, free[h, r] / need)
        scratch.unit_cost[WORKERS, h], scratch.unit_cost[SERVERS, h] = worker, server
        w = int(most + CLOSE)
        while w > 0 and not fits(ask, free[h], w, due(ask, w)):
            w -= 1
        scratch.most[h] = w


@kernel
def plan_inside(scratch: SlotScratch, ask: JobDemand, last: int) -> int:
    """Use the cheapest machine for each number of quanta, and return the most that fit."""
    most, unit_cost = 0, scratch.unit_cost
    for q in range(1, last + 1):
        workers = ask.inside[q]
        servers = due(ask, workers)
        scratch.where[q], scratch.cost[q] = NOWHERE, np.inf
        for h in range(scratch.most.size):
            if workers <= scratch.most[h]:
                cost = workers * unit_cost[WORKERS, h] + servers * unit_cost[SERVERS, h]
                if cost < scratch.cost[q]:
                    scratch.where[q], scratch.cost[q], most = h, cost, q
    return most


@kernel
def plan_across(task: SlotTask, slot: int, last: int, worth: float) -> int:
    """Go across machines if that is cheaper, and return the most quanta for which it is."""
    scratch, ask, free = task.scratch, task.ask, task.free[slot]
    walk, key = scratch.walk, task.key + slot * (ask.quanta + 1)
    forget(walk)
    batch = float(ask.batch)
    most_servers = float(due(ask, ask.batch))
    room = MachineRoom(free, ask.worker, ask.server, batch, most_servers, task.how.whole)
    priced = WalkSlot(scratch.unit_cost, room, 1.0 / ask.gamma)
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
    """Return the best payoff, 0 if no payoff is positive, and the last slot of its schedule.

    `choice[t, q]` is the number of the q quanta in slot t if they are done by then.
    """
    ask, scratch = task.ask, task.scratch
    quanta, best, last = ask.quanta, 0.0, -1
    done = np.full(quanta + 1, np.inf)
    done[0] = 0.0
    for t in range(ask.arrival, task.price.shape[0]):
        if ask.worth[t - ask.arrival] <= best:
            break
        # A plan that costs at least utility - best payoff is in no better schedule.
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
    """Recompute the plan of `last` quanta in a slot, and return its machine, or `ACROSS`."""
    scratch = task.scratch
    plan_slot(task, slot, last, np.inf)
    where = int(scratch.where[last])
    if where != ACROSS:
        scratch.plan[:] = 0
    return where
