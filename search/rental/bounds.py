"""Certified lower bounds on the mean completion time if GPUs are rented under a budget.

Let a GPU-hour cost nu >= 0 hours of a job of weight 1. On k GPUs, a unit of work then costs (w + nu
k) / s(k), and at least the minimum of that over k, for any mix of widths in a plan or a log. Hence
w T, summed over the jobs of an hour, is at least the least cost of their work, minus the budget's
payment: nu b. The bound is exact for every nu, and at the best one it is the optimum.

The least cost of a unit of work, in exact numbers, if time and GPUs both have a price. On k GPUs it
takes 1 / s(k) hours, each at a price of `weight` + `nu` k. No plan can do better than the least of
(weight + nu k) / s(k) over all k from 1 to a million.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import ceil, floor, isqrt

from ...instances import (
    NO_LIMITS,
    Bound,
    BoundKind,
    FleetInstance,
    Limits,
    PowerLaw,
    RentalInstance,
    SpeedTable,
    Speedup,
)
from ...instances.speedup import MOST_GPUS, speed_at
from ...policies.rental.dual import solve_budget
from ...policies.rental.dual import streams_of as classes_of

HALF = Fraction(1, 2 * 10**6)
"""The most that rounding to millionths adds to a speed, unless it lifts it to the least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeStream:
    """The work of one type of jobs in one epoch.

    `load` is the average number of GPUs that it keeps busy if every job has one, and `weight` the
    weight of an hour of a job. No job is faster than `speedup`.
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
    """Return the largest ratio of a fleet's rounded speed to its speed-up.

    A rounded speed is at most s + HALF, or the least one if that is more. The ratio to s is largest
    where s is least. By laws s is 1 or more.
    """
    least = Fraction(1)
    if isinstance(speedup, SpeedTable):
        least = Fraction(min(point.speed for point in speedup.points))
    return max(least + HALF, 2 * HALF) / least


NEVER_ENOUGH = 10**12
"""Price of a GPU-hour, in hours of the heaviest job, if no plan can be paid for."""

ROUND = 10**6
"""The best price can be a ratio of numbers up to this; then the optimum is met exactly."""

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
    least, why = least_cost(streams, Fraction(0), whole), "every job at its fastest"
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
    """Return the least weighted cost of the jobs of an hour, with its price and argument.

    Raises:
        TimeoutError: If the time is up.
    """
    budget, whole = Fraction(instance.budget_gpus), instance.widths == "whole"
    if limits.over():
        raise TimeoutError
    priced = solve_budget(classes_of(instance), float(budget))
    if priced is None:
        nu = Fraction(NEVER_ENOUGH) * max(stream.weight for stream in streams)
        argument = "no plan fits the budget, because even the smallest use of GPUs exceeds it"
    else:
        nu = Fraction(priced.nu)
        argument = f"no job costs less if a GPU-hour is priced at {priced.nu:.4g} job hours"
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
    """Return a tight lower bound on the cost of an hour's work at a price of GPUs.

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


UP = Context(prec=40, rounding=ROUND_CEILING)
ABOVE = UP.add(Decimal(1), Decimal("1e-35"))
"""Makes up for more than the error of a power in `UP`."""

MOST_ROOT = 100
"""Roots of higher degree are not tried for being whole."""

CLOSE = 1 + 1e-12
"""Far more than the error of a few operations in floating point on numbers above 0."""

Corner = tuple[Decimal | int, Decimal | Fraction]
"""GPUs, and the speed-up there."""


def least_price(speedup: Speedup, weight: Fraction, nu: Fraction, whole: bool) -> Fraction:
    """Return the least price of a unit of work, or slightly less if it is irrational."""
    if isinstance(speedup, SpeedTable):
        return _least_of(corners_of(speedup, whole), weight, nu)
    if isinstance(speedup, PowerLaw):
        exponent = Fraction(speedup.exponent)
        # The price falls up to this width and rises from there on.
        best = _ratio(exponent * weight, (1 - exponent) * nu)
        return min(
            (weight + nu * k) / power_above(k, speedup.exponent) for k in _beside(best, whole)
        )
    return _least_of_amdahl(Fraction(speedup.parallel), weight, nu, whole)


def _least_of_amdahl(parallel: Fraction, weight: Fraction, nu: Fraction, whole: bool) -> Fraction:
    serial = 1 - parallel
    # The price is convex in k, and least if k * k equals this.
    square = _ratio(parallel * weight, serial * nu)
    if not whole and 1 <= square <= MOST_GPUS**2:
        middle = root_below(weight * parallel * nu * serial)
        return weight * serial + nu * parallel + 2 * middle
    nearest = Fraction(isqrt(floor(min(square, Fraction(MOST_GPUS**2)))))
    widths = {max(nearest, Fraction(1)), min(nearest + 1, Fraction(MOST_GPUS))}
    return min((weight + nu * k) * (serial + parallel / k) for k in widths)


def _ratio(above: Fraction, below: Fraction) -> Fraction:
    """Return a ratio, or a huge number if it is unbounded."""
    return above / below if below else Fraction(MOST_GPUS**2 + 1)


def _beside(best: Fraction, whole: bool) -> Iterable[Fraction]:
    """Return the widths that can be the best if the price falls up to one and then rises."""
    nearest = min(max(best, Fraction(1)), Fraction(MOST_GPUS))
    return {Fraction(floor(nearest)), Fraction(ceil(nearest))} if whole else {nearest}


def power_above(base: Fraction, exponent: Decimal) -> Fraction:
    """Return a power of a number >= 1, or slightly more, exact if both are whole."""
    if base == 1 or exponent == 1:
        return base
    number = UP.divide(Decimal(base.numerator), Decimal(base.denominator))
    above = Fraction(UP.multiply(UP.power(number, exponent), ABOVE))
    times, root = exponent.as_integer_ratio()
    if base.denominator == 1 and root <= MOST_ROOT and round(above) ** root == base**times:
        return Fraction(round(above))
    return above


def root_below(square: Fraction) -> Fraction:
    """Return the square root of a number, or slightly less, exact if it is rational."""
    below = square.denominator << 128
    return Fraction(isqrt(square.numerator * square.denominator << 256), below)


def corners_of(table: SpeedTable, whole: bool) -> list[Corner]:
    """Return the widths of a table between which prices only rise or only fall.

    Between two points price and speed are linear, so their ratio is monotone. Behind the last
    point, the speed stays and the price rises.
    """
    if not whole:
        return [(point.gpus, point.speed) for point in table.points]
    beside = {near(point.gpus) for point in table.points for near in (floor, ceil)}
    known = {point.gpus: point.speed for point in table.points}
    return [(k, known.get(Decimal(k)) or speed_at(table, Decimal(k))) for k in sorted(beside)]


def _least_of(corners: Sequence[Corner], weight: Fraction, nu: Fraction) -> Fraction:
    # Floats select the corners that may be best; only these are computed exactly.
    time, gpu = float(weight), float(nu)
    rough = [(time + gpu * float(k)) / float(speed) for k, speed in corners]
    limit = min(rough) * CLOSE
    return min(
        (weight + nu * Fraction(k)) / Fraction(speed)
        for (k, speed), price in zip(corners, rough, strict=True)
        if price <= limit
    )
