"""The answer to a `coded` instance: into how many parts, and what each worker multiplies."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..nouns import AnySchedule
from ..reading.vocabulary import Count, Range

Point = Annotated[Decimal, Range(-(10**6), 10**6)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedPlan(AnySchedule):
    """A code: the parts of the matrix, and the combination of them that each worker has.

    Without ``points`` worker w (from 0) has part w modulo ``parts`` alone: with as many parts as
    workers nothing is coded, with fewer they are repeated. With points worker w has the sum of all
    parts, part i (from 0) times the i-th power of its point.
    """

    kind: Annotated[Literal["coded-schedule"], "what this file is"] = "coded-schedule"
    expected_s: Annotated[Decimal | None, "claimed expected time to the product"] = None
    parts: Annotated[Count, "parts of the matrix (k)"]
    points: Annotated[tuple[Point, ...], "one for each worker, all different; none: no sums"] = ()
