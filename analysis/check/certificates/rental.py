"""Rules of `rental` and `fleet`: the minimum cost of an hour's work at a price of GPUs."""

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import ceil, floor, isqrt

from ....instances.fleet import FleetInstance
from ....instances.rental import RentalInstance
from ....instances.speedup import MOST_GPUS, Amdahl, SpeedTable, Speedup
from .kernel import NONE
from .reading import ProofStep

UP = Context(prec=60, rounding=ROUND_CEILING)
MARGIN = Fraction(10**55 + 1, 10**55)
"""More than the error of a power in `UP`."""

MOST_DEGREE = 1_000
"""Powers that are roots of higher degree are not tried for being whole."""

WIDTHS = Fraction(MOST_GPUS**2)


def price(instance: RentalInstance | FleetInstance, step: ProofStep) -> Fraction:
    """Return the minimum weighted mean of hours if a GPU-hour costs `gpu_hour` of a job's hours."""
    nu, whole = step.number("gpu_hour"), instance.widths == "whole"
    costs, weights = [-nu * Fraction(instance.budget_gpus)], NONE
    for one, rate, loads in zip(instance.types, instance.rates, instance.loads, strict=True):
        weight = Fraction(one.weight)
        weights += rate * weight
        for epoch, load in zip(one.epochs, loads, strict=True):
            if isinstance(instance, FleetInstance):
                load /= _rounded_up(epoch.speedup)
            costs.append(load * least(epoch.speedup, weight, nu, whole))
    while len(costs) > 1:  # By halves, as common denominators grow long.
        costs = [sum(costs[k : k + 2], NONE) for k in range(0, len(costs), 2)]
    return costs[0] / weights


def least(speedup: Speedup, weight: Fraction, nu: Fraction, whole: bool) -> Fraction:
    """Return a number that (weight + nu k) / s(k) is not below, for any width k."""
    if isinstance(speedup, SpeedTable):
        # A ratio of linear functions between points has no least inside.
        points = [(Fraction(point.gpus), Fraction(point.speed)) for point in speedup.points]
        widths = {k for k, _ in points}
        if whole:
            widths = {Fraction(near(k)) for k in widths for near in (floor, ceil)}
        return min((weight + nu * k) / _between(points, k) for k in widths)
    if isinstance(speedup, Amdahl):
        # (weight + nu k) (1 - p + p / k) is convex, with its least where k k is `square`.
        p = Fraction(speedup.parallel)
        above, below = p * weight, (1 - p) * nu
        square = above / below if above < below * WIDTHS else WIDTHS
        if not whole and 1 < square < WIDTHS:
            product = above * below
            root = isqrt((product.numerator * product.denominator) << 600)
            return weight * (1 - p) + nu * p + 2 * Fraction(root, product.denominator << 300)
        low = max(1, isqrt(floor(square)))
        return min((weight + nu * k) * (1 - p + p / k) for k in {low, min(low + 1, MOST_GPUS)})
    # The derivative of (weight + nu k) k^-q changes its sign once, at the best width.
    q = Fraction(speedup.exponent)
    above, below = q * weight, (1 - q) * nu
    best = max(Fraction(1), above / below) if above < below * MOST_GPUS else Fraction(MOST_GPUS)
    widths = {Fraction(floor(best)), Fraction(ceil(best))} if whole else {best}
    return min((weight + nu * k) / _power(k, speedup.exponent) for k in widths)


def _between(points: list[tuple[Fraction, Fraction]], width: Fraction) -> Fraction:
    """Return the speed at a width, on the straight line between two points."""
    before = points[0]
    for point in points:
        if point[0] >= width:
            rise, run = point[1] - before[1], point[0] - before[0]
            return before[1] + rise * (width - before[0]) / run if run else point[1]
        before = point
    return before[1]


def _power(base: Fraction, exponent: Decimal) -> Fraction:
    """Return an upper bound on a power of a number of at least 1, exact if both are integers."""
    if base == 1 or exponent == 1:
        return base
    number = UP.divide(Decimal(base.numerator), Decimal(base.denominator))
    above = Fraction(UP.power(number, exponent)) * MARGIN
    times, degree = exponent.as_integer_ratio()
    nearest = round(above)
    if base.denominator == 1 and degree <= MOST_DEGREE and nearest**degree == base**times:
        return Fraction(nearest)
    return above


def _rounded_up(speedup: Speedup) -> Fraction:
    """Return the largest ratio of a speed to its exact value, in millionths, at least one."""
    points = speedup.points if isinstance(speedup, SpeedTable) else ()
    slowest = min((Fraction(point.speed) for point in points), default=Fraction(1))
    millionth = Fraction(1, 10**6)
    return max(slowest + millionth / 2, millionth) / slowest


RULES = {"price of GPUs": price}
