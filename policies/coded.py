"""Codes for one matrix product, ranked by the expected time of the workers they wait for.

Times are exact fractions, or floating point for all k at once.

- `mds`: workers have different combinations of the parts, and any k of them suffice. With the best
  k no code is better: every code waits for at least one worker per part. Source: Lee, Lam,
  Pedarsani, Papailiopoulos and Ramchandran 2018.
- `replication`: parts without sums, each multiplied by several workers. The first result is used.
  With k parts on n workers, n mod k parts have one more copy than the other parts. A part is
  missing with the probability of a late worker to the power of its copies.
- `uncoded`: one part per worker. The product is known when the last worker is done.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from math import cos, inf, pi
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from numpy import isinf
from numpy.typing import NDArray

from ..instances import (
    NO_LIMITS,
    Bimodal,
    CodedInstance,
    CodedPlan,
    Limits,
    MeasuredTimes,
    Outcome,
    ParetoTime,
    ShiftedExponential,
    TaskTime,
    TerminationReason,
    digest,
)
from ..instances.coded import Point
from ..instances.reading.vocabulary import Count
from .request import NoOptions, Request, Scheduler, outcome_of

Floats = NDArray[np.float64]

UNIT = 2.0**-53
"""Rounding of one operation, relative."""


@dataclass(frozen=True, slots=True)
class StepLaw:
    """A law of finitely many times: the least, and steps up, with probabilities in (0, 1)."""

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
    """Return the mean of the k-th of n times, or None if it is infinite."""
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
    """Return the probability that fewer than k of n are done, each late with `longer`."""
    if 2 * k > n + 1:
        return 1 - _fewer(n, n - k + 1, 1 - longer)
    late, all_of = longer.as_integer_ratio()
    done, choose = all_of - late, [1]
    for i in range(1, k):
        choose.append(choose[-1] * (n - i + 1) // i)

    def terms(first: int, last: int) -> int:
        """Return the sum of the terms with `first` to `last` done, without their common powers."""
        if first == last:
            return choose[first]
        half = (first + last) // 2
        more: int = terms(half + 1, last) * done ** (half + 1 - first)
        less: int = terms(first, half) * late ** (last - half)
        return less + more

    return Fraction(terms(0, k - 1) * late ** (n - k + 1), all_of**n)


def means_of(law: TaskTime, n: int) -> Floats:
    """Return floating-point means of the first to the n-th of n times, or infinity."""
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
    choose = np.concatenate([[0.0], np.cumsum(np.log((n - i[:-1]) / (i[:-1] + 1)))])
    means = np.full(n, float(steps.least))
    for up, longer in steps.ups:
        done, late = np.log(float(1 - longer)), np.log(float(longer))
        means += float(up) * np.minimum(np.cumsum(np.exp(choose + i * done + (n - i) * late)), 1)
    return means


def rounding(law: TaskTime, n: int) -> float:
    """Return the largest relative error of `means_of`, after a product with a share.

    It adds or multiplies up to n terms above 0, each with a few roundings. With steps, the terms
    are powers of e whose exponents are sums of at most n terms. A factor above 1,000 of a Pareto
    mean is less exact, but then the code before the one that needs it is better.
    """
    terms = n + 32
    if isinstance(law, ShiftedExponential | ParetoTime):
        return 32 * terms * UNIT
    return 8 * terms**2 * UNIT


class BestParts(NamedTuple):
    """The best number of parts, and its expected time."""

    parts: int
    value: Fraction | None
    """None if there was no time for an exact comparison with close candidates."""


def parts_worth_having(instance: CodedInstance) -> list[int]:
    """Return the numbers of parts, but for those with which a part is no smaller than with fewer.

    Waiting for fewer workers with the same task never takes longer.
    """
    shares = [instance.share(k) for k in range(1, instance.workers + 1)]
    return [k for k, now in enumerate(shares, 1) if k == 1 or now < shares[k - 2]]


def times_by_parts(instance: CodedInstance) -> Floats:
    """Return the expected times of codes with 1 to n parts, nearly."""
    n = instance.workers
    shares = [float(instance.share(k)) for k in range(1, n + 1)]
    return np.array(shares) * means_of(instance.time, n)


def best_parts(instance: CodedInstance, limits: Limits = NO_LIMITS) -> BestParts | None:
    """Return the best number of parts, the least on ties, and its expected time, both exact.

    Return None if every expected time is infinite. Floating point selects the candidates whose
    rounding error leaves them possibly best. They are compared as fractions while time remains.
    """
    kept = parts_worth_having(instance)
    near = times_by_parts(instance)[np.array(kept) - 1]
    chosen = np.flatnonzero(
        near <= near.min() * (1 + 3 * rounding(instance.time, instance.workers))
    )
    found: BestParts | None = None
    for k in (kept[i] for i in chosen):
        if limits.over() and np.isfinite(near.min()):
            return BestParts(kept[int(near.argmin())], None)
        mean = mean_of(instance.time, instance.workers, k)
        if mean is not None:
            value = instance.share(k) * mean
            if found is None or found.value is None or value < found.value:
                found = BestParts(k, value)
    return found


def planned(
    instance: CodedInstance, method: str, parts: int, points: tuple[Point, ...] = ()
) -> Outcome:
    """Return a plan as an outcome."""
    name, of = instance.name, digest(instance)
    return outcome_of(
        CodedPlan(instance=name, digest=of, method=method, parts=parts, points=points)
    )


def endless(what: str, advice: str = "") -> Outcome:
    """Return the outcome of a method none of whose plans has a finite expected time."""
    return outcome_of(None, note=f"{what} has an infinite expected time{advice}")


def refuses(instance: CodedInstance, options: Any) -> str | None:
    """Return why there cannot be that many parts, or None if there can."""
    if options.parts is None or options.parts <= instance.workers:
        return None
    return f"parts={options.parts} exceeds the number of workers, {instance.workers}"


PointKind = Literal["chebyshev", "equispaced", "integers"]


def points_of(kind: PointKind, workers: int) -> tuple[Decimal, ...]:
    """Return the points: Chebyshev's or evenly spread, between -1 and 1, or 1, 2, 3, ..."""
    if kind == "integers":
        return tuple(Decimal(w + 1) for w in range(workers))
    if kind == "equispaced":
        values = [(2 * w + 1 - workers) / workers for w in range(workers)]
    else:
        values = [-cos(pi * (2 * w + 1) / (2 * workers)) for w in range(workers)]
    return tuple(Decimal(f"{value:.15f}").normalize() + 0 for value in values)


