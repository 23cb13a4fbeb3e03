"""One link that always carries the update with the least left: most are through at any moment."""

from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush


def ends_by_least_left(jobs: Sequence[tuple[Fraction, Fraction]]) -> list[Fraction]:
    """Return when jobs end, in order; each is the moment it is there from, and what it takes.

    However a machine splits its time among these jobs, it has ended no more of them at any moment
    (Schrage 1968).
    """
    waiting: list[Fraction] = []
    ends: list[Fraction] = []
    now = Fraction(0)
    coming = sorted(jobs)[::-1]
    while coming or waiting:
        if not waiting:
            now = max(now, coming[-1][0])
        while coming and coming[-1][0] <= now:
            heappush(waiting, coming.pop()[1])
        left = heappop(waiting)
        if coming and now + left > coming[-1][0]:
            heappush(waiting, left - (coming[-1][0] - now))
            now = coming[-1][0]
        else:
            now += left
            ends.append(now)
    return ends
