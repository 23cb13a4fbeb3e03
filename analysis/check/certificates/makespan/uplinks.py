"""The rule by which rings that must cross the network hold its uplinks, or share them and slow.

An uplink is worth some GPUs, and the rings on it hold it in equal parts. The least that a ring
takes is found by trying all pairs of levels of contention, as two are enough: there are two
rows, so many slots in all and so many iterations.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor, lcm
from typing import NamedTuple

from .....instances.cluster import ServerUplink
from .....instances.makespan.instance import MakespanInstance
from ..steps import ProofStep, StepError
from .part import ProofPart, TimedRing, iterations_per_slot, part_of, slower_s

TOGETHER = 8
"""This many rings on a server, or more, count as one level."""


class RingLevel(NamedTuple):
    """What a ring does in a slot at most, and what its slot is worth at least."""

    rate: Fraction
    price: Fraction


def uplinks(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """All GPUs and uplinks hold what the jobs released since some slot take of them at least."""
    part, since, value = part_of(instance, step), step.number("from"), step.number("worth")
    if not isinstance(instance.contention, ServerUplink):
        raise StepError("the network is not one of servers' uplinks")

    @cache
    def taken(one: TimedRing) -> Fraction:
        """Return the least that a job takes: a ring across servers takes uplinks as well."""
        if one.job.gpus <= part.sizes[0]:
            return one.job.gpus * one.slots
        levels = list(_levels(part, one, value))
        return _least(levels, one.job.iterations, part.slotted)

    total = sum(taken(one) for one in part.released(since))
    return part.rounded(since + total / (part.gpus + value * len(part.sizes)))


def _levels(part: ProofPart, one: TimedRing, value: Fraction) -> Iterator[RingLevel]:
    """Yield what a ring does, and holds, in slots in which its busiest server has so many rings."""
    instance, model = part.instance, part.instance.contention
    assert isinstance(model, ServerUplink)
    rings = min(part.sizes[0], sum(other.job.gpus > 1 for other in part.jobs))
    for count in range(1, min(rings, TOGETHER) + 1):
        seconds = one.seconds + slower_s(instance, model, one.job, count)
        rate = iterations_per_slot(instance, seconds)
        held = _held(one.job.gpus, part.sizes[0], rings if count == TOGETHER else count)
        if rate:
            yield RingLevel(rate, one.job.gpus + value * held)


def _held(gpus: int, size: int, rings: int) -> Fraction:
    """Return the least that a ring holds of uplinks, with so many rings on a server at most.

    With n rings on a server it has 1 / n of the uplink, and `size` + 1 - n of its GPUs at most.
    All its parts are multiples of 1 / lcm(1, .., rings).
    """
    n = min(rings, (size + 1) // 2)
    held = Fraction(gpus, n * (size + 1 - n))
    if rings > TOGETHER:
        return held
    part = lcm(*range(1, rings + 1))
    return Fraction(ceil(held * part), part)


def _least(levels: Sequence[RingLevel], iterations: int, slotted: bool) -> Fraction:
    """Return the price of the cheapest slots in which all iterations are done.

    As a function of the number of slots it is convex, and least where all slots are at the level
    with the least price of an iteration; so a whole number of slots next to that is best.
    """
    best = min(levels, key=lambda level: level.price / level.rate)
    slots = iterations / best.rate
    if not slotted:
        return slots * best.price
    return min(
        price
        for count in {floor(slots), ceil(slots)}
        for fast, slow in product(levels, levels)
        if (price := _mixed(fast, slow, count, iterations)) is not None
    )


def _mixed(fast: RingLevel, slow: RingLevel, count: int, iterations: int) -> Fraction | None:
    """Return the price of so many slots at two levels, or None if they are too few."""
    lack = iterations - count * slow.rate
    if lack <= 0:
        return count * slow.price
    if count * fast.rate < iterations:
        return None
    return count * slow.price + lack / (fast.rate - slow.rate) * (fast.price - slow.price)
