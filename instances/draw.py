"""Random numbers for generators.

Only `random.Random.random` is used, whose stream Python guarantees. A family, a seed and options
therefore name the same instance everywhere.
"""

from collections.abc import Sequence
from decimal import Decimal
from random import Random


def between(rng: Random, low: Decimal | int, high: Decimal | int) -> float:
    """Draw a number between two others."""
    return float(low) + (float(high) - float(low)) * rng.random()


def whole(rng: Random, low: int, high: int) -> int:
    """Draw an integer from `low` to `high`."""
    return low + int((high - low + 1) * rng.random())


def exact(value: float, places: int) -> Decimal:
    """Round a number to the given decimals."""
    return Decimal(f"{value:.{places}f}").normalize() + 0


KINDS = ("v100", "p100", "k80")
"""Names of kinds of GPUs, the fastest first."""


def names_of_kinds(count: int) -> list[str]:
    """Return names of kinds of GPUs. Those after `KINDS` are numbered."""
    return [*KINDS, *(f"gpu{k}" for k in range(len(KINDS), count))][:count]


def in_shares(kinds: Sequence[tuple[int, int]], count: int) -> list[int]:
    """Return `count` items of the given kinds and weights, in order, by largest remainders."""
    weights = sum(weight for _, weight in kinds)
    shares = [(count * weight // weights, count * weight % weights) for _, weight in kinds]
    rest = count - sum(whole for whole, _ in shares)
    lucky = sorted(range(len(kinds)), key=lambda i: -shares[i][1])[:rest]
    return [
        kind
        for i, (kind, _) in enumerate(kinds)
        for _ in range(shares[i][0] + (1 if i in lucky else 0))
    ]
