"""Tiresias: queues by attained GPU-time, and Gittins indices (Gu et al., NSDI 2019).

A Gittins index uses the law of a list of past jobs. A job needs a total service S, each of the
listed amounts with the same probability, and has had a service a. Let ``C(x)`` be the number of
amounts up to x, and ``A(x)`` the sum over all amounts of min(amount, x). Of the n amounts above a,
the fraction ``(C(a + D) - C(a)) / n`` ends within D more. Their mean service until then is ``(A(a +
D) - A(a)) / n``. Every index is a class with ``at(a)``, which is 0 if no listed job was that long.
A higher index goes first.
"""

from bisect import bisect_right
from dataclasses import dataclass
from decimal import Decimal
from itertools import accumulate
from math import ceil
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from ...instances.reading.vocabulary import Positive
from ...simulation.trace.ranks import LATE, QUEUES, RankFormula
from ...simulation.trace.views import DISTRIBUTION, FOREVER, JobView, Rank, Ranker, TraceSetting
from .baselines import QuantumOptions
from .serve import Placement, ServiceOptions, scheduler

Floats = NDArray[np.float64]


def quantum_end(setting: TraceSetting, job: JobView) -> float:
    """Return the service of a job at the next multiple of the interval, if it works until then."""
    return job.attained + job.gpus * (setting.interval - setting.now % setting.interval)


class Law:
    """The law of service: amounts in order, with their number and the total service up to each."""

    def __init__(self, samples: Floats) -> None:
        """Merge equal amounts. 0 comes first."""
        amounts, counts = np.unique(samples, return_counts=True)
        x: Floats = np.concatenate([[0.0], amounts])
        ended: Floats = np.concatenate([[0.0], np.cumsum(counts, dtype=np.float64)])
        taken = np.concatenate([[0.0], np.cumsum(np.diff(x) * (ended[-1] - ended[:-1]))])
        self.x, self.ended, self.taken = x.tolist(), ended.tolist(), taken.tolist()
        self.all, self.last = self.ended[-1], x.size - 1

    def place(self, a: float) -> int:
        """Return the place of the last amount up to `a`."""
        return bisect_right(self.x, a) - 1

    def upto(self, place: int, a: float) -> float:
        """Return the sum of services up to `a`, which follows this place."""
        taken: float = self.taken[place] + (self.all - self.ended[place]) * (a - self.x[place])
        return taken


class Gittins:
    """The index by its definition: the most ends for the service, over all D (Tiresias, 3.2).

    The best D ends at a listed amount. As points ``(A, C)``, the index is the steepest slope from
    the job's position to a later point. Only the upper hull of these points matters. The hulls of
    all suffixes of the list are kept as one tree.
    """

    def __init__(self, samples: Floats) -> None:
        """Find for every amount the next corner of the hull that begins there."""
        self._law = Law(samples)
        taken, ended, last = self._law.taken, self._law.ended, self._law.last
        self._next = [last] * (last + 1)
        for k in range(last - 1, -1, -1):
            self._next[k] = self._steepest(taken[k], ended[k], k + 1)

    def at(self, a: float) -> float:
        """Return the index."""
        law = self._law
        here = law.place(a)
        if here == law.last:
            return 0.0
        taken, ended = law.upto(here, a), law.ended[here]
        return self._slope(taken, ended, self._steepest(taken, ended, here + 1))

    def _steepest(self, taken: float, ended: float, k: int) -> int:
        """Walk along the hull from `k` as long as the slope grows."""
        best = self._slope(taken, ended, k)
        while self._next[k] != k:
            slope = self._slope(taken, ended, self._next[k])
            if slope < best:
                break
            k, best = self._next[k], slope
        return k

    def _slope(self, taken: float, ended: float, k: int) -> float:
        slope: float = (self._law.ended[k] - ended) / (self._law.taken[k] - taken)
        return slope


