"""The `fleet` family: jobs that arrive over time, and GPUs rented for them (BOA, simulated).

Time advances in ticks of ``tick_s`` seconds, from 0. Jobs arrive, start, stop and end at ticks, and
GPUs are added and removed at ticks. Work is in millionths of a tick's work on one GPU, and widths
are in thousandths of a GPU. Only speeds are rounded, and only once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from ..building import Number, Rows, built, rows_of
from ..errors import Problem
from ..reading.vocabulary import (
    Amount,
    AnySchedule,
    Count,
    Instance,
    Label,
    NonEmpty,
    Positive,
    repeats,
    tick_problems,
)
from ..rental import JobType, Widths, stream, type_problems
from ..speedup import MostGpus

MOST_TICKS = 10**12
"""Most work of a job, and latest arrival, in ticks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetJob:
    """A job of some type."""

    name: Annotated[Label, "unique name"]
    type: Annotated[Label, "name of its type"]
    arrival_s: Annotated[Amount, "arrival, a multiple of tick_s"] = Decimal(0)
    work_s: Annotated[
        tuple[Positive, ...],
        NonEmpty(),
        "time of each epoch on one GPU, in multiples of tick_s",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetInstance(Instance):
    """Jobs that arrive over time, and a budget. The objective is the mean completion time.

    A job on k GPUs does s(k) ticks of work in a tick, rounded to millionths. If an epoch ends
    within a tick, the rest of the tick is lost. Every run of a job but its first begins with
    ``rescale_s`` without work, in which the job holds its GPUs. A lease is billed from its start,
    and its GPUs are ready ``provision_s`` later. All leases together may cost at most the price of
    ``budget_gpus`` GPUs over ``span_s``.

    * Every job has a known type, and one entry in `work_s` for each epoch of the type.
    * Times that are multiples of `tick_s` have at most 1e12 ticks, and the GPUs of a run are
      multiples of 0.001.
    """

    kind: Annotated[Literal["fleet"], "the problem family"] = "fleet"
    types: Annotated[
        tuple[JobType, ...], NonEmpty(), "types of jobs, with their expected rates and work"
    ]
    jobs: Annotated[tuple[FleetJob, ...], NonEmpty(), "jobs that arrive"]
    span_s: Annotated[Positive, "time covered by the budget"]
    budget_gpus: Annotated[Positive, "GPUs that may be paid for, on average over the span (b)"]
    price_per_gpu_h: Annotated[Positive, "price of a GPU for one hour"] = Decimal(1)
    widths: Annotated[
        Widths, "any: a job may hold multiples of 0.001 GPU from 1 on, whole: whole numbers only"
    ] = "any"
    rescale_s: Annotated[
        Amount, "pause of a job when its number of GPUs changes, a multiple of tick_s"
    ] = Decimal(0)
    provision_s: Annotated[
        Amount, "time from the start of a lease until its GPUs are ready, a multiple of tick_s"
    ] = Decimal(0)
    node_gpus: Annotated[
        Count | None,
        ("GPUs of a node, leased as a whole, or null if leases are multiples of 0.001 GPU"),
    ] = None
    billing_s: Annotated[
        Positive | None,
        "leases are billed in multiples of this time, itself a multiple of tick_s, or null for "
        "tick_s",
    ] = None
    tick_s: Annotated[Positive, "length of a tick"] = Decimal(1)

    @property
    def rates(self) -> tuple[Fraction, ...]:
        """Arrivals per hour of the span by type, from the jobs, not from the expected rates."""
        counts = dict.fromkeys((one.name for one in self.types), 0)
        for job in self.jobs:
            counts[job.type] += 1
        hours = Fraction(self.span_s) / 3600
        return tuple(count / hours for count in counts.values())

    @property
    def loads(self) -> tuple[tuple[Fraction, ...], ...]:
        """Busy GPUs over the span if every job has one (rho), by type and epoch."""
        sums = {one.name: [Fraction(0)] * len(one.epochs) for one in self.types}
        for job in self.jobs:
            own = sums[job.type]
            for e, work in enumerate(job.work_s):
                own[e] += Fraction(work)
        span = Fraction(self.span_s)
        return tuple(tuple(work / span for work in own) for own in sums.values())

    @property
    def budget(self) -> Fraction:
        """Upper limit on the total cost of leases."""
        hours = Fraction(self.span_s) / 3600
        return Fraction(self.budget_gpus) * Fraction(self.price_per_gpu_h) * hours

    def problems(self) -> Iterator[Problem]:
        """Yield every problem that involves several fields."""
        yield from type_problems(self.types)
        yield from repeats("jobs", [job.name for job in self.jobs])
        for name in ("rescale_s", "provision_s", "billing_s"):
            yield from self._ticks(name, getattr(self, name))
        known = {one.name: len(one.epochs) for one in self.types}
        for i, job in enumerate(self.jobs):
            yield from self._ticks(f"jobs[{i}].arrival_s", job.arrival_s)
            for e, work in enumerate(job.work_s):
                yield from self._ticks(f"jobs[{i}].work_s[{e}]", work)
            if job.type not in known:
                yield Problem(f"jobs[{i}].type", job.type, "the name of a type", "add the type")
            elif len(job.work_s) != known[job.type]:
                expected = f"{known[job.type]}, one for each epoch of type {job.type!r}"
                yield Problem(f"jobs[{i}].work_s", len(job.work_s), expected, "give all times")

    def _ticks(self, path: str, seconds: Decimal | None) -> Iterator[Problem]:
        return tick_problems(path, seconds, self.tick_s, MOST_TICKS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """GPUs that are rented together and given back together."""

    gpus: Annotated[Positive, "number of GPUs"]
    start_s: Annotated[Amount, "start of the payment, a multiple of tick_s"]
    stop_s: Annotated[Positive, "end of the lease, a multiple of tick_s"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetRun:
    """A period in which a job holds the same number of GPUs."""

    start_s: Annotated[Amount, "start, a multiple of tick_s"]
    stop_s: Annotated[Amount | None, "stop, or null if it runs until the job is done"] = None
    gpus: Annotated[MostGpus, "number of GPUs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetJobRuns:
    """All runs of one job."""

    job: Annotated[Label, "name of the job"]
    runs: Annotated[tuple[FleetRun, ...], NonEmpty(), "its runs, in order of time"]
    end_s: Annotated[Decimal | None, "claimed end, compared with the judge's"] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetLog(AnySchedule):
    """Leases and runs, with the claimed completion time and spend.

    * A run ends when its job is done. With a `stop_s`, it ends at this time at the latest.
    * Runs never hold more GPUs than are ready. At a tick, jobs end and runs stop first. Then leases
      end or become ready, and runs start.
    """

    kind: Annotated[Literal["fleet-schedule"], "the kind of file"] = "fleet-schedule"
    mean_jct_h: Annotated[Decimal | None, "claimed mean completion time, weighted"] = None
    spend: Annotated[Decimal | None, "claimed cost of all leases"] = None
    leases: Annotated[tuple[Lease, ...], NonEmpty(), "leases of GPUs"]
    jobs: Annotated[tuple[FleetJobRuns, ...], "one entry per job"]


def fleet(
    types: Rows,
    jobs: Rows,
    *,
    budget_gpus: Number,
    span_s: Number,
    name: str = "fleet",
    **more: Any,
) -> FleetInstance:
    """Return an instance of jobs of some types, and GPUs leased for them under a budget.

    Args:
        types: As in `ringyard.rental`.
        jobs: At least `type` and `work_s`: seconds on one GPU, or a list of them, one for each
            epoch. They arrive at `arrival_s`, or at 0.
        budget_gpus: GPUs that may be paid for, on average over the span.
        span_s: The time span of the budget.
        name: Name of the instance.
        **more: Other fields of the format: `widths`, `rescale_s`, `provision_s`, `tick_s`, ..

    Raises:
        InputError: With all problems, as for a file.
    """
    made: FleetInstance = built(
        "fleet",
        name=name,
        types=rows_of(types, "t", stream),
        jobs=rows_of(jobs, "j", _job),
        budget_gpus=budget_gpus,
        span_s=span_s,
        **more,
    )
    return made


def _job(row: Any) -> Any:
    if isinstance(row, dict) and hasattr(row.get("work_s"), "__float__"):
        return {**row, "work_s": [row["work_s"]]}
    return row
