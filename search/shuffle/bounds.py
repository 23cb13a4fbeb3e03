"""Certified lower bounds on the cost of an exchange of rows.

Let M messages go to several workers and k_w to worker w alone. Along an order of some workers, each
new one needs only its own messages, in addition to all rows that its predecessors have and want.
Hence M plus the k_w of these workers is at least the number of new rows along the order. One set
along its best order and every other worker by itself bound the sum of the k_w for each M, and thus
the cost.

In the mean over all orders, a row that one worker misses adds 1/i, if it matters to i workers.
Hence each missing row of a worker costs a unicast or an i-th of a multicast. Proofs:
`docs/theory/reserved-coded-shuffle.md`.

The least number of rows that workers learn one after the other, along the best order.

A row is new along an order if the first worker that has or wants it misses it. For few workers, the
best order of every set of them is found by dynamic programming. For many, an order of all workers
is improved by moving single workers while that helps.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...instances import NO_LIMITS, Bound, BoundKind, Limits, ShuffleInstance
from ..asked_bounds import AskedBounds
from .exact import bound_by_search

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

FEW = 15
"""Up to this many workers all sets are gone through."""

ROUNDS = 4
"""Most moves of every worker."""

PAIRS = 10**9
"""Approximate limit on evaluated pairs of rows and workers. A move evaluates all of them."""


class Concerns(NamedTuple):
    """Matrix of relevance: rows (down) by workers (across)."""

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
    """Return, for each set of workers as bits, the most new rows along an order of it."""
    n = given.concerned.shape[1]
    sets = np.arange(1 << n)
    masks = given.concerned @ (1 << np.arange(n))
    new = np.empty((n, 1 << n), dtype=np.int64)
    for k in range(n):
        met = np.bincount(masks[given.lacking[:, k]], minlength=1 << n)
        new[k] = _inside(met)[::-1]  # Within the complement: irrelevant to the whole set.
    best = np.zeros(1 << n, dtype=np.int64)
    sizes = np.bitwise_count(sets)
    for size in range(1, n + 1):
        own = sets[sizes == size]
        for k in range(n):
            last = own[(own >> k) & 1 == 1]
            before = last ^ (1 << k)
            best[last] = np.maximum(best[last], best[before] + new[k, before])
    return best


def _inside(counts: Ints) -> Ints:
    """Return sums over all subsets of each set."""
    total = counts.copy()
    for k in range(len(counts).bit_length() - 1):
        halves = total.reshape(-1, 2, 1 << k)
        halves[:, 1] += halves[:, 0]
    return total


def count_of_all(given: Concerns) -> tuple[int, list[int]]:
    """Return the new rows along a good order of all workers, and the order."""
    n = given.concerned.shape[1]
    order = list(np.argsort(-given.lacking.sum(axis=0), kind="stable"))
    best = before = 0
    for move in range(max(1, min(ROUNDS * n, PAIRS // given.concerned.size))):
        k = move % n
        order.remove(k)
        best, place = _best_place(given, order, k)
        order.insert(place, k)
        if k == n - 1:
            if best == before:
                break
            before = best
    return best, [int(k) for k in order]


def order_of(given: Concerns, best: Ints, members: int) -> list[int]:
    """Return an order of a set of workers, as bits, with the most new rows."""
    masks = given.concerned @ (1 << np.arange(given.concerned.shape[1]))
    order = list[int]()
    while members:
        for k in (k for k in range(members.bit_length()) if members & (1 << k)):
            before = members ^ (1 << k)
            new = int((masks[given.lacking[:, k]] & before == 0).sum())
            if best[before] + new == best[members]:
                order.append(k)
                members = before
                break
    return order[::-1]


def _best_place(given: Concerns, order: list[int], k: int) -> tuple[int, int]:
    """Return the most new rows over all positions of a worker in an order, with the position."""
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


def combinatorial_bounds(instance: ShuffleInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by one order of workers and by the mean over all, best first."""
    given = concerns_of(instance)
    lacks = [len(rows) for rows in instance.missing]
    alone = len(lacks) == 1  # Only unicasts are possible.
    price = Fraction(1) if alone else Fraction(instance.multicast)
    name = "mean of orders"
    why = "each missing row costs a unicast, or its share of a multicast to all its workers"
    bounds = [Bound.by(BoundKind.COMBINATORIAL, name, _shared(given, price), why, {"rule": name})]
    if not limits.over():
        found = _along_orders(given, lacks)
        least = _least(price, 0 if alone else found.most, found.unicasts)
        orders = [found.order(some) for some in {max(0, least - 1), least, least + 1}]
        why = f"{found.most} rows are new if each worker first learns the rows of its predecessors"
        value, step = price * least + found.unicasts(least), {"rule": "orders", "orders": orders}
        bounds.append(Bound.by(BoundKind.COMBINATORIAL, "order of workers", value, why, step))
    return sorted(bounds, key=lambda bound: bound.value, reverse=True)


def slow_bounds(instance: ShuffleInstance, limits: Limits, best: Fraction | None) -> AskedBounds:
    """Also compute the bound by a search through all sums, if few rows are missing."""
    asked = AskedBounds(combinatorial_bounds(instance, limits)[0])
    if best is None or asked.first.value < best:
        search = partial(bound_by_search, instance, limits)
        asked.ask("all sums", search, "few missing rows, and more time")
    return asked


def _shared(given: Concerns, price: Fraction) -> Fraction:
    sizes, lacking = given.concerned.sum(axis=1), given.lacking.sum(axis=1)
    pairs = np.bincount(sizes, weights=lacking)
    shares = (int(some) * min(Fraction(1), price / max(1, i)) for i, some in enumerate(pairs))
    return sum(shares, Fraction(0))


@dataclass(frozen=True, slots=True)
class AlongOrders:
    """Bounds on multicasts and unicasts by the orders of workers."""

    most: int
    """New rows along an order of all workers."""
    unicasts: Callable[[int], int]
    """The least number of unicasts in addition to some multicasts."""
    order: Callable[[int], list[int]]
    """The workers, by number, whose order proves it."""


def _along_orders(given: Concerns, lacks: list[int]) -> AlongOrders:
    """Return the new rows along an order of all workers, and the resulting unicasts."""
    if len(lacks) > FEW:
        return _along_one(given, lacks)
    counts = counts_of_sets(given)

    def sums(some: int) -> Ints:
        inside = np.zeros(1, dtype=np.int64)
        for rows in lacks:
            inside = np.concatenate([inside, inside + max(0, rows - some)])
        total: Ints = np.maximum(counts - some, 0) + inside[-1] - inside
        return total

    def order(some: int) -> list[int]:
        return order_of(given, counts, int(sums(some).argmax()))

    return AlongOrders(int(counts[-1]), lambda some: int(sums(some).max()), order)


def _along_one(given: Concerns, lacks: list[int]) -> AlongOrders:
    every, order = count_of_all(given)

    def apart(some: int) -> int:
        return sum(max(0, rows - some) for rows in lacks)

    return AlongOrders(
        every,
        lambda some: max(every - some, apart(some)),
        lambda some: order if every - some > apart(some) else [],
    )


def _least(price: Fraction, most: int, unicasts: Callable[[int], int]) -> int:
    """Return the number of multicasts with the least cost, which is convex in it."""

    def cost(some: int) -> Fraction:
        return price * some + unicasts(some)

    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if cost(middle) <= cost(middle + 1) else (middle + 1, high)
    return low
