"""The rule by which jobs pay for machines: search/online/dual_bound.py has the proof.

Every resource of every machine has a price in every slot. A job gains what it is worth less what
its cheapest way through its samples costs, if that is more than nothing. No schedule is worth
more than all gains, and what all that there is costs.
"""

from collections.abc import Sequence
from fractions import Fraction

from .....instances.online.instance import OnlineInstance
from ..lists import counts_in, lists_in
from ..steps import ProofStep, StepError
from .offers import Buyer, PricedOffer, buyer_of, offers_of
from .ways import by_mixing, by_parts

Prices = Sequence[Sequence[int]]
"""In a slot, by machine and then by resource."""

MOST_PARTS = 100_000
"""That a table has."""


def prices(instance: OnlineInstance, step: ProofStep) -> Fraction:
    """Return what all that there is costs at the prices of `rows`, and what jobs gain.

    Each row is for the slots from one of `starts` up to the next, and has prices by machine and
    then by resource, in the order of their names, in whole numbers over `unit`. For each job
    `parts` says into how many a worker's samples are divided; where it is 0, offers are mixed.
    """
    unit, parts = step.whole("unit", 1), counts_in(step, "parts")
    if len(parts) != len(instance.jobs):
        raise StepError(f"there are {len(parts)} parts for {len(instance.jobs)} jobs")
    by_slot = _by_slot(instance, counts_in(step, "starts"), lists_in(step, "rows"))
    total = Fraction(0)
    for m, machine in enumerate(instance.machines):
        held = dict(machine.capacity)
        for r, resource in enumerate(instance.resources):
            total += Fraction(held.get(resource, 0)) * sum(slot[m][r] for slot in by_slot)
    gains = (
        _gain(buyer_of(instance, job), some, by_slot, unit)
        for job, some in zip(instance.jobs, parts, strict=True)
    )
    return total / unit + sum(gains, Fraction(0))


def _by_slot(instance: OnlineInstance, starts: list[int], rows: list[list[int]]) -> list[Prices]:
    """Return the prices of every slot."""
    machines, resources = len(instance.machines), len(instance.resources)
    if len(starts) != len(rows) or any(len(row) != machines * resources for row in rows):
        raise StepError(f"rows have {machines * resources} prices, and there is one for each start")
    ends = [*starts[1:], instance.horizon_slots]
    if starts[:1] != [0] or any(start >= end for start, end in zip(starts, ends, strict=True)):
        raise StepError("starts begin with 0, and grow, up to the last slot")
    found = list[Prices]()
    for row, start, end in zip(rows, starts, ends, strict=True):
        prices = [row[k : k + resources] for k in range(0, len(row), resources)]
        found += [prices] * (end - start)
    return found


def _gain(buyer: Buyer, parts: int, by_slot: Sequence[Prices], unit: int) -> Fraction:
    """Return the most that a job is worth less what it pays, over all last slots; 0 if none is."""
    if buyer.work * parts > buyer.fast * MOST_PARTS:
        raise StepError(f"{parts} parts are too many for the table of job {buyer.job.name!r}")
    way = by_parts(buyer, parts) if parts else by_mixing(buyer)
    best, last, offers = Fraction(0), None, list[PricedOffer]()
    for slot in range(buyer.job.arrival_slot, len(by_slot)):
        worth = Fraction(buyer.job.worth(slot))
        if worth <= best:
            break  # It is worth no more later.
        if by_slot[slot] is not last:
            last, offers = by_slot[slot], offers_of(buyer, by_slot[slot])
        cost = way(offers)
        if cost is not None:
            best = max(best, worth - Fraction(cost) / (buyer.scale * unit))
    return best
