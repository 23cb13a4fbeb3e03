"""What a lower bound sees of a job, and how long the work of jobs takes a cluster."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from ...instances import MakespanInstance, RefusedError
from ...simulation.makespan.extremes import extremes
from ...simulation.makespan.refusal import never_ends


class TimedJob(NamedTuple):
    """A job; `slots` is its least time: its fastest placement, no other job around.

    It starts at `release` at the earliest, the next whole slot if those count.
    """

    name: str
    gpus: int
    slots: Fraction
    release: Fraction


class TaskWork(NamedTuple):
    """What some jobs take of a cluster, none of it before their release.

    They take it no faster than evenly over `slots`; if that is 0, nothing is known of it.
    """

    release: Fraction
    amount: Fraction
    slots: Fraction = Fraction(0)


class Tail(NamedTuple):
    """A time by which what must be left of the work at some `release` cannot be done sooner."""

    value: Fraction
    release: Fraction


def tasks_of(instance: MakespanInstance) -> list[TimedJob]:
    """Return the jobs of an instance.

    Raises:
        RefusedError: If a job cannot end at all.
    """
    reason = never_ends(instance)
    if reason is not None:
        raise RefusedError(reason)
    whole = instance.progress != "continuous"
    return [
        TimedJob(
            job.name,
            job.gpus,
            extreme.least_slots,
            Fraction(ceil(job.release_slot) if whole else job.release_slot),
        )
        for job, extreme in zip(instance.jobs, extremes(instance), strict=True)
        if extreme.least_slots is not None
    ]


def longest_tail(works: Iterable[TaskWork], capacity: Fraction) -> Tail:
    """Return the best tail if a slot does no more than `capacity`.

    What is left grows backwards in time, at a rate that changes where works begin and end.
    """
    sudden: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    faster: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for work in works:
        rate = work.amount / work.slots if work.slots else Fraction(0)
        sudden[work.release] += 0 if work.slots else work.amount
        faster[work.release] -= rate
        faster[work.release + work.slots] += rate
    best = Tail(Fraction(0), Fraction(0))
    left, rate, later = Fraction(0), Fraction(0), Fraction(0)
    for at in sorted(faster, reverse=True):
        left += rate * (later - at) + sudden.get(at, 0)
        rate, later = rate + faster[at], at
        if at in sudden:
            best = max(best, Tail(at + left / capacity, at))
    return best
