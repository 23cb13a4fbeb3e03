"""Offline schedules by the order in which jobs are planned: insertion, then local search.

Source: ours. Every job is known in advance. Jobs are planned one after the other, and each gets the
schedule that pays most in the remaining capacity, as in PD-ORS but in any order. Prices are so low
that they only steer jobs to free capacity. The first order begins with the jobs of most worth per
required worker-slot. Another order is by what jobs keep at the prices of the bound, and parts of
these prices are then added until all jobs of the last order that had a plan are planned again. The
better one is kept. Then one job at a time moves to another place among those with a plan, and the
order is kept if it is worth no less. The bound is that of `dual_bound.py`, at prices computed in a
fraction of the time, or in some steps. With a time limit the search continues until the time is up,
unless all orders of few jobs came up before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from math import ceil, factorial, inf
from typing import Annotated

import numpy as np

from ...instances import (
    NO_LIMITS,
    Bound,
    Incumbent,
    Limits,
    OnlineInstance,
    OnlineSchedule,
    Outcome,
    TerminationReason,
)
from ...instances.reading.vocabulary import Count, Positive
from ...policies.online.pd_ors import JobPlanner, refuses
from ...policies.online.pd_ors import Options as Terms
from ...policies.online.planning import OnlinePlans, SlotPlacement
from ...policies.online.slot_plan import decide, place
from ...policies.request import Request, outcome_of
from ...simulation.jit import expect
from ...simulation.online import Floats
from .bounds import optimistic_values
from .dual_bound import PricedBound, best_prices, proved

__all__ = ["NAME", "Options", "refuses", "run"]

NAME = "order-search"


EACH, FEWEST = 60, 6000
"""Plans made if there is no time limit: per job, and at least in all."""

PART_FOR_PRICES, PRICED = 0.15, 10_000
"""Fraction of the time for prices. Without a limit, the most pricings of jobs."""

PARTS = 0.8, 0.6, 0.4, 0.2
"""Parts of the best prices that steer plans."""

MORE = 30
"""Other jobs that may fill the rest."""

NEAR = 0.98
"""Least worth, in parts of the best, of jobs whose place changed for others to fill the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the search."""

    offers: Annotated[
        Count | None,
        f"offers to jobs in total if there is no time limit. By default {EACH} for each job, "
        f"and at least {FEWEST}",
    ] = None
    steps: Annotated[
        Count, "steps to the prices of the bound if there is no time limit, or 0 for no such bound"
    ] = 200
    misjudged: Annotated[Positive, "factor on the range of prices"] = Decimal("0.0001")


KEPT_BYTES = 1 << 26
"""Memory for the free capacity after the plans of an order, from which similar orders resume."""

Order = Sequence[int]
Plans = dict[int, dict[int, SlotPlacement]]


@dataclass(frozen=True, slots=True)
class _PlannedOrder:
    """An order of jobs, first those with a plan, and states along these."""

    order: Order
    plans: Plans
    worth: float
    made: int
    """The plans made for it, apart from jobs that stay in place."""
    on_the_way: list[tuple[float, tuple[Floats, Floats]]]
    """Worth so far, and free capacity and prices."""


class _OrderPlanner:
    """Plans jobs in turn, beginning where the order differs from one like it."""

    def __init__(
        self, instance: OnlineInstance, request: Request[Options], extra: Floats | None = None
    ) -> None:
        """Add prices `extra`, if any, for the jobs that had a plan in the order before."""
        terms = Terms(
            prices="corrected",
            relaxation="hull",
            tries=1,
            share=Decimal("0.001"),
            misjudged=request.options.misjudged,
        )
        self._jobs, self._limits = instance.jobs, request.limits
        self._planner = JobPlanner(instance, terms, int(request.rng.integers(2**62)), extra)
        self._empty = self._planner.state()
        size = sum(array.nbytes for array in self._empty)
        self._every = max(1, ceil(len(instance.jobs) * size / KEPT_BYTES))

    def in_turn(
        self, order: Order, like: _PlannedOrder | None = None, same: int = 0, least: float = 0.0
    ) -> _PlannedOrder:
        """Return the plans of jobs planned in this order, and their total worth.

        The first `same` are as in `like`. If the jobs that had a plan there, and one more, are not
        worth `least`, no other jobs are planned. Once the time is up only the first job is.
        """
        begin = same - same % self._every
        known = like.on_the_way if like else [(0.0, self._empty)]
        on_the_way = known[: begin // self._every + 1]
        plans = {job: like.plans[job] for job in order[:begin]} if like else Plans()
        worth, state = on_the_way[-1]
        self._planner.return_to(state)
        surely = len(like.plans) + 1 if like else len(order)
        last = min(surely + MORE, len(order))
        for turn, job in enumerate(order[begin:last], begin):
            if turn == surely:
                if worth < least:
                    break
                self._planner.drop_extra()
            if turn and self._limits.over():
                break
            if plan := self._planner.best_plan(job):
                plans[job] = plan
                worth += float(self._jobs[job].worth(max(plan)))
                if len(plans) % self._every == 0:
                    on_the_way.append((worth, self._planner.state()))
        else:
            turn = last
        order = [*plans, *(job for job in order if job not in plans)]
        return _PlannedOrder(order, plans, worth, turn - same, on_the_way)


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Search orders until enough plans are made or the time is up."""
    limits, rng = request.limits, request.rng
    planner = _OrderPlanner(instance, request)
    first = _first_order(instance)
    best = planner.in_turn(first)
    for order in _orders_of(instance, request.start, first):
        best = max(best, planner.in_turn(order), key=_worth)
    jobs = len(first)
    bound, made = None, jobs
    _report(instance, limits, best, bound)
    if request.options.steps and not limits.over():
        found, prices = _priced(instance, limits, request.options.steps)
        bound = proved(instance, found, prices)
        before, made = best, jobs * (1 + 3 * len(PARTS))
        # First the jobs of most worth for their work, those admitted so far, or those that keep
        # most at these prices.
        orders = first, best.order, sorted(first, key=lambda i: -found.gain[i])
        planner, best = _steered(instance, request, (planner, best), prices, orders)
        if best.worth > before.worth:
            _report(instance, limits, best, bound)
    enough, most = _enough(jobs), _offers(request.options, jobs, limits)
    complete, most = jobs < 2 or enough <= most, min(enough, most)
    termination = TerminationReason.DONE if complete else TerminationReason.WORK_LIMIT
    while jobs > 1 and made + jobs <= most:
        if limits.over():
            termination = TerminationReason.TIME_LIMIT
            break
        for kernel in (decide, place):
            expect(kernel, min(_offers(request.options, jobs, NO_LIMITS), most) - made, made)
        order, same = _moved(best, rng)
        least = NEAR * best.worth if jobs > MORE else 0.0
        other = planner.in_turn(order, best, same, least)
        made += other.made
        if other.worth > best.worth:
            _report(instance, limits, other, bound)
        if other.worth >= best.worth:
            best = other
    return outcome_of(_schedule(instance, limits, best), termination, bound=bound)


