"""Computations that rules of several families share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm
from typing import TypeVar

from ....instances.reading.vocabulary import Amounts

Exact = TypeVar("Exact", int, Fraction)
NONE = Fraction(0)


def fluid(
    arrivals: Sequence[Exact], sizes: Sequence[Exact], *, by_left: bool
) -> Iterator[tuple[int, Exact, Exact]]:
    """Yield the working intervals of jobs on a unit-speed machine.

    The next job is the one with the least remaining work, or the smallest total work. At every
    moment, no machine has completed more jobs than under the former rule (Schrage 1968).
    """
    events = sorted(range(len(sizes)), key=lambda j: arrivals[j], reverse=True)
    left, ready, now = list(sizes), list[tuple[Exact, int]](), arrivals[events[-1]]
    while events or ready:
        if not ready:
            now = max(now, arrivals[events[-1]])
        while events and arrivals[events[-1]] <= now:
            j = events.pop()
            heappush(ready, (left[j], j))
        key, j = heappop(ready)
        end = now + left[j]
        if events:
            end = min(end, arrivals[events[-1]])
        yield j, now, end
        left[j] -= end - now
        if left[j]:
            heappush(ready, (left[j] if by_left else key, j))
        now = end


def bought(supply: Iterable[tuple[Exact, int]], need: int) -> Exact | None:
    """Return the minimum cost of an amount, None if the supply is smaller.

    The supply is pairs of a price and an amount at that price, in the order of prices.
    """
    cost: Exact | int = 0
    for price, most in supply:
        part = min(need, most)
        need, cost = need - part, cost + part * price
        if not need:
            return cost
    return None


def amount(amounts: Amounts, resource: str) -> Fraction:
    """Return the amount of a resource."""
    return Fraction(dict(amounts).get(resource, 0))


def in_whole(rows: Iterable[Amounts]) -> tuple[int, list[dict[str, int]]]:
    """Return a number that makes all amounts whole, and the amounts times it."""
    exact = [{name: Fraction(one) for name, one in row} for row in rows]
    grain = lcm(*(one.denominator for row in exact for one in row.values()))
    return grain, [{name: int(one * grain) for name, one in row.items()} for row in exact]


def fits(
    rooms: Iterable[Mapping[str, int]], grain: int, needs: Mapping[str, Fraction], most: int
) -> Iterator[int]:
    """Yield the multiple of all needs that fits into each room, up to a limit."""
    known = [(r, need.denominator, need.numerator * grain) for r, need in needs.items() if need]
    for room in rooms:
        yield min([most, *(room.get(r, 0) * below // above for r, below, above in known)])
