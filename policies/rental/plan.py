"""From widths in floating point to a plan in decimals that does not overspend, counted exactly."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, floor
from typing import NamedTuple

from ...instances import (
    Choice,
    FleetInstance,
    JobType,
    Outcome,
    PowerLaw,
    RentalInstance,
    RentalPlan,
    SolutionStatus,
    SpeedTable,
    Speedup,
    Stretch,
    TypePlan,
    digest,
)
from ...instances.speedup import MOST_GPUS, speed_at
from ..request import outcome_of
from .dual import PricedPlan, Streams, solve_budget

Rented = RentalInstance | FleetInstance

DIGITS = 14
"""Significant digits of widths and shares."""

PLACES = 25
"""Decimal places of shares: the remainder to 1 is then exact in decimals of 28 digits."""

CUTS = (0.0, 1e-13, 1e-11, 1e-9, 1e-7)
"""Fractions of the budget left unspent, in turn, until the plan fits with its rounding."""


class WorkSpan(NamedTuple):
    """A part of the work of an epoch, and the GPUs for it."""

    epoch: int
    gpus: float
    part: float = 1.0


class JobShare(NamedTuple):
    """A part of a type's jobs, and the GPUs that they get."""

    share: float
    spans: tuple[WorkSpan, ...]


JobShares = Sequence[Sequence[JobShare]]
"""By type."""


class RentalSolution(NamedTuple):
    """The plan that a method found, and a note on the worth of a larger budget."""

    shares: JobShares
    note: str = ""


def steady(share: float, widths: Iterable[float]) -> JobShare:
    """Return a part of the jobs, with one width in each epoch."""
    return JobShare(share, tuple(WorkSpan(e, width) for e, width in enumerate(widths)))


def random_widths(streams: Streams, priced: PricedPlan) -> JobShares:
    """Return widths at random: where a class has two, each job of the type has one of them."""
    found = []
    for own in streams.by_type():
        low, high, part = (one[own].tolist() for one in (priced.low, priced.high, priced.part))
        ends = sorted({0.0, *part, 1.0})
        classes = list(zip(low, high, part, strict=True))
        found.append(
            [
                steady(y - x, (big if share >= y else small for small, big, share in classes))
                for x, y in pairwise(ends)
            ]
        )
    return found


def changing_widths(streams: Streams, priced: PricedPlan) -> JobShares:
    """Return widths alike for all jobs: where a class has two, a job changes in its epoch."""
    found = []
    for own in streams.by_type():
        spans = []
        for e, c in enumerate(own):
            spans.append(WorkSpan(e, priced.low[c], 1 - priced.part[c]))
            if priced.part[c] > 0:
                spans.append(WorkSpan(e, priced.high[c], priced.part[c]))
        found.append([JobShare(1.0, tuple(spans))])
    return found


def plan_of(instance: Rented, shares: JobShares, method: str) -> RentalPlan:
    """Return the plan in which a job gets the widths of each share with its probability."""
    types = []
    for one, own in zip(instance.types, shares, strict=True):
        exact = _exactly_one([part.share for part in own])
        choices = tuple(
            Choice(share=share, stretches=_stretches(part.spans))
            for share, part in zip(exact, own, strict=True)
            if share > 0
        )
        types.append(TypePlan(type=one.name, choices=choices))
    return RentalPlan(instance=instance.name, method=method, types=tuple(types))


def _stretches(spans: Sequence[WorkSpan]) -> tuple[Stretch, ...]:
    parts: list[Decimal] = []
    for e in sorted({span.epoch for span in spans}):
        parts += _exactly_one([span.part for span in spans if span.epoch == e])
    return tuple(
        Stretch(epoch=span.epoch, gpus=_written(span.gpus), part=part)
        for span, part in zip(spans, parts, strict=True)
        if part > 0
    )


def _exactly_one(parts: list[float]) -> list[Decimal]:
    """Return fractions as decimals that add up to 1. The first one absorbs the rounding."""
    rest = [round(_written(part), PLACES) for part in parts[1:]]
    return [1 - sum(rest, Decimal(0)), *rest]


def _written(value: float) -> Decimal:
    return Decimal(f"{value:.{DIGITS}g}")


def thrifty(instance: Rented, *, whole: bool | None = None) -> RentalSolution:
    """Return the fastest plan of all that pay for the fewest GPUs, if no change of width stalls."""
    whole = instance.widths == "whole" if whole is None else whole
    widths = [[cheapest(one.speedup, whole)[1] for one in each.epochs] for each in instance.types]
    return RentalSolution([[steady(1.0, map(float, own))] for own in widths])


def priced_shares(
    streams: Streams, share: Callable[[Streams, PricedPlan], JobShares], budget: float
) -> RentalSolution | None:
    """Return the best plan at one price of GPUs, and how jobs of a stream share its two widths."""
    priced = solve_budget(streams, budget)
    if priced is None:
        return None
    return RentalSolution(share(streams, priced), worth_more(priced.gain_h))


def answer(
    instance: Rented,
    method: str,
    solve: Callable[[float], RentalSolution | None],
    last: Callable[[], RentalSolution] | None = None,
) -> Outcome:
    """Return the plan for the budget, or for slightly less if the written plan overspends.

    If all of these overspend, the plan `last` may keep to the budget.
    """
    budget, least = instance.budget_gpus, least_use(instance)
    if least > budget:
        note = f"every plan pays for at least {float(least):.6g} GPUs on average"
        return replace(outcome_of(None, note=note), status=SolutionStatus.INFEASIBLE)
    dear: RentalPlan | None = None
    for solution in _tried(budget, least, solve, last):
        plan = plan_of(instance, solution.shares, method)
        if keeps_to_budget(instance, plan):
            return outcome_of(replace(plan, digest=digest(instance)), note=solution.note)
        dear = plan
    if dear is None:
        return outcome_of(None, note="it finds no plan within the budget")
    paid = f"{float(worth_of(instance, dear).mean_gpus):.6g}"
    note = f"its plan pays for {paid} GPUs on average, but the budget is for {budget}"
    return outcome_of(None, note=note)


