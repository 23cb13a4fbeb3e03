"""A sum of ratios on a grid: a point near the least, and how much less there could be.

The largest possible value of each ratio over its least says how wide a grid it needs; the ratio
with the widest has none. The others get levels ``least * (1 + epsilon) ** n``, and at each point
of the grid a linear program finds the least of the one without, the others at most at their
levels. Such a program has two unknowns, so the corners of its polygon are compared; HiGHS finds
the same (`ratio_program`). Source: SMD.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, inf, log, log1p, prod

import numpy as np

from ...formulations.online.smd_data import SmdJob
from ...formulations.online.sum_of_ratios import Ratio, level_row, polygon, ratios
from ...formulations.program import Floats
from ...instances import InputError, Limits

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
    """Return where two rows of a polygon cross, as (w, p, 1); infinite where that is outside."""
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
    """Solve the programs of grid points: least weighted values, infinite if none, and where."""
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
