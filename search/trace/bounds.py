"""Certified lower bounds on the mean completion time: those that count, in whole numbers.

All compare a schedule with a fluid one: one machine that is as fast as all GPUs together, which
jobs may share in any parts. A job of area a takes a of its capacity, however wide it is.
"""

from collections.abc import Iterator
from fractions import Fraction
from heapq import heappop, heappush
from typing import Any

from ...formulations.trace.demand import Demand, demands
from ...instances import NO_LIMITS, Bound, BoundKind, Limits, TraceInstance
from ...instances.certificate import searched_steps
from ...instances.regions import reach_of

PARTS = 2**40
"""Parts of a tick that means are counted in, rounded down."""


def combinatorial_bounds(instance: TraceInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by jobs alone and by one machine of all GPUs, best first."""
    jobs, capacity = demands(instance), 2 * instance.gpus
    releases = sum(job.release for job in jobs)
    alone = sum(job.release + job.ticks for job in jobs)
    fluid = sum(-(-end // capacity) for end in ends_by_remaining_size(jobs, capacity))
    found = [
        ("each alone", alone - releases, "every job alone at its fastest"),
        (
            "one machine",
            fluid - releases,
            f"shortest remaining area first, on one machine as fast as {instance.gpus} GPUs",
        ),
        (
            "end by end",
            sum(end_by_end(jobs, capacity)) - releases,
            f"no end before that of as many jobs alone, or on one machine of {instance.gpus} GPUs",
        ),
        (
            "busy times",
            -(-busy_times(jobs, capacity) // PARTS) - releases,
            f"half of a job comes after its mean busy time, on one machine of {instance.gpus} GPUs",
        ),
    ]
    if not limits.over() and any(job.allowed_regions for job in instance.jobs):
        argument = "the better of the last two, for the jobs of each set of regions by themselves"
        found.append(("region by region", _apart(instance, jobs) - releases, argument))
    bounds = [bound_of(instance, BoundKind.COMBINATORIAL, *each) for each in found]
    return sorted(bounds, key=lambda bound: bound.value, reverse=True)


def _apart(instance: TraceInstance, jobs: tuple[Demand, ...]) -> int:
    """Return a bound on the sum of ends by jobs that may use the same servers, and no others."""
    sets, numbers = reach_of(instance.servers, instance.jobs)
    total = 0
    for number, own in enumerate(sets):
        some = tuple(job for job, reach in zip(jobs, numbers, strict=True) if reach == number)
        halves = 2 * sum(instance.servers[s].gpus for s in own)
        busy = -(-busy_times(some, halves) // PARTS)
        total += max(sum(end_by_end(some, halves)), busy)
    return total


def bound_of(
    instance: TraceInstance, kind: BoundKind, name: str, ticks: int, argument: str
) -> Bound:
    """Return a bound on the mean, from one on the sum of completion times in ticks."""
    value = mean_of(instance, ticks)
    proof: tuple[dict[str, Any], ...] | None = None
    if kind is BoundKind.COMBINATORIAL:  # Those that count are counted again from their names.
        proof = ({"rule": name},)
    elif kind is BoundKind.SEARCHED:
        proof = searched_steps("every tick", value)
    return Bound(value=value, kind=kind, name=name, argument=argument, proof=proof)


def mean_of(instance: TraceInstance, ticks: int) -> Fraction:
    """Return the mean in seconds, from a sum in ticks."""
    return ticks * Fraction(instance.tick_s) / len(instance.jobs)


def end_by_end(jobs: tuple[Demand, ...], capacity: int) -> list[int]:
    """Return ticks before which not one, two, .. jobs can have ended."""
    alone = sorted(job.release + job.ticks for job in jobs)
    fluid = (-(-end // capacity) for end in ends_by_remaining_size(jobs, capacity))
    return list(map(max, alone, fluid))


def ends_by_remaining_size(jobs: tuple[Demand, ...], capacity: int) -> list[int]:
    """Return the ends on the fluid machine, always the job with the least left first.

    Time is counted so that the machine does 1 in a unit. At every moment no schedule has ended
    more jobs than this one, so the n-th end of any schedule is no earlier than the n-th here.
    """
    coming = sorted((job.release * capacity, job.area) for job in jobs)
    waiting: list[int] = []
    ends, now = list[int](), 0
    for place, (release, area) in enumerate(coming):
        now = max(now, release)
        heappush(waiting, area)
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


def busy_times(jobs: tuple[Demand, ...], capacity: int) -> int:
    """Return the least sum of mean busy times and half of the least times, in parts of a tick.

    Let M be the mean time at which a job's work is done. It does at most `rate` of it in a tick,
    so it ends at M + work / (2 rate) or later. On the fluid machine the sum of M is least if the
    smallest job always goes first, by the whole of its size and not by what is left of it.
    """
    total = sum(PARTS * job.work // (2 * job.rate) for job in jobs)
    total += sum(PARTS * job.release for job in jobs if not job.size)
    moments = [0] * len(jobs)
    for job, start, end in _smallest_first(jobs, capacity):
        moments[job] += end * end - start * start
    weighed = zip(moments, jobs, strict=True)
    return total + sum(
        PARTS * moment // (2 * capacity * job.size) for moment, job in weighed if job.size
    )


def _smallest_first(jobs: tuple[Demand, ...], capacity: int) -> Iterator[tuple[int, int, int]]:
    """Yield who is at work from when to when on the fluid machine."""
    order = sorted(range(len(jobs)), key=lambda job: jobs[job].release)
    coming = [(jobs[job].release * capacity, job) for job in order if jobs[job].size]
    left = [job.size for job in jobs]
    waiting: list[tuple[int, int]] = []
    now = 0
    for place, (release, new) in enumerate(coming):
        now = max(now, release)
        heappush(waiting, (left[new], new))
        until = coming[place + 1][0] if place + 1 < len(coming) else None
        while waiting and (until is None or now < until):
            job = waiting[0][1]
            end = now + left[job] if until is None else min(now + left[job], until)
            yield job, now, end
            left[job] -= end - now
            now = end
            if not left[job]:
                heappop(waiting)
