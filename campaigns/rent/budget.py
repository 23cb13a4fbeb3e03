"""Budgets for rented GPUs: the request, the plan, and the curve over budgets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from fractions import Fraction
from itertools import starmap
from math import inf
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...analysis.check.rental import RentalVerdict
from ...analysis.rental import Premise, premises
from ...analysis.rental.tables import MOST_WIDTHS, CurvePoint, TypeFacts, plan_facts
from ...instances import (
    NO_LIMITS,
    FleetInstance,
    JobType,
    Limits,
    RefusedError,
    RentalInstance,
    TerminationReason,
    digest,
)
from ...instances.catalogue import load
from ...instances.errors import InputError, Problem, Words, raise_any
from ...instances.reading.encode import as_number
from ...policies.rental.boa import stalls
from ...policies.rental.dual import Floats, curve, solve_budget, streams_of
from ...policies.rental.plan import PlanWorth, least_use
from ...policies.rental.resize import Resizer
from ...run import Answer, solve

Given = TypeVar("Given", bound=RentalInstance | FleetInstance)

DOWN, UP = Context(prec=25, rounding=ROUND_DOWN), Context(prec=25, rounding=ROUND_UP)

SHORT = Context(prec=9, rounding=ROUND_UP)
"""The number of digits of budgets that are reported."""

FINE = 1e-9
"""Part of a budget to which it is searched for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRequest:
    """The requested budget, in at most one of three forms, and whether GPUs are whole."""

    gpus: Decimal | None = None
    """Time average of GPUs."""
    per_hour: Decimal | None = None
    """Money that may be spent in an hour, on average."""
    target_h: Decimal | None = None
    """The minimum budget for a mean completion time of at most this."""
    whole: bool = False
    rescale_s: Decimal | None = None


def streamed(name: str) -> RentalInstance | FleetInstance:
    """Return an instance that has streams of jobs, by its name or from a file."""
    found = load(name)
    if isinstance(found, RentalInstance | FleetInstance):
        return found
    expected, advice = "'rental' or 'fleet'", "name an instance of these families, which rent GPUs"
    raise InputError(name, [Problem("kind", found.kind, expected, advice)])


def asked(
    given: RentalInstance | FleetInstance, request: BudgetRequest, limits: Limits = NO_LIMITS
) -> RentalInstance:
    """Return the rental instance with the requested budget and widths.

    Raises:
        InputError: If no plan is cheap enough or fast enough.
        RefusedError: If the time limit is too short.
    """
    instance = given if isinstance(given, RentalInstance) else rental_of(given)
    if request.whole:
        instance = replace(instance, widths="whole")
    if request.rescale_s is not None:
        instance = replace(instance, rescale_s=request.rescale_s)
    least, option, budget = least_use(instance), "budget_gpus", instance.budget_gpus
    if request.target_h is not None:
        return replace(instance, budget_gpus=least_budget(instance, request.target_h, limits))
    if request.gpus is not None:
        option, budget = "--budget", request.gpus
    elif request.per_hour is not None:
        option, budget = (
            "--dollars-per-hour",
            DOWN.divide(request.per_hour, instance.price_per_gpu_h),
        )
    if budget < least:
        problem = _too_small(instance, option, request, least)
        raise InputError(instance.name, [problem])
    # The same instance, which is known to be sound, if it is.
    return instance if budget == instance.budget_gpus else replace(instance, budget_gpus=budget)


def _too_small(
    instance: RentalInstance, option: str, request: BudgetRequest, least: Fraction
) -> Problem:
    """Return the problem with the sufficient budget, in the unit of the request."""
    advice = "raise the budget: this minimum gives each job its fewest GPU-hours"
    if option == "--dollars-per-hour":
        price = least * Fraction(instance.price_per_gpu_h)
        found, expected = request.per_hour, f"at least {above(price):f}, for {above(least):f} GPUs"
    else:
        found = instance.budget_gpus if request.gpus is None else request.gpus
        expected = f"at least {above(least):f} GPUs on average"
    return Problem(option, Words(f"{found:f}"), expected, advice)


def above(value: Fraction) -> Decimal:
    """Return a decimal that is no less, and not much more."""
    return written(value, SHORT)


def written(value: Fraction, rounding: Context) -> Decimal:
    """Return a decimal with the digits of the context."""
    return rounding.divide(Decimal(value.numerator), Decimal(value.denominator))


