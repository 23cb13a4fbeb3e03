"""Certified upper bounds on the sum of gains, by counting in exact arithmetic."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...instances import NO_LIMITS, Bound, BoundKind, Limits, ReservedInstance
from ...simulation.reserved import units_of

MOST_ITEMS = 2_000_000
"""Worker-slots that are sorted for a bound."""

UNITS = 10**12
"""Units of gain in one: gains are given to twelve decimals, and counted in whole units."""


class Item(NamedTuple):
    """One more worker-slot of a ring."""

    step: int
    """The gain that it adds, in units."""
    amount: int
    """The amount of the resource that it uses."""
    rooms: int
    """The rooms that it uses: of its arrival and of earlier ones."""


def combinatorial_bounds(instance: ReservedInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by each ring alone and, as time allows, by each resource, best first."""
    most = most_worker_slots(instance)
    pairs = zip(instance.jobs, most, strict=True)
    alone = sum((Fraction(job.worth(count)) for job, count in pairs), Fraction(0))
    # With too many worker-slots to sort, there is no other bound.
    resources = instance.resources if sum(most) <= MOST_ITEMS else ()
    others = [_knapsack(instance, most, number, limits) for number in range(len(resources))]
    text = "every ring alone with the most workers it may have"
    found = [
        Bound.by(BoundKind.COMBINATORIAL, "each alone", alone, text, {"rule": "each alone"}),
        *(b for b in others if b is not None and b.value < alone),
    ]
    return sorted(found, key=lambda bound: bound.value)


Amounts = dict[str, int]
"""Of each resource, in whole units."""


@lru_cache(maxsize=4)
def _amounts(
    instance: ReservedInstance,
) -> tuple[Counter[tuple[tuple[str, int], ...]], list[Amounts]]:
    """Return the amounts of machines, how many have each, and the use of a worker of each ring.

    Both in whole units, however many digits they have: floats would round long ones.
    """
    unit = units_of(instance)

    def whole(amounts: Iterable[tuple[str, Decimal]]) -> tuple[tuple[str, int], ...]:
        return tuple((name, int(Fraction(amount) * unit[name])) for name, amount in amounts)

    machines = Counter(whole(one.capacity) for one in instance.machines)
    return machines, [dict(whole(job.worker)) for job in instance.jobs]


@lru_cache(maxsize=4)
def _most_at_once(instance: ReservedInstance) -> tuple[int, ...]:
    """Return the most workers of each ring in a slot, by N_i and by the total of all machines."""
    machines, workers = _amounts(instance)
    found = []
    for job, worker in zip(instance.jobs, workers, strict=True):
        room = 0
        for held, count in machines.items():
            has = dict(held)
            fit = (has.get(name, 0) // amount for name, amount in worker.items() if amount)
            room += count * min(fit, default=job.most_workers)
        found.append(min(job.most_workers, room))
    return tuple(found)


@lru_cache(maxsize=4)
def most_worker_slots(instance: ReservedInstance) -> tuple[int, ...]:
    """Return the most workers, slots added up, that each ring could have alone.

    Links are not looked at.
    """
    found = []
    for job, at_once in zip(instance.jobs, _most_at_once(instance), strict=True):
        count = at_once * (instance.horizon_slots - job.arrival_slot)
        cap = job.most_worker_slots
        found.append(count if cap is None else min(count, cap))
    return tuple(found)


def _knapsack(
    instance: ReservedInstance, most: tuple[int, ...], resource: int, limits: Limits
) -> Bound | None:
    """Return the bound with worker-slots as single items, the best for the resource first.

    The items of rings that arrive in slot a or later fit together into room a, for every a. Rooms
    are nested, so filling greedily, the last item fractionally, is optimal. The gain of a ring's
    n-th worker-slot is independent of earlier ones here, which only relaxes the problem. None if
    the time is up before.
    """
    taken = [worker.get(instance.resources[resource], 0) for worker in _amounts(instance)[1]]
    arrivals, room = _rooms(instance, resource, taken)
    first, value, items = int(room[0]), Fraction(0), list[Item]()
    for job, count, amount in zip(instance.jobs, most, taken, strict=True):
        if limits.over():
            return None
        if amount:
            worths = [_units(Fraction(job.worth(n))) for n in range(count + 1)]
            rooms = bisect_right(arrivals, job.arrival_slot)
            items += [Item(after - before, amount, rooms) for before, after in pairwise(worths)]
        else:
            value += Fraction(job.worth(count))
    pays: list[Fraction | None] = [None] * len(arrivals)
    scale = lcm(*(item.amount for item in items))
    for item in sorted(items, key=lambda item: item.step * (scale // item.amount), reverse=True):
        if limits.over():
            return None
        least = int(room[: item.rooms].min())
        part = min(item.amount, least)
        value += Fraction(item.step * part, item.amount * UNITS)
        room[: item.rooms] -= part
        if 0 < least == part:
            # No further item of this arrival or a later one fits: they all pay this price.
            full = int(np.flatnonzero(room == 0)[0])
            pay = Fraction(item.step, item.amount * UNITS)
            pays[full:] = [pay if one is None else one for one in pays[full:]]
    name, unit = instance.resources[resource], units_of(instance)[instance.resources[resource]]
    text = f"{first // unit} of {name} are available over all slots"
    paid = [Fraction(0), *(Fraction(pay or 0) * unit for pay in pays)]
    prices = [str(later - earlier) for earlier, later in pairwise(paid)]
    step = {"rule": "knapsack", "resource": name, "prices": prices}
    return Bound.by(BoundKind.COMBINATORIAL, f"knapsack of {name}", value, text, step)


def _rooms(
    instance: ReservedInstance, resource: int, taken: list[int]
) -> tuple[list[int], NDArray[np.object_]]:
    """Return all arrivals a, and the capacity for rings that arrive in slot a or later.

    In a slot that is the total capacity, or the most that the present rings could use.
    """
    name, machines = instance.resources[resource], _amounts(instance)[0]
    held = sum(count * dict(has).get(name, 0) for has, count in machines.items())
    uses = [count * amount for count, amount in zip(_most_at_once(instance), taken, strict=True)]
    arrivals = sorted({job.arrival_slot for job in instance.jobs})
    ends = [*arrivals[1:], instance.horizon_slots]
    new = [0] * len(arrivals)
    for job, use in zip(instance.jobs, uses, strict=True):
        new[arrivals.index(job.arrival_slot)] += use
    room = []
    for k in range(len(arrivals)):
        present = accumulate(new[k:])
        spans = zip(arrivals[k:], ends[k:], present, strict=True)
        room.append(sum((end - start) * min(held, use) for start, end, use in spans))
    return arrivals, np.array(room, dtype=object)


def _units(worth: Fraction) -> int:
    return UNITS // worth.denominator * worth.numerator
