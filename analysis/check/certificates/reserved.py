"""Rules of `reserved`: the sum of gains is at most the rings' gains alone, or their payments."""

from fractions import Fraction
from itertools import accumulate, pairwise

from ....instances.reserved import ReservedInstance, ReservedRing
from .kernel import NONE, amount, fits, in_whole
from .reading import ProofStep, StepError


def each_alone(instance: ReservedInstance, _: ProofStep) -> Fraction:
    """Return the gains if every ring has all the workers that it may have."""
    return sum((Fraction(job.worth(most)) for job, _, most in _rings(instance)), NONE)


def knapsack(instance: ReservedInstance, step: ProofStep) -> Fraction:
    """Return the largest gain at `prices` of a resource, one per arrival for later rings.

    The resource from an arrival on is sold at its price to rings that arrive then or later, in each
    slot up to the smaller of its amount and their use. A ring's price is the sum over the arrivals
    up to its own. A worker-slot that adds less than its price has no value.
    """
    resource, prices = step.text("resource"), step.prices("prices")
    rings = sorted(_rings(instance), key=lambda ring: ring[0].arrival_slot)
    arrivals = sorted({job.arrival_slot for job, _, _ in rings})
    if len(prices) != len(arrivals):
        raise StepError(f"there are {len(prices)} prices for {len(arrivals)} arrivals")
    held = sum((amount(machine.capacity, resource) for machine in instance.machines), NONE)
    ends, value = [*(job.arrival_slot for job, _, _ in rings[1:]), instance.horizon_slots], NONE
    for first, price in zip(arrivals, prices, strict=True):
        used = NONE
        for (job, at_once, _), end in zip(rings, ends, strict=True):
            if price and job.arrival_slot >= first:
                used += at_once * amount(job.worker, resource)
                value += price * (end - job.arrival_slot) * min(held, used)
    paid = dict(zip(arrivals, accumulate(prices), strict=True))
    for job, _, most in rings:
        pays = paid[job.arrival_slot] * amount(job.worker, resource)
        worths = (Fraction(job.worth(n)) for n in range(most + 1))
        value += sum((max(NONE, b - a - pays) for a, b in pairwise(worths)), NONE)
    return value


def _rings(instance: ReservedInstance) -> list[tuple[ReservedRing, int, int]]:
    """Return rings with their maximum workers per slot on empty machines, and in all."""
    grain, rooms = in_whole(machine.capacity for machine in instance.machines)
    found = []
    for job in instance.jobs:
        needs = {name: Fraction(each) for name, each in job.worker}
        at_once = min(job.most_workers, sum(fits(rooms, grain, needs, job.most_workers)))
        most, limit = at_once * (instance.horizon_slots - job.arrival_slot), job.most_worker_slots
        found.append((job, at_once, most if limit is None else min(most, limit)))
    return found


RULES = {"each alone": each_alone, "knapsack": knapsack}
