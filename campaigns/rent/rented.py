"""The best plan for a budget, checked, with the price of the budget and what it rests on."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ...analysis.check.rental.judge import RentalVerdict
from ...analysis.rental.premises import Premise, premises
from ...analysis.rental.tables import CurvePoint, TypeFacts, plan_facts
from ...instances import (
    NO_LIMITS,
    FleetInstance,
    Limits,
    RefusedError,
    RentalInstance,
    TerminationReason,
    digest,
)
from ...instances.reading.encode import as_number
from ...policies.rental.plan import PlanWorth
from ...run import Answer, solve
from .asked import as_asked
from .curve import OpenBudget

HOURS_OF_MONTH = Decimal(730)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rented:
    """What a budget buys."""

    instance: RentalInstance
    answer: Answer
    worth: PlanWorth
    point: CurvePoint
    """The budget on the trade-off curve."""
    facts: tuple[TypeFacts, ...]
    premises: tuple[Premise, ...]

    @property
    def spend_per_h(self) -> Fraction:
        """What is spent in an hour, on average."""
        return self.worth.mean_gpus * Fraction(self.instance.price_per_gpu_h)

    def plain(self) -> dict[str, Any]:
        """Return everything as plain values, for programs."""
        instance, price = self.instance, float(self.instance.price_per_gpu_h)
        saves = self.point.saves_h
        return {
            "instance": instance.name,
            "digest": digest(instance),
            "widths": instance.widths,
            "budget_gpus": as_number(Fraction(instance.budget_gpus)),
            "mean_jct_h": as_number(self.worth.mean_jct),
            "mean_gpus": as_number(self.worth.mean_gpus),
            "spend_per_h": as_number(self.spend_per_h),
            "gpu_saves_h": saves,
            "dollar_per_h_saves_h": None if saves is None else saves / price,
            "bound_h": as_number(self.answer.bound.value),
            "bound_kind": self.answer.bound.kind.value,
            "gap": None if self.answer.gap is None else float(self.answer.gap),
            "valid": self.answer.valid,
            "premises": {one.name: one.unmet or "met" for one in self.premises},
            "types": [_type(one) for one in self.facts],
        }


def _type(one: TypeFacts) -> dict[str, Any]:
    epochs = [[{"gpus": k, "part": part} for k, part in split] for split in one.widths]
    return {
        "type": one.name,
        "rate_per_h": one.rate_per_h,
        "load": one.load,
        "gpus": epochs,
        "jct_h": one.jct_h,
        "gpu_h": one.gpu_h,
        "share": one.share,
    }


def rented(
    given: RentalInstance | FleetInstance,
    instance: RentalInstance,
    limits: Limits = NO_LIMITS,
) -> Rented:
    """Return what the budget of an instance buys; `given` is what it was made of.

    Raises:
        RefusedError: If no plan is found.
    """
    answer = solve(instance, time_limit=limits.left_s())
    plan, verdict = answer.schedule, answer.verdict
    if plan is None or not isinstance(verdict, RentalVerdict) or verdict.mean_jct is None:
        if answer.outcome.termination is TerminationReason.INTERRUPTED:
            raise KeyboardInterrupt
        raise RefusedError(f"{instance.name}: no plan is found: {answer.outcome.note}")
    hours, gpu_hours = (
        [float(each[one.name]) for one in instance.types]
        for each in (verdict.times, verdict.gpu_hours)
    )
    worth = PlanWorth(verdict.mean_jct, verdict.mean_gpus)
    budget = float(instance.budget_gpus)
    point = None if limits.over() else OpenBudget(instance).at(budget, limits)
    if point is None or limits.over():
        point = CurvePoint(
            budget_gpus=budget,
            spend_per_h=budget * float(instance.price_per_gpu_h),
            mean_jct_h=float(worth.mean_jct),
            saves_h=None,
            widths=(),
        )
    return Rented(
        instance=instance,
        answer=answer,
        worth=worth,
        point=point,
        facts=tuple(plan_facts(instance, plan, hours, gpu_hours)),
        premises=tuple(premises(as_asked(given, instance))),
    )
