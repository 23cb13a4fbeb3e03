"""Randomised rounding: independent, dependent, the best of many, and without random numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from scipy.sparse import csr_array

from .gain import GainFactor
from .program import (
    SOLVER,
    TOLERANCE,
    Flags,
    Floats,
    Ints,
    MixedProgram,
    check_numbers,
    check_point,
)
from .repair import Repair, repair

CHUNK = 1 << 15
"""Entries worked on at once: a quarter of a megabyte stays in a core's own memory."""

SPARSE = 0.2
"""Rows with fewer entries than this part are multiplied as a sparse matrix."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundingBlock:
    """Roundings of one point: ``base``, plus 1 in the rounded-up members of ``columns``."""

    base: Ints
    columns: Ints
    ups: Flags
    """One row per rounding, one column per fractional column."""

    def point(self, index: int) -> Ints:
        """Return one rounding."""
        x = self.base.copy()
        x[self.columns] += self.ups[index]
        return x

    def values(self, weights: Floats) -> Floats:
        """Return ``weights @ x`` for every rounding."""
        found = np.empty(len(self.ups))
        for part in pieces(len(found), self.columns.size):
            found[part] = self.ups[part] @ weights[self.columns]
        return found + weights @ self.base

    def beyond(self, rows: Floats, limits: Floats) -> Flags:
        """Return for every rounding whether some row has ``rows @ x > limits``.

        Rows that hold even at the worst rounding are not computed.
        """
        limits = limits + TOLERANCE * np.abs(limits)
        fixed, moving = rows @ self.base, rows[:, self.columns]
        risky = fixed + np.maximum(moving, 0).sum(axis=1) > limits
        moving, left = moving[risky], (limits - fixed)[risky, None]
        found = np.zeros(len(self.ups), dtype=np.bool_)
        if not risky.any():
            return found
        few = np.count_nonzero(moving) < moving.size * SPARSE
        factor: Any = csr_array(moving) if few else moving
        for part in pieces(len(found), sum(moving.shape)):
            ups = self.ups[part].T.astype(np.float64)
            found[part] = (factor @ ups > left).any(axis=0)
        return found


def split(point: Floats, factor: float = 1.0) -> tuple[Ints, Ints, Floats]:
    """Return the whole parts of a scaled point, its fractional columns and their fractions.

    A number as close to a whole one as a solver's noise is taken as whole.
    """
    scaled = factor * np.asarray(point, dtype=np.float64)
    check_numbers(scaled)
    scaled = np.maximum(scaled, 0)
    nearest = np.rint(scaled)
    whole = np.abs(scaled - nearest) <= TOLERANCE * np.maximum(scaled, 1)
    base = np.where(whole, nearest, np.floor(scaled))
    columns = np.flatnonzero(~whole)
    return base.astype(np.int64), columns, scaled[columns] - base[columns]


def pieces(count: int, width: int) -> Iterator[slice]:
    """Cut a range of rows into slices of about `CHUNK` entries."""
    step = max(1, CHUNK // max(width, 1))
    return (slice(at, min(at + step, count)) for at in range(0, count, step))


def round_independently(
    point: Floats, samples: int, rng: Generator, factor: float = 1.0
) -> RoundingBlock:
    """Round ``factor * point`` up with the probability of its fraction, else down, many times.

    The mean of a column is its scaled value, and columns are independent. See `gain.py` for the
    guarantees. Only fractional columns need random numbers. Source: Raghavan and Thompson 1987.
    """
    base, columns, fractions = split(point, factor)
    ups = np.empty((samples, columns.size), dtype=np.bool_)
    for part in pieces(samples, columns.size):
        np.less(rng.random(ups[part].shape), fractions, out=ups[part])
    return RoundingBlock(base=base, columns=columns, ups=ups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """A duel of two fractional columns: one is settled, the other remains fractional.

    The newcomer is settled with probability ``settled``, otherwise the current column is. The
    settled column goes up if ``up``, else down.
    """

    newcomer: int
    settled: float
    up: bool


def duels(fractions: Floats) -> tuple[list[Duel], float]:
    """Return the duels of all columns in their order, and the fraction that is left at the end.

    With p the fraction that comes, f the newcomer's: if ``p + f < 1``, one column goes down and the
    other gets the sum. Otherwise one goes up and the other keeps ``p + f - 1``. The chances leave
    both means as they are. The fraction is deterministic, but the column that carries it is random.
    """
    found, carried = [], 0.0
    for newcomer, fraction in enumerate(fractions.tolist()):
        total = carried + fraction
        if newcomer:
            up = total >= 1
            settled = (1 - carried) / (2 - total) if up else carried / total
            found.append(Duel(newcomer=newcomer, settled=settled, up=up))
            total -= up
        carried = total
    return found, carried


def round_dependently(
    point: Floats,
    samples: int,
    rng: Generator,
    factor: float = 1.0,
    group: Sequence[int] | None = None,
) -> RoundingBlock:
    """Round ``factor * point`` with exact means and the sum of a group rounded up or down.

    The group is all columns, or the given ones. Other columns are rounded independently. A sum that
    is whole, but for a solver's noise, is kept. Columns are negatively correlated: for every set,
    the chances that all of it goes up, and that all of it goes down, are at most the products. The
    statements of `gain.py` therefore hold as for independent rounding. Source: Srinivasan 2001.
    Gandhi, Khuller, Parthasarathy and Srinivasan 2006. Pairs in this order: Deville and Tille 1998.
    """
    base, columns, fractions = split(point, factor)
    inside = np.isin(columns, np.arange(base.size) if group is None else group)
    ups = np.empty((samples, columns.size), dtype=np.bool_)
    ups[:, inside] = _draw(fractions[inside], samples, rng)
    ups[:, ~inside] = rng.random((samples, int((~inside).sum()))) < fractions[~inside]
    return RoundingBlock(base=base, columns=columns, ups=ups)


def _draw(fractions: Floats, samples: int, rng: Generator) -> Flags:
    ups = np.zeros((samples, fractions.size), dtype=np.bool_)
    every, carrier = np.arange(samples), np.zeros(samples, dtype=np.int64)
    meetings, left = duels(fractions)
    for duel in meetings:
        settled = rng.random(samples) < duel.settled
        if duel.up:
            ups[every, np.where(settled, duel.newcomer, carrier)] = True
        carrier = np.where(settled, carrier, duel.newcomer)
    if fractions.size:
        if abs(left - round(left)) <= SOLVER:
            left = round(left)
        ups[every, carrier] = rng.random(samples) < left
    return ups


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BestRounding:
    """The cheapest valid rounding, if there was one, and how many of the samples failed."""

    x: Ints | None
    cost: float
    """Infinite if there is no point."""
    samples: int
    over: int
    """Samples that some packing row does not allow."""
    short: int
    """Samples that fit and miss some cover row."""
    repair: Repair | None = None
    """The repair of the sample, if it was not valid by itself."""


def best_of(
    program: MixedProgram,
    point: Floats,
    samples: int,
    rng: Generator,
    *,
    factor: float = 1.0,
    repairing: Literal["none", "short", "all"] = "none",
) -> BestRounding:
    """Return the cheapest of independent roundings of ``factor * point`` that satisfies all rows.

    Failed samples are left out, or repaired: the short ones that fit, or all. If one sample fails a
    theorem's promise with probability delta, all of them do with probability ``delta ** samples``.
    Source: Raghavan and Thompson 1987. PD-ORS resamples until one is valid.
    """
    block = round_independently(point, samples, rng, factor)
    over = block.beyond(program.packing, program.capacity)
    short = block.beyond(-program.cover, -program.demand) & ~over
    costs = block.values(program.cost)
    best = BestRounding(
        x=None, cost=np.inf, samples=samples, over=int(over.sum()), short=int(short.sum())
    )
    valid = np.flatnonzero(~(over | short))
    if valid.size:
        cheapest = int(valid[np.argmin(costs[valid])])
        best = replace(best, x=block.point(cheapest), cost=float(costs[cheapest]))
    if repairing == "none":
        return best
    # Filling adds to the cost: a sample that fits is no use if it costs too much already.
    useful = short & (costs < best.cost)
    return _repaired(program, block, useful | over if repairing == "all" else useful, best)


def _repaired(
    program: MixedProgram, block: RoundingBlock, which: Flags, best: BestRounding
) -> BestRounding:
    """Return the best point with some samples repaired as well, each different one once."""
    for ups in np.unique(block.ups[which], axis=0):
        x = block.base.copy()
        x[block.columns] += ups
        after = repair(program, x)
        cost = float(program.cost @ after.x)
        if after.problem is None and cost < best.cost:
            best = replace(best, x=after.x, cost=cost, repair=after)
    return best


QUANTILES = (0.5, 0.9, 0.99, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """Numbers of samples for which a statement was false, and costs over the point's cost."""

    draws: int
    cost: int
    """Samples dearer than ``gain.cost`` times the point."""
    cover: int
    """Samples with a cover row below its level."""
    packing: int
    """Samples with a packing row above its level."""
    any: int
    usable: int
    """Samples that keep every row as it is, capacities and demands alike."""
    cost_factors: tuple[float, ...]
    """At `QUANTILES`, or empty if the point has no cost."""


