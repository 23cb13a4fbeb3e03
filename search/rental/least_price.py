"""What a unit of work costs at least, in exact numbers, if time and GPUs both have a price.

On k GPUs it takes 1 / s(k) hours, each at a price of `weight` + `nu` k. No plan can do better than
the least of (weight + nu k) / s(k) over all k from 1 to a million.
"""

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import ceil, floor, isqrt

from ...instances import PowerLaw, SpeedTable, Speedup
from ...instances.speedup import MOST_GPUS, speed_at

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
    """Return the least price of a unit of work; where it is irrational, a little less."""
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
    # The price is convex in k, and least where k * k is this.
    square = _ratio(parallel * weight, serial * nu)
    if not whole and 1 <= square <= MOST_GPUS**2:
        middle = root_below(weight * parallel * nu * serial)
        return weight * serial + nu * parallel + 2 * middle
    nearest = Fraction(isqrt(floor(min(square, Fraction(MOST_GPUS**2)))))
    widths = {max(nearest, Fraction(1)), min(nearest + 1, Fraction(MOST_GPUS))}
    return min((weight + nu * k) * (serial + parallel / k) for k in widths)


def _ratio(above: Fraction, below: Fraction) -> Fraction:
    """Return a ratio; if it has no bound, more than any that is of use."""
    return above / below if below else Fraction(MOST_GPUS**2 + 1)


def _beside(best: Fraction, whole: bool) -> Iterable[Fraction]:
    """Return the widths that can be the best if the price falls up to one and then rises."""
    nearest = min(max(best, Fraction(1)), Fraction(MOST_GPUS))
    return {Fraction(floor(nearest)), Fraction(ceil(nearest))} if whole else {nearest}


def power_above(base: Fraction, exponent: Decimal) -> Fraction:
    """Return a power of a number from 1 on, or a little more; exact if both are whole."""
    if base == 1 or exponent == 1:
        return base
    number = UP.divide(Decimal(base.numerator), Decimal(base.denominator))
    above = Fraction(UP.multiply(UP.power(number, exponent), ABOVE))
    times, root = exponent.as_integer_ratio()
    if base.denominator == 1 and root <= MOST_ROOT and round(above) ** root == base**times:
        return Fraction(round(above))
    return above


def root_below(square: Fraction) -> Fraction:
    """Return the square root of a number, or a little less; exact if it is rational."""
    below = square.denominator << 128
    return Fraction(isqrt(square.numerator * square.denominator << 256), below)


def corners_of(table: SpeedTable, whole: bool) -> list[Corner]:
    """Return the widths of a table between which prices only rise or only fall.

    Between two points price and speed are linear, so their ratio rises all the way or falls all
    the way. Behind the last point, the speed stays and the price rises.
    """
    if not whole:
        return [(point.gpus, point.speed) for point in table.points]
    beside = {near(point.gpus) for point in table.points for near in (floor, ceil)}
    known = {point.gpus: point.speed for point in table.points}
    return [(k, known.get(Decimal(k)) or speed_at(table, Decimal(k))) for k in sorted(beside)]


def _least_of(corners: Sequence[Corner], weight: Fraction, nu: Fraction) -> Fraction:
    # Floats say which corners may be the best; only those are looked at in full.
    time, gpu = float(weight), float(nu)
    rough = [(time + gpu * float(k)) / float(speed) for k, speed in corners]
    limit = min(rough) * CLOSE
    return min(
        (weight + nu * Fraction(k)) / Fraction(speed)
        for (k, speed), price in zip(corners, rough, strict=True)
        if price <= limit
    )
