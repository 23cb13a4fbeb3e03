"""How many rows the workers learn one after the other, at least, along the best order.

A row counts along an order if the first worker that has or wants it lacks it. For few workers, the
best order of every set of them is found by dynamic programming; for many, an order of all is
improved by moving single workers as long as that helps.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...instances import ShuffleInstance

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

FEW = 15
"""Up to this many workers all sets are gone through."""

ROUNDS = 4
"""So often every worker is moved, at most."""

CELLS = 10**9
"""About how many pairs of rows and workers are looked at; a move looks at all of them."""


class Concerns(NamedTuple):
    """Which rows (down) matter to which workers (across)."""

    concerned: Flags
    """It has or wants the row."""
    lacking: Flags
    """It wants the row and has it not."""


def concerns_of(instance: ShuffleInstance) -> Concerns:
    """Return the rows that some worker lacks."""
    lacked = np.array(sorted(frozenset[int]().union(*instance.missing)), dtype=np.int64)
    shape = len(lacked), len(instance.workers)
    concerned, lacking = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for k, (one, rows) in enumerate(zip(instance.workers, instance.missing, strict=True)):
        concerned[:, k] = np.isin(lacked, [*one.has, *one.wants])
        lacking[:, k] = np.isin(lacked, list(rows))
    return Concerns(concerned, lacking)


def counts_of_sets(given: Concerns) -> Ints:
    """Return, for each set of workers as bits, the most rows that count along an order of it."""
    n = given.concerned.shape[1]
    sets = np.arange(1 << n)
    masks = given.concerned @ (1 << np.arange(n))
    new = np.empty((n, 1 << n), dtype=np.int64)
    for k in range(n):
        met = np.bincount(masks[given.lacking[:, k]], minlength=1 << n)
        new[k] = _inside(met)[::-1]  # Within the complement: no worker of the set is concerned.
    best = np.zeros(1 << n, dtype=np.int64)
    sizes = np.bitwise_count(sets)
    for size in range(1, n + 1):
        own = sets[sizes == size]
        for k in range(n):
            last = own[own >> k & 1 == 1]
            before = last ^ 1 << k
            best[last] = np.maximum(best[last], best[before] + new[k, before])
    return best


def _inside(counts: Ints) -> Ints:
    """Return sums over all subsets of each set."""
    total = counts.copy()
    for k in range(len(counts).bit_length() - 1):
        halves = total.reshape(-1, 2, 1 << k)
        halves[:, 1] += halves[:, 0]
    return total


def count_of_all(given: Concerns) -> int:
    """Return how many rows count along a good order of all workers."""
    n = given.concerned.shape[1]
    order = list(np.argsort(-given.lacking.sum(axis=0), kind="stable"))
    best = before = 0
    for move in range(max(1, min(ROUNDS * n, CELLS // given.concerned.size))):
        k = move % n
        order.remove(k)
        best, place = _best_place(given, order, k)
        order.insert(place, k)
        if k == n - 1:
            if best == before:
                break
            before = best
    return best


def _best_place(given: Concerns, order: list[int], k: int) -> tuple[int, int]:
    """Return the most rows that count if a worker is put into an order, and where."""
    columns = given.concerned[:, order]
    first = np.where(columns.any(axis=1), columns.argmax(axis=1), len(order))
    counts = np.zeros(len(first), dtype=bool)
    met = first < len(order)
    counts[met] = given.lacking[met, np.array(order, dtype=int)[first[met]]]
    mine = given.concerned[:, k]
    # Put before place p, the worker is the first for its rows whose first is at p or later.
    size = len(order) + 1
    gained = np.bincount(first[given.lacking[:, k]], minlength=size)
    lost = np.bincount(first[mine & counts], minlength=size)
    change = np.cumsum((gained - lost)[::-1])[::-1]
    place = int(change.argmax())
    return int(counts.sum() + change[place]), place
