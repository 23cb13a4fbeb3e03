"""Tiresias-G: the queues of Tiresias-L, by a Gittins index in all but the last (section 3.2).

In a queue that ends at a service of D, the index looks D ahead: the chance to end within it over
the mean service until then. It is computed anew after every quantum of work.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Positive
from ...simulation.trace import DISTRIBUTION, JobView, Rank, TraceSetting
from ..request import Request
from .indices import Ahead, Quantum
from .serve import serve
from .tiresias_l import Options as QueueOptions
from .tiresias_l import Queues


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(QueueOptions):
    """The queues, when a job goes back to the first, and the quantum."""

    interval_s: Annotated[Positive, "the quantum: the queue is served at its multiples, too"] = (
        Decimal(60)
    )


class IndexedQueues(Queues):
    """Ranks jobs by their queue, and there by their index."""

    information = DISTRIBUTION

    def begin(self, setting: TraceSetting) -> None:
        """Look at the law of GPU-time."""
        super().begin(setting)
        self._quantum = Quantum(setting)
        self._indices = [Ahead(setting.law, threshold) for threshold in self.thresholds]

    def within(self, job: JobView, level: int, before: int, wake: float) -> Rank:
        """Return the place by the index, until the quantum ends."""
        key = -self._indices[level].at(job.attained - before)
        until = min(before + self.thresholds[level], self._quantum.end(job))
        return Rank(level=level, key=key, until=until, wake=wake)


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(
        instance, request.limits, "tiresias-g", IndexedQueues(request.options), request.options
    )