@dataclass(frozen=True, slots=True, kw_only=True)
class MdsOptions:
    """The code."""

    parts: Annotated[Count | None, "parts of the matrix (k), or null for the best number"] = None
    points: Annotated[PointKind, "of the Vandermonde matrix"] = "chebyshev"


def run_mds(instance: CodedInstance, request: Request[MdsOptions]) -> Outcome:
    """Return the code (deterministic)."""
    given, n, termination = request.options, instance.workers, TerminationReason.DONE
    if given.parts is None:
        best = best_parts(instance, request.limits)
        if best is None:
            return endless("every code")
        parts = best.parts
        if best.value is None:
            termination = TerminationReason.TIME_LIMIT
    else:
        parts = given.parts
        if mean_of(instance.time, n, parts) is None:
            return endless(f"a code of {parts} parts", ": use fewer parts")
    # Adding is useless for whole matrices, or if all parts are needed.
    points = points_of(given.points, n) if 1 < parts < n else ()
    return replace(planned(instance, "mds", parts, points), termination=termination)


MDS = Scheduler(run=run_mds, Options=MdsOptions, refuses=refuses)


GRID = np.linspace(-34.0, 14.0, 481)
"""Logarithms of time. The trapezoid rule over them is nearly exact if the mean is finite."""


def times_by_copies(instance: CodedInstance) -> Floats:
    """Return the expected times with 1 to n repeated parts, infinity if infinite."""
    n, mean = instance.workers, _mean_by_copies(instance.time)
    each = [float(instance.share(k)) * mean(n // k, n % k, k - n % k) for k in range(1, n + 1)]
    return np.array(each)


def _mean_by_copies(law: TaskTime) -> Callable[[int, int, int], float]:
    """Return the mean of `rest` parts in `copies` copies and `more` parts in one more."""
    if isinstance(law, ShiftedExponential):
        least, scale = float(law.least_s), 1 / float(law.rate_per_s)
        return lambda copies, more, rest: least + scale * _integral(0, copies, more, rest)
    if isinstance(law, ParetoTime):
        return partial(_pareto, float(law.least_s), 1 / float(law.tail))
    steps = steps_of(law)
    ups = np.array([float(up) for up, _ in steps.ups])
    # Probabilities near 1 must not be rounded to 1.
    late = np.maximum(-np.log([float(longer) for _, longer in steps.ups]), 2.0**-52)
    least = float(steps.least)
    return lambda copies, more, rest: (
        least + float(ups @ np.exp(_log_missing(late, copies, more, rest)))
    )


def _pareto(least: float, slope: float, copies: int, more: int, rest: int) -> float:
    if copies <= slope:
        return inf
    return least * (1 + slope * _integral(slope, copies, more, rest))


def _integral(slope: float, copies: int, more: int, rest: int) -> float:
    """Return the integral over t of exp(slope t) times the probability at S = exp(-t)."""
    t = np.exp(GRID)
    values = np.exp(_log_missing(t, copies, more, rest) + slope * t + GRID)
    return float(values.sum() * (GRID[1] - GRID[0]))


def _log_missing(t: Floats, copies: int, more: int, rest: int) -> Floats:
    """Return the logarithm of the probability that a part is missing when S is exp(-t)."""
    first = -copies * t
    there = rest * np.log1p(-np.exp(first)) + more * np.log1p(-np.exp(first - t))
    # Far out only parts with fewest copies matter; the rounding of `there` would dominate.
    missing: Floats = np.log(rest) + first
    seen = there < -1e-12
    missing[seen] = np.log(-np.expm1(there[seen]))
    return missing


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicationOptions:
    """Repetition of parts."""

    parts: Annotated[
        Count | None, "parts of the matrix (k), or null for the best number, to floating point"
    ] = None


def run_replication(instance: CodedInstance, request: Request[ReplicationOptions]) -> Outcome:
    """Return the plan (deterministic)."""
    times = times_by_copies(instance)
    parts = request.options.parts if request.options.parts else int(times.argmin()) + 1
    if isinf(times[parts - 1]):
        if parts == 1:
            return endless("every code")
        return endless(f"replication of {parts} parts", ": use fewer parts, or the method `mds`")
    return planned(instance, "replication", parts)


REPLICATION = Scheduler(run=run_replication, Options=ReplicationOptions, refuses=refuses)


def run_uncoded(instance: CodedInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan (deterministic)."""
    if mean_of(instance.time, instance.workers, instance.workers) is None:
        return endless("the slowest worker", ": use `mds`, which does not wait for it")
    return planned(instance, "uncoded", instance.workers)


UNCODED = Scheduler(run=run_uncoded)