def least_budget(
    instance: RentalInstance, target_h: Decimal, limits: Limits = NO_LIMITS
) -> Decimal:
    """Return the minimum budget for a mean completion time of at most a target.

    After the time limit, a budget known to be sufficient is returned, if there is one.

    Raises:
        InputError: If the jobs take longer with any number of GPUs.
        RefusedError: If the time limit ends before any budget is found.
    """
    program, target = OpenBudget(instance), float(target_h)
    low = float(above(program.least))
    if (before := program.at(low, limits).mean_jct_h) <= target:
        return above(program.least)
    high = 2 * low
    while (now := program.at(high, limits).mean_jct_h) > target:
        if limits.over():
            raise RefusedError(
                f"{instance.name}: no budget found for {target_h} hours within the time "
                "limit. Increase --time-limit."
            )
        if now >= before:
            found = Words(f"{target_h} hours")
            expected = f"more than {now:.6g} hours, the limit with any number of GPUs"
            problem = Problem("--target-jct", found, expected, "increase the target")
            raise InputError(instance.name, [problem])
        high, before = 2 * high, now
    while high - low > FINE * high and not limits.over():
        middle = (low + high) / 2
        enough = program.at(middle, limits).mean_jct_h <= target
        low, high = (low, middle) if enough else (middle, high)
    return above(Fraction(high))


def as_asked(given: Given, instance: RentalInstance) -> Given:
    """Return the input with the requested budget, widths and stalls."""
    return replace(
        given,
        budget_gpus=instance.budget_gpus,
        widths=instance.widths,
        rescale_s=instance.rescale_s,
    )


def rental_of(fleet: FleetInstance) -> RentalInstance:
    """Return the streams with the rates and loads of a fleet's actual jobs, to 25 digits."""
    return own_rental(
        RentalInstance(
            name=fleet.name,
            types=fleet.types,
            budget_gpus=fleet.budget_gpus,
            price_per_gpu_h=fleet.price_per_gpu_h,
            widths=fleet.widths,
            rescale_s=fleet.rescale_s,
        ),
        fleet.rates,
        fleet.loads,
    )


def own_rental(
    like: RentalInstance, rates: Sequence[Fraction], loads: Sequence[Sequence[Fraction]]
) -> RentalInstance:
    """Return an instance with other rates and loads. Rounding never raises its loads.

    Types without jobs are left out.
    """
    types = [
        _own_type(one, rate, own)
        for one, rate, own in zip(like.types, rates, loads, strict=True)
        if rate
    ]
    return replace(like, types=tuple(types))


def _own_type(one: JobType, rate: Fraction, loads: Sequence[Fraction]) -> JobType:
    known = written(rate, UP)
    epochs = tuple(
        replace(epoch, work_h=written(load / Fraction(known), DOWN))
        for epoch, load in zip(one.epochs, loads, strict=True)
    )
    return replace(one, rate_per_h=known, epochs=epochs)


HOURS_OF_MONTH = Decimal(730)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rented:
    """The plan that a budget buys, its value, and its place on the curve."""

    instance: RentalInstance
    answer: Answer
    worth: PlanWorth
    point: CurvePoint
    """The budget on the trade-off curve."""
    facts: tuple[TypeFacts, ...]
    premises: tuple[Premise, ...]

    @property
    def spend_per_h(self) -> Fraction:
        """Money that is spent in an hour, on average."""
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
    given: RentalInstance | FleetInstance, instance: RentalInstance, limits: Limits = NO_LIMITS
) -> Rented:
    """Return the plan for an instance's budget. `given` is its source.

    Raises:
        RefusedError: If no plan is found.
    """
    answer = solve(instance, time_limit=limits.left_s())
    plan, verdict = answer.schedule, answer.verdict
    if plan is None or not isinstance(verdict, RentalVerdict) or verdict.mean_jct is None:
        if answer.outcome.termination is TerminationReason.INTERRUPTED:
            raise KeyboardInterrupt
        raise RefusedError(f"{instance.name}: no plan found: {answer.outcome.note}")
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


BATCH = 50_000
"""Budgets, times epochs of types, that are solved for together, without looking at the clock."""


