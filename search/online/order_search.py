"""Offline schedules by the order in which jobs are offered plans: insertion, then local search.

Source: ours. Every job is known in advance. Jobs are taken one after the other, and each gets the
schedule that pays most in what the earlier ones have left, as in PD-ORS but in any order; prices
are so low that they only steer jobs to where there is room. The order begins with the jobs that are
worth most for the worker-slots they need; then a job at a time moves to another place, and the
order is kept if it is worth no less. It proves nothing; it shows what online methods leave. With a
time limit it goes on until the time is up, unless jobs are so few that all orders came up before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import factorial, inf
from typing import Annotated

from ...instances import Glimpse, Limits, OnlineInstance, Outcome, Stop
from ...instances.reading.vocabulary import Count, Positive
from ...policies.online.offers import OfferMaker, refuses
from ...policies.online.planning import OnlinePlans, SlotPlacement
from ...policies.online.terms import Options as Terms
from ...policies.request import Request
from .bounds import prospects

__all__ = ["NAME", "Options", "refuses", "run"]

NAME = "order-search"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the search."""

    offers: Annotated[Count, "offers to jobs in all, where no time limit is given"] = 6000
    misjudged: Annotated[Positive, "factor on the range of prices"] = Decimal("0.0001")


Order = Sequence[int]
Found = dict[int, dict[int, SlotPlacement]]


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Search orders until the offers are made or the time is up."""
    limits = request.limits
    terms = Terms(
        prices="corrected",
        relaxation="hull",
        tries=1,
        share=Decimal("0.001"),
        misjudged=request.options.misjudged,
    )
    seed = int(request.rng.integers(2**62))
    order = _first_order(instance)
    best, worth = _offers(instance, terms, seed, order, limits)
    limits.tell(Glimpse(schedule=_plans(instance, limits, best).schedule, value=worth))
    stop, made = Stop.DONE, len(order)
    most = min(request.options.offers if limits.time_s is None else inf, _enough(len(order)))
    while len(order) > 1 and made + len(order) <= most:
        if limits.over():
            stop = Stop.TIME_LIMIT
            break
        made += len(order)
        moved = list(order)
        moved.insert(
            int(request.rng.integers(len(order))), moved.pop(int(request.rng.integers(len(order))))
        )
        found, value = _offers(instance, terms, seed, moved, limits)
        if value >= worth:
            if value > worth:
                limits.tell(Glimpse(schedule=_plans(instance, limits, found).schedule, value=value))
            order, best, worth = moved, found, value
    outcome = _plans(instance, limits, best)
    return Outcome(schedule=outcome.schedule, stop=stop, left=outcome.left)


def _enough(jobs: int) -> float:
    """Return a number of offers after which all orders have very likely come up often."""
    return 20 * jobs * factorial(jobs) if jobs < 10 else inf


def _first_order(instance: OnlineInstance) -> list[int]:
    """Return the jobs that can complete, those first that are worth most for their work."""
    hopes = prospects(instance)
    able = [i for i, hope in enumerate(hopes) if hope.slots is not None and hope.worth]

    def density(i: int) -> float:
        job = instance.jobs[i]
        return float(hopes[i].worth * job.rate(True, instance.slot_s) / job.work)

    return sorted(able, key=density, reverse=True)


def _offers(
    instance: OnlineInstance, terms: Terms, seed: int, order: Order, limits: Limits
) -> tuple[Found, float]:
    """Return the plans of jobs offered in this order, and what they are worth together.

    Once the time is up only the first is offered one.
    """
    offers, found, worth = OfferMaker(instance, terms, seed), {}, 0.0
    for place, job in enumerate(order):
        if place and limits.over():
            break
        plan = offers.offer(job)
        if plan:
            found[job] = plan
            data = instance.jobs[job]
            worth += float(data.utility.at(max(plan) - data.arrival_slot))
    return found, worth


def _plans(instance: OnlineInstance, limits: Limits, found: Found) -> Outcome:
    plans = OnlinePlans(instance, Limits(started=limits.started), NAME)
    for job, plan in found.items():
        for slot, placement in plan.items():
            plans.add(job, slot, placement)
    return plans.outcome(Stop.DONE)
