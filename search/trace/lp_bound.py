"""A lower bound by prices of GPUs: the program of mean busy times, its duals summed exactly."""

from fractions import Fraction
from functools import partial
from math import ceil

from ...formulations.door.solve import solve
from ...formulations.dual import dual_bound
from ...formulations.program import Caps
from ...formulations.trace.busy_times import interval_starts, twin
from ...formulations.trace.demand import demands
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
    value = None if solution.duals is None else dual_bound(matrix, solution.duals)
    if value is None:
        return None
    ticks = ceil(value) - sum(job.release for job in jobs)
    argument = (
        f"mean busy times over {len(starts)} intervals of {starts[1] - starts[0]} ticks, "
        "no job faster than alone; its duals summed exactly"
    )
    return bound_of(instance, BoundKind.DUAL, "busy times in intervals", ticks, argument)
