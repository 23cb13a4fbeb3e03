"""2D-LAS: the job with the least GPU-time so far runs first.

The two dimensions are time and GPUs: attained service is GPUs times the time worked (Tiresias,
section 3). Ranks change with every tick of work, so the queue is served every `interval_s`.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Positive
from ...simulation.trace import JobView, Rank, Ranker
from ..request import Request
from .serve import ServiceOptions, serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """The quantum, and where jobs are put."""

    interval_s: Annotated[Positive, "the quantum: the queue is served at its multiples, too"] = (
        Decimal(60)
    )


class TwoDLas(Ranker):
    """Ranks jobs by their attained service."""

    def rank(self, job: JobView) -> Rank:
        """Return the service so far; it grows by its GPUs in a tick."""
        return Rank(slope=job.gpus)


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "2d-las", TwoDLas(), request.options)
