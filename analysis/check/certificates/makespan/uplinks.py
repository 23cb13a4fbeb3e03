"""The rule by which rings across the network hold its uplinks, or share them and slow down.

An uplink has a price in GPUs, and its rings hold it in equal parts. The minimum holding of a ring
is found by trying all pairs of levels of contention. Pairs suffice because there are two rows, the
number of slots and the number of iterations.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil, floor, lcm
from typing import NamedTuple

from .....instances.cluster import ServerUplink
from .....instances.makespan import MakespanInstance
from ..reading import ProofStep, StepError
from .part import ProofPart, TimedRing, iterations_per_slot, part_of, slower_s

TOGETHER = 8
"""Number of rings on a server from which all numbers form one level."""


class RingLevel(NamedTuple):
    """The maximum work of a ring in a slot, and the minimum price of its slot."""

    rate: Fraction
    price: Fraction


def uplinks(instance: MakespanInstance, step: ProofStep) -> Fraction:
    """All GPUs and uplinks hold at least the needs of the jobs released since some slot."""
    part, since, value = part_of(instance, step), step.number("from"), step.number("worth")
    model = instance.contention
    if not isinstance(model, ServerUplink):
        raise StepError("this rule applies only to `server_uplink` contention")

    @cache
    def taken(one: TimedRing) -> Fraction:
        """Return the minimum holding of a job, including uplinks for a ring across servers."""
        if one.job.gpus <= part.sizes[0]:
            return one.job.gpus * one.slots
        levels = list(_levels(part, model, one, value))
        return _least(levels, one.job.iterations, part.slotted)

    total = sum(taken(one) for one in part.released(since))
    return part.rounded(since + total / (part.gpus + value * len(part.sizes)))


def _levels(
    part: ProofPart, model: ServerUplink, one: TimedRing, value: Fraction
) -> Iterator[RingLevel]:
    """Yield a ring's work and holdings in slots, by the rings on its busiest server.

    With n rings on a server it has 1 / n of the uplink, and at most `size` + 1 - n of its GPUs. All
    its parts are multiples of 1 / lcm(1, .., n).
    """
    size, gpus = part.sizes[0], one.job.gpus
    rings = min(size, sum(other.job.gpus > 1 for other in part.jobs))
    for count in range(1, min(rings, TOGETHER) + 1):
        most = rings if count == TOGETHER else count
        n = min(most, (size + 1) // 2)
        held = Fraction(gpus, n * (size + 1 - n))
        if most <= TOGETHER:
            grain = lcm(*range(1, most + 1))
            held = Fraction(ceil(held * grain), grain)
        crowded_s = one.widest_s + slower_s(part.instance, model, one.job, count)
        seconds = max(one.seconds, crowded_s)
        if rate := iterations_per_slot(part.instance, seconds):
            yield RingLevel(rate, gpus + value * held)


def _least(levels: Sequence[RingLevel], iterations: int | Fraction, slotted: bool) -> Fraction:
    """Return the price of the cheapest slots that complete all iterations.

    This price is convex in the number of slots, with its minimum if all slots are at the level with
    the cheapest iteration. An adjacent integer is therefore optimal.
    """
    best = min(levels, key=lambda level: level.price / level.rate)
    slots, found = iterations / best.rate, list[Fraction]()
    if not slotted:
        return slots * best.price
    for count, fast, slow in product({floor(slots), ceil(slots)}, levels, levels):
        lack = iterations - count * slow.rate
        if lack <= 0:
            found.append(count * slow.price)
        elif count * fast.rate >= iterations:
            more = lack / (fast.rate - slow.rate)
            found.append(count * slow.price + more * (fast.price - slow.price))
    return min(found)
