"""Performance profiles: the share of instances on which a method is within a factor of the best.

Source: Dolan and Moré 2002. More than two methods are not ranked by one profile (Gould and
Scott 2016): a curve says how often a method is that close to the best of those drawn.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from math import isfinite

from ...instances.errors import InputError, Problem, Words
from ..charts import Axis, Panel, Point, series_of
from ..rows import Row, answered, solved
from ..stats.cases import Common, common_set
from ..stats.profiles import StepCurve, ratio_profiles, time_profiles


def profile(
    steps: Mapping[str, Sequence[Point]],
    *,
    across: str,
    notes: tuple[str, ...] = (),
) -> Panel:
    """Return the profile of methods, each given by its rises (factor, share within it).

    A factor is 1 or more; a rise at an infinite factor is a failure and is not drawn.
    """
    known = {name: [p for p in points if isfinite(p[0])] for name, points in steps.items()}
    end = max((x for points in known.values() for x, _ in points), default=1.0)
    series = series_of({name: _rise(points, end) for name, points in known.items()}, "steps")
    return Panel(
        about=f"share of runs within a factor, by method: {across}",
        x=Axis(title=across, log=True, low=1),
        y=Axis(title="share of cases", low=0, high=1),
        series=tuple(series),
        notes=notes,
    )


UNPROVED = "no optimum is proved: times to a valid schedule"


def time_profile_of(rows: Iterable[Row], *, seedless: Collection[str] = ()) -> Panel:
    """Return the profile of the times in which instances were solved for good.

    Where none was, as by heuristics alone, of the times to a valid schedule, however good.
    """
    common = common_set(rows, seedless=seedless, restrict=True)
    proved = any(solved(row) for runs in common.runs.values() for row in runs)
    expected, advice = "one that some method answered", "choose other methods"
    steps = time_profiles(common, success=solved if proved else answered)
    points = _points(steps, expected, advice)
    notes = (_note(common), *([] if proved else [UNPROVED]))
    return profile(points, across="time over the least time", notes=notes)


def ratio_profile_of(rows: Iterable[Row], *, seedless: Collection[str] = ()) -> Panel:
    """Return the profile of objectives over the best found of each instance."""
    common = common_set(rows, seedless=seedless, restrict=True)
    expected, advice = "one that some method answered", "choose other methods"
    points = _points(ratio_profiles(common, common.best), expected, advice)
    return profile(points, across="objective over the best found", notes=(_note(common),))


def _points(steps: Mapping[str, StepCurve], expected: str, advice: str) -> dict[str, list[Point]]:
    """Return the rises of each method; refuse profiles that never rise."""
    if not any(one.places for one in steps.values()):
        problem = Problem("rows", Words("no case"), expected, advice)
        raise InputError("figure", [problem])
    return {n: list(zip(one.places, one.heights, strict=True)) for n, one in steps.items()}


def _note(common: Common) -> str:
    total = len(common.cases) + common.left_out
    return f"over the {len(common.cases):,} of {total:,} cases that all methods ran"


def _rise(points: Sequence[Point], end: float) -> tuple[Point, ...]:
    """Begin at 0 if no value is given for the factor 1, and hold the last value to the end."""
    first = [] if points and points[0][0] == 1 else [(1.0, 0.0)]
    last = points[-1][1] if points else 0.0
    return *first, *points, (end, last)
