"""Preemptive schedules of one machine, which bound those of any number of machines.

A job is available from its release on and needs the machine for some time. Numbers are all whole,
or all fractions.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from typing import TypeVar

Number = TypeVar("Number", int, Fraction)


def ends_by_least_left(jobs: Sequence[tuple[Number, Number]]) -> list[Number]:
    """Return the ends, in order, of jobs by release and time, the job with least left first.

    No sharing of the machine among these jobs has ended more of them at any moment (Schrage 1968).
    Hence the n-th end of any schedule is no earlier than the n-th end here.
    """
    coming = sorted(jobs)
    waiting: list[Number] = []
    ends: list[Number] = []
    if not jobs:
        return ends
    now = coming[0][0]
    for place, (release, takes) in enumerate(coming):
        now = max(now, release)
        heappush(waiting, takes)
        until = coming[place + 1][0] if place + 1 < len(coming) else None
        while waiting and (until is None or now < until):
            left = heappop(waiting)
            if until is not None and now + left > until:
                heappush(waiting, left - (until - now))
                now = until
            else:
                now += left
                ends.append(now)
    return ends


def smallest_first(jobs: Sequence[tuple[Number, Number]]) -> Iterator[tuple[int, Number, Number]]:
    """Yield the job, by release and time, on the machine in each interval.

    The smallest available job always goes first, by its whole time and not by its remaining time.
    """
    coming = sorted(range(len(jobs)), key=lambda job: jobs[job][0])
    left = [takes for _, takes in jobs]
    waiting: list[tuple[Number, int]] = []
    if not jobs:
        return
    now = jobs[coming[0]][0]
    for place, new in enumerate(coming):
        now = max(now, jobs[new][0])
        heappush(waiting, (left[new], new))
        until = jobs[coming[place + 1]][0] if place + 1 < len(coming) else None
        while waiting and (until is None or now < until):
            job = waiting[0][1]
            end = now + left[job] if until is None else min(now + left[job], until)
            yield job, now, end
            left[job] -= end - now
            now = end
            if not left[job]:
                heappop(waiting)
