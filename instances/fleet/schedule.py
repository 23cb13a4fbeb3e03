"""The answer to a `fleet` instance: what is leased, and how many GPUs each job has when."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Literal

from ..nouns import AnySchedule
from ..reading.vocabulary import Amount, Label, NonEmpty, Positive
from ..speedup import MostGpus


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """GPUs that are rented together and given back together."""

    gpus: Annotated[Positive, "how many"]
    start_s: Annotated[Amount, "from when they are paid for; a multiple of tick_s"]
    stop_s: Annotated[Positive, "when they are given back; a multiple of tick_s"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetRun:
    """A stretch of time in which a job holds the same number of GPUs."""

    start_s: Annotated[Amount, "when it starts; a multiple of tick_s"]
    stop_s: Annotated[Amount | None, "when it is stopped; null: it runs to its end"] = None
    gpus: Annotated[MostGpus, "GPUs it holds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetJobRuns:
    """Everything that one job does."""

    job: Annotated[Label, "name of the job"]
    runs: Annotated[tuple[FleetRun, ...], NonEmpty(), "when it runs, in order of time"]
    end_s: Annotated[Decimal | None, "claimed end; checked against the judge's"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetLog(AnySchedule):
    """What is leased and who runs when, with the completion time and the spend claimed for it."""

    kind: Annotated[Literal["fleet-schedule"], "what this file is"] = "fleet-schedule"
    mean_jct_h: Annotated[Decimal | None, "claimed mean completion time, weighted"] = None
    spend: Annotated[Decimal | None, "claimed cost of all leases"] = None
    leases: Annotated[tuple[Lease, ...], NonEmpty(), "what is rented"]
    jobs: Annotated[tuple[FleetJobRuns, ...], "one for each job"]
