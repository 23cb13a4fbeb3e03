"""2D-Gittins: the job most likely to end for the GPU-time it takes runs first (Tiresias).

The law of GPU-time is known, not what a job takes. The index of a job is computed anew after every
quantum of its work.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Positive
from ...simulation.trace import DISTRIBUTION, JobView, Rank, Ranker, TraceSetting
from ..request import Request
from .indices import Figure20, Gittins, GittinsIndex, Quantum, ReleasedIndex
from .serve import serve
from .two_d_las import Options as QuantumOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(QuantumOptions):
    """The index, the quantum, and where jobs are put."""

    index: Annotated[
        Literal["gittins", "figure20", "simulator"],
        "by its definition, as the slides have it, or as the public simulator does",
    ] = "gittins"
    ahead_s: Annotated[Positive, "GPU-seconds that the index `simulator` looks ahead"] = Decimal(
        3250
    )


class TwoDGittins(Ranker):
    """Ranks jobs by their index."""

    information = DISTRIBUTION

    def __init__(self, options: Options) -> None:
        """Choose the index."""
        self._options = options

    def begin(self, setting: TraceSetting) -> None:
        """Look at the law of GPU-time."""
        self._quantum = Quantum(setting)
        self._index = self._of(setting)

    def _of(self, setting: TraceSetting) -> GittinsIndex:
        if self._options.index == "gittins":
            return Gittins(setting.law)
        if self._options.index == "figure20":
            return Figure20(setting.law)
        return ReleasedIndex(setting.law, float(self._options.ahead_s) / setting.tick_s)

    def rank(self, job: JobView) -> Rank:
        """Return the index, the highest first, until the quantum ends."""
        return Rank(key=-self._index.at(job.attained), until=self._quantum.end(job))


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(
        instance, request.limits, "2d-gittins", TwoDGittins(request.options), request.options
    )
