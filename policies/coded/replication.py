"""Parts without any sums, each multiplied by several workers: the first of them counts."""

from dataclasses import dataclass
from typing import Annotated

from numpy import isinf
from numpy.random import Generator

from ...instances import CodedInstance, Limits, Outcome
from ...instances.reading.vocabulary import Count
from .plan import endless, planned, too_many
from .repeated import times_by_copies


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How often parts are repeated."""

    parts: Annotated[
        Count | None, "parts of the matrix (k); null: the best number, to floating point"
    ] = None


def refuses(instance: CodedInstance, options: Options | None = None) -> str | None:
    """Say why parts cannot be repeated so, or None if they can."""
    return too_many(options.parts if options else None, instance.workers)


def run(
    instance: CodedInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the plan; nothing is random."""
    del limits, rng
    times = times_by_copies(instance)
    parts = options.parts if options is not None and options.parts else int(times.argmin()) + 1
    if isinf(times[parts - 1]):
        return endless("what the same workers have")
    return planned(instance, "replication", parts)
