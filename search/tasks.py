"""What a lower bound sees of a job, and how long the work of jobs takes a cluster."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import NamedTuple

from ..instances import MakespanInstance, RefusedError
from ..simulation.extremes import extremes
from ..simulation.refusal import never_ends


class Task(NamedTuple):
    """A job; `slots` is its least time: its fastest placement, nobody else around."""

    name: str
    gpus: int
    slots: Fraction
    release: Fraction


class Work(NamedTuple):
    """What some jobs take of a cluster, none of it before their release."""

    release: Fraction
    amount: Fraction


class Tail(NamedTuple):
    """A time by which all work released at `release` or later cannot be done sooner."""

    value: Fraction
    release: Fraction


def tasks_of(instance: MakespanInstance) -> list[Task]:
    """Return the jobs of an instance.

    Raises:
        RefusedError: If a job cannot end at all.
    """
    reason = never_ends(instance)
    if reason is not None:
        raise RefusedError(reason)
    return [
        Task(job.name, job.gpus, extreme.least_slots, Fraction(job.release_slot))
        for job, extreme in zip(instance.jobs, extremes(instance), strict=True)
        if extreme.least_slots is not None
    ]


def longest_tail(works: Iterable[Work], capacity: Fraction) -> Tail:
    """Return the best tail if a slot does no more than `capacity`."""
    amounts: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
    for work in works:
        amounts[work.release] += work.amount
    best, total = Tail(Fraction(0), Fraction(0)), Fraction(0)
    for release in sorted(amounts, reverse=True):
        total += amounts[release]
        best = max(best, Tail(release + total / capacity, release))
    return best
