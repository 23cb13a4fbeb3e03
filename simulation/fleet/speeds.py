"""How much work a job does in a tick, in millionths of a tick's work on one GPU."""

from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from ...instances import Amdahl, PowerLaw, Speedup
from ...instances.fleet import MOST_TICKS

UNITS = 10**6
"""Units of work that one GPU does in a tick."""

_EXACTLY = Context(prec=40)


@lru_cache(maxsize=1_000_000)
def rate(speedup: Speedup, milli: int) -> int:
    """Return the work done in a tick on so many thousandths of a GPU, at least 1.

    No epoch has more work than the most that is returned, which fits 64 bits.
    """
    found = round(UNITS * _speed(speedup, Fraction(milli, 1000)))
    return min(max(1, found), MOST_TICKS * UNITS)


def _speed(speedup: Speedup, gpus: Fraction) -> Fraction:
    if isinstance(speedup, PowerLaw):
        base = Decimal(gpus.numerator) / Decimal(gpus.denominator)
        return Fraction(_EXACTLY.power(base, speedup.exponent))
    if isinstance(speedup, Amdahl):
        shared = Fraction(speedup.parallel)
        return 1 / (1 - shared + shared / gpus)
    points = [(Fraction(point.gpus), Fraction(point.speed)) for point in speedup.points]
    for (low, slow), (high, fast) in pairwise(points):
        if gpus <= high:
            return slow + (fast - slow) * (gpus - low) / (high - low)
    return points[-1][1]
