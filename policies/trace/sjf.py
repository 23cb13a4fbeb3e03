"""SJF: the shortest job first, for schedulers that know how long jobs take.

What is short is a choice: the time at full speed, the number of GPUs (the "smallest first" of
Tiresias), or their product.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...simulation.trace import FULL, KnownJobView, Rank, Ranker
from ..request import Request
from .serve import ServiceOptions, serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """What counts as short, and whether it may interrupt."""

    size: Annotated[Literal["time", "gpus", "gpu-time"], "what is least of the first"] = "time"
    stops: Annotated[Literal["no", "yes"], "whether a job is stopped for a shorter one"] = "no"


class Sjf(Ranker):
    """Ranks jobs by what they ask for when they arrive."""

    information = FULL

    def __init__(self, options: Options) -> None:
        """Choose what is short."""
        self.preempts = options.stops == "yes"
        self._time, self._gpus = options.size != "gpus", options.size != "time"

    def rank(self, job: KnownJobView) -> Rank:
        """Return the size."""
        return Rank(key=(job.duration if self._time else 1) * (job.gpus if self._gpus else 1))


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "sjf", Sjf(request.options), request.options)
