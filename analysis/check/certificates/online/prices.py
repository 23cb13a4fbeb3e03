"""The rule by which jobs pay for machines: search/online/dual_bound.py has the proof.

Every resource of every machine has a price in every slot. A job gains what it is worth less what
its cheapest way through its samples costs, if that is more than nothing. No schedule is worth
more than all gains, and what all that there is costs.

What samples cost at least that may be spread over slots is found by one of two relaxations. Each
takes the offers of one slot after the other, and then says what all samples cost up to it; None
if they cannot all be done.
"""

from bisect import insort
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import mul

from .....instances.online import OnlineInstance
from ..kernel import NONE, amount, bought
from ..steps import ProofStep, StepError
from .offers import Buyer, Offer, buyer_of, offers_of

Prices = Sequence[Sequence[int]]
"""In a slot, by machine and then by resource."""

LeastCost = Callable[[Sequence[Offer]], Fraction | int | None]

MOST_PARTS = 100_000
"""That a table has."""


def prices(instance: OnlineInstance, step: ProofStep) -> Fraction:
    """Return what all that there is costs at the prices of `rows`, and what jobs gain.

    Each row is for the slots from one of `starts` up to the next, and has prices by machine and
    then by resource, in the order of their names, in whole numbers over `unit`. For each job
    `parts` says into how many a worker's samples are divided; where it is 0, offers are mixed.
    """
    unit, parts, starts = step.whole("unit", 1), step.counts("parts"), step.counts("starts")
    rows, resources = step.rows("rows"), instance.resources
    if len(parts) != len(instance.jobs):
        raise StepError(f"there are {len(parts)} parts for {len(instance.jobs)} jobs")
    width = len(resources)
    each = len(instance.machines) * width
    if len(starts) != len(rows) or any(len(row) != each for row in rows):
        raise StepError(f"rows have {each} prices, and there is one for each start")
    ends = [*starts[1:], instance.horizon_slots]
    if starts[:1] != (0,) or any(start >= end for start, end in zip(starts, ends, strict=True)):
        raise StepError("starts begin with 0, and grow, up to the last slot")
    by_slot, total = list[Prices](), NONE
    held = [amount(machine.capacity, r) for machine in instance.machines for r in resources]
    for row, start, end in zip(rows, starts, ends, strict=True):
        by_slot += [[row[k : k + width] for k in range(0, each, width)]] * (end - start)
        total += (end - start) * sum(map(mul, held, row), NONE)
    for job, some in zip(instance.jobs, parts, strict=True):
        total += unit * _gain(buyer_of(instance, job), some, by_slot, unit)
    return total / unit


def _gain(buyer: Buyer, parts: int, by_slot: Sequence[Prices], unit: int) -> Fraction:
    """Return the most that a job is worth less what it pays, over all last slots; 0 if none is."""
    if buyer.work * parts > buyer.fast * MOST_PARTS:
        raise StepError(f"{parts} parts are too many for the table of job {buyer.job.name!r}")
    way = by_parts(buyer, parts) if parts else by_mixing(buyer)
    best, last, offers = NONE, None, list[Offer]()
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


def by_mixing(buyer: Buyer) -> LeastCost:
    """Offers may be mixed: the largest convex function below those of each slot and the origin.

    The cheapest pieces of all these functions, by slope and length, are what samples cost.
    """
    pieces: list[tuple[Fraction, int]] = []

    def least(offers: Sequence[Offer]) -> Fraction | None:
        corners, cheapest = [(0, 0)], dict[int, int]()
        for samples, cost in offers:
            some = min(buyer.work, samples)
            cheapest[some] = min(cost, cheapest.get(some, cost))
        for point in sorted(cheapest.items()):
            while len(corners) > 1 and not _below(corners[-2], corners[-1], point):
                corners.pop()
            corners.append(point)
        for (x, y), (along, up) in pairwise(corners):
            insort(pieces, (Fraction(up - y, along - x), along - x))
        return bought(pieces, buyer.work)

    return least


def _below(one: Offer, middle: Offer, other: Offer) -> bool:
    """Say whether a point in the middle is below the line between two others."""
    (x, y), (p, q), (u, v) = one, middle, other
    return (q - y) * (u - x) < (v - y) * (p - x)


def by_parts(buyer: Buyer, parts: int) -> LeastCost:
    """One offer in each slot, samples counted in parts of what a worker does inside, rounded up."""
    goal = -(-buyer.work * parts // buyer.fast)
    least = [0]
    """Costs of 0, 1, .. parts, as far as they can be done."""

    def add(offers: Sequence[Offer]) -> int | None:
        gains = [(-(-samples * parts // buyer.fast), cost) for samples, cost in offers]
        found: list[int] = []
        for gain, cost in sorted([*gains, (0, 0)], reverse=True):
            some = min(gain, goal)
            reached = [cost] * some + [cost + one for one in least[: goal + 1 - some]]
            found = [*map(min, found, reached), *found[len(reached) :]] if found else reached
        least[:] = found
        return least[goal] if len(least) > goal else None

    return add
