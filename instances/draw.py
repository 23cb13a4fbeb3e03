"""Drawing numbers for generators.

Only `random.Random.random` is used, whose stream Python promises to keep, so a family, a
seed and options name the same instance everywhere.
"""

from decimal import Decimal
from random import Random


def between(luck: Random, low: Decimal | int, high: Decimal | int) -> float:
    """Draw a number between two others."""
    return float(low) + (float(high) - float(low)) * luck.random()


def whole(luck: Random, low: int, high: int) -> int:
    """Draw a whole number from `low` to `high`."""
    return low + int((high - low + 1) * luck.random())


def exact(value: float, places: int) -> Decimal:
    """Round a number to so many decimals."""
    return Decimal(f"{value:.{places}f}").normalize() + 0
