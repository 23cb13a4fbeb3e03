"""From a number of parts to the answer of a method."""

from ...instances import (
    CodedInstance,
    CodedPlan,
    Outcome,
    SolutionStatus,
    TerminationReason,
    digest,
)
from ...instances.coded.instance import Point


def planned(
    instance: CodedInstance, method: str, parts: int, points: tuple[Point, ...] = (), note: str = ""
) -> Outcome:
    """Return a plan as an outcome."""
    plan = CodedPlan(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        parts=parts,
        points=points,
    )
    return Outcome(
        schedule=plan, termination=TerminationReason.DONE, status=SolutionStatus.FEASIBLE, note=note
    )


def endless(what: str) -> Outcome:
    """Return the outcome of a method none of whose plans has a finite expected time."""
    note = f"{what} takes an infinite time on average, as the slowest of few workers do"
    return Outcome(
        schedule=None, termination=TerminationReason.DONE, status=SolutionStatus.NOTHING, note=note
    )


def too_many(parts: int | None, workers: int) -> str | None:
    """Say why there cannot be that many parts, or None if there can."""
    if parts is None or parts <= workers:
        return None
    return f"parts={parts} is more than there are workers, {workers}"
