"""Which jobs to admit, and with how many workers and servers: SMD's method, and an exact one.

Both first make every job as fast as possible within its reservation, independently of the other
jobs, then choose among the jobs. SMD's method is `approximate`: grid, rounding, sets of jobs. The
exact one tries all workers, and solves the knapsack with HiGHS.

Workers and servers are whole numbers rounded from a point of a job's program. Let the point be xbar
>= 1, round ``M xbar`` up or down without bias, and raise it to at least 1. With the factor M that
SMD prints the result always fits, and takes at most ``max(4, 2 / M)`` times as long. SMD claims
``(24 / M + 4) / delta``, with some probability. Rounding xbar down instead takes at most twice as
long. Proofs: docs/theory/smd.md.

A knapsack with several resources: linear programs around a few of the best jobs.

Every set of at most k jobs is tried as the jobs of most utility of an optimum. It is admitted, jobs
worth more than any of it are not, and the linear program over the other jobs is rounded down. Its
optimum has a fraction of at most R jobs, each worth at most a k-th of the set. Hence the best
answer is at least k / (k + R) of the optimum. Source: Frieze and Clarke 1984.

A sum of ratios on a grid: a point near the least, and a bound on the difference. The largest
possible value of each ratio over its least determines its grid width. The ratio with the widest has
no grid. The other ratios get levels ``least * (1 + epsilon) ** n``. At each grid point a linear
program minimises the ratio without a grid, the other ratios at most at their levels. Such a program
has two unknowns, so the corners of its polygon are compared. Source: SMD.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, inf, log, log1p, prod, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ...formulations.online.smd import TOLERANCE, SmdJob, SmdProblem, admission_program, has_room
from ...formulations.online.sum_of_ratios import Ratio, level_row, needed, polygon, quickest, ratios
from ...formulations.program import Caps, Flags, Floats, Matrix
from ...formulations.solver_interface.solve import solve
from ...instances import InputError, Limits, RefusedError, SolutionStatus
from ...instances.errors import Problem
from ...rounding.randomized import round_independently

WHOLE = 1e-6
"""Tolerance below which a job is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmittedJobs:
    """The jobs admitted, and how sure that is."""

    admitted: tuple[bool, ...]
    utility: float
    factor: float
    """The utility is at least this fraction of the optimum, or 0 if time was up."""
    programs: int
    """Linear programs solved."""


def pack(
    problem: SmdProblem, utilities: Sequence[float], size: int, limits: Limits
) -> AdmittedJobs:
    """Return a choice of jobs from sets of up to `size`."""
    worth, relaxed = np.asarray(utilities, dtype=float), _relaxed(problem, utilities)
    best, programs = np.zeros(len(worth), dtype=np.bool_), 0
    factor = size / (size + len(problem.capacity))
    for chosen in _sets(len(worth), size):
        if limits.over():
            factor = 0.0
            break
        lower = np.isin(np.arange(len(worth)), chosen).astype(float)
        if not has_room(problem, lower):
            continue
        found = _around(relaxed, worth, lower)
        programs += 1
        if worth @ found > worth @ best:
            best = found
    return AdmittedJobs(
        admitted=tuple(best.tolist()), utility=float(worth @ best), factor=factor, programs=programs
    )


def most_utility(problem: SmdProblem, utilities: Sequence[float]) -> float:
    """Return the most that jobs are worth together if parts of them may be admitted."""
    return float(np.asarray(utilities) @ _solve(_relaxed(problem, utilities)))


def _relaxed(problem: SmdProblem, utilities: Sequence[float]) -> Matrix:
    matrix = admission_program(problem, utilities)
    return replace(matrix, integer=np.zeros_like(matrix.integer))


def _sets(count: int, size: int) -> Iterator[tuple[int, ...]]:
    for k in range(min(size, count) + 1):
        yield from combinations(range(count), k)


def _around(relaxed: Matrix, worth: Floats, lower: Floats) -> Flags:
    """Admit some jobs, no job worth more than each of them, and the whole jobs of the optimum."""
    least = worth[lower > 0].min(initial=np.inf)
    upper = np.where((worth <= least) | (lower > 0), 1.0, 0.0)
    return _solve(replace(relaxed, lower=lower, upper=upper)) >= 1 - WHOLE


def _solve(matrix: Matrix) -> Floats:
    found = solve(matrix)
    if found.status is not SolutionStatus.OPTIMAL or found.point is None:
        raise RefusedError(
            f"HiGHS does not solve this knapsack: {found.note or found.status.value}"
        )
    return found.point


