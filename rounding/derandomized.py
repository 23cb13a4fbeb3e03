"""Rounding without random numbers: conditional expectations of a pessimistic estimator."""

from dataclasses import dataclass

import numpy as np

from .block import split
from .gain import GainFactor
from .program import TOLERANCE, Floats, Ints, MixedProgram

MOST = 600.0
"""Exponents end here, before they overflow."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Derandomized:
    """A rounding that keeps what a gain grants, or why there is none."""

    x: Ints | None
    rows: float
    """At most this is the probability that random rounding misses the level of some row."""
    cost: float
    """The cost is at most this multiple of the scaled point's; infinite without a point."""
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Estimator:
    """Logarithms of every row's term at the start, and what each column's way adds to them."""

    start: Floats
    up: Floats
    down: Floats


def derandomize(program: MixedProgram, point: Floats, gain: GainFactor) -> Derandomized:
    """Round ``gain.factor * point`` so that every row surely keeps the level the gain grants it.

    The probability that packing row i exceeds its level s is at most ``E exp(t (B_i x - s))``,
    for cover rows likewise; t is the best one for each row. The sum ``rows`` of these terms and
    ``cost / limit`` never grows if every column goes the better way. With ``limit`` set so that
    the sum starts at 1, no row misses its level in the end and the cost is at most ``limit``,
    which is ``1 / (1 - rows)`` times the mean: better than ``3 / delta`` times if `rows` is at
    most ``2 delta / 3``, as it is for the gains of `gain.py` whose hypotheses are met. Source:
    Raghavan 1988.
    """
    base, columns, fractions = split(point, gain.factor)
    rows = np.concatenate([program.packing, -program.cover])
    limits = np.concatenate([gain.packing * program.capacity, -gain.cover * program.demand])
    limits = limits + TOLERANCE * np.abs(limits)
    moving, left = rows[:, columns], limits - rows @ base
    risky = np.maximum(moving, 0).sum(axis=1) > left
    terms = _estimator(moving[risky], left[risky], fractions)
    failing = _sum(terms.start)
    if failing >= 1:
        reason = f"the rows may fail with probability up to {failing:.3g} by this estimate, not < 1"
        return Derandomized(x=None, rows=failing, cost=np.inf, reason=reason)
    mean = float(program.cost @ base + program.cost[columns] @ fractions)
    limit = mean / (1 - failing)
    base[columns] += _walk(terms, program.cost[columns], limit or 1.0)
    return Derandomized(x=base, rows=failing, cost=1 / (1 - failing))


def _walk(terms: _Estimator, cost: Floats, limit: float) -> Ints:
    """Send each column the way that makes the estimator smaller, the cheaper one if equal."""
    logs, ups = terms.start, np.zeros(cost.size, dtype=np.int64)
    for j in range(cost.size):
        up, down = logs + terms.up[:, j], logs + terms.down[:, j]
        ups[j] = _sum(up) + cost[j] / limit < _sum(down)
        logs = up if ups[j] else down
    return ups


def _sum(logs: Floats) -> float:
    return float(np.exp(np.minimum(logs, MOST)).sum())


def _estimator(moving: Floats, left: Floats, fractions: Floats) -> _Estimator:
    """Return the terms with t at which each row's exponential moment is least.

    The logarithm of the moment is convex in t, and t is found by bisection of its slope, up to
    where no exponential overflows.
    """
    low = np.zeros(len(left))
    largest = np.abs(moving).max(axis=1, initial=0)
    high = MOST / np.where(largest > 0, largest, 1)
    for _ in range(50):
        t = (low + high) / 2
        odds = fractions * np.exp(moving * t[:, None])
        slope = (moving * odds / (1 - fractions + odds)).sum(axis=1) - left
        low, high = np.where(slope < 0, t, low), np.where(slope < 0, high, t)
    step = moving * low[:, None]
    down = -np.log1p(fractions * np.expm1(step))
    return _Estimator(start=-down.sum(axis=1) - low * left, up=step + down, down=down)
