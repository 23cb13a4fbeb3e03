"""An MDS code: all workers have different combinations of the parts, and any k of them suffice.

With the best k no code is better: every code has to wait for as many workers as it has parts.
Source: Lee, Lam, Pedarsani, Papailiopoulos and Ramchandran 2018.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from math import cos, pi
from typing import Annotated, Literal

from ...instances import CodedInstance, Outcome, TerminationReason
from ...instances.reading.vocabulary import Count
from ..request import Request
from .best import best_parts
from .order import mean_of
from .plan import endless, planned, too_many

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The code."""

    parts: Annotated[Count | None, "parts of the matrix (k); null: the best number"] = None
    points: Annotated[PointKind, "of the Vandermonde matrix"] = "chebyshev"


def refuses(instance: CodedInstance, options: Options) -> str | None:
    """Say why there is no such code, or None if there is."""
    return too_many(options.parts, instance.workers)


def run(instance: CodedInstance, request: Request[Options]) -> Outcome:
    """Return the code; nothing is random."""
    given, n, termination = request.options, instance.workers, TerminationReason.DONE
    if given.parts is None:
        best = best_parts(instance, request.limits)
        if best is None:
            return endless("every code")
        parts, termination = (
            best.parts,
            TerminationReason.TIME_LIMIT if best.value is None else TerminationReason.DONE,
        )
    else:
        parts = given.parts
        if mean_of(instance.time, n, parts) is None:
            return endless(f"a code of {parts} parts")
    # Whole matrices, or parts that are all needed, are not worth adding.
    points = points_of(given.points, n) if 1 < parts < n else ()
    return replace(planned(instance, "mds", parts, points), termination=termination)
