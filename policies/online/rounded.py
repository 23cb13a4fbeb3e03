"""A fractional plan across machines made whole: rounded at random, and made to fit; kernels.

Independent rounding after a gain G (PD-ORS): a number x becomes ceil(G x) with the fractional
part of G x as its probability, and floor(G x) otherwise. What does not fit is thrown away, or
repaired: on each machine parts are dropped until it holds the rest, then too many are dropped
where they are dearest, and what is missing is added where it is cheapest and fits.
"""

import numpy as np

from ...simulation.heaps import pop_least, push
from ...simulation.jit import kernel
from ...simulation.model import Floats, Ints
from .rng import fraction, shuffle
from .slot_scratch import CLOSE, JobDemand, SlotScratch, SlotTask, due, fits
from .walk import point


@kernel
def round_off(task: SlotTask, free: Floats, key: int, workers: int, least: float) -> float:
    """Write the cheapest plan found at the demand that was reached; return its cost.

    No plan is cheaper than `least`, the cost of the relaxation.
    """
    scratch, how = task.scratch, task.how
    size = point(scratch.walk, scratch.machine, scratch.x, scratch.y)
    shuffle(scratch.rng, key)
    best = np.inf
    for _ in range(how.tries):
        clear(scratch, scratch.try_workers, scratch.try_servers)
        certain = draw(scratch, how.gain, size)
        if settle_try(scratch, task.ask, how.repair, free, workers):
            cost = cost_of(scratch)
            if cost < best:
                best = cost
                for h in range(free.shape[0]):
                    scratch.workers[h], scratch.servers[h] = (
                        scratch.try_workers[h],
                        scratch.try_servers[h],
                    )
        if certain or best <= least * (1.0 + CLOSE):
            break
    return best


@kernel
def clear(scratch: SlotScratch, workers: Ints, servers: Ints) -> None:
    """Empty a plan."""
    workers[:] = 0
    servers[:] = 0
    scratch.counts[0].touched = 0


@kernel
def draw(scratch: SlotScratch, gain: float, size: int) -> bool:
    """Round the point in hand; say whether nothing was drawn."""
    certain = True
    for i in range(size):
        h = scratch.machine[i]
        for x, part in (
            (scratch.x[i] * gain, scratch.try_workers),
            (scratch.y[i] * gain, scratch.try_servers),
        ):
            whole = np.floor(x + CLOSE)
            if x - whole > CLOSE:
                certain = False
                if fraction(scratch.rng) < x - whole:
                    whole += 1.0
            part[h] = int(whole)
        scratch.touched[i] = h
    scratch.counts[0].touched = size
    return certain


@kernel
def settle_try(
    scratch: SlotScratch, ask: JobDemand, repair: bool, free: Floats, workers: int
) -> bool:
    """Say whether the try fits and covers the demand, after repair if that is wanted."""
    servers = due(ask, workers)
    for i in range(scratch.counts[0].touched):
        h = scratch.touched[i]
        while not fits(ask, free[h], scratch.try_workers[h], scratch.try_servers[h]):
            if not repair:
                return False
            shrink(scratch, h)
    if repair:
        drop(scratch, scratch.try_workers, scratch.worker_cost, workers)
        drop(scratch, scratch.try_servers, scratch.server_cost, servers)
        if not add(scratch, ask, free, workers, True) or not add(
            scratch, ask, free, servers, False
        ):
            return False
    held, serving = total(scratch, scratch.try_workers), total(scratch, scratch.try_servers)
    return workers <= held <= ask.batch and serving >= due(ask, held)


@kernel
def shrink(scratch: SlotScratch, h: int) -> None:
    """Drop the part that costs more on a machine that holds too much."""
    servers = scratch.try_servers[h] > 0 and (
        scratch.try_workers[h] == 0 or scratch.server_cost[h] > scratch.worker_cost[h]
    )
    if servers:
        scratch.try_servers[h] -= 1
    else:
        scratch.try_workers[h] -= 1


@kernel
def drop(scratch: SlotScratch, part: Ints, cost: Floats, need: int) -> None:
    """Drop what is more than needed where it is dearest."""
    spare = total(scratch, part) - need
    while spare > 0:
        dearest = -1
        for i in range(scratch.counts[0].touched):
            h = scratch.touched[i]
            if part[h] > 0 and (dearest < 0 or cost[h] > cost[dearest]):
                dearest = h
        gone = min(spare, part[dearest])
        part[dearest] -= gone
        spare -= gone


@kernel
def add(scratch: SlotScratch, ask: JobDemand, free: Floats, need: int, workers: bool) -> bool:
    """Add what is missing where it is cheapest and fits; say whether it all did."""
    part = scratch.try_workers if workers else scratch.try_servers
    short = need - total(scratch, part)
    if short <= 0:
        return True
    counts = scratch.counts[0]
    if workers and not counts.workers_sorted:
        order(scratch.by_worker, scratch.heap, scratch.worker_cost)
        counts.workers_sorted = 1
    elif not workers and not counts.servers_sorted:
        order(scratch.by_server, scratch.heap, scratch.server_cost)
        counts.servers_sorted = 1
    for i in range(free.shape[0]):
        h = scratch.by_worker[i] if workers else scratch.by_server[i]
        while short > 0 and fits_more(scratch, ask, free[h], h, workers):
            if scratch.try_workers[h] == 0 and scratch.try_servers[h] == 0:
                touch(scratch, h)
            part[h] += 1
            short -= 1
        if short == 0:
            return True
    return False


@kernel
def order(sorted_by: Ints, heap: Ints, cost: Floats) -> None:
    """Sort machines by cost."""
    for h in range(cost.size):
        push(heap, h, cost, h)
    for i in range(cost.size):
        sorted_by[i] = pop_least(heap, cost.size - i, cost)


@kernel
def fits_more(scratch: SlotScratch, ask: JobDemand, free: Floats, h: int, workers: bool) -> bool:
    """Say whether one more fits on a machine."""
    more_workers, more_servers = (1, 0) if workers else (0, 1)
    return bool(
        fits(
            ask, free, scratch.try_workers[h] + more_workers, scratch.try_servers[h] + more_servers
        )
    )


@kernel
def touch(scratch: SlotScratch, h: int) -> None:
    """Note that a machine has some of the plan."""
    for i in range(scratch.counts[0].touched):
        if scratch.touched[i] == h:
            return
    scratch.touched[scratch.counts[0].touched] = h
    scratch.counts[0].touched += 1


@kernel
def total(scratch: SlotScratch, part: Ints) -> int:
    """Return how many workers, or servers, the try has."""
    found = 0
    for i in range(scratch.counts[0].touched):
        found += part[scratch.touched[i]]
    return found


@kernel
def cost_of(scratch: SlotScratch) -> float:
    """Return what the try costs."""
    cost = 0.0
    for i in range(scratch.counts[0].touched):
        h = scratch.touched[i]
        cost += scratch.try_workers[h] * scratch.worker_cost[h]
        cost += scratch.try_servers[h] * scratch.server_cost[h]
    return cost
