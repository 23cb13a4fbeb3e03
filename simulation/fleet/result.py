"""The states of jobs in a simulation, and its result: ends, spend, and the log."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...instances import FleetInstance, FleetJobRuns, FleetLog, FleetRun, Lease, digest
from ..jit import record
from ..model import Floats, Ints, Records
from .pool import NEVER, LeasePool
from .stream import MILLI, JobStream

COUNTS = record("now arrived finished waiting first running held area need logged marked keep")
"""The tick, jobs arrived and ended, the ring of waiting jobs, the running jobs, their GPUs, the
integral of these, the need of all jobs, the lengths of the log and of the marks, and whether the
log is kept."""

FLEET_RUN = record("job start stop milli")
"""A run that has ended, with `milli` in thousandths of GPUs."""


class JobStates(NamedTuple):
    """By job: choice and stage of its plan, work left in the epoch, and held GPUs."""

    sample: Floats
    """A number from 0 to 1 that picks its choice."""
    choice: Ints
    stage: Ints
    left: Ints
    milli: Ints
    """Thousandths of GPUs that it holds, or waits for."""
    rate: Ints
    """Its work in a tick on so much."""
    begun: Ints
    """When its run began."""
    working: Ints
    """Since when its work is not yet subtracted from `left`."""
    due: Ints
    """When its stage ends."""
    first: Ints
    """When it first started, or -1."""
    end: Ints
    held: Ints
    """Thousandths of GPUs times ticks that its runs that are over held."""
    heap: Ints
    queue: Ints
    log: Records
    """Runs that are over."""
    marks: Ints
    """Ticks, and the integrals until then of rented and of held GPUs."""
    seen: Ints
    """Jobs that have arrived, by type."""
    done: Ints
    """Jobs that have ended, by type."""
    worked: Ints
    """The work of those, by type and epoch."""
    counts: Records


ZEROS = ("choice", "stage", "left", "milli", "rate", "begun", "working", "due", "held")
"""Fields of `JobStates` that begin with a 0 for each job, in addition to the heap and the queue."""


def new_lives(samples: Floats, shape: tuple[int, int], marks: Ints, *, keep: bool) -> JobStates:
    """Return the states of jobs that have not arrived. `shape` is the number of types and epochs.

    `samples` has a number from 0 to 1 for each job.
    """
    jobs, ints = len(samples), np.int64
    table = np.zeros((len(marks), 3), ints)
    table[:, 0] = marks
    counts = np.zeros(1, COUNTS)
    counts["keep"] = keep
    return JobStates(
        **{name: np.zeros(jobs, ints) for name in (*ZEROS, "heap", "queue")},
        sample=samples,
        first=np.full(jobs, -1, ints),
        end=np.full(jobs, -1, ints),
        log=np.zeros(2 * jobs + 64 if keep else 1, FLEET_RUN),
        marks=table,
        seen=np.zeros(shape[0], ints),
        done=np.zeros(shape[0], ints),
        worked=np.zeros(shape, ints),
        counts=counts,
    )


def with_room(lives: JobStates) -> JobStates:
    """Return the same with a log twice as long."""
    return lives._replace(log=np.concatenate([lives.log, np.zeros_like(lives.log)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetResult:
    """The result, with jobs in the order of the stream, GPUs in thousandths and time in ticks."""

    stream: JobStream
    first: Ints
    """When each job first started, or -1."""
    end: Ints
    """When each job ended, or -1."""
    held: Ints
    """GPUs that each job held, times ticks."""
    paid: int
    """GPUs times ticks that were paid for."""
    marks: Ints
    """Rows of tick, integral until then of rented GPUs, and of held GPUs."""
    runs: Records
    """Job, start, stop and GPUs of each, empty without a log."""
    leases: Records
    """GPUs, start and stop of each ended lease, empty without a log."""
    finished: bool
    """True if all jobs are done, False at a time limit."""

    @property
    def countable(self) -> bool:
        """True if the payment is small enough to be counted."""
        return self.paid < NEVER

    @property
    def mean_jct_h(self) -> float:
        """The mean completion time in hours, by the weights of types."""
        hours = (self.end - self.stream.at) * (float(self.stream.tick_s) / 3600)
        return float(np.average(hours, weights=self.stream.weights))

    @property
    def mean_jct(self) -> Fraction:
        """The same, exactly."""
        kind, weights = self.stream.kind, [Fraction(one.weight) for one in self.stream.types]
        took, worth = Fraction(0), Fraction(0)
        for i, weight in enumerate(weights):
            own = (self.end - self.stream.at)[kind == i]
            took += weight * int(own.sum())
            worth += weight * len(own)
        return took * Fraction(self.stream.tick_s) / 3600 / worth

    @property
    def gpu_hours(self) -> float:
        """GPU-hours paid for."""
        return self.paid * (float(self.stream.tick_s) / 3600 / MILLI)


def played_of(stream: JobStream, pool: LeasePool, lives: JobStates) -> FleetResult:
    """Return the result in the arrays of the loop."""
    return FleetResult(
        stream=stream,
        first=lives.first,
        end=lives.end,
        held=lives.held,
        paid=int(pool.counts[0]["paid"]),
        marks=lives.marks,
        runs=lives.log[: lives.counts[0]["logged"]],
        leases=pool.gone[: pool.counts[0]["gone"]],
        finished=bool(lives.counts[0]["finished"] == len(stream.at)),
    )


def to_log(
    instance: FleetInstance, order: NDArray[np.int64], played: FleetResult, method: str
) -> FleetLog:
    """Return the run as a log of the instance whose jobs stand in this order."""
    tick, names = instance.tick_s, [job.name for job in instance.jobs]
    runs: list[list[FleetRun]] = [[] for _ in names]
    ends = played.end.tolist()
    for job, start, stop, milli in played.runs.tolist():
        last = None if stop == ends[job] else stop * tick
        run = FleetRun(start_s=start * tick, stop_s=last, gpus=_gpus(milli))
        runs[order[job]].append(run)
    return FleetLog(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        leases=_leases(played.leases.tolist(), tick),
        jobs=tuple(
            FleetJobRuns(job=name, runs=tuple(own))
            for name, own in zip(names, runs, strict=True)
            if own
        ),
    )


def _leases(rows: Sequence[Sequence[int]], tick: Decimal) -> tuple[Lease, ...]:
    ordered = sorted((start, stop, amount) for amount, start, stop in rows)
    return tuple(
        Lease(gpus=_gpus(amount), start_s=start * tick, stop_s=stop * tick)
        for start, stop, amount in ordered
    )


def _gpus(milli: int) -> Decimal:
    return Decimal(milli) / MILLI
