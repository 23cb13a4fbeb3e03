"""The answer to a `trace` instance: when each job runs, and on which GPUs."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..nouns import AnySchedule
from ..reading.vocabulary import Amount, Label, NonEmpty, Pieces


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRun:
    """A stretch of time in which a job holds the same GPUs."""

    start_s: Annotated[Amount, "when it starts; a multiple of tick_s"]
    stop_s: Annotated[Amount | None, "when it is stopped; null: it runs to its end"] = None
    gpus: Annotated[Pieces, "GPUs on each server it uses"]
    share: Annotated[Literal["whole", "half"], "what each of its workers takes of a GPU"] = "whole"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRuns:
    """Everything that one job does."""

    job: Annotated[Label, "name of the job"]
    runs: Annotated[tuple[TraceRun, ...], NonEmpty(), "when it runs, in order of time"]
    end_s: Annotated[Decimal | None, "claimed end; checked against the judge's"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSchedule(AnySchedule):
    """The runs of an instance's jobs, with the mean completion time claimed for them."""

    kind: Annotated[Literal["trace-schedule"], "what this file is"] = "trace-schedule"
    mean_jct_s: Annotated[Decimal | None, "claimed mean of ends less arrivals"] = None
    jobs: Annotated[tuple[JobRuns, ...], "one for each job"]
