"""2D-LAS: whoever has had the least GPU-time runs first.

The two dimensions are time and GPUs: attained service is GPUs times the time worked (Tiresias,
section 3). Ranks change with every tick of work, so the queue is served every `interval_s`.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from numpy.random import Generator

from ...instances import Limits, Outcome, TraceInstance
from ...instances.reading.vocabulary import Positive
from ...simulation.trace import JobView, Rank
from .options import ServiceOptions
from .rule import Rule
from .serve import serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """The quantum, and where jobs are put."""

    interval_s: Annotated[Positive, "the quantum: the queue is served at its multiples, too"] = (
        Decimal(60)
    )


class TwoDLas(Rule):
    """Ranks jobs by their attained service."""

    def rank(self, job: JobView) -> Rank:
        """Return the service so far; it grows by its GPUs in a tick."""
        return Rank(slope=job.gpus)


def run(
    instance: TraceInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the schedule; nothing is random."""
    del rng
    return serve(instance, limits, "2d-las", TwoDLas(), options or Options())
