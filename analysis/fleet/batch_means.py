"""Long-run averages of one long run, with confidence intervals: batch means.

What follows shortly after each other is alike, so single jobs are no independent draws. Means over
long stretches nearly are. Source: Law and Carson 1979; ratios as in Iglehart 1975.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...instances.errors import InputError, Problem, raise_any
from ..intervals import LEVEL, Interval

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCut:
    """How a run is divided: the part left out at its start, then batches of equal length."""

    warm_up: float = 0.1
    batches: int = 25

    def __post_init__(self) -> None:
        """Refuse what leaves nothing to average, or nothing to compare."""
        problems = []
        if not 0 <= self.warm_up < 1:
            expected = "a part from 0 to below 1"
            problems.append(Problem("warm_up", self.warm_up, expected, "give for example 0.1"))
        if self.batches < 2:
            advice = "give 20 to 30"
            problems.append(Problem("batches", self.batches, "an integer at least 2", advice))
        raise_any("batch means", problems)

    def edges(self, begin: float, end: float) -> Floats:
        """Return where batches begin and end, between the ends of the run."""
        return np.linspace(begin + self.warm_up * (end - begin), end, self.batches + 1)


USUAL = BatchCut()


def mean_of_jobs(values: Floats, weights: Floats | None = None, cut: BatchCut = USUAL) -> Interval:
    """Return the weighted mean of values in order of arrival, with its interval.

    Raises:
        InputError: If there are fewer values than batches.
    """
    if len(values) * (1 - cut.warm_up) < cut.batches:
        expected = f"at least one for each of {cut.batches} batches, beside the warm-up"
        problem = Problem("jobs", len(values), expected, "let more jobs arrive")
        raise InputError("batch means", [problem])
    at = cut.edges(0, len(values)).astype(np.int64)
    weighing = np.ones(len(values)) if weights is None else weights
    first = at[:-1]
    sums = np.add.reduceat((values * weighing)[: at[-1]], first)
    return ratio_of(sums, np.add.reduceat(weighing[: at[-1]], first))


def mean_over_time(levels: Floats, since: Floats, until: Floats, edges: Floats) -> Interval:
    """Return the mean over time of a sum of levels, each held from one time until another."""
    held = np.array([np.dot(levels, np.clip(at, since, until) - since) for at in edges])
    return ratio_of(np.diff(held), np.diff(edges))


def ratio_of(sums: Floats, sizes: Floats) -> Interval:
    """Return the sum of sums over the sum of sizes, batch by batch, with its interval.

    The interval is Student's t on what each batch adds beyond its share, with one degree of
    freedom fewer than there are batches. Batches of one size make it that of plain means.
    """
    from scipy.special import stdtrit

    count, ratio = len(sums), float(sums.sum() / sizes.sum())
    spread = float(np.std(sums - ratio * sizes, ddof=1) / sizes.mean())
    half = float(stdtrit(count - 1, (1 + LEVEL) / 2)) * spread / count**0.5
    return Interval(mean=ratio, low=ratio - half, high=ratio + half, count=count)
