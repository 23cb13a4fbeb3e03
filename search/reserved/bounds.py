"""Certified upper bounds on the sum of gains: those that count, in exact arithmetic."""

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import floor

from ...instances import Bound, BoundKind, ReservedInstance, ReservedRing
from ...simulation.reserved_model import most_at_once

MOST_ITEMS = 2_000_000
"""Worker-slots that are sorted for a bound."""


def combinatorial_bounds(instance: ReservedInstance) -> list[Bound]:
    """Return the bounds by each ring alone and by the resource that is scarcest, best first."""
    most = most_worker_slots(instance)
    pairs = zip(instance.jobs, most, strict=True)
    alone = sum((Fraction(job.worth(count)) for job, count in pairs), Fraction(0))
    # Where there are too many worker-slots to sort, there is no such bound.
    resources = instance.resources if sum(most) <= MOST_ITEMS else ()
    others = [_knapsack(instance, most, resource) for resource in resources]
    text = "every ring alone with all the workers it may have"
    found = [_bound("each alone", alone, text), *(b for b in others if b.value < alone)]
    return sorted(found, key=lambda bound: bound.value)


@lru_cache(maxsize=4)
def most_worker_slots(instance: ReservedInstance) -> tuple[int, ...]:
    """Return the most workers, slots added up, that each ring could have alone.

    Links are not looked at.
    """
    found = []
    for job, at_once in zip(instance.jobs, most_at_once(instance), strict=True):
        count = at_once * (instance.horizon_slots - job.arrival_slot)
        cap = job.most_worker_slots
        found.append(count if cap is None else min(count, cap))
    return tuple(found)


def _knapsack(instance: ReservedInstance, most: tuple[int, ...], resource: str) -> Bound:
    """All workers as single items, those that add most for the resource first, the last in part.

    What a ring's n-th worker adds counts whatever came before it, which only helps.
    """
    since = min(job.arrival_slot for job in instance.jobs)
    slots = instance.horizon_slots - since
    room = slots * sum(
        (Fraction(dict(m.capacity).get(resource, 0)) for m in instance.machines), Fraction(0)
    )
    held, value, items = room, Fraction(0), []
    for job, count in zip(instance.jobs, most, strict=True):
        each = Fraction(dict(job.worker).get(resource, 0))
        if each:
            items += [(step, each) for step in _steps(job, count)]
        else:
            value += Fraction(job.worth(count))
    for step, each in sorted(items, key=lambda item: item[0] / item[1], reverse=True):
        part = min(Fraction(1), room / each)
        value, room = value + part * step, room - part * each
    return _bound(f"knapsack of {resource}", value, f"all slots hold {floor(held)} of {resource}")


def _steps(job: ReservedRing, count: int) -> list[Fraction]:
    worths = [Fraction(job.worth(n)) for n in range(count + 1)]
    return [after - before for before, after in pairwise(worths)]


def _bound(name: str, value: Fraction, argument: str) -> Bound:
    return Bound(value=value, kind=BoundKind.COMBINATORIAL, name=name, argument=argument)
