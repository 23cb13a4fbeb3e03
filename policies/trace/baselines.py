"""Policies that rank jobs by one number: arrival, deadline, request, attained or left service."""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Annotated, Literal

from ...instances.errors import InputError, Problem
from ...instances.reading.vocabulary import Positive
from ...simulation.trace.ranks import ARRIVAL, REMAINING, SERVICE, RankFormula
from ...simulation.trace.views import (
    ESTIMATES,
    FOREVER,
    FULL,
    NONE,
    EstimatedJobView,
    JobView,
    KnownJobView,
    Rank,
    Ranker,
)
from .serve import Placement, ServiceOptions, scheduler


class Fifo(Ranker):
    """First in, first out: no job is stopped, and no job starts past a waiting job."""

    preempts = False
    blocks = True

    def rank(self, job: JobView) -> Rank:
        """Return the arrival."""
        return Rank(key=job.arrival)

    def formula(self) -> RankFormula:
        """Return the arrival."""
        return RankFormula(ARRIVAL)


FIFO = scheduler("fifo", lambda _: Fifo())


@dataclass(frozen=True, slots=True, kw_only=True)
class YarnOptions(ServiceOptions):
    """Placement of jobs, and times of service."""

    placement: Placement = "consolidate"


YARN_CS = scheduler("yarn-cs", lambda _: Fifo(), YarnOptions)
"""The production scheduler that Tiresias compares itself with: FIFO on as few servers as possible.

A job waits until it can be consolidated, and every job behind it waits too.
"""


class BestEffort(Fifo):
    """As `Fifo`, but jobs that fit start past jobs that have to wait."""

    blocks = False
    formula = Fifo.formula


BEST_EFFORT = scheduler("best-effort", lambda _: BestEffort(), YarnOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class SjfOptions(ServiceOptions):
    """The size by which jobs are short, and whether a short job may interrupt."""

    by: Annotated[
        Literal["duration", "limit", "due"],
        "a job's time: its duration, the limit that its user gave, or, for EDF, its deadline",
    ] = "duration"
    size: Annotated[
        Literal["time", "gpus", "gpu-time"], "quantity that ranks jobs, smallest first"
    ] = "time"
    stops: Annotated[Literal["no", "yes"], "whether a job is stopped for a shorter one"] = "no"


class Sjf(Ranker):
    """The shortest job first, by its duration or by its limit, or the earliest deadline first.

    A job is short by its time at full speed, its number of GPUs (the "smallest first" of Tiresias),
    or their product.
    """

    information = FULL

    def __init__(self, options: SjfOptions) -> None:
        """Choose the measure of length.

        Raises:
            InputError: If a deadline is given another size.
        """
        if options.by == "due" and options.size != "time":
            raise InputError("options", [Problem("size", options.size, "time", "drop by=due")])
        self.information = {"limit": ESTIMATES, "due": NONE}.get(options.by, FULL)
        self.preempts = options.stops == "yes"
        self._by = options.by
        self._time, self._gpus = options.size != "gpus", options.size != "time"

    def rank(self, job: KnownJobView | EstimatedJobView) -> Rank:
        """Return the size, or the tick of the deadline."""
        time = getattr(job, self._by) if self._time else 1
        return Rank(key=time * (job.gpus if self._gpus else 1))


SJF = scheduler("sjf", Sjf, SjfOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainingOptions(ServiceOptions):
    """The time of which a part is left."""

    by: Annotated[
        Literal["duration", "limit"], "a job's time: its duration, or the limit that its user gave"
    ] = "duration"


class Srtf(Ranker):
    """The least remaining time runs first, of the duration or of the limit.

    It is the time at full speed, known exactly while a job runs at full speed. A job that may be
    slower is re-ranked whenever half of its remaining time would be over at full speed. By limits,
    the time worked counts in full, and a job that has overrun its limit goes first.
    """

    information = FULL

    def __init__(self, by: str = "duration") -> None:
        """Choose what is known."""
        self.information = ESTIMATES if by == "limit" else FULL

    def weight(self, job: JobView) -> int:
        """Return the weight of a tick of a job."""
        return 1

    def rank(self, job: KnownJobView | EstimatedJobView) -> Rank:
        """Return the remaining amount, which shrinks as the job works."""
        weight = self.weight(job)
        if isinstance(job, EstimatedJobView):
            return Rank(key=weight * job.limit, slope=-weight)
        left = job.remaining
        slowed = job.communication > 0 and job.gpus > 1
        until = job.attained + job.width * ceil(left / 2) if slowed else FOREVER
        return Rank(key=weight * (left + job.executed), slope=-weight, until=until)

    def formula(self) -> RankFormula:
        """Return the remaining time, if durations are known."""
        return RankFormula(REMAINING) if self.information == FULL else RankFormula()


SRTF = scheduler("srtf", lambda options: Srtf(options.by), RemainingOptions)


class Srsf(Srtf):
    """The least GPU-time left runs first: the GPUs of a job times its time left (Tiresias)."""

    def weight(self, job: JobView) -> int:
        """Return the GPUs of a job."""
        return job.gpus

    def formula(self) -> RankFormula:
        """Return the remaining GPU-time, if durations are known."""
        return super().formula()._replace(by_gpus=True)


SRSF = scheduler("srsf", lambda options: Srsf(options.by), RemainingOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantumOptions(ServiceOptions):
    """The quantum, and where jobs are put."""

    interval_s: Annotated[
        Positive, "the queue is served at multiples of this, and at arrivals and ends"
    ] = Decimal(60)


class TwoDLas(Ranker):
    """2D-LAS: the least attained service, in GPUs times time worked, first (Tiresias, section 3).

    Ranks change with every tick of work, so the queue is served every `interval_s`.
    """

    def rank(self, job: JobView) -> Rank:
        """Return the service so far, which grows by the job's GPUs per tick."""
        return Rank(slope=job.gpus)

    def formula(self) -> RankFormula:
        """Return the service so far."""
        return RankFormula(SERVICE, by_gpus=True)


TWO_D_LAS = scheduler("2d-las", lambda _: TwoDLas(), QuantumOptions)


class Las(Ranker):
    """The least time worked first, however many GPUs: Tiresias compares 2D-LAS with it."""

    def rank(self, job: JobView) -> Rank:
        """Return the time so far, which grows as the job works."""
        return Rank(slope=1)

    def formula(self) -> RankFormula:
        """Return the time so far."""
        return RankFormula(SERVICE)


LAS = scheduler("las", lambda _: Las(), QuantumOptions)
