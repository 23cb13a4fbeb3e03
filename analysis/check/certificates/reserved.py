"""Rules of `reserved`: no sum of gains is above what rings gain alone, or pay for at some price."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate, pairwise

from ....instances.reserved.instance import LinkedMachine, ReservedInstance, ReservedRing
from .lists import prices_in
from .steps import ProofStep, StepError

NONE = Fraction(0)


def each_alone(instance: ReservedInstance, _: ProofStep) -> Fraction:
    """Return the gains if every ring has all the workers that it may have."""
    return sum((Fraction(j.worth(_most(instance, j))) for j in instance.jobs), NONE)


def knapsack(instance: ReservedInstance, step: ProofStep) -> Fraction:
    """Return what can be gained at `prices` of a resource, one for rings of each arrival or later.

    What there is from an arrival on is sold at its price to rings that arrive then or later; a
    worker-slot that adds less than it pays is worth nothing. Prices of rings are sums over the
    arrivals up to their own.
    """
    resource = step.text("resource")
    arrivals = sorted({job.arrival_slot for job in instance.jobs})
    prices = prices_in(step, "prices")
    if len(prices) != len(arrivals):
        raise StepError(f"there are {len(prices)} prices for {len(arrivals)} arrivals")
    paid = dict(zip(arrivals, accumulate(prices), strict=True))
    value = _sold(instance, resource, dict(zip(arrivals, prices, strict=True)))
    for job in instance.jobs:
        pays = paid[job.arrival_slot] * _each(job, resource)
        worths = (Fraction(job.worth(n)) for n in range(_most(instance, job) + 1))
        value += sum((max(NONE, b - a - pays) for a, b in pairwise(worths)), NONE)
    return value


def _sold(instance: ReservedInstance, resource: str, prices: dict[int, Fraction]) -> Fraction:
    """Return what all that rings can use costs: in a slot, no more than there is."""
    held = sum((_each(machine, resource) for machine in instance.machines), NONE)
    rings = sorted(instance.jobs, key=lambda job: job.arrival_slot)
    uses = [_at_once(instance, job) * _each(job, resource) for job in rings]
    ends = [*(job.arrival_slot for job in rings[1:]), instance.horizon_slots]
    total = NONE
    for first, price in prices.items():
        used = NONE
        for job, use, end in zip(rings, uses, ends, strict=True):
            if price and job.arrival_slot >= first:
                used += use
                total += price * (end - job.arrival_slot) * min(held, used)
    return total


def _each(one: LinkedMachine | ReservedRing, resource: str) -> Fraction:
    """Return what a machine has, or a worker takes, of a resource."""
    amounts = one.capacity if isinstance(one, LinkedMachine) else one.worker
    return Fraction(dict(amounts).get(resource, 0))


def _at_once(instance: ReservedInstance, job: ReservedRing) -> int:
    """Return the most workers in a slot, by what machines hold while they are empty."""
    return min(job.most_workers, sum(_on_each(instance, job)))


def _on_each(instance: ReservedInstance, job: ReservedRing) -> Iterator[int]:
    for machine in instance.machines:
        held = dict(machine.capacity)
        fits = [Fraction(held.get(r, 0)) // Fraction(each) for r, each in job.worker if each]
        yield min(fits, default=job.most_workers)


def _most(instance: ReservedInstance, job: ReservedRing) -> int:
    """Return the most workers, slots added up."""
    count = _at_once(instance, job) * (instance.horizon_slots - job.arrival_slot)
    return count if job.most_worker_slots is None else min(count, job.most_worker_slots)


RULES = {"each alone": each_alone, "knapsack": knapsack}
