"""What a plan is worth in exact fractions, so that no rounding ever overspends."""

from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple

from ...instances import (
    Choice,
    FleetInstance,
    JobType,
    PowerLaw,
    RentalInstance,
    RentalPlan,
    SpeedTable,
    Speedup,
)
from ...instances.speedup import MOST_GPUS, speed_at

FULL, ROUGH = Context(prec=50), Context(prec=25)
"""Digits of the powers in what a plan is worth, and in a first look at it."""

NEAR = Fraction(1, 10**20)
"""Far more than the parts by which `ROUGH` powers are wrong."""

GRAIN = 2**200
"""Terms of the first look are rounded down to multiples of its inverse."""


class PlanWorth(NamedTuple):
    """What a plan gives and takes in the long run."""

    mean_jct: Fraction
    mean_gpus: Fraction


@lru_cache(maxsize=8)
def least_use(instance: RentalInstance | FleetInstance) -> Fraction:
    """Return the fewest GPUs that any plan pays for."""
    return total(
        load * cheapest(epoch.speedup, instance.widths == "whole")[0]
        for one, loads in zip(instance.types, instance.loads, strict=True)
        for epoch, load in zip(one.epochs, loads, strict=True)
    )


def total(terms: Iterable[Fraction]) -> Fraction:
    """Add up two by two: denominators grow with what is added, and most sums then stay short."""
    left = list(terms) or [Fraction(0)]
    while len(left) > 1:
        left = [sum(left[i : i + 2], Fraction(0)) for i in range(0, len(left), 2)]
    return left[0]


def cheapest(speedup: Speedup, whole: bool) -> tuple[Fraction, Decimal]:
    """Return the fewest GPU-hours for an hour of work, and the most GPUs that take no more.

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


def worth_of(instance: RentalInstance | FleetInstance, plan: RentalPlan) -> PlanWorth:
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


def keeps_to_budget(instance: RentalInstance | FleetInstance, plan: RentalPlan) -> bool:
    """Say whether a plan pays for no more GPUs than the budget has.

    Whole numbers nearly always tell; exact sums, whose denominators grow, are taken where not.
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