Ints = NDArray[np.int64]


def shrink_factor(job: SmdJob, delta: float) -> float:
    """Return ``M = 1 + k - sqrt(k^2 + 2 k)`` with ``k = 3 ln(2 r / delta) / (2 W_b)``.

    r is the number of required resources; W_b is the least number of workers, or of servers, that
    one resource allows. Source: SMD.
    """
    if not 0 < delta < 1:
        problem = Problem("delta", delta, "a probability between 0 and 1", "0.1 is a usual choice")
        raise InputError("rounding", [problem])
    rows = needed(job)
    width = min(job.reserved[r] / max(job.worker[r], job.server[r]) for r in rows)
    k = 1.5 * log(2 * len(rows) / delta) / width
    return 1 / (1 + k + sqrt(k * k + 2 * k))


def round_shrunk(point: Floats, factor: float, samples: int, rng: Generator) -> Ints:
    """Return roundings of ``factor * point``, a row each, at least one worker and one server."""
    block = round_independently(point, samples, rng, factor)
    drawn = np.tile(block.base, (samples, 1))
    drawn[:, block.columns] += block.ups
    return np.asarray(np.maximum(drawn, 1))


def round_down(point: Floats) -> Ints:
    """Return the whole parts, at least one worker and one server."""
    return np.asarray(np.maximum(np.floor(point * (1 + TOLERANCE / 2)), 1), dtype=np.int64)


ROUNDINGS = ("shrunk", "down")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """The workers and servers of a job if it is admitted."""

    job: str
    workers: int
    servers: int
    time_ms: float
    lower_ms: float
    """A lower bound over all numbers of workers and servers, whole or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """A grant for each job, the admitted jobs, and their total utility."""

    grants: tuple[Grant, ...]
    admitted: tuple[bool, ...]
    utility: float
    upper: float
    """No allocation is worth more."""


def approximate(
    problem: SmdProblem,
    rng: Generator,
    limits: Limits,
    *,
    epsilon: float = 0.2,
    delta: float = 0.1,
    size: int = 2,
    rounding: str = "shrunk",
) -> Allocation:
    """Return the allocation of SMD's method.

    `epsilon` is for the grids, `delta` for the factor M, and `size` for the sets of jobs. The
    `rounding` is SMD's, or "down" without randomness and factor. Once time is up, lower bounds are
    minus infinity, and the remaining steps use the results so far.
    """
    if rounding not in ROUNDINGS:
        problems = [Problem("rounding", rounding, "one of " + ", ".join(ROUNDINGS), "choose one")]
        raise InputError("SMD", problems)
    grants = []
    for job in problem.jobs:
        found = search_grid(job, epsilon, limits)
        point = np.array([found.workers, found.servers])
        if rounding == "down":
            workers, servers = round_down(point)
        else:
            ((workers, servers),) = round_shrunk(point, shrink_factor(job, delta), 1, rng)
        grants.append(_grant(job, int(workers), int(servers), found.lower_ms))
    packing = pack(problem, _utilities(problem, [grant.time_ms for grant in grants]), size, limits)
    optimistic = _utilities(problem, [max(0.0, grant.lower_ms) for grant in grants])
    return Allocation(
        grants=tuple(grants),
        admitted=packing.admitted,
        utility=packing.utility,
        upper=most_utility(problem, optimistic),
    )


def exact(problem: SmdProblem, caps: Caps) -> Allocation:
    """Return an optimum, or the best that HiGHS finds within its caps."""
    best = [quickest(job) for job in problem.jobs]
    utilities = _utilities(problem, [one.time_ms for one in best])
    found = solve(admission_program(problem, utilities), caps=caps)
    if found.point is None or found.value is None or found.bound is None:
        raise RefusedError(
            f"HiGHS finds no choice of jobs: {found.note or found.termination.value}"
        )
    return Allocation(
        grants=tuple(
            _grant(job, one.workers, one.servers, one.time_ms)
            for job, one in zip(problem.jobs, best, strict=True)
        ),
        admitted=tuple((found.point > 0.5).tolist()),
        utility=-found.value,
        upper=-found.bound,
    )


def _grant(job: SmdJob, workers: int, servers: int, lower_ms: float) -> Grant:
    return Grant(
        job=job.name,
        workers=workers,
        servers=servers,
        time_ms=float(job.time_ms(workers, servers)),
        lower_ms=lower_ms,
    )


def _utilities(problem: SmdProblem, times_ms: Sequence[float]) -> list[float]:
    pairs = zip(problem.jobs, times_ms, strict=True)
    return [job.worth(time_ms, problem.slot_ms) for job, time_ms in pairs]


CHUNK = 2048
NOISE = 1e-11
"""A corner is in the polygon if it misses its rows by no more than this part of their terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridPoint:
    """The best point of the grid. If time was up, `lower_ms` is minus infinity."""

    workers: float
    servers: float
    time_ms: float
    """At most (1 + epsilon) times the least of any point, whole or not."""
    lower_ms: float
    """No point, whole or not, takes less."""
    programs: int
    """Linear programs solved."""


