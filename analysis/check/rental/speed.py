"""How fast a job is on some number of GPUs, as a fraction."""

from decimal import Context, Decimal
from fractions import Fraction

from ....instances.speedup import MOST_GPUS, Amdahl, PowerLaw, SpeedTable, Speedup

DIGITS = Context(prec=50)
"""Powers are irrational; they are computed to this many digits."""


def speed_of(speedup: Speedup, gpus: Decimal) -> Fraction:
    """Return the speed-up on some GPUs; fewer than 1 count as 1."""
    held = max(gpus, Decimal(1))
    if isinstance(speedup, PowerLaw):
        return Fraction(DIGITS.power(held, speedup.exponent))
    if isinstance(speedup, Amdahl):
        parallel = Fraction(speedup.parallel)
        return 1 / (1 - parallel + parallel / Fraction(held))
    return _between(speedup, held)


def _between(table: SpeedTable, gpus: Decimal) -> Fraction:
    last = table.points[0]
    for point in table.points:
        if point.gpus > gpus:
            wide = Fraction(point.gpus) - Fraction(last.gpus)
            along = (Fraction(gpus) - Fraction(last.gpus)) / wide
            return Fraction(last.speed) + along * (Fraction(point.speed) - Fraction(last.speed))
        last = point
    return Fraction(last.speed)


def misfit(gpus: Decimal, grain: Decimal | None) -> Fraction:
    """Return how far a number of GPUs is from one that a job may hold; 0 if it may hold it.

    It may hold multiples of `grain`, from 1 to a million; anything between if there is none.
    """
    if not 1 <= gpus <= MOST_GPUS:
        return 1 - Fraction(gpus) if gpus < 1 else Fraction(gpus) - MOST_GPUS
    if grain is None:
        return Fraction(0)
    above, below = gpus.as_integer_ratio()
    grains, parts = grain.as_integer_ratio()
    over = Fraction(above * parts % (grains * below), below * parts)
    return min(over, Fraction(grain) - over)