class Figure20:
    """The index of the example in Tiresias' slides (figure 20 of the paper).

    The probability to end is not divided by the number of jobs left, and the longest amount is
    included twice in the mean. Ours, from the printed values.
    """

    def __init__(self, samples: Floats) -> None:
        """Keep the law."""
        self._law = law = Law(samples)
        self._ended, self._spent = np.array(law.ended), np.array(law.taken) + np.array(law.x)

    def at(self, a: float) -> float:
        """Return the index."""
        law = self._law
        here = law.place(a)
        if here == law.last:
            return 0.0
        ends = self._ended[here + 1 :] - law.ended[here]
        spent = self._spent[here + 1 :] - law.upto(here, a) - a
        return float((law.all - law.ended[here]) * np.max(ends / spent))


class Ahead:
    """The index for one D, as in the discretised Tiresias-G."""

    def __init__(self, samples: Floats, ahead: float) -> None:
        """Keep the law and D."""
        self._law, self._ahead = Law(samples), ahead

    def at(self, a: float) -> float:
        """Return the index."""
        law = self._law
        here, there = law.place(a), law.place(a + self._ahead)
        if here == law.last:
            return 0.0
        ends: float = law.ended[there] - law.ended[here]
        return ends / (law.upto(there, a + self._ahead) - law.upto(here, a))


class ReleasedIndex:
    """The index of Tiresias' public simulator: one D, and the service from 0, not from a.

    The longest amount is treated as one that never ends.
    """

    def __init__(self, samples: Floats, ahead: float) -> None:
        """Keep the amounts and D."""
        self._samples, self._ahead = np.sort(samples).tolist(), ahead
        self._sums = [0.0, *accumulate(self._samples)]

    def at(self, a: float) -> float:
        """Return the index."""
        if a > self._samples[-1] - 1:
            return 0.0
        _, ended, spent = self._next(a)
        return ended / spent

    def _next(self, a: float) -> tuple[int, int, float]:
        """Return the number of longer amounts, how many end within D, and their total service."""
        samples, count = self._samples, len(self._samples)
        here, there = bisect_right(samples, a), bisect_right(samples, a + self._ahead)
        if a + self._ahead > samples[-1] - 1:
            there = count - 1
        spent: float = self._sums[there] - self._sums[here] + self._ahead * (count - there)
        return count - here, there - here, spent


GittinsIndex = Gittins | Figure20 | ReleasedIndex


