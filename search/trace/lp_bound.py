"""A lower bound by prices of GPUs: the program of mean busy times, its duals summed exactly."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil, lcm
from typing import Any

import numpy as np

from ...formulations.door.solve import solve
from ...formulations.dual import dual_bound
from ...formulations.program import Caps
from ...formulations.trace.busy_times import interval_starts, twin
from ...formulations.trace.demand import demands
from ...formulations.trace.pools import pools
from ...instances import Bound, BoundKind, Limits, TraceInstance
from ..asked_bounds import AskedBounds
from .bounds import bound_of, combinatorial_bounds

MOST_PARTS = 500_000
"""Parts of jobs in intervals."""

INTERVALS = (60, 250, 1_000)
"""Numbers of intervals that are tried, one after the other."""


def stronger(instance: TraceInstance, limits: Limits, best: Fraction | None = None) -> AskedBounds:
    """Ask for bounds over ever more intervals; for none once one is as good as `best`."""
    asked = AskedBounds(combinatorial_bounds(instance, limits)[0])
    for intervals in INTERVALS:
        done = best is not None and asked.best.value >= best
        if done or limits.over() or intervals * len(instance.jobs) > MOST_PARTS:
            break
        program = partial(lp_bound, instance, limits, intervals)
        if not asked.ask(f"busy times in {intervals} intervals", program, "more time"):
            break
    return asked


def lp_bound(instance: TraceInstance, limits: Limits, intervals: int) -> Bound | None:
    """Return the bound with this many intervals of equal length; None if the time is too short."""
    jobs = demands(instance)
    starts = interval_starts(instance, intervals)
    matrix = twin(instance, starts)
    solution = solve(matrix, caps=Caps(time_s=limits.left_s(), threads=limits.threads))
    if solution.duals is None:
        return None
    duals = np.where(np.isfinite(solution.duals), solution.duals, 0.0)
    means = slice(len(jobs), 2 * len(jobs))
    duals[means] = np.clip(duals[means], 0.0, 1.0)  # No end counts for more than it is.
    value = dual_bound(matrix, duals)
    if value is None:
        return None
    ticks = ceil(value) - sum(job.release for job in jobs)
    argument = (
        f"mean busy times over {len(starts)} intervals of {starts[1] - starts[0]} ticks, "
        "no job faster than alone; its duals summed exactly"
    )
    bound = bound_of(instance, BoundKind.DUAL, "busy times in intervals", ticks, argument)
    by_row = dict(zip(matrix.rows, duals.tolist(), strict=True))
    return replace(bound, proof=(_step(instance, starts, by_row),))


def _step(
    instance: TraceInstance, starts: Sequence[int], duals: Mapping[str, float]
) -> dict[str, Any]:
    """Return what duals say as prices of half GPUs, and as shares of means in ends."""
    held = pools(instance)
    prices = [
        [
            Fraction(max(0.0, -duals.get(f"regions_fit[{u},{k}]" if u else f"gpus_fit[{k}]", 0.0)))
            for k in range(len(starts) - 1)
        ]
        for u in range(len(held))
    ]
    jobs = range(len(instance.jobs))
    shares = [Fraction(duals[f"half_after_mean[{j}]"]) for j in jobs]
    unit = lcm(*(one.denominator for row in (*prices, shares) for one in row))
    return {
        "rule": "busy times in intervals",
        "unit": unit,
        "starts": list(starts),
        "pools": [list(pool.servers) for pool in held],
        "prices": [[int(price * unit) for price in row] for row in prices],
        "shares": [int(share * unit) for share in shares],
    }
