"""The dearest set of jobs that one GPU can finish by a given slot, in whole numbers."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...simulation.jit import entry

MOST_CELLS = 2**26
"""Larger tables are made coarser."""

Whole = NDArray[np.int64]


class ItemKind(NamedTuple):
    """Jobs that are alike."""

    release: int
    slots: int
    gpus: int
    jobs: int


class Knapsack:
    """A table over jobs, in the order of release, and the slot by which a GPU is done.

    With `grain` slots to a cell, lengths, releases and ends are rounded down. What fits still
    does, as the rounded parts of a sum are at most the sum, rounded: the dearest set may only
    look dearer.
    """

    def __init__(self, kinds: list[ItemKind], horizon: int, cells: int = MOST_CELLS) -> None:
        """Make room for ends up to `horizon`."""
        copies = [_copies(kind, horizon) for kind in kinds]
        self.horizon = horizon
        self.grain = -(-sum(copies) * (horizon + 1) // cells)
        self._kinds = np.repeat(np.arange(len(kinds)), copies)
        self._lengths = np.array([kind.slots // self.grain for kind in kinds])[self._kinds]
        self._releases = np.array([kind.release // self.grain for kind in kinds])[self._kinds]
        self._most = np.zeros(horizon // self.grain + 1, np.int64)
        self._take = np.empty((len(self._kinds), len(self._most)), np.bool_)

    def most(self, prices: Whole) -> Whole:
        """Return the price of the dearest set by each end, at these prices of kinds."""
        self._fill(prices, self.horizon)
        return self._most.copy()

    def dearest(self, prices: Whole, end: int) -> tuple[int, Whole, Whole]:
        """Return the price of the dearest set by `end`, its kinds, and how many jobs of each."""
        chosen = self._fill(prices, end)
        kinds, jobs = np.unique(self._kinds[chosen], return_counts=True)
        return int(prices[kinds] @ jobs), kinds, jobs

    def _fill(self, prices: Whole, end: int) -> Whole:
        cell = end // self.grain
        each = prices[self._kinds]
        return _fill(self._lengths, self._releases, each, self._most[: cell + 1], self._take)


def _copies(kind: ItemKind, horizon: int) -> int:
    return min(kind.jobs, (horizon - kind.release) // kind.slots)


@entry
def _fill(
    lengths: Whole, releases: Whole, prices: Whole, most: Whole, take: NDArray[np.bool_]
) -> Whole:
    """Fill `most`, the price of the dearest set by each end; return the set for the last end.

    A job of no price is left out.
    """
    most[:] = 0
    last = most.size - 1
    for job in range(lengths.size):
        length, price, row = lengths[job], prices[job], take[job]
        if price <= 0:
            continue
        for end in range(last, releases[job] + length - 1, -1):
            row[end] = most[end - length] + price > most[end]
            if row[end]:
                most[end] = most[end - length] + price
    chosen = np.empty(lengths.size, np.int64)
    count = 0
    for job in range(lengths.size - 1, -1, -1):
        if prices[job] > 0 and last >= releases[job] + lengths[job] and take[job, last]:
            chosen[count] = job
            count += 1
            last -= lengths[job]
    return chosen[:count]
