"""Certified lower bounds on what an exchange of rows costs.

Let M messages go to several workers and k_w to worker w alone. Along an order of some workers, each
new one needs, beside all that those before it have and want, only the messages that it gets to know
what it wants. So M plus the k_w of these workers is at least the number of rows that count along
the order (`orders.py`). One set along its best order and every other worker by itself bound the sum
of the k_w for each M, and so the cost.

In the mean over all orders, a row that one worker lacks counts 1/i, if it matters to i workers. So
each row that a worker lacks costs a unicast or an i-th of a multicast. Proofs: `docs/shuffle.md`.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from ...instances import NO_LIMITS, Bound, BoundKind, Limits, ShuffleInstance
from ..asked_bounds import AskedBounds
from .exact import bound_by_search
from .orders import FEW, Concerns, concerns_of, count_of_all, counts_of_sets


def combinatorial_bounds(instance: ShuffleInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by one order of workers and by the mean over all, best first."""
    given = concerns_of(instance)
    lacks = [len(rows) for rows in instance.missing]
    alone = len(lacks) == 1  # Then there are only unicasts.
    price = Fraction(1) if alone else Fraction(instance.multicast)
    bounds = [
        Bound(
            value=_shared(given, price),
            kind=BoundKind.COMBINATORIAL,
            name="mean of orders",
            argument="each row lacked costs a unicast or its share of a multicast to all concerned",
        )
    ]
    if not limits.over():
        most, unicasts = _along_orders(given, lacks)
        text = f"{most} rows are new to workers that learn in turn from those before them"
        bounds.append(
            Bound(
                value=_least(price, 0 if alone else most, unicasts),
                kind=BoundKind.COMBINATORIAL,
                name="order of workers",
                argument=text,
            )
        )
    return sorted(bounds, key=lambda bound: bound.value, reverse=True)


def stronger(instance: ShuffleInstance, limits: Limits, best: Fraction | None) -> AskedBounds:
    """Ask for the bound by a search through all sums, where few rows are lacked."""
    asked = AskedBounds(combinatorial_bounds(instance, limits)[0])
    if best is None or asked.first.value < best:
        search = partial(bound_by_search, instance, limits)
        asked.ask("all sums", search, "few rows that are lacked, and time for them")
    return asked


def _shared(given: Concerns, price: Fraction) -> Fraction:
    sizes, lacking = given.concerned.sum(axis=1), given.lacking.sum(axis=1)
    pairs = np.bincount(sizes, weights=lacking)
    shares = (int(some) * min(Fraction(1), price / max(1, i)) for i, some in enumerate(pairs))
    return sum(shares, Fraction(0))


Unicasts = Callable[[int], int]
"""The least number of unicasts beside some multicasts."""


def _along_orders(given: Concerns, lacks: list[int]) -> tuple[int, Unicasts]:
    """Return how many rows count along an order of all, and what that says of unicasts."""
    if len(lacks) > FEW:
        every = count_of_all(given)
        return every, lambda some: max(every - some, sum(max(0, rows - some) for rows in lacks))
    counts = counts_of_sets(given)

    def unicasts(some: int) -> int:
        inside = np.zeros(1, dtype=np.int64)
        for rows in lacks:
            inside = np.concatenate([inside, inside + max(0, rows - some)])
        return int((np.maximum(counts - some, 0) + inside[-1] - inside).max())

    return int(counts[-1]), unicasts


def _least(price: Fraction, most: int, unicasts: Unicasts) -> Fraction:
    """Return the least cost over all numbers of multicasts, in which it is convex."""

    def cost(some: int) -> Fraction:
        return price * some + unicasts(some)

    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if cost(middle) <= cost(middle + 1) else (middle + 1, high)
    return cost(low)
