"""How long it takes until k of n workers are done with a whole task, on average.

Exactly as fractions, or for every k at once in floating point.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...instances import Bimodal, MeasuredTimes, ParetoTime, ShiftedExponential, TaskTime

Floats = NDArray[np.float64]

UNIT = 2.0**-53
"""Rounding of one operation, relative."""


@dataclass(frozen=True, slots=True)
class StepLaw:
    """A law of finitely many times: the least, and steps up, each with its chance in (0, 1)."""

    least: Fraction
    ups: tuple[tuple[Fraction, Fraction], ...]


def steps_of(law: Bimodal | MeasuredTimes) -> StepLaw:
    """Return the times of a law, and how likely each is exceeded."""
    if isinstance(law, Bimodal):
        fast, slow, chance = map(Fraction, (law.fast_s, law.slow_s, law.slow))
        if chance in (0, 1):
            return StepLaw(slow if chance else fast, ())
        return StepLaw(fast, ((slow - fast, chance),))
    times, count = sorted(map(Fraction, law.times_s)), len(law.times_s)
    ups = [
        (high - low, Fraction(count - j, count))
        for j, (low, high) in enumerate(pairwise(times), 1)
        if high > low
    ]
    return StepLaw(times[0], tuple(ups))


@lru_cache(maxsize=64)
def mean_of(law: TaskTime, n: int, k: int) -> Fraction | None:
    """Return the mean of the k-th of n times; None if it is infinite."""
    later = range(n - k + 1, n + 1)
    if isinstance(law, ShiftedExponential):
        # With i workers left the next takes 1/(i rate) on average.
        return Fraction(law.least_s) + harmonic(later) / Fraction(law.rate_per_s)
    if isinstance(law, ParetoTime):
        # least / U^(1/tail), where U, the k-th largest of n uniform numbers, has a beta law.
        above, below = law.tail.as_integer_ratio()
        if later[0] * above <= below:
            return None
        top = _product([i * above for i in later])
        return Fraction(law.least_s) * Fraction(top, _product([i * above - below for i in later]))
    steps = steps_of(law)
    ups = (up * _fewer(n, k, longer) for up, longer in steps.ups)
    return sum(ups, steps.least)


def harmonic(numbers: range) -> Fraction:
    """Return the sum of the inverses of numbers in a row."""

    def sums(low: int, high: int) -> tuple[int, int]:
        if high - low == 1:
            return 1, low
        middle = (low + high) // 2
        (a, b), (c, d) = sums(low, middle), sums(middle, high)
        return a * d + c * b, b * d

    return Fraction(*sums(numbers.start, numbers.stop))


def _product(factors: Sequence[int]) -> int:
    if len(factors) == 1:
        return factors[0]
    half = len(factors) // 2
    return _product(factors[:half]) * _product(factors[half:])


def _fewer(n: int, k: int, longer: Fraction) -> Fraction:
    """Return the chance that fewer than k of n are done, if each is late with chance `longer`."""
    if 2 * k > n + 1:
        return 1 - _fewer(n, n - k + 1, 1 - longer)
    late, all_of = longer.as_integer_ratio()
    done, choose = all_of - late, [1]
    for i in range(1, k):
        choose.append(choose[-1] * (n - i + 1) // i)

    def ways(first: int, last: int) -> int:
        """Return the ways in which `first` to `last` are done, without their common powers."""
        if first == last:
            return choose[first]
        half = (first + last) // 2
        more: int = ways(half + 1, last) * done ** (half + 1 - first)
        less: int = ways(first, half) * late ** (last - half)
        return less + more

    return Fraction(ways(0, k - 1) * late ** (n - k + 1), all_of**n)


def means_of(law: TaskTime, n: int) -> Floats:
    """Return the means of the first to the n-th of n times, nearly; infinity where they are."""
    left = np.arange(n, 0, -1.0)
    means: Floats
    if isinstance(law, ShiftedExponential):
        means = float(law.least_s) + np.cumsum(1 / left) / float(law.rate_per_s)
        return means
    if isinstance(law, ParetoTime):
        inverse = 1 / float(law.tail)
        factors = np.where(left > inverse, left / np.maximum(left - inverse, 1e-300), np.inf)
        with np.errstate(over="ignore"):
            means = float(law.least_s) * np.multiply.accumulate(factors)
        return means
    steps = steps_of(law)
    i = np.arange(n, dtype=np.float64)
    ways = np.concatenate([[0.0], np.cumsum(np.log((n - i[:-1]) / (i[:-1] + 1)))])
    means = np.full(n, float(steps.least))
    for up, longer in steps.ups:
        done, late = np.log(float(1 - longer)), np.log(float(longer))
        means += float(up) * np.minimum(np.cumsum(np.exp(ways + i * done + (n - i) * late)), 1)
    return means


def rounding(law: TaskTime, n: int) -> float:
    """Return by which part of itself `means_of` errs at most, after a product with a share.

    It adds or multiplies up to n terms above 0, each with a few roundings; with steps, these are
    powers of e with exponents that are sums of n terms as long as n at most. A factor above 1,000
    of a Pareto mean is less exact; but then the code before the one that needs it is better.
    """
    terms = n + 32
    if isinstance(law, ShiftedExponential | ParetoTime):
        return 32 * terms * UNIT
    return 8 * terms**2 * UNIT