def _report(
    instance: OnlineInstance, limits: Limits, found: _PlannedOrder, bound: Bound | None
) -> None:
    """Report a better schedule."""
    known = None if bound is None else float(bound.value)
    schedule = _schedule(instance, limits, found)
    limits.report(Incumbent(schedule=schedule, value=found.worth, bound=known))


def _moved(best: _PlannedOrder, rng: np.random.Generator) -> tuple[Order, int]:
    """Move an admitted job, or another one among them. Return the order, and how many stay first.

    The jobs of most worth among the others are drawn most often.
    """
    order, count = list(best.order), len(best.plans)
    others = len(order) - count
    since = count + int(others * rng.random() ** 2)
    if not others or (count > 1 and rng.random() < 0.5):
        since = int(rng.integers(count))
    to = int(rng.integers(min(count + 1, len(order))))
    order.insert(to, order.pop(since))
    return order, min(to, since)


def _priced(instance: OnlineInstance, limits: Limits, steps: int) -> tuple[PricedBound, Floats]:
    """Return the bound of prices that take a part of the time, or a number of steps."""
    part = replace(limits.part(PART_FOR_PRICES), watch=None)
    few = min(steps, max(1, PRICED // len(instance.jobs)))
    return best_prices(instance, part, few if limits.time_s is None else None)


def _steered(
    instance: OnlineInstance,
    request: Request[Options],
    best: tuple[_OrderPlanner, _PlannedOrder],
    prices: Floats,
    orders: Sequence[Order],
) -> tuple[_OrderPlanner, _PlannedOrder]:
    """Return the best schedule for several parts of the prices and orders, and what planned it."""
    for part, order in product(PARTS, orders):
        if request.limits.over():
            break
        planner = _OrderPlanner(instance, request, part * prices)
        best = max(best, (planner, planner.in_turn(order)), key=lambda one: one[1].worth)
    return best


def _offers(options: Options, jobs: int, limits: Limits) -> float:
    """Return how many plans are made at most, if the time is not up before."""
    if limits.time_s is not None:
        return inf
    return max(FEWEST, EACH * jobs) if options.offers is None else options.offers


def _worth(found: _PlannedOrder) -> float:
    return found.worth


def _enough(jobs: int) -> float:
    """Return a number of plans after which all orders have very likely come up often."""
    return 20 * jobs * factorial(jobs) if jobs < 10 else inf


def _first_order(instance: OnlineInstance) -> list[int]:
    """Return the jobs that can complete, those first that are worth most for their work."""
    ideals = optimistic_values(instance)
    able = [i for i, ideal in enumerate(ideals) if ideal.slots is not None and ideal.worth]

    def density(i: int) -> float:
        job = instance.jobs[i]
        return float(ideals[i].worth * job.rate(True, instance.slot_s) / job.work)

    return sorted(able, key=density, reverse=True)


def _orders_of(
    instance: OnlineInstance, start: OnlineSchedule | None, usual: Order
) -> Iterator[Order]:
    """Yield orders that may reproduce a schedule: by completion, and by beginning."""
    if start is None:
        return
    numbers = {job.name: i for i, job in enumerate(instance.jobs)}
    slots = {numbers[one.job]: [at.slot for at in one.plan] for one in start.admissions}
    for moment in (max, min):
        moments = {i: moment(own) for i, own in slots.items() if own}
        yield sorted(usual, key=lambda i: moments.get(i, inf))


def _schedule(instance: OnlineInstance, limits: Limits, found: _PlannedOrder) -> OnlineSchedule:
    plans = OnlinePlans(instance, Limits(started=limits.started), NAME)
    for job, plan in found.plans.items():
        plans.add_all(job, plan)
    return plans.schedule()