class ReleasedTable(ReleasedIndex):
    """The same as the queues of that simulator look it up: at the next longer amount, rounded.

    What jobs take on average it rounds down, as whole numbers are divided in Python 2.
    """

    def __init__(self, samples: Floats, ahead: float) -> None:
        """Compute the index of every amount, just before a job has had it."""
        super().__init__(samples, ahead)
        self._ranks = [*map(self._rank, self._samples), 0.0]

    def at(self, a: float) -> float:
        """Return the index."""
        return self._ranks[bisect_right(self._samples, a)]

    def _rank(self, amount: float) -> float:
        left, ended, spent = self._next(amount - 1)
        rank: float = round(round(ended / left, 5) * 1e6 / max(1.0, spent // left), 4)
        return rank


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueOptions(ServiceOptions):
    """Queue thresholds, and when a job goes back to the first queue."""

    placement: Placement = "profile"
    thresholds: Annotated[
        tuple[Positive, ...], "GPU-seconds at which a job leaves each queue but the last"
    ] = (Decimal(3200),)
    promote: Annotated[
        Positive | None,
        "return to the first queue after waiting this many times the run time, or null for never",
    ] = None


@dataclass(frozen=True, slots=True)
class Count:
    """Start of a job's count, and its work by then."""

    since: int
    executed: int = 0
    attained: int = 0


class Queues(Ranker):
    """Tiresias-L: 2D-LAS with a few queues instead of ever changing ranks (Tiresias, section 3.2).

    A job is in the first queue until it has had the first threshold of GPU-time, then in the
    second, and so on. Earlier queues go first. In a queue, the first to start goes first, and jobs
    that have not started come last, by arrival. A job that fits may start before jobs that do not
    fit.

    With `promote`, a waiting job of a later queue returns to the first one after it has done no
    work for `promote` times its working time. Both times and its service then restart at 0. The
    time without work begins at the first start, and includes the restarts.
    """

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

    def formula(self) -> RankFormula:
        """Return the queues, unless jobs return to the first one."""
        if self.wakes:
            return RankFormula()
        return RankFormula(QUEUES, by_gpus=True, thresholds=tuple(self.thresholds))

    def within(self, job: JobView, level: int, before: int, wake: float) -> Rank:
        """Return the place in a queue other than the last, with service counted from `before`."""
        until = before + self.thresholds[level]
        return Rank(level=level, key=self.turn(job), until=until, wake=wake)

    def turn(self, job: JobView) -> float:
        """Return the first start, or the arrival of a job that has not started."""
        return LATE + job.arrival if job.first is None else job.first

    def _wake(self, job: JobView, count: Count) -> float:
        """Return when a waiting job is promoted. A running one is checked when it waits."""
        if job.running:
            return 0.0
        worked = job.executed - count.executed
        return ceil(count.since + worked * (1 + self._promote))


TIRESIAS_L = scheduler("tiresias-l", Queues, QueueOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedOptions(QueueOptions):
    """The queues, when a job goes back to the first, and the quantum."""

    interval_s: Annotated[
        Positive, "the queue is served at multiples of this, and at arrivals and ends"
    ] = Decimal(60)


class IndexedQueues(Queues):
    """Tiresias-G: the queues of Tiresias-L, by a Gittins index in all but the last (section 3.2).

    In a queue that ends at a service of D, the index looks D ahead: the probability to end within
    it over the mean service until then. It is recomputed after every quantum of work.
    """

    information = DISTRIBUTION

    def begin(self, setting: TraceSetting) -> None:
        """Look at the law of GPU-time."""
        super().begin(setting)
        self._indices = [Ahead(setting.law, threshold) for threshold in self.thresholds]

    def within(self, job: JobView, level: int, before: int, wake: float) -> Rank:
        """Return the place by the index, until the quantum ends."""
        key = -self._indices[level].at(job.attained - before)
        until = min(before + self.thresholds[level], quantum_end(self.setting, job))
        return Rank(level=level, key=key, until=until, wake=wake)


TIRESIAS_G = scheduler("tiresias-g", IndexedQueues, IndexedOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class GittinsOptions(QuantumOptions):
    """The index, the quantum, and where jobs are put."""

    index: Annotated[
        Literal["gittins", "figure20", "simulator"],
        "by its definition, by the slides, or by the public simulator",
    ] = "gittins"
    ahead_s: Annotated[Positive, "GPU-seconds that the index `simulator` looks ahead"] = Decimal(
        3250
    )


class TwoDGittins(Ranker):
    """2D-Gittins: the job most likely to end per GPU-time runs first (Tiresias).

    The law of GPU-time is known, the length of a job is not. The index of a job is recomputed after
    every quantum of its work.
    """

    information = DISTRIBUTION

    def __init__(self, options: GittinsOptions) -> None:
        """Choose the index."""
        self._options = options

    def begin(self, setting: TraceSetting) -> None:
        """Compute the index of the law of GPU-time."""
        self._setting = setting
        self._index = self._of(setting)

    def _of(self, setting: TraceSetting) -> GittinsIndex:
        if self._options.index == "gittins":
            return Gittins(setting.law)
        if self._options.index == "figure20":
            return Figure20(setting.law)
        return ReleasedIndex(setting.law, float(self._options.ahead_s) / setting.tick_s)

    def rank(self, job: JobView) -> Rank:
        """Return the index, the highest first, until the quantum ends."""
        return Rank(key=-self._index.at(job.attained), until=quantum_end(self._setting, job))


TWO_D_GITTINS = scheduler("2d-gittins", TwoDGittins, GittinsOptions)
