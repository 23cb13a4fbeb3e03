"""Offline schedules by the order in which jobs are planned: insertion, then local search.

Source: ours. Every job is known in advance. Jobs are planned one after the other, and each gets the
schedule that pays most in the remaining capacity, as in PD-ORS but in any order. Prices are so low
that they only steer jobs to free capacity. The order begins with the jobs of most worth per
required worker-slot. Then one job at a time moves to another place, and the order is kept if it is
worth no less. The bound is that of `dual_bound.py`, at prices computed in a fraction of the time,
or in some steps. With a time limit the search continues until the time is up, unless all orders of
few jobs came up before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import ceil, factorial, inf
from typing import Annotated

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
from .dual_bound import dual_bound

__all__ = ["NAME", "Options", "refuses", "run"]

NAME = "order-search"


EACH, FEWEST = 60, 6000
"""Plans made if there is no time limit: per job, and at least in all."""

PART_FOR_PRICES, PRICED = 0.3, 10_000
"""Fraction of the time for prices. Without a limit, the most pricings of jobs."""


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


def run(instance: OnlineInstance, request: Request[Options]) -> Outcome:
    """Search orders until enough plans are made or the time is up."""
    limits = request.limits
    terms = Terms(
        prices="corrected",
        relaxation="hull",
        tries=1,
        share=Decimal("0.001"),
        misjudged=request.options.misjudged,
    )
    planner = _OrderPlanner(instance, terms, int(request.rng.integers(2**62)), limits)
    best = planner.in_turn(_first_order(instance))
    for order in _orders_of(instance, request.start, best.order):
        found = planner.in_turn(order)
        best = found if found.worth > best.worth else best
    jobs = len(best.order)
    limits.report(Incumbent(schedule=_schedule(instance, limits, best), value=best.worth))
    bound, made = _bound(instance, limits, request.options.steps), jobs
    enough, most = _enough(jobs), _offers(request.options, jobs, limits)
    complete, most = jobs < 2 or enough <= most, min(enough, most)
    termination = TerminationReason.DONE if complete else TerminationReason.WORK_LIMIT
    while jobs > 1 and made + jobs <= most:
        if limits.over():
            termination = TerminationReason.TIME_LIMIT
            break
        for kernel in (decide, place):
            expect(kernel, min(_offers(request.options, jobs, NO_LIMITS), most) - made, made)
        made += jobs
        moved = list(best.order)
        to, since = int(request.rng.integers(jobs)), int(request.rng.integers(jobs))
        moved.insert(to, moved.pop(since))
        found = planner.in_turn(moved, best, min(to, since))
        if found.worth > best.worth:
            known = None if bound is None else float(bound.value)
            better = _schedule(instance, limits, found)
            limits.report(Incumbent(schedule=better, value=found.worth, bound=known))
        if found.worth >= best.worth:
            best = found
    return outcome_of(_schedule(instance, limits, best), termination, bound=bound)


def _bound(instance: OnlineInstance, limits: Limits, steps: int) -> Bound | None:
    """Return the bound of prices that take a part of the time, or a number of steps."""
    if limits.over() or not steps:
        return None
    part = replace(limits.part(PART_FOR_PRICES), watch=None)
    few = min(steps, max(1, PRICED // len(instance.jobs)))
    return dual_bound(instance, part, few if limits.time_s is None else None)


def _offers(options: Options, jobs: int, limits: Limits) -> float:
    """Return how many plans are made at most, if the time is not up before."""
    if limits.time_s is not None:
        return inf
    return max(FEWEST, EACH * jobs) if options.offers is None else options.offers


@dataclass(frozen=True, slots=True)
class _PlannedOrder:
    """An order of jobs, their plans, and states along it: worth so far, and free capacity."""

    order: Order
    plans: Plans
    worth: float
    on_the_way: list[tuple[float, tuple[Floats, Floats]]]


class _OrderPlanner:
    """Plans jobs in turn, beginning where the order differs from one like it."""

    def __init__(self, instance: OnlineInstance, terms: Terms, seed: int, limits: Limits) -> None:
        self._jobs, self._limits = instance.jobs, limits
        self._planner = JobPlanner(instance, terms, seed)
        size = sum(array.nbytes for array in self._planner.state())
        self._every = max(1, ceil(len(instance.jobs) * size / KEPT_BYTES))

    def in_turn(
        self, order: Order, like: _PlannedOrder | None = None, same: int = 0
    ) -> _PlannedOrder:
        """Return the plans of jobs planned in this order, and their total worth.

        The first `same` are as in `like`. Once the time is up only the first job gets a plan.
        """
        on_the_way = like.on_the_way[: same // self._every + 1] if like else []
        plans, worth, begin = Plans(), 0.0, 0
        if like and on_the_way:
            begin = (len(on_the_way) - 1) * self._every
            plans = {job: like.plans[job] for job in order[:begin] if job in like.plans}
            worth, state = on_the_way.pop()
            self._planner.return_to(state)
        for turn, job in enumerate(order[begin:], begin):
            if turn and self._limits.over():
                break
            if turn % self._every == 0:
                on_the_way.append((worth, self._planner.state()))
            plan = self._planner.best_plan(job)
            if plan:
                plans[job] = plan
                worth += float(self._jobs[job].worth(max(plan)))
        return _PlannedOrder(order, plans, worth, on_the_way)


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
