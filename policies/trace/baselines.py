"""Policies that rank jobs by one number: their arrival, or what they ask for, had or have left.

First in, first out: no job is stopped, and none starts past a job that has to wait.

YARN-CS: in order of arrival, no job stopped or overtaken, as few servers as possible.
The production scheduler that Tiresias compares itself with: a job waits until it can be
consolidated, and every job behind it waits too.

Best effort: as YARN-CS, but jobs that fit start past those that have to wait.

SJF: the shortest job first, for schedulers that know how long jobs take.
What is short is a choice: the time at full speed, the number of GPUs (the "smallest first" of
Tiresias), or their product.

SRTF: the least time left runs first, for schedulers that know how long jobs take.
What is left is the time at full speed. It is known exactly while a job runs at full speed; a job
that may be slower is looked at again whenever half of what was left would be done at full speed.

SRSF: the least GPU-time left runs first, for schedulers that know it (Tiresias).
The remaining service is the number of GPUs times the time left at full speed.

2D-LAS: the job with the least GPU-time so far runs first.
The two dimensions are time and GPUs: attained service is GPUs times the time worked (Tiresias,
section 3). Ranks change with every tick of work, so the queue is served every `interval_s`.

LAS: the job that has worked for the least time runs first, however many GPUs it holds.
Least attained service in the one dimension of time, which Tiresias compares 2D-LAS with. Ranks
change with every tick of work, so the queue is served every `interval_s`.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Positive
from ...simulation.trace.views import FOREVER, FULL, JobView, KnownJobView, Rank, Ranker
from ..request import Request, Scheduler
from .serve import Placement, ServiceOptions, serve


class Fifo(Ranker):
    """Ranks jobs by their arrival."""

    preempts = False
    blocks = True

    def rank(self, job: JobView) -> Rank:
        """Return the arrival."""
        return Rank(key=job.arrival)


def run_fifo(instance: TraceInstance, request: Request[ServiceOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "fifo", Fifo(), request.options)


FIFO = Scheduler(run=run_fifo, Options=ServiceOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class YarnOptions(ServiceOptions):
    """Where jobs are put, and when they are served."""

    placement: Placement = "consolidate"


def run_yarn_cs(instance: TraceInstance, request: Request[YarnOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "yarn-cs", Fifo(), request.options)


YARN_CS = Scheduler(run=run_yarn_cs, Options=YarnOptions)


class BestEffort(Fifo):
    """Ranks jobs by their arrival, and lets those behind start before those in front."""

    blocks = False


def run_best_effort(instance: TraceInstance, request: Request[YarnOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "best-effort", BestEffort(), request.options)


BEST_EFFORT = Scheduler(run=run_best_effort, Options=YarnOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class SjfOptions(ServiceOptions):
    """What counts as short, and whether it may interrupt."""

    size: Annotated[Literal["time", "gpus", "gpu-time"], "what is least of the first"] = "time"
    stops: Annotated[Literal["no", "yes"], "whether a job is stopped for a shorter one"] = "no"


class Sjf(Ranker):
    """Ranks jobs by what they ask for when they arrive."""

    information = FULL

    def __init__(self, options: SjfOptions) -> None:
        """Choose what is short."""
        self.preempts = options.stops == "yes"
        self._time, self._gpus = options.size != "gpus", options.size != "time"

    def rank(self, job: KnownJobView) -> Rank:
        """Return the size."""
        return Rank(key=(job.duration if self._time else 1) * (job.gpus if self._gpus else 1))


def run_sjf(instance: TraceInstance, request: Request[SjfOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "sjf", Sjf(request.options), request.options)


SJF = Scheduler(run=run_sjf, Options=SjfOptions)


class Srtf(Ranker):
    """Ranks jobs by the time that is left of them."""

    information = FULL

    def weight(self, job: KnownJobView) -> int:
        """Return what a tick of a job counts."""
        return 1

    def rank(self, job: KnownJobView) -> Rank:
        """Return what is left; it shrinks as the job works."""
        weight, left = self.weight(job), job.remaining
        slowed = job.communication > 0 and job.gpus > 1
        until = job.attained + job.width * ceil(left / 2) if slowed else FOREVER
        return Rank(key=weight * (left + job.executed), slope=-weight, until=until)


def run_srtf(instance: TraceInstance, request: Request[ServiceOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "srtf", Srtf(), request.options)


SRTF = Scheduler(run=run_srtf, Options=ServiceOptions)


class Srsf(Srtf):
    """Ranks jobs by the GPU-time that is left of them."""

    def weight(self, job: KnownJobView) -> int:
        """Return the GPUs of a job."""
        return job.gpus


def run_srsf(instance: TraceInstance, request: Request[ServiceOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "srsf", Srsf(), request.options)


SRSF = Scheduler(run=run_srsf, Options=ServiceOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantumOptions(ServiceOptions):
    """The quantum, and where jobs are put."""

    interval_s: Annotated[Positive, "the quantum: the queue is served at its multiples, too"] = (
        Decimal(60)
    )


class TwoDLas(Ranker):
    """Ranks jobs by their attained service."""

    def rank(self, job: JobView) -> Rank:
        """Return the service so far; it grows by its GPUs in a tick."""
        return Rank(slope=job.gpus)


def run_two_d_las(instance: TraceInstance, request: Request[QuantumOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "2d-las", TwoDLas(), request.options)


TWO_D_LAS = Scheduler(run=run_two_d_las, Options=QuantumOptions)


class Las(Ranker):
    """Ranks jobs by the time that they have worked."""

    def rank(self, job: JobView) -> Rank:
        """Return the time so far; it grows as the job works."""
        return Rank(slope=1)


def run_las(instance: TraceInstance, request: Request[QuantumOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "las", Las(), request.options)


LAS = Scheduler(run=run_las, Options=QuantumOptions)
