"""What a plan is worth in exact fractions, so that no rounding ever overspends."""

from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from ...instances import (
    Choice,
    FleetInstance,
    JobType,
    RentalInstance,
    RentalPlan,
    SpeedTable,
    Speedup,
)
from ...instances.speedup import speed_at


class Worth(NamedTuple):
    """What a plan gives and takes in the long run."""

    mean_jct: Fraction
    mean_gpus: Fraction


def least_use(instance: RentalInstance | FleetInstance) -> Fraction:
    """Return the fewest GPUs that any plan pays for."""
    return sum(
        (
            load * _least(epoch.speedup, instance.widths == "whole")
            for one, loads in zip(instance.types, instance.loads, strict=True)
            for epoch, load in zip(one.epochs, loads, strict=True)
        ),
        Fraction(0),
    )


def _least(speedup: Speedup, whole: bool) -> Fraction:
    """Return the fewest GPU-hours for an hour of work: k / s(k) is least at a point of a table."""
    if not isinstance(speedup, SpeedTable):
        return Fraction(1)
    widths = {point.gpus for point in speedup.points}
    if whole:
        widths = {Decimal(near(gpus)) for gpus in widths for near in (floor, ceil)}
    return min(Fraction(gpus) / speed_at(speedup, gpus) for gpus in widths)


def worth_of(instance: RentalInstance | FleetInstance, plan: RentalPlan) -> Worth:
    """Return the mean completion time in hours and the mean number of GPUs paid for."""
    stall = Fraction(instance.rescale_s) / 3600
    hours = gpus = Fraction(0)
    rates, loads = instance.rates, instance.loads
    for i, (one, planned) in enumerate(zip(instance.types, plan.types, strict=True)):
        for choice in planned.choices:
            time, held = _use(one, loads[i], rates[i] * stall, choice)
            hours += Fraction(one.weight) * Fraction(choice.share) * time
            gpus += Fraction(choice.share) * held
    worth = sum(
        Fraction(one.weight) * rate for one, rate in zip(instance.types, rates, strict=True)
    )
    return Worth(hours / worth, gpus)


def _use(
    one: JobType, loads: tuple[Fraction, ...], stall: Fraction, choice: Choice
) -> tuple[Fraction, Fraction]:
    """Return hours and GPU-hours, per hour, of a type whose jobs all get a choice."""
    time = held = Fraction(0)
    before = choice.stretches[0].gpus
    for stretch in choice.stretches:
        speed = speed_at(one.epochs[stretch.epoch].speedup, stretch.gpus)
        took = Fraction(stretch.part) * loads[stretch.epoch] / speed
        if stretch.gpus != before:
            took += stall
        before = stretch.gpus
        time += took
        held += took * Fraction(stretch.gpus)
    return time, held
