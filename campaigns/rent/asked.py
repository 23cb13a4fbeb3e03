"""Which rental problem a question about renting is, and the least budget for a mean JCT."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_UP, Context, Decimal
from fractions import Fraction
from typing import TypeVar

from ...instances import NO_LIMITS, FleetInstance, JobType, Limits, RefusedError, RentalInstance
from ...instances.catalogue import load
from ...instances.errors import InputError, Problem, Words
from ...policies.rental.plan import least_use
from .curve import OpenBudget

Given = TypeVar("Given", bound=RentalInstance | FleetInstance)

DOWN, UP = Context(prec=25, rounding=ROUND_DOWN), Context(prec=25, rounding=ROUND_UP)

SHORT = Context(prec=9, rounding=ROUND_UP)
"""The number of digits of budgets that are reported."""

FINE = 1e-9
"""Part of a budget to which it is searched for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRequest:
    """What is asked of an instance: one of three budgets at most, and whether GPUs are whole."""

    gpus: Decimal | None = None
    """On average over time."""
    per_hour: Decimal | None = None
    """What may be spent in an hour, on average."""
    target_h: Decimal | None = None
    """The least budget with which the mean completion time is at most this."""
    whole: bool = False
    rescale_s: Decimal | None = None


def streamed(name: str) -> RentalInstance | FleetInstance:
    """Return an instance that has streams of jobs, by its name or from a file."""
    found = load(name)
    if isinstance(found, RentalInstance | FleetInstance):
        return found
    expected, advice = "'rental' or 'fleet'", "GPUs are rented in these families; name another one"
    raise InputError(name, [Problem("kind", found.kind, expected, advice)])


def asked(
    given: RentalInstance | FleetInstance, wish: BudgetRequest, limits: Limits = NO_LIMITS
) -> RentalInstance:
    """Return the rental instance with the budget and the widths that are asked for.

    Raises:
        InputError: If no plan is cheap enough, or none as fast as is asked for.
        RefusedError: If the time is too short to tell.
    """
    instance = given if isinstance(given, RentalInstance) else rental_of(given)
    if wish.whole:
        instance = replace(instance, widths="whole")
    if wish.rescale_s is not None:
        instance = replace(instance, rescale_s=wish.rescale_s)
    least, option, budget = least_use(instance), "budget_gpus", instance.budget_gpus
    if wish.target_h is not None:
        return replace(instance, budget_gpus=least_budget(instance, wish.target_h, limits))
    if wish.gpus is not None:
        option, budget = "--budget", wish.gpus
    elif wish.per_hour is not None:
        option, budget = "--dollars-per-hour", DOWN.divide(wish.per_hour, instance.price_per_gpu_h)
    if budget < least:
        problem = _too_small(instance, option, wish, least)
        raise InputError(instance.name, [problem])
    # The same instance, which is known to be sound, if it is.
    return instance if budget == instance.budget_gpus else replace(instance, budget_gpus=budget)


def _too_small(
    instance: RentalInstance, option: str, wish: BudgetRequest, least: Fraction
) -> Problem:
    """Say which budget would be enough, in the unit in which it was given."""
    advice = "pay for more; that much keeps each job on the fewest GPU-hours"
    if option == "--dollars-per-hour":
        price = least * Fraction(instance.price_per_gpu_h)
        found, expected = wish.per_hour, f"at least {above(price):f}, for {above(least):f} GPUs"
    else:
        found = instance.budget_gpus if wish.gpus is None else wish.gpus
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
    """Return the least budget with which the mean completion time is at most a target.

    Once the time is up, a budget that is known to be enough is returned, if there is one.

    Raises:
        InputError: If the jobs take longer however many GPUs they have.
        RefusedError: If the time is up before any budget is found.
    """
    program, target = OpenBudget(instance), float(target_h)
    low = float(above(program.least))
    if (before := program.at(low, limits).mean_jct_h) <= target:
        return above(program.least)
    high = 2 * low
    while (now := program.at(high, limits).mean_jct_h) > target:
        if limits.over():
            raise RefusedError(
                f"{instance.name}: the time is up before a budget is found for {target_h} hours; "
                "give a longer --time-limit"
            )
        if now >= before:
            found = Words(f"{target_h} hours")
            expected = f"more than {now:.6g} hours; more GPUs do not help the jobs"
            problem = Problem("--target-jct", found, expected, "ask for a longer time")
            raise InputError(instance.name, [problem])
        high, before = 2 * high, now
    while high - low > FINE * high and not limits.over():
        middle = (low + high) / 2
        enough = program.at(middle, limits).mean_jct_h <= target
        low, high = (low, middle) if enough else (middle, high)
    return above(Fraction(high))


def as_asked(given: Given, instance: RentalInstance) -> Given:
    """Return what was given with the budget, widths and stalls that are asked for."""
    return replace(
        given,
        budget_gpus=instance.budget_gpus,
        widths=instance.widths,
        rescale_s=instance.rescale_s,
    )


def rental_of(fleet: FleetInstance) -> RentalInstance:
    """Return the streams whose rates and loads are those of a fleet's own jobs, to 25 digits."""
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
    """Return an instance with other rates and loads; rounding lowers its loads, if anything.

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
