"""Points of a Vandermonde code: one for each worker, all different."""

from decimal import Decimal
from math import cos, pi
from typing import Literal

PointKind = Literal["chebyshev", "equispaced", "integers"]


def points_of(kind: PointKind, workers: int) -> tuple[Decimal, ...]:
    """Return the points: Chebyshev's or evenly spread, between -1 and 1, or 1, 2, 3, ..."""
    if kind == "integers":
        return tuple(Decimal(w + 1) for w in range(workers))
    if kind == "equispaced":
        values = [(2 * w + 1 - workers) / workers for w in range(workers)]
    else:
        values = [-cos(pi * (2 * w + 1) / (2 * workers)) for w in range(workers)]
    return tuple(Decimal(f"{value:.15f}").normalize() + 0 for value in values)
