"""The work of a job in quanta, and the cheapest way to spread them over the slots."""

from typing import NamedTuple

import numpy as np

from ...simulation.jit import entry
from ...simulation.online.model import Floats, Ints


class WorkGrid(NamedTuple):
    """`quanta` quanta make the whole work; `workers` do 0, 1, 2, .. of them in a slot."""

    quanta: int
    workers: list[int]


def grid_of(worker_slots: int, most_workers: int, quanta: int) -> WorkGrid:
    """Return about `quanta` quanta for work that takes one worker `worker_slots` slots.

    A quantum is a whole part of what `most_workers` do in a slot, so that they are on the grid;
    it is what one worker does where that makes no more quanta than asked for.
    """
    parts = min(most_workers, max(1, quanta * most_workers // worker_slots))
    count = -(-worker_slots * parts // most_workers)
    steps = range(min(parts, count) + 1)
    return WorkGrid(count, [-(-step * most_workers // parts) for step in steps])


class Spread(NamedTuple):
    """What is left of the worth after the costs, and the quanta of every slot."""

    payoff: float
    quanta: Ints


@entry
def best_spread(cost: Floats, worth: Floats, quanta: int) -> Spread:
    """Return the spread of all quanta with the highest payoff, the earliest of equals.

    ``cost[t, k]`` is that of k quanta in slot t, with none for nothing; ``worth[t]`` is what
    completion in slot t is worth. For every last slot, the dynamic program over slots finds
    the least cost: that of v quanta by slot t is the least over k of the cost of k quanta in t
    and that of v - k before.
    """
    slots, steps = cost.shape
    least = np.full((slots + 1, quanta + 1), np.inf)
    chosen = np.zeros((slots, quanta + 1), np.int64)
    least[0, 0] = 0.0
    payoff, last = -np.inf, -1
    for t in range(slots):
        least[t + 1] = least[t]
        for k in range(1, steps):
            for v in range(k, quanta + 1):
                total = cost[t, k] + least[t, v - k]
                if total < least[t + 1, v]:
                    least[t + 1, v] = total
                    chosen[t, v] = k
        if worth[t] - least[t + 1, quanta] > payoff:
            payoff, last = worth[t] - least[t + 1, quanta], t
    spread, left = np.zeros(slots, np.int64), quanta
    for t in range(last, -1, -1):
        spread[t] = chosen[t, left]
        left -= spread[t]
    return Spread(payoff, spread)
