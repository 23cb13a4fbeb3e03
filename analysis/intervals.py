"""Confidence intervals of a mean over seeds and of a failure probability.

Student's t and the limits of Clopper and Pearson assume that seeds are independent samples.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, inf, isfinite, log, log1p, sqrt
from statistics import fmean, stdev

LEVEL = 0.95
"""Default confidence level of an interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A mean and the interval that covers the true mean with the confidence `level`.

    The interval of a single value is the whole line.
    """

    mean: float
    low: float
    high: float
    count: int
    level: float = LEVEL

    @property
    def bounded(self) -> bool:
        """True if there were enough values for an interval."""
        return isfinite(self.low) and isfinite(self.high)


def student(values: Sequence[float], level: float = LEVEL) -> Interval:
    """Return the mean with Student's t interval, `count - 1` degrees of freedom."""
    from scipy.special import stdtrit

    mean, count = fmean(values), len(values)
    half = inf
    if count > 1:
        half = float(stdtrit(count - 1, (1 + level) / 2)) * stdev(values) / sqrt(count)
    return Interval(mean=mean, low=mean - half, high=mean + half, count=count, level=level)


def widening(comparisons: int, count: int, level: float = LEVEL) -> float:
    """Return how many times as wide Student's intervals of `count` values are to hold together.

    By Bonferroni's inequality, so that all of `comparisons` intervals cover with `level`.
    """
    from scipy.special import stdtrit

    alone, together = (
        float(stdtrit(count - 1, 1 - (1 - level) / (2 * n))) for n in (1, comparisons)
    )
    return together / alone


FEWEST = 3
"""Minimum number of values for an interval from `mean_above`."""

ABOVE = "Student's t on the logarithm of the mean's distance from"
"""The method of `mean_above`, for captions, to be followed by the minimum."""


def mean_above(values: Sequence[float], least: float) -> Interval:
    """Return the mean of values of at least `least`, with an interval above it.

    Student's t is taken on the logarithm of the mean's distance from the minimum, with the error by
    the delta method. The interval is longer above than below, as is the spread of such values. If a
    value is below the minimum, it is Student's plain interval.
    """
    plain = student(values)
    room, half = plain.mean - least, plain.high - plain.mean
    if plain.count < FEWEST:
        return replace(plain, low=-inf, high=inf)
    if not half or min(values) < least:
        return plain
    factor = exp(half / room)
    return replace(plain, low=least + room / factor, high=least + room * factor)


def next_draw(mean: Interval) -> Interval:
    """Return a mean from `mean_above(values, 0)` with the prediction interval of one more value.

    Values are taken as lognormal, with their mean and their standard deviation. The interval of the
    mean tells the latter: its ends are ``exp(t s / (sqrt(n) m))`` times apart from the mean.
    """
    from scipy.special import stdtrit

    if not (mean.bounded and mean.low > 0):
        return mean
    t = float(stdtrit(mean.count - 1, (1 + mean.level) / 2))
    relative_deviation = log(mean.high / mean.low) / 2 * sqrt(mean.count) / t
    variance = log1p(relative_deviation**2)
    half = t * sqrt(variance * (1 + 1 / mean.count))
    low, high = (mean.mean * exp(end - variance / 2) for end in (-half, half))
    return replace(mean, low=low, high=high)


def mean_share(values: Sequence[float]) -> Interval:
    """Return the mean of parts of a whole, with an interval that stays between 0 and 1.

    Student's t is taken on the logarithm of the mean's odds, also by the delta method.
    """
    plain = student(values)
    if plain.count < FEWEST:
        return replace(plain, low=-inf, high=inf)
    if not 0 < plain.mean < 1:
        return plain
    odds, half = plain.mean / (1 - plain.mean), plain.high - plain.mean
    factor = exp(half / (plain.mean * (1 - plain.mean)))
    low, high = odds / factor, odds * factor
    return replace(plain, low=low / (1 + low), high=high / (1 + high))


def paired_ratio(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Return the geometric mean of paired ratios, with Student's t on logarithms."""
    logs = student([log(a) - log(b) for a, b in zip(values, others, strict=True)])
    low, high = (exp(end) if isfinite(end) else end for end in (logs.low, logs.high))
    return replace(logs, mean=exp(logs.mean), low=low, high=high)


def ratio_of_sums(values: Sequence[float], others: Sequence[float]) -> Interval:
    """Return the ratio of two sums over the same seeds. Single terms may be 0.

    Student's t is taken on the logarithm of the ratio, with the error by the delta method.
    """
    mean, other = fmean(values), fmean(others)
    parts = student([a / mean - b / other for a, b in zip(values, others, strict=True)])
    ratio, half = mean / other, parts.high
    low, high = (ratio * exp(-half), ratio * exp(half)) if parts.bounded else (-inf, inf)
    return replace(parts, mean=ratio, low=low, high=high)


def clopper_pearson(failures: int, samples: int, level: float = 0.99) -> tuple[float, float]:
    """Return the one-sided lower and upper limits of a probability, each at `level`.

    At the upper limit, at most the observed number of failures has probability ``1 - level``, and
    vice versa at the lower limit. Source: Clopper and Pearson 1934.
    """
    from scipy.special import betaincinv

    rest = samples - failures
    low = float(betaincinv(failures, rest + 1, 1 - level)) if failures else 0.0
    high = float(betaincinv(failures + 1, rest, level)) if rest else 1.0
    return low, high
