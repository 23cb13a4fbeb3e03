"""One machine that may turn from job to job at any moment."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from typing import TypeVar

Exact = TypeVar("Exact", int, Fraction)


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
