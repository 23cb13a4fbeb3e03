"""The answer to a `coded` instance: into how many parts, and what each worker multiplies."""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any, Literal

from ..reading.encode import as_decimal
from ..reading.vocabulary import Count, Label, Prose, Range

Point = Annotated[Decimal, Range(-(10**6), 10**6)]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedPlan:
    """A code: the parts of the matrix, and the combination of them that each worker has.

    Without ``points`` worker w (from 0) has part w modulo ``parts`` alone: with as many parts as
    workers nothing is coded, with fewer they are repeated. With points worker w has the sum of all
    parts, part i (from 0) times the i-th power of its point.
    """

    kind: Annotated[Literal["coded-schedule"], "what this file is"] = "coded-schedule"
    instance: Annotated[Label, "name of the instance"]
    digest: Annotated[Prose, "digest of the instance; empty if unknown"] = ""
    method: Annotated[Prose, "what made it"] = ""
    seed: Annotated[int | None, "seed of the random steps"] = None
    expected_s: Annotated[Decimal | None, "claimed expected time to the product"] = None
    parts: Annotated[Count, "parts of the matrix (k)"]
    points: Annotated[tuple[Point, ...], "one for each worker, all different; none: no sums"] = ()


def with_expectation(plan: CodedPlan, verdict: Any) -> CodedPlan:
    """Write the judge's expected time into a `coded` plan."""
    return replace(plan, expected_s=as_decimal(verdict.expected))
