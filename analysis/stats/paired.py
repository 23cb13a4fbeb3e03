"""The relative change of a mean over the same jobs in two replays, with its interval.

Jobs of one day are alike, so chance is in the days: a bootstrap sample draws days of arrival with
replacement, and takes both values of all their jobs. The ends are those of the BCa method, which
corrects bias and skewness (Efron 1987), with the jackknife over days.
"""

from functools import cache

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri

from ..intervals import LEVEL, Interval

JobArray = npt.NDArray[np.float64]
"""A number for each job."""

FEWEST_DAYS = 5
"""Least number of days for an interval."""

RESAMPLES = 2_000
DAY_S = 86_400


def paired_change(before: JobArray, after: JobArray, arrivals_s: JobArray) -> Interval | None:
    """Return the relative change of the mean with its interval.

    Without one, it is None: if the jobs arrive on fewer than `FEWEST_DAYS` days, or if the mean
    before the change is 0 in a sample.
    """
    _, day = np.unique(arrivals_s // DAY_S, return_inverse=True)
    days = int(day.max()) + 1
    if days < FEWEST_DAYS:
        return None
    first, second = (np.bincount(day, weights=values) for values in (before, after))
    drawn = _draws(days)
    below = drawn @ first
    if not (below > 0).all():
        return None
    found = second.sum() / first.sum() - 1
    samples = drawn @ second / below - 1
    alone = first.sum() - first
    low, high = found, found
    if (alone > 0).all() and samples.min() < samples.max():
        low, high = _bca(found, samples, (second.sum() - second) / alone - 1)
    return Interval(mean=float(found), low=float(low), high=float(high), count=days)


@cache
def _draws(days: int) -> JobArray:
    """Return how often each day is in each sample."""
    drawn = np.random.default_rng(0).multinomial(days, [1 / days] * days, size=RESAMPLES)
    return drawn.astype(np.float64)


def _bca(found: float, samples: JobArray, jackknife: JobArray) -> tuple[float, float]:
    """Return the ends of the BCa interval."""
    part = ((samples < found).sum() + (samples == found).sum() / 2) / len(samples)
    bias = float(ndtri(min(max(part, 1 / len(samples)), 1 - 1 / len(samples))))
    spread = jackknife.mean() - jackknife
    size = float((spread**2).sum()) ** 1.5
    skew = float((spread**3).sum()) / (6 * size) if size else 0.0
    ends = []
    for tail in ((1 - LEVEL) / 2, (1 + LEVEL) / 2):
        point = bias + float(ndtri(tail))
        ends.append(float(ndtr(bias + point / max(1e-9, 1 - skew * point))))
    low, high = np.quantile(samples, ends)
    return float(low), float(high)
