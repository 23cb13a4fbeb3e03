"""Kernels that put workers, or parameter servers, on the cheapest machines with room."""

import numpy as np

from ...simulation.jit import entry, kernel
from ...simulation.online.model import Floats, Ints


@entry
def cheapest_costs(
    free: Floats, price: Floats, machines: Ints, demand: Floats, counts: Ints
) -> Floats:
    """Return the cost in every slot of `counts` pieces, infinite where they do not fit.

    `free` and `price` are by slot, machine and resource; `counts` ascend.
    """
    out = np.full((len(free), counts.size), np.inf)
    cost, room, which = np.empty(machines.size), np.empty(machines.size), np.empty_like(machines)
    for t in range(len(free)):
        fitting = _with_room(free, price, t, machines, demand, cost, room, which)
        order = np.argsort(cost[:fitting], kind="mergesort")
        _add_up(cost, room, order, counts, out, t)
    return out


@entry
def on_cheapest(
    free: Floats, price: Floats, slot: int, machines: Ints, demand: Floats, count: int
) -> Ints:
    """Return how many of `count` pieces go to each machine in a slot in which they fit."""
    out = np.zeros(free.shape[1], np.int64)
    cost, room, which = np.empty(machines.size), np.empty(machines.size), np.empty_like(machines)
    fitting = _with_room(free, price, slot, machines, demand, cost, room, which)
    left = float(count)
    for i in np.argsort(cost[:fitting], kind="mergesort"):
        number = min(left, room[i])
        out[which[i]] = int(number)
        left -= number
    return out


@kernel
def _with_room(
    free: Floats,
    price: Floats,
    slot: int,
    machines: Ints,
    demand: Floats,
    cost: Floats,
    room: Floats,
    which: Ints,
) -> int:
    """Note cost, room and number of the machines that hold a piece; return how many do."""
    fitting = 0
    for h in machines:
        each, fits = 0.0, np.inf
        for r in range(demand.size):
            if demand[r] > 0:
                fits = min(fits, np.floor(free[slot, h, r] / demand[r]))
                each += price[slot, h, r] * demand[r]
        if fits >= 1:
            cost[fitting], room[fitting], which[fitting] = each, fits, h
            fitting += 1
    return fitting


@kernel
def _add_up(cost: Floats, room: Floats, order: Ints, counts: Ints, out: Floats, slot: int) -> None:
    """Write the costs of `counts` pieces, the cheapest machines first."""
    placed, total, i = 0.0, 0.0, 0
    for k in range(counts.size):
        while placed < counts[k] and i < order.size:
            more = min(counts[k] - placed, room[order[i]])
            placed += more
            total += more * cost[order[i]]
            room[order[i]] -= more
            if room[order[i]] == 0:
                i += 1
        if placed == counts[k]:
            out[slot, k] = total
