"""Jobs that exclude each other: how many run side by side, counted in parts of the cluster.

Of N GPUs split into k + 1 parts, a job weighs as many parts as it fills, rounded down; one
that fills whole parts exactly weighs k / (k + 1) of them. Whatever fits side by side weighs k
or less: Let exact jobs fill m parts. If there are others, they fill fewer than k + 1 - m,
rounded down at most k - m, and m k / (k + 1) + k - m <= k. If not, m <= k + 1.
"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ...instances import Bound, BoundKind
from .tasks import Tail, TaskWork, TimedJob, longest_tail

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
    return Bound(value=tail.value, kind=BoundKind.COMBINATORIAL, name="exclusion", argument=text)