def corners(rows: Floats) -> Floats:
    """Return intersections of two rows of a polygon, as (w, p, 1), infinite if outside."""
    first, second = np.triu_indices(rows.shape[-2], k=1)
    points: Floats = np.cross(rows[..., first, :], rows[..., second, :])
    with np.errstate(divide="ignore", invalid="ignore"):
        points = points / points[..., 2:]
        excess = points @ np.swapaxes(rows, -1, -2)
        size = np.abs(points) @ np.swapaxes(np.abs(rows), -1, -2)
        inside = np.asarray((excess <= NOISE * size).all(axis=-1))
    return np.asarray(np.where(inside[..., None], points, inf))


def bounds(job: SmdJob, ratio: Ratio) -> tuple[float, float]:
    """Return the least and the largest value of a ratio, without its weight."""
    found = corners(polygon(job))
    found = found[np.isfinite(found[:, 0])]
    values = found[:, ratio.above] / found[:, ratio.below]
    return float(values.min()), float(values.max())


def search_grid(job: SmdJob, epsilon: float, limits: Limits) -> GridPoint:
    """Return the best of the grid's points."""
    if not 0 < epsilon < inf:
        raise InputError.of("grid", "epsilon", epsilon, "a number above 0", "0.1 is a usual choice")
    constant_ms, parts = ratios(job)
    ranges = {part: bounds(job, part) for part in parts}
    free, *others = sorted(parts, key=lambda part: -ranges[part][1] / ranges[part][0])
    grids = [_levels(*ranges[part], epsilon) for part in others]
    best, lower, programs = np.ones(2), inf, 0
    for levels in _chunks(grids):
        if limits.over():
            lower = -inf
            break
        values, points = _least(job, free, others, levels)
        weights = np.array([part.weight for part in others])
        lower = min(lower, float((values + levels @ weights / (1 + epsilon)).min()))
        best = _better(job, best, points[np.isfinite(values)])
        programs += len(levels)
    return GridPoint(
        workers=float(best[0]),
        servers=float(best[1]),
        time_ms=float(job.time_ms(*best)),
        lower_ms=constant_ms + lower,
        programs=programs,
    )


def _levels(least: float, largest: float, epsilon: float) -> Floats:
    """Return the upper ends of the stretches that together reach from least to largest."""
    count = max(1, ceil(log(largest / least) / log1p(epsilon)))
    return np.asarray(least * (1 + epsilon) ** np.arange(1.0, count + 1))


def _chunks(grids: list[Floats]) -> Iterator[Floats]:
    """Yield the points of the grid, a row each, many at once."""
    shape = tuple(grid.size for grid in grids)
    for start in range(0, prod(shape), CHUNK):
        places = np.unravel_index(np.arange(start, min(start + CHUNK, prod(shape))), shape)
        yield np.column_stack([grid[at] for grid, at in zip(grids, places, strict=True)])


def _least(job: SmdJob, free: Ratio, others: list[Ratio], levels: Floats) -> tuple[Floats, Floats]:
    """Solve the programs of grid points. Return least weighted values, or infinity, and points."""
    fixed = np.broadcast_to(polygon(job), (len(levels), *polygon(job).shape))
    moving = np.stack(
        [[level_row(part, level) for level in levels[:, i]] for i, part in enumerate(others)],
        axis=1,
    )
    found = corners(np.concatenate([fixed, moving], axis=1))
    inside = np.isfinite(found[..., 0])
    with np.errstate(invalid="ignore"):
        values = np.where(inside, found[..., free.above] / found[..., free.below], inf)
    at = values.argmin(axis=1)
    each = np.arange(len(levels))
    return free.weight * values[each, at], found[each, at, :2]


def _better(job: SmdJob, best: Floats, points: Floats) -> Floats:
    tried = np.vstack([best, points])
    return np.asarray(tried[np.argmin(job.time_ms(tried[:, 0], tried[:, 1]))])
