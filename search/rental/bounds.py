"""Certified lower bounds on the mean completion time if GPUs are rented under a budget.

Let a GPU-hour cost nu >= 0 hours of a job of weight 1. On k GPUs, a unit of work then costs
(w + nu k) / s(k), and no less than the least of that over k, whatever widths a plan or a log mixes.
So w T, summed over the jobs of an hour, is at least the least cost of their work, less what the
budget pays for: nu b. The bound is exact for every nu, and at the best one it is the optimum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...instances import (
    NO_LIMITS,
    Bound,
    BoundKind,
    FleetInstance,
    Limits,
    RentalInstance,
    SpeedTable,
    Speedup,
)
from ...policies.rental.dual import solve_budget
from ...policies.rental.streams import streams_of as classes_of
from .least_price import least_price

HALF = Fraction(1, 2 * 10**6)
"""What rounding to millionths adds to a speed at most, unless it lifts it to the least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeStream:
    """The work of one type of jobs in one epoch.

    `load` is the GPUs that it keeps busy if every job has one, on average over time, and `weight`
    what an hour of a job counts for. No job is faster than `speedup` says.
    """

    load: Fraction
    weight: Fraction
    speedup: Speedup


def streams_of(instance: RentalInstance | FleetInstance) -> list[TypeStream]:
    """Return the streams of an instance.

    The speeds of a fleet are rounded, so they can be a little higher than its speed-ups. Its
    loads are made smaller by the largest factor there can be between the two.
    """
    rounded = isinstance(instance, FleetInstance)
    return [
        TypeStream(
            load=load / (rounding_of(epoch.speedup) if rounded else 1),
            weight=Fraction(one.weight),
            speedup=epoch.speedup,
        )
        for one, loads in zip(instance.types, instance.loads, strict=True)
        for epoch, load in zip(one.epochs, loads, strict=True)
    ]


def rounding_of(speedup: Speedup) -> Fraction:
    """Return how many times a speed of a fleet may be what its speed-up says.

    A rounded speed is at most s + HALF, or the least one if that is more. As a part of s, that
    is most where s is least; by laws s is 1 or more.
    """
    least = Fraction(1)
    if isinstance(speedup, SpeedTable):
        least = Fraction(min(point.speed for point in speedup.points))
    return max(least + HALF, 2 * HALF) / least


NEVER_ENOUGH = 10**12
"""Price of a GPU-hour, in hours of the heaviest job, if no plan can be paid for."""

ROUND = 10**6
"""The best price can be a ratio of numbers that are not larger; then the optimum is met exactly."""

FEW = 100
"""Of more streams the best price is never so simple."""

GRID = 2**400
"""Sums whose denominators are larger are rounded down to multiples of its inverse."""


def combinatorial_bounds(
    instance: RentalInstance | FleetInstance, limits: Limits = NO_LIMITS
) -> list[Bound]:
    """Return the bounds by the best price of GPUs and by jobs at full speed, best first."""
    streams, whole = streams_of(instance), instance.widths == "whole"
    weights = sum(
        rate * Fraction(one.weight)
        for one, rate in zip(instance.types, instance.rates, strict=True)
    )
    least, why = least_cost(streams, Fraction(0), whole), "every job as fast as it can ever be"
    kind, step = BoundKind.COMBINATORIAL, _step(Fraction(0))
    free = Bound.by(kind, "full speed", least / weights, why, step)
    try:
        paid, nu, argument = _at_best_price(instance, streams, limits)
    except TimeoutError:
        return [free]
    dual = Bound.by(BoundKind.DUAL, "price of GPUs", paid / weights, argument, _step(nu))
    return sorted([dual, free], key=lambda bound: bound.value, reverse=True)


def _at_best_price(
    instance: RentalInstance | FleetInstance, streams: Sequence[TypeStream], limits: Limits
) -> tuple[Fraction, Fraction, str]:
    """Return what the jobs of an hour take at least, by their weights, at which price, and why.

    Raises:
        TimeoutError: If the time is up.
    """
    budget, whole = Fraction(instance.budget_gpus), instance.widths == "whole"
    if limits.over():
        raise TimeoutError
    priced = solve_budget(classes_of(instance), float(budget))
    if priced is None:
        nu = Fraction(NEVER_ENOUGH) * max(stream.weight for stream in streams)
        argument = "no plan can be paid for: the least use of GPUs is above the budget"
    else:
        nu = Fraction(priced.nu)
        argument = f"no work done for less, if a GPU-hour costs {priced.nu:.4g} hours of a job"
    prices = {nu, nu.limit_denominator(ROUND)} if len(streams) <= FEW else {nu}
    costs = [
        (least_cost(streams, price, whole, limits) - price * budget, price) for price in prices
    ]
    return *max(costs), argument


def _step(nu: Fraction) -> dict[str, str]:
    return {"rule": "price of GPUs", "gpu_hour": str(nu)}


def least_cost(
    streams: Sequence[TypeStream], nu: Fraction, whole: bool, limits: Limits = NO_LIMITS
) -> Fraction:
    """Return what the work of an hour costs at least, at a price of GPUs; at most a bit less.

    Raises:
        TimeoutError: If the time is up.
    """
    total = Fraction(0)
    for stream in streams:
        if limits.over():
            raise TimeoutError
        total += stream.load * least_price(stream.speedup, stream.weight, nu, whole)
        if total.denominator > GRID:
            total = Fraction(total.numerator * GRID // total.denominator, GRID)
    return total
