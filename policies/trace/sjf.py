"""SJF: the shortest job first, for schedulers that know how long jobs take.

What is short is a choice: the time at full speed, the number of GPUs (the "smallest first" of
Tiresias), or their product.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from numpy.random import Generator

from ...instances import Limits, Outcome, TraceInstance
from ...simulation.trace import FULL, KnownJobView, Rank
from .options import ServiceOptions
from .rule import Rule
from .serve import serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ServiceOptions):
    """What counts as short, and whether it may interrupt."""

    size: Annotated[Literal["time", "gpus", "gpu-time"], "what is least of the first"] = "time"
    stops: Annotated[Literal["no", "yes"], "whether a job is stopped for a shorter one"] = "no"


class Sjf(Rule):
    """Ranks jobs by what they ask for when they arrive."""

    information = FULL

    def __init__(self, options: Options) -> None:
        """Choose what is short."""
        self.preempts = options.stops == "yes"
        self._time, self._gpus = options.size != "gpus", options.size != "time"

    def rank(self, job: KnownJobView) -> Rank:
        """Return the size."""
        return Rank(key=(job.duration if self._time else 1) * (job.gpus if self._gpus else 1))


def run(
    instance: TraceInstance, limits: Limits, rng: Generator, options: Options | None = None
) -> Outcome:
    """Return the schedule; nothing is random."""
    del rng
    options = options or Options()
    return serve(instance, limits, "sjf", Sjf(options), options)
