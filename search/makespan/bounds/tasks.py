"""Jobs as lower bounds see them: their work over time, and those that exclude each other.

Of N GPUs split into k + 1 parts, a job weighs as many parts as it fills, rounded down; one
that fills whole parts exactly weighs k / (k + 1) of them. Whatever fits side by side weighs k
or less: Let exact jobs fill m parts. If there are others, they fill fewer than k + 1 - m,
rounded down at most k - m, and m k / (k + 1) + k - m <= k. If not, m <= k + 1.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from ....instances import Bound, BoundKind, MakespanInstance, RefusedError
from ....instances.certificate import exact_number
from ....simulation.makespan.extremes import extremes, never_ends


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


MOST_PLACES = 16
"""Rounding gains at most one part in this many, and the more parts, the less."""


class Exclusion(NamedTuple):
    """What follows from counting in `places` + 1 parts."""

    tail: Tail
    places: int


def weight(gpus: int, total: int, places: int) -> int:
    """Return the weight of a job, where `places` x `total` fit side by side."""
    parts, rest = divmod((places + 1) * gpus, total)
    return parts * total if rest else places * gpus


def exclusions(tasks: Sequence[TimedJob], total: int) -> list[Exclusion]:
    """Return what follows from every number of parts, the best first."""
    slots: defaultdict[tuple[Fraction, int], Fraction] = defaultdict(Fraction)
    for task in tasks:
        slots[task.release, task.gpus] += task.slots
    found = []
    for places in range(1, MOST_PLACES + 1):
        works = [
            TaskWork(release, weight(gpus, total, places) * needed)
            for (release, gpus), needed in slots.items()
        ]
        found.append(Exclusion(longest_tail(works, Fraction(places * total)), places))
    return sorted(found, key=lambda one: -one.tail.value)


def exclusion_bound(tasks: Sequence[TimedJob], total: int) -> Bound:
    """Return the best of these bounds."""
    tail, places = exclusions(tasks, total)[0]
    counted = [
        task.gpus
        for task in tasks
        if task.release >= tail.release and weight(task.gpus, total, places)
    ]
    who = f"{len(counted)} jobs need" if len(counted) != 1 else "1 job needs"
    part = "half" if places == 1 else f"1/{places + 1}"
    exact = any((places + 1) * gpus % total == 0 for gpus in counted)
    share = f"{part} or more" if exact else f"more than {part}"
    text = f"{who} {share} of {total} GPUs each"
    step = {"rule": "exclusion", "places": places, "from": exact_number(tail.release)}
    return Bound.by(BoundKind.COMBINATORIAL, "exclusion", tail.value, text, step)
