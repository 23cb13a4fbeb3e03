"""Parts without any sums, each multiplied by several workers: the first of them counts."""

from dataclasses import dataclass
from typing import Annotated

from numpy import isinf

from ...instances import CodedInstance, Outcome
from ...instances.reading.vocabulary import Count
from ..request import Request
from .plan import endless, planned, too_many
from .repeated import times_by_copies


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How often parts are repeated."""

    parts: Annotated[
        Count | None, "parts of the matrix (k); null: the best number, to floating point"
    ] = None


def refuses(instance: CodedInstance, options: Options) -> str | None:
    """Say why parts cannot be repeated so, or None if they can."""
    return too_many(options.parts, instance.workers)


def run(instance: CodedInstance, request: Request[Options]) -> Outcome:
    """Return the plan; nothing is random."""
    times = times_by_copies(instance)
    parts = (
        request.options.parts
        if request.options is not None and request.options.parts
        else int(times.argmin()) + 1
    )
    if isinf(times[parts - 1]):
        return endless("what the same workers have")
    return planned(instance, "replication", parts)
