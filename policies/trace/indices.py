"""Gittins indices of attained service, for the law of a list of past jobs.

S is the service that a job takes in all, each of the listed amounts with the same chance; a is
the service that it has had. With ``C(x)`` the number of amounts up to x and ``A(x)`` the sum over
all of what they take up to x, the part of those beyond a that end with D more is
``C(a + D) - C(a)`` over their number, and their mean service until then ``A(a + D) - A(a)`` over
it.

Every class has ``at(a)``, which is 0 where no listed job was as long: nothing is known there.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ...simulation.trace import JobView, TraceSetting


class Quantum:
    """Multiples of the interval at which the queue is served, in service of a job."""

    def __init__(self, setting: TraceSetting) -> None:
        """Remember the clock."""
        self._setting = setting

    def end(self, job: JobView) -> float:
        """Return the service of a job at the next multiple, if it works until then."""
        interval = self._setting.interval
        return job.attained + job.gpus * (interval - self._setting.now % interval)


Floats = NDArray[np.float64]


class GittinsIndex(Protocol):
    """A Gittins index: who has a higher one goes first."""

    def at(self, a: float) -> float:
        """Return the index of a job that has had so much service."""


class Law:
    """The law of service: amounts in order, how many are no longer, what all take up to each."""

    def __init__(self, samples: Floats) -> None:
        """Count equal amounts once; 0 stands in front."""
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
        """Return what all take up to `a`, which stands behind this place."""
        taken: float = self.taken[place] + (self.all - self.ended[place]) * (a - self.x[place])
        return taken


class Gittins:
    """The index by its definition: the most ends for the service, over all D (Tiresias, 3.2).

    The best D ends at a listed amount. Seen as points ``(A, C)``, the index is the steepest slope
    from where a job is to a point further on, so only the upper hull of those points matters;
    hulls of all rests of the list are kept as one tree.
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
    """The index that the example of Tiresias' slides uses (figure 20 of the paper).

    The chance to end is not divided by the number of those that are left, and the longest amount
    is counted twice in the mean; ours, from the printed values.
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
    """The index for one D, as the discretised Tiresias-G uses it."""

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
    """The index of Tiresias' public simulator: one D, and the service counted from 0, not from a.

    The longest amount counts as one that never ends.
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
        """Return how many amounts are longer, how many of them end within D, and what all take."""
        samples, count = self._samples, len(self._samples)
        here, there = bisect_right(samples, a), bisect_right(samples, a + self._ahead)
        if a + self._ahead > samples[-1] - 1:
            there = count - 1
        spent: float = self._sums[there] - self._sums[here] + self._ahead * (count - there)
        return count - here, there - here, spent


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
