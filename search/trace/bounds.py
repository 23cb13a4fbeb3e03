"""Certified lower bounds on the mean completion time, by counting in whole numbers.

All compare a schedule with a fluid one: one machine that is as fast as all GPUs together, which
jobs may share in any fractions. A job of area a uses a of its capacity, for any width.
"""

from fractions import Fraction
from typing import Any

from ...formulations.trace.demand import Demand, demands
from ...instances import NO_LIMITS, Bound, BoundKind, Limits, TraceInstance
from ...instances.certificate import searched_steps
from ...instances.regions import reach_of
from ..one_machine import ends_by_least_left, smallest_first

PARTS = 2**40
"""Parts of a tick that means are counted in, rounded down."""


def combinatorial_bounds(instance: TraceInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by jobs alone and by one machine of all GPUs, best first."""
    jobs, capacity = demands(instance), 2 * instance.gpus
    releases = sum(job.release for job in jobs)
    alone = sum(job.release + job.ticks for job in jobs)
    fluid = sum(-(-end // capacity) for end in _fluid_ends(jobs, capacity))
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
            f"k-th end: no earlier than alone, nor on one machine as fast as {instance.gpus} GPUs",
        ),
        (
            "busy times",
            -(-busy_times(jobs, capacity) // PARTS) - releases,
            f"half a job follows its mean busy time, on a machine as fast as {instance.gpus} GPUs",
        ),
    ]
    if not limits.over() and any(job.allowed_regions for job in instance.jobs):
        argument = "the better of end by end and busy times, separately for each set of regions"
        found.append(("region by region", _apart(instance, jobs) - releases, argument))
    bounds = [bound_of(instance, BoundKind.COMBINATORIAL, *each) for each in found]
    return sorted(bounds, key=lambda bound: bound.value, reverse=True)


def _apart(instance: TraceInstance, jobs: tuple[Demand, ...]) -> int:
    """Return a bound on the sum of ends, separately for jobs with equal sets of servers."""
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
    if kind is BoundKind.COMBINATORIAL:  # The checker recomputes these by name.
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
    fluid = (-(-end // capacity) for end in _fluid_ends(jobs, capacity))
    return list(map(max, alone, fluid))


def _fluid_ends(jobs: tuple[Demand, ...], capacity: int) -> list[int]:
    """Return the ends on the fluid machine, in time units of rate 1."""
    return ends_by_least_left([(job.release * capacity, job.area) for job in jobs])


def busy_times(jobs: tuple[Demand, ...], capacity: int) -> int:
    """Return the least sum of mean busy times and half of the least times, in parts of a tick.

    Let M be the mean time at which a job's work is done. Its rate is at most `rate` per tick, so it
    ends at M + work / (2 rate) or later. On the fluid machine the sum of M is least if the smallest
    job always goes first, by its whole size and not by its remaining size.
    """
    total = sum(PARTS * job.work // (2 * job.rate) for job in jobs)
    total += sum(PARTS * job.release for job in jobs if not job.size)
    sized = [job for job in jobs if job.size]
    moments = [0] * len(sized)
    for i, start, end in smallest_first([(job.release * capacity, job.size) for job in sized]):
        moments[i] += end * end - start * start
    weighed = zip(moments, sized, strict=True)
    return total + sum(PARTS * moment // (2 * capacity * job.size) for moment, job in weighed)