def run_trial(
    program: MixedProgram, point: Floats, gain: GainFactor, rng: Generator, draws: int = 10_000
) -> Trial:
    """Round ``gain.factor * point`` independently many times and count failures.

    Raises:
        InputError: The point does not come from the linear program of the theorems.
    """
    check_point(program, point)
    block = round_independently(point, draws, rng, gain.factor)
    base = float(program.cost @ point)
    costs = block.values(program.cost)
    dear = costs > gain.cost * base * (1 + TOLERANCE)
    short = block.beyond(-program.cover, -gain.cover * program.demand)
    over = block.beyond(program.packing, gain.packing * program.capacity)
    exact = ~block.beyond(-program.cover, -program.demand)
    exact &= ~block.beyond(program.packing, program.capacity)
    found = np.quantile(costs / base, QUANTILES).tolist() if base > 0 else []
    return Trial(
        draws=draws,
        cost=int(dear.sum()),
        cover=int(short.sum()),
        packing=int(over.sum()),
        any=int((dear | short | over).sum()),
        usable=int(exact.sum()),
        cost_factors=tuple(found),
    )


MOST = 600.0
"""Exponents end here, before they overflow."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Derandomized:
    """A rounding that keeps what a gain grants, or the reason for its absence."""

    x: Ints | None
    rows: float
    """At most this is the probability that random rounding misses the level of some row."""
    cost: float
    """The cost is at most this multiple of the scaled point's, infinite without a point."""
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Estimator:
    """Logarithms of every row's term at the start, and the changes by each column, up or down."""

    start: Floats
    up: Floats
    down: Floats


def derandomize(program: MixedProgram, point: Floats, gain: GainFactor) -> Derandomized:
    """Round ``gain.factor * point`` so that every row surely keeps the level the gain grants it.

    The probability that packing row i exceeds its level s is at most ``E exp(t (B_i x - s))``, for
    cover rows likewise. t is the best one for each row. The sum ``rows`` of these terms and ``cost
    / limit`` never grows if every column goes in the better direction. With ``limit`` set so that
    the sum starts at 1, no row misses its level and the cost is at most ``limit``, which is ``1 /
    (1 - rows)`` times the mean: better than ``3 / delta`` times if `rows` is at most ``2 delta /
    3``, as it is for the gains of `gain.py` whose hypotheses are met. Source: Raghavan 1988.
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
    """Round each column in the direction of the smaller estimate, the cheaper one if equal."""
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

    The logarithm of the moment is convex in t. Bisection of its slope finds t, in a range without
    overflow.
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