def _tried(
    budget: Decimal,
    least: Fraction,
    solve: Callable[[float], RentalSolution | None],
    last: Callable[[], RentalSolution] | None,
) -> Iterator[RentalSolution]:
    for cut in CUTS:
        solution = solve(max(float(budget) * (1 - cut), float(least)))
        if solution is None:
            break
        yield solution
    if last is not None:
        yield last()


def worth_more(gain_h: float) -> str:
    """Return a note on the worth of a larger budget."""
    return f"one more GPU in the budget lowers the mean by {gain_h:.6g} h, at the margin"


FULL, ROUGH = Context(prec=50), Context(prec=25)
"""Digits of the powers in the exact worth of a plan, and in a first look at it."""

NEAR = Fraction(1, 10**20)
"""Far more than the parts by which `ROUGH` powers are wrong."""

GRAIN = 2**200
"""Terms of the first look are rounded down to multiples of its inverse."""


class PlanWorth(NamedTuple):
    """The mean completion time and the mean number of GPUs in the long run."""

    mean_jct: Fraction
    mean_gpus: Fraction


@lru_cache(maxsize=8)
def least_use(instance: Rented) -> Fraction:
    """Return the fewest GPUs that any plan pays for."""
    return total(
        load * cheapest(epoch.speedup, instance.widths == "whole")[0]
        for one, loads in zip(instance.types, instance.loads, strict=True)
        for epoch, load in zip(one.epochs, loads, strict=True)
    )


def total(terms: Iterable[Fraction]) -> Fraction:
    """Add up pairwise: denominators grow with the summands, and most sums then stay short."""
    left = list(terms) or [Fraction(0)]
    while len(left) > 1:
        left = [sum(left[i : i + 2], Fraction(0)) for i in range(0, len(left), 2)]
    return left[0]


def cheapest(speedup: Speedup, whole: bool) -> tuple[Fraction, Decimal]:
    """Return the fewest GPU-hours for an hour of work, and the most GPUs that achieve them.

    In a table k / s(k) is least at a point.
    """
    if not isinstance(speedup, SpeedTable):
        shape = speedup.exponent if isinstance(speedup, PowerLaw) else speedup.parallel
        return Fraction(1), Decimal(MOST_GPUS if shape == 1 else 1)
    speeds = {point.gpus: Fraction(point.speed) for point in speedup.points}
    if whole:
        widths = {Decimal(near(gpus)) for gpus in speeds for near in (floor, ceil)}
        speeds = {gpus: speed_at(speedup, gpus) for gpus in widths}
    rough = {gpus: float(gpus) / float(speed) for gpus, speed in speeds.items()}
    near_least = min(rough.values()) * (1 + 1e-12)
    return min(
        ((Fraction(gpus) / speeds[gpus], gpus) for gpus, use in rough.items() if use <= near_least),
        key=lambda found: (found[0], -found[1]),
    )


def worth_of(instance: Rented, plan: RentalPlan) -> PlanWorth:
    """Return the mean completion time in hours and the mean number of GPUs paid for."""
    stall = Fraction(instance.rescale_s) / 3600
    hours, gpus = list[Fraction](), list[Fraction]()
    rates, loads = instance.rates, instance.loads
    for i, (one, planned) in enumerate(zip(instance.types, plan.types, strict=True)):
        for choice in planned.choices:
            time, held = _use(one, loads[i], rates[i] * stall, choice)
            hours.append(Fraction(one.weight) * Fraction(choice.share) * time)
            gpus.append(Fraction(choice.share) * held)
    worth = total(
        Fraction(one.weight) * rate for one, rate in zip(instance.types, rates, strict=True)
    )
    return PlanWorth(total(hours) / worth, total(gpus))


def keeps_to_budget(instance: Rented, plan: RentalPlan) -> bool:
    """Return True if a plan pays for no more GPUs than the budget has.

    Sums in whole numbers nearly always decide it. Otherwise exact sums do, whose denominators grow.
    """
    stall, budget = Fraction(instance.rescale_s) / 3600, Fraction(instance.budget_gpus)
    grains = terms = 0
    for one, planned, rate, loads in zip(
        instance.types, plan.types, instance.rates, instance.loads, strict=True
    ):
        for choice in planned.choices:
            held = Fraction(choice.share) * _use(one, loads, rate * stall, choice, ROUGH)[1]
            grains += held.numerator * GRAIN // held.denominator
            terms += 1
    if Fraction(grains + terms, GRAIN) * (1 + NEAR) <= budget:
        return True
    if Fraction(grains, GRAIN) * (1 - NEAR) > budget:
        return False
    return worth_of(instance, plan).mean_gpus <= budget


def _use(
    one: JobType,
    loads: tuple[Fraction, ...],
    stall: Fraction,
    choice: Choice,
    digits: Context = FULL,
) -> tuple[Fraction, Fraction]:
    """Return hours and GPU-hours, per hour, of a type whose jobs all get a choice."""
    time = held = Fraction(0)
    before = choice.stretches[0].gpus
    for stretch in choice.stretches:
        speed = speed_at(one.epochs[stretch.epoch].speedup, stretch.gpus, digits)
        took = Fraction(stretch.part) * loads[stretch.epoch] / speed
        if stretch.gpus != before:
            took += stall
        before = stretch.gpus
        time += took
        held += took * Fraction(stretch.gpus)
    return time, held