class OpenBudget:
    """A rental instance whose budget is left open."""

    def __init__(self, instance: RentalInstance) -> None:
        """Store the streams of the instance."""
        self.least = least_use(instance)
        self._streams = streams_of(instance)
        self._price = float(instance.price_per_gpu_h)
        self._resizer: Resizer | None = None
        if stalls(instance):
            self._resizer = Resizer(self._streams, float(instance.rescale_s) / 3600)
            self.least = max(self.least, Fraction(self._resizer.least_gpus()))

    def at(self, budget: float, limits: Limits = NO_LIMITS) -> CurvePoint:
        """Return the minimum mean completion time for a budget, infinite if no plan is so cheap.

        After the time limit, it is the time of some plan.
        """
        streams = self._streams
        if self._resizer is not None:
            resized = self._resizer.best(budget, limits)
            found = (resized.mean_jct, resized.gain_h) if resized else (inf, 0.0)
            return self._point(budget, *found)
        priced = solve_budget(streams, budget)
        if priced is None:
            return self._point(budget, inf, 0.0)
        widths = tuple(priced.widths.tolist()) if len(streams.load) <= MOST_WIDTHS else ()
        return self._point(budget, priced.mean_jct, priced.gain_h, widths)

    def along(self, budgets: Floats, limits: Limits = NO_LIMITS) -> list[CurvePoint]:
        """Return the minimum mean completion times for budgets.

        Budgets that are too small, or have too little time left, are omitted.
        """
        if self._resizer is not None or len(self._streams.load) <= MOST_WIDTHS:
            points = []
            for budget in budgets.tolist():
                point = self.at(budget, limits)
                if limits.over():
                    break
                points.append(point)
        else:
            points = [
                point for batch in self._batches(budgets, limits) for point in self._curve(batch)
            ]
        return [one for one in points if np.isfinite(one.mean_jct_h)]

    def _batches(self, budgets: Floats, limits: Limits) -> Iterator[Floats]:
        """Yield all budgets or, with a limit, a few at a time while there is time."""
        few = max(1, BATCH // len(self._streams.load))
        if limits.time_s is None:
            few = len(budgets)
        for start in range(0, len(budgets), few):
            if limits.over():
                break
            yield budgets[start : start + few]

    def _curve(self, budgets: Floats) -> Iterator[CurvePoint]:
        found = curve(self._streams, budgets)
        saves = found.nu / self._streams.worth
        rows = zip(budgets.tolist(), found.mean_jct.tolist(), saves.tolist(), strict=True)
        return starmap(self._point, rows)

    def _point(
        self, budget: float, jct: float, saves: float, widths: tuple[float, ...] = ()
    ) -> CurvePoint:
        return CurvePoint(
            budget_gpus=budget,
            spend_per_h=budget * self._price,
            mean_jct_h=jct,
            saves_h=saves,
            widths=widths,
        )


TIMES, STEPS = 2.0, 20
"""Default range of the curve: its end as a multiple of the budget, and its number of steps.

It starts one step from the minimum budget, with which jobs may take very long."""

SMOOTH = 200
"""Minimum number of points of a figure, if they are fast."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRange:
    """Budgets at equal distances, by default from near the minimum to beyond the budget."""

    points: int = 20
    low: Decimal | None = None
    high: Decimal | None = None

    def budgets(self, instance: RentalInstance, least: float) -> NDArray[np.float64]:
        """Return the budgets.

        Raises:
            InputError: If there are no budgets.
        """
        high = TIMES * float(instance.budget_gpus) if self.high is None else float(self.high)
        above = (float(instance.budget_gpus) - least) / STEPS
        low = least + above if self.low is None else float(self.low)
        problems = []
        if self.points < 2:
            problems.append(
                Problem("--points", self.points, "an integer of at least 2", "give 20, for example")
            )
        if low < least * (1 - 1e-12):
            expected = f"at least {least:.6g} GPUs, the minimum of any plan"
            problems.append(Problem("--from", self.low, expected, "begin higher"))
        if high <= low:
            found = Words(f"{high:.6g}")
            problems.append(Problem("--to", found, f"above {low:.6g} GPUs", "go further"))
        raise_any(instance.name, problems)
        return np.linspace(max(low, least), high, self.points)


def classes_of(instance: RentalInstance) -> list[str]:
    """Return the names of the epochs of all types."""
    return [
        one.name if len(one.epochs) == 1 else f"{one.name}, epoch {e}"
        for one in instance.types
        for e in range(len(one.epochs))
    ]


def curve_points(
    instance: RentalInstance, wanted: BudgetRange, limits: Limits = NO_LIMITS
) -> list[CurvePoint]:
    """Return the minimum mean completion time for each budget, as far as time allows."""
    program = OpenBudget(instance)
    return program.along(wanted.budgets(instance, float(program.least)), limits)


def fine(instance: RentalInstance, wanted: BudgetRange) -> BudgetRange:
    """Return a range for a figure, with more points if they are fast."""
    if stalls(instance):
        return wanted
    return replace(wanted, points=max(SMOOTH, wanted.points))
