"""What updates come to if a link lets them through at their own pace: mean busy times.

An update that passes a link no faster than its narrowest hop ends half of its least time after the
mean moment at which it passes. These means, added up, are least if the smallest goes first.
Proof: `docs/transfers-bounds.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """An update that has to pass a link: ready then, through in `takes` if it is alone on it.

    Whatever its way, it is applied no sooner than `behind` after the mean moment of passing.
    """

    ready: Fraction
    takes: Fraction
    behind: Fraction


def least_sum(passages: Sequence[Passage], late: Fraction) -> Fraction:
    """Return the least sum of what updates count for; those that are dropped count `late`."""
    cap = late - max(one.behind for one in passages)
    found = sum((one.behind for one in passages), Fraction(0))
    waiting: list[tuple[Fraction, int, Fraction]] = []
    coming = sorted(range(len(passages)), key=lambda i: passages[i].ready, reverse=True)
    now = Fraction(0)
    while coming or waiting:
        if not waiting:
            now = max(now, passages[coming[-1]].ready)
        while coming and passages[coming[-1]].ready <= now:
            i = coming.pop()
            heappush(waiting, (passages[i].takes, i, passages[i].takes))
        takes, i, left = heappop(waiting)
        stop = now + left
        if coming and passages[coming[-1]].ready < stop:
            stop = passages[coming[-1]].ready
            heappush(waiting, (takes, i, left - (stop - now)))
        found += (_area(stop, cap) - _area(now, cap)) / takes
        now = stop
    return found


def _area(until: Fraction, cap: Fraction) -> Fraction:
    """Return the integral of the lesser of the time and the cap."""
    if until <= cap:
        return until * until / 2
    top = max(cap, Fraction(0))
    return top * top / 2 + cap * (until - top)
