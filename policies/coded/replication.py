"""Parts without any sums, each multiplied by several workers: the first of them counts.

Of n workers, n mod k parts of k have one more than the others. A part is missing with the chance
of a late worker to the power of its copies; the product is, unless no part is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Annotated

import numpy as np
from numpy import isinf

from ...instances import CodedInstance, Outcome, ParetoTime, ShiftedExponential, TaskTime
from ...instances.reading.vocabulary import Count
from ..request import Request
from .order import Floats, steps_of
from .plan import endless, planned, too_many

GRID = np.linspace(-34.0, 14.0, 481)
"""Logarithms of time; the trapezoid rule over them is nearly exact where the mean is finite."""


def times_by_copies(instance: CodedInstance) -> Floats:
    """Return the expected times with 1 to n parts, each repeated; infinity where they are."""
    n, mean = instance.workers, _mean_of(instance.time)
    each = [float(instance.share(k)) * mean(n // k, n % k, k - n % k) for k in range(1, n + 1)]
    return np.array(each)


def _mean_of(law: TaskTime) -> Callable[[int, int, int], float]:
    """Return what gives the mean if `rest` parts have `copies` copies, and `more` one more."""
    if isinstance(law, ShiftedExponential):
        least, scale = float(law.least_s), 1 / float(law.rate_per_s)
        return lambda copies, more, rest: least + scale * _integral(0, copies, more, rest)
    if isinstance(law, ParetoTime):
        return partial(_pareto, float(law.least_s), 1 / float(law.tail))
    steps = steps_of(law)
    ups = np.array([float(up) for up, _ in steps.ups])
    # Chances next to 1 must not become it.
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
    """Return the integral over t of exp(slope t) times the chance at S = exp(-t)."""
    t = np.exp(GRID)
    values = np.exp(_log_missing(t, copies, more, rest) + slope * t + GRID)
    return float(values.sum() * (GRID[1] - GRID[0]))


def _log_missing(t: Floats, copies: int, more: int, rest: int) -> Floats:
    """Return the logarithm of the chance that a part is missing when S is exp(-t)."""
    first = -copies * t
    there = rest * np.log1p(-np.exp(first)) + more * np.log1p(-np.exp(first - t))
    # Far out only the parts with fewest copies count, and the rounding of `there` would.
    missing: Floats = np.log(rest) + first
    seen = there < -1e-12
    missing[seen] = np.log(-np.expm1(there[seen]))
    return missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How often parts are repeated."""

    parts: Annotated[
        Count | None, "parts of the matrix (k); null: the best number, to floating point"
    ] = None


def refuses(instance: CodedInstance, options: Options) -> str | None:
    """Say why parts cannot be repeated so, or None if they can."""
    return too_many(options.parts, instance.workers)


def run(instance: CodedInstance, request: Request[Options]) -> Outcome:
    """Return the plan; nothing is random."""
    times = times_by_copies(instance)
    parts = request.options.parts if request.options.parts else int(times.argmin()) + 1
    if isinf(times[parts - 1]):
        return endless("what the same workers have")
    return planned(instance, "replication", parts)
