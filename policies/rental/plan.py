"""From widths in floating point to a plan in decimals that does not overspend."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...instances import (
    Choice,
    FleetInstance,
    Outcome,
    RentalInstance,
    RentalPlan,
    SolutionStatus,
    Stretch,
    TerminationReason,
    TypePlan,
    digest,
)
from .dual import PricedPlan, solve_budget
from .exact import cheapest, keeps_to_budget, least_use, worth_of
from .streams import Streams

Rented = RentalInstance | FleetInstance

DIGITS = 14
"""Significant digits of widths and shares."""

PLACES = 25
"""Decimal places of shares: what is left of 1 is then exact in decimals of 28 digits."""

CUTS = (0.0, 1e-13, 1e-11, 1e-9, 1e-7)
"""Parts of the budget left unspent, in turn, until what rounding adds fits."""


class WorkSpan(NamedTuple):
    """A part of the work of an epoch, and the GPUs for it."""

    epoch: int
    gpus: float
    part: float = 1.0


class Lot(NamedTuple):
    """A part of a type's jobs, and what they get."""

    share: float
    spans: tuple[WorkSpan, ...]


Lots = Sequence[Sequence[Lot]]
"""By type."""


class RentalSolution(NamedTuple):
    """What a method found, and what it knows of the worth of a larger budget."""

    lots: Lots
    note: str = ""


def steady(share: float, widths: Iterable[float]) -> Lot:
    """Return a lot with one width in each epoch."""
    return Lot(share, tuple(WorkSpan(e, width) for e, width in enumerate(widths)))


def drawn(streams: Streams, priced: PricedPlan) -> Lots:
    """Return widths by lot: where a class has two, each job of the type draws one."""
    found = []
    for own in streams.by_type():
        low, high, part = (one[own] for one in (priced.low, priced.high, priced.part))
        if not part.any():
            found.append([steady(1.0, low)])
            continue
        ends = np.unique([0.0, *part, 1.0])
        found.append([steady(y - x, np.where(part >= y, high, low)) for x, y in pairwise(ends)])
    return found


def switched(streams: Streams, priced: PricedPlan) -> Lots:
    """Return widths alike for all jobs: where a class has two, a job changes in its epoch."""
    found = []
    for own in streams.by_type():
        spans = []
        for e, c in enumerate(own):
            spans.append(WorkSpan(e, priced.low[c], 1 - priced.part[c]))
            if priced.part[c] > 0:
                spans.append(WorkSpan(e, priced.high[c], priced.part[c]))
        found.append([Lot(1.0, tuple(spans))])
    return found


def plan_of(instance: Rented, lots: Lots, method: str) -> RentalPlan:
    """Return the plan in which jobs draw their lots."""
    types = []
    for one, own in zip(instance.types, lots, strict=True):
        shares = _exactly_one([lot.share for lot in own])
        choices = tuple(
            Choice(share=share, stretches=_stretches(lot.spans))
            for share, lot in zip(shares, own, strict=True)
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
    """Return parts as decimals that add up to 1; the first makes up for the rounding."""
    rest = [round(_written(part), PLACES) for part in parts[1:]]
    return [1 - sum(rest, Decimal(0)), *rest]


def _written(value: float) -> Decimal:
    return Decimal(f"{value:.{DIGITS}g}")


def thrifty(instance: Rented, *, whole: bool | None = None) -> RentalSolution:
    """Return the fastest plan of all that pay for the fewest GPUs, if no change of width stalls."""
    whole = instance.widths == "whole" if whole is None else whole
    widths = [[cheapest(one.speedup, whole)[1] for one in each.epochs] for each in instance.types]
    return RentalSolution([[steady(1.0, map(float, own))] for own in widths])


def priced_lots(
    streams: Streams, share: Callable[[Streams, PricedPlan], Lots], budget: float
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
    """Return the plan for the budget, or for a hair less if it overspends when written out.

    Where all of these do, the plan `last` may keep to the budget.
    """
    budget, least = instance.budget_gpus, least_use(instance)
    if least > budget:
        note = f"any plan pays for {float(least):.6g} GPUs at least, on average"
        return Outcome(
            schedule=None,
            termination=TerminationReason.DONE,
            status=SolutionStatus.INFEASIBLE,
            note=note,
        )
    dear: RentalPlan | None = None
    for solution in _tried(instance.budget_gpus, least, solve, last):
        plan = plan_of(instance, solution.lots, method)
        if keeps_to_budget(instance, plan):
            return Outcome(
                schedule=replace(plan, digest=digest(instance)),
                termination=TerminationReason.DONE,
                status=SolutionStatus.FEASIBLE,
                note=solution.note,
            )
        dear = plan
    note = "it finds no plan that the budget is enough for"
    if dear is not None:
        paid = f"{float(worth_of(instance, dear).mean_gpus):.6g}"
        note = f"its plan pays for {paid} GPUs on average, but the budget is for {budget}"
    return Outcome(
        schedule=None, termination=TerminationReason.DONE, status=SolutionStatus.NOTHING, note=note
    )


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
    """Say what a larger budget is worth."""
    return f"one more GPU in the budget lowers the mean by {gain_h:.6g} h, at the margin"
