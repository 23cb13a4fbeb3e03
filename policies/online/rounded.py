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
from .desk import CLOSE, JobDemand, Rounding, SlotScratch, due, fits
from .luck import fraction, shuffle
from .walk import point


@kernel
def round_off(
    desk: SlotScratch,
    ask: JobDemand,
    how: Rounding,
    free: Floats,
    key: int,
    workers: int,
    least: float,
) -> float:
    """Write the cheapest plan found at the demand that was reached; return its cost.

    No plan is cheaper than `least`, the cost of the relaxation.
    """
    size = point(desk.walk, desk.machine, desk.x, desk.y)
    shuffle(desk.luck, key)
    best = np.inf
    for _ in range(how.tries):
        clear(desk, desk.try_workers, desk.try_servers)
        certain = draw(desk, how.gain, size)
        if settle_try(desk, ask, how.repair, free, workers):
            cost = cost_of(desk)
            if cost < best:
                best = cost
                for h in range(free.shape[0]):
                    desk.workers[h], desk.servers[h] = desk.try_workers[h], desk.try_servers[h]
        if certain or best <= least * (1.0 + CLOSE):
            break
    return best


@kernel
def clear(desk: SlotScratch, workers: Ints, servers: Ints) -> None:
    """Empty a plan."""
    workers[:] = 0
    servers[:] = 0
    desk.size[0] = 0


@kernel
def draw(desk: SlotScratch, gain: float, size: int) -> bool:
    """Round the point in hand; say whether nothing was left to luck."""
    certain = True
    for i in range(size):
        h = desk.machine[i]
        for x, part in ((desk.x[i] * gain, desk.try_workers), (desk.y[i] * gain, desk.try_servers)):
            whole = np.floor(x + CLOSE)
            if x - whole > CLOSE:
                certain = False
                if fraction(desk.luck) < x - whole:
                    whole += 1.0
            part[h] = int(whole)
        desk.touched[i] = h
    desk.size[0] = size
    return certain


@kernel
def settle_try(desk: SlotScratch, ask: JobDemand, repair: bool, free: Floats, workers: int) -> bool:
    """Say whether the try fits and covers the demand, after repair if that is wanted."""
    servers = due(ask, workers)
    for i in range(desk.size[0]):
        h = desk.touched[i]
        while not fits(ask, free[h], desk.try_workers[h], desk.try_servers[h]):
            if not repair:
                return False
            shrink(desk, h)
    if repair:
        drop(desk, desk.try_workers, desk.worker_cost, workers)
        drop(desk, desk.try_servers, desk.server_cost, servers)
        if not add(desk, ask, free, workers, True) or not add(desk, ask, free, servers, False):
            return False
    held, serving = total(desk, desk.try_workers), total(desk, desk.try_servers)
    return workers <= held <= ask.batch and serving >= due(ask, held)


@kernel
def shrink(desk: SlotScratch, h: int) -> None:
    """Drop the part that costs more on a machine that holds too much."""
    servers = desk.try_servers[h] > 0 and (
        desk.try_workers[h] == 0 or desk.server_cost[h] > desk.worker_cost[h]
    )
    if servers:
        desk.try_servers[h] -= 1
    else:
        desk.try_workers[h] -= 1


@kernel
def drop(desk: SlotScratch, part: Ints, cost: Floats, need: int) -> None:
    """Drop what is more than needed where it is dearest."""
    spare = total(desk, part) - need
    while spare > 0:
        dearest = -1
        for i in range(desk.size[0]):
            h = desk.touched[i]
            if part[h] > 0 and (dearest < 0 or cost[h] > cost[dearest]):
                dearest = h
        gone = min(spare, part[dearest])
        part[dearest] -= gone
        spare -= gone


@kernel
def add(desk: SlotScratch, ask: JobDemand, free: Floats, need: int, workers: bool) -> bool:
    """Add what is missing where it is cheapest and fits; say whether it all did."""
    part = desk.try_workers if workers else desk.try_servers
    short = need - total(desk, part)
    if short <= 0:
        return True
    if workers:
        order(desk.by_worker, desk.heap, desk.worker_cost, desk.size, 1)
    else:
        order(desk.by_server, desk.heap, desk.server_cost, desk.size, 2)
    for i in range(free.shape[0]):
        h = desk.by_worker[i] if workers else desk.by_server[i]
        while short > 0 and fits_more(desk, ask, free[h], h, workers):
            if desk.try_workers[h] == 0 and desk.try_servers[h] == 0:
                touch(desk, h)
            part[h] += 1
            short -= 1
        if short == 0:
            return True
    return False


@kernel
def order(sorted_by: Ints, heap: Ints, cost: Floats, size: Ints, flag: int) -> None:
    """Sort machines by cost, unless that was done since prices were written."""
    if size[flag]:
        return
    size[flag] = 1
    for h in range(cost.size):
        push(heap, h, cost, h)
    for i in range(cost.size):
        sorted_by[i] = pop_least(heap, cost.size - i, cost)


@kernel
def fits_more(desk: SlotScratch, ask: JobDemand, free: Floats, h: int, workers: bool) -> bool:
    """Say whether one more fits on a machine."""
    more_workers, more_servers = (1, 0) if workers else (0, 1)
    return bool(
        fits(ask, free, desk.try_workers[h] + more_workers, desk.try_servers[h] + more_servers)
    )


@kernel
def touch(desk: SlotScratch, h: int) -> None:
    """Note that a machine has some of the plan."""
    for i in range(desk.size[0]):
        if desk.touched[i] == h:
            return
    desk.touched[desk.size[0]] = h
    desk.size[0] += 1


@kernel
def total(desk: SlotScratch, part: Ints) -> int:
    """Return how many workers, or servers, the try has."""
    found = 0
    for i in range(desk.size[0]):
        found += part[desk.touched[i]]
    return found


@kernel
def cost_of(desk: SlotScratch) -> float:
    """Return what the try costs."""
    cost = 0.0
    for i in range(desk.size[0]):
        h = desk.touched[i]
        cost += desk.try_workers[h] * desk.worker_cost[h]
        cost += desk.try_servers[h] * desk.server_cost[h]
    return cost
