"""Tiresias: queues by attained GPU-time, and Gittins indices (Gu et al., NSDI 2019).

Tiresias-L: 2D-LAS with a few queues instead of ever changing ranks (Tiresias, section 3.2).
A job is in the first queue until it has had the first threshold of GPU-time, then in the second,
and so on. A job in an earlier queue goes before one in a later. In a queue, the first to start
goes first, and those that have not started yet come last, by arrival; a job that fits starts past
those that do not.

With `promote`, a job of a later queue that waits goes back to the first when it has done no work
for `promote` times as long as it has worked; both times and its service are then counted anew.
The time without work begins at the first start, and has the restarts in it.

Tiresias-G: the queues of Tiresias-L, by a Gittins index in all but the last (section 3.2).
In a queue that ends at a service of D, the index looks D ahead: the chance to end within it over
the mean service until then. It is computed anew after every quantum of work.

2D-Gittins: the job most likely to end for the GPU-time it takes runs first (Tiresias).
The law of GPU-time is known, not what a job takes. The index of a job is computed anew after every
quantum of its work.
"""

from bisect import bisect_right
from dataclasses import dataclass
from decimal import Decimal
from math import ceil
from typing import Annotated, Literal

from ...instances import Outcome, TraceInstance
from ...instances.reading.vocabulary import Positive
from ...simulation.trace.views import DISTRIBUTION, FOREVER, JobView, Rank, Ranker, TraceSetting
from ..request import Request, Scheduler
from .baselines import QuantumOptions
from .indices import Ahead, Figure20, Gittins, GittinsIndex, Quantum, ReleasedIndex
from .serve import Placement, ServiceOptions, serve

LATE = 10.0**14
"""A tick after all that are simulated: those that have not started come behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOptions(ServiceOptions):
    """The queues, and when a job goes back to the first."""

    placement: Placement = "profile"
    thresholds: Annotated[
        tuple[Positive, ...], "GPU-seconds at which a job leaves each queue but the last"
    ] = (Decimal(3200),)
    promote: Annotated[
        Positive | None, "time without work over time of work that leads back; null: none does"
    ] = None


@dataclass(frozen=True, slots=True)
class Count:
    """Since when a job is counted, and what it had done by then."""

    since: int
    executed: int = 0
    attained: int = 0


class Queues(Ranker):
    """Ranks jobs by their queue, and there by their first start."""

    starts = True

    def __init__(self, options: QueueOptions) -> None:
        """Choose the queues."""
        self.options = options
        self.wakes = options.promote is not None
        self._promote = options.promote or Decimal(0)
        self._counts: dict[int, Count] = {}

    def begin(self, setting: TraceSetting) -> None:
        """Count the thresholds in ticks."""
        self.setting = setting
        self.thresholds = [float(t) / setting.tick_s for t in sorted(self.options.thresholds)]

    def rank(self, job: JobView) -> Rank:
        """Return the queue and the place there."""
        count = self._counts.get(job.number) or Count(job.first or 0)
        level = bisect_right(self.thresholds, job.attained - count.attained)
        wake = self._wake(job, count) if self.wakes and level else FOREVER
        if not job.running and wake <= self.setting.now:
            count = Count(self.setting.now, job.executed, job.attained)
            self._counts[job.number] = count
            level, wake = 0, FOREVER
        if level == len(self.thresholds):
            return Rank(level=level, key=self.turn(job), wake=wake)
        return self.within(job, level, count.attained, wake)

    def within(self, job: JobView, level: int, before: int, wake: float) -> Rank:
        """Return the place in a queue that is not the last; service counts from `before`."""
        until = before + self.thresholds[level]
        return Rank(level=level, key=self.turn(job), until=until, wake=wake)

    def turn(self, job: JobView) -> float:
        """Return the first start, or the arrival of a job that has not started."""
        return LATE + job.arrival if job.first is None else job.first

    def _wake(self, job: JobView, count: Count) -> float:
        """Return when a job that waits goes back; one that runs is looked at when it waits."""
        if job.running:
            return 0.0
        worked = job.executed - count.executed
        return ceil(count.since + worked * (1 + self._promote))


def run_tiresias_l(instance: TraceInstance, request: Request[QueueOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(instance, request.limits, "tiresias-l", Queues(request.options), request.options)


TIRESIAS_L = Scheduler(run=run_tiresias_l, Options=QueueOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedOptions(QueueOptions):
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


def run_tiresias_g(instance: TraceInstance, request: Request[IndexedOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(
        instance, request.limits, "tiresias-g", IndexedQueues(request.options), request.options
    )


TIRESIAS_G = Scheduler(run=run_tiresias_g, Options=IndexedOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class GittinsOptions(QuantumOptions):
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

    def __init__(self, options: GittinsOptions) -> None:
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


def run_two_d_gittins(instance: TraceInstance, request: Request[GittinsOptions]) -> Outcome:
    """Return the schedule; nothing is random."""
    return serve(
        instance, request.limits, "2d-gittins", TwoDGittins(request.options), request.options
    )


TWO_D_GITTINS = Scheduler(run=run_two_d_gittins, Options=GittinsOptions)
