"""Rules that put jobs in order on one machine, all of them there from the start.

Updates are such jobs when the last link to the server is the narrowest of every way. Proofs:
`docs/transfers-bounds.md`.
"""

from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush

Durations = Sequence[Fraction]


def moore_hodgson(durations: Durations, dues: Sequence[Fraction | None]) -> list[int]:
    """Return the most jobs that can all end when they are due, in the order of that.

    Where too much is due, the longest so far is left out (Moore 1968).
    """
    return _most(durations, durations, dues)


def by_positions(durations: Durations, places: Sequence[int | None]) -> list[int]:
    """Return the most jobs that can all have so few before them, in their best order.

    Where too many have to come early, the longest so far is left out. Of those that are kept the
    sum of the ends is least; other jobs, as many, may have a smaller one.
    """
    ends = [None if place is None else Fraction(place + 1) for place in places]
    kept = _most(durations, [Fraction(1)] * len(ends), ends)
    order = smith([durations[i] for i in kept], [places[i] for i in kept], [None] * len(kept))
    return [kept[i] for i in order or ()]


def smith(
    durations: Durations, places: Sequence[int | None], dues: Sequence[Fraction | None]
) -> list[int] | None:
    """Return the order of all jobs with the least sum of ends; None if none keeps the limits.

    A job has no more than `places` before it, and ends when it is due. From the back, the longest
    job that may end there takes each place (Smith 1956).
    """
    total, left = sum(durations, Fraction(0)), set(range(len(durations)))
    order: list[int] = []
    while left:
        last = len(left) - 1
        may = [i for i in left if _within(last, places[i]) and _within(total, dues[i])]
        if not may:
            return None
        order.append(max(may, key=lambda i: (durations[i], i)))
        left.remove(order[-1])
        total -= durations[order[-1]]
    return order[::-1]


def _most(
    durations: Durations, takes: Sequence[Fraction], dues: Sequence[Fraction | None]
) -> list[int]:
    """Return the most jobs that take so much and are due then; the longest go first."""
    kept: set[int] = set()
    longest: list[tuple[Fraction, int]] = []
    used = Fraction(0)
    order = sorted(range(len(dues)), key=lambda i: _late(dues[i]))
    for i in order:
        kept.add(i)
        heappush(longest, (-durations[i], -i))
        used += takes[i]
        if not _within(used, dues[i]):
            out = -heappop(longest)[1]
            kept.remove(out)
            used -= takes[out]
    return [i for i in order if i in kept]


def _within(amount: Fraction | int, most: Fraction | int | None) -> bool:
    return most is None or amount <= most


def _late(due: Fraction | None) -> tuple[bool, Fraction]:
    return due is None, due or Fraction(0)
