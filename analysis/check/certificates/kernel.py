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
    """Yield which job is at work from when to when on a machine that does 1 in a unit of time.

    It is always the one with the least left, or the smallest as a whole. At every moment no
    machine has ended more jobs than by the former (Schrage 1968).
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
    """Return the least cost of what is needed; None if the supply is less.

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
    """Return how much of a resource there is."""
    return Fraction(dict(amounts).get(resource, 0))


def in_whole(rows: Iterable[Amounts]) -> tuple[int, list[dict[str, int]]]:
    """Return a number that makes all amounts whole, and the amounts times it."""
    exact = [{name: Fraction(one) for name, one in row} for row in rows]
    grain = lcm(*(one.denominator for row in exact for one in row.values()))
    return grain, [{name: int(one * grain) for name, one in row.items()} for row in exact]


def fits(
    rooms: Iterable[Mapping[str, int]], grain: int, needs: Mapping[str, Fraction], most: int
) -> Iterator[int]:
    """Yield how often each room has all that is needed, up to some number."""
    known = [(r, need.denominator, need.numerator * grain) for r, need in needs.items() if need]
    for room in rooms:
        yield min([most, *(room.get(r, 0) * below // above for r, below, above in known)])
