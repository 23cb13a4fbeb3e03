"""The figure of a what-if question: a panel for each axis that was varied."""

from collections.abc import Callable, Sequence
from functools import partial

from ..figures.canvas import Axes, Figure, finished
from ..figures.categories import by_name, category_figure
from ..trace.parts import unit_of
from .cases import AXES, AxisRow, contender, values_of, varied

ABOUT = "Waits and mean JCT by {}, everything else as first asked for"
ACROSS = {"jobs": "jobs: only these count"}
"""Titles of axes other than their names. Replays without some jobs are means of other jobs."""
METRICS = {"mean JCT": "objective", "mean wait": "mean_queueing_s", "p95 wait": "p95_queueing_s"}
"""The columns of the rows that are drawn, by their name on the axis."""


def panels(cases: Sequence[AxisRow]) -> Callable[[], Figure] | None:
    """Return a function that draws a row of panels for each metric.

    A row has a panel for each varied axis other than policy and placement. Without any, there is
    one panel of policies.
    """
    known = [case for case in cases if case.mean is not None]
    axes = varied(cases)
    asked = [axis for axis in axes if axis not in ("policy", "placement")] or axes[:1]
    return partial(_draw, cases, asked) if known and asked else None


def _draw(cases: Sequence[AxisRow], asked: Sequence[str]) -> Figure:
    drawn = {
        name: [None if not case.row["valid"] else case.row.get(column) for case in cases]
        for name, column in METRICS.items()
    }
    drawn = {name: times for name, times in drawn.items() if any(t is not None for t in times)}
    units = {name: unit_of(times) for name, times in drawn.items()}
    figure, grid = category_figure(
        ABOUT.format(" and ".join(asked)),
        *(
            (ACROSS.get(axis, axis), values_of(cases, axis), f"{name}, {units[name][1]}")
            for name in drawn
            for axis in asked
        ),
        rows=len(drawn),
    )
    places = ((name, axis) for name in drawn for axis in asked)
    for axes, (name, axis) in zip(grid, places, strict=True):
        scaled = [None if time is None else time / units[name][0] for time in drawn[name]]
        _draw_panel(axes, cases, axis, scaled)
    return finished(figure)


def _draw_panel(
    axes: Axes, cases: Sequence[AxisRow], axis: str, values: Sequence[float | None]
) -> None:
    """Draw the values of the cases that differ from the first one only in an axis and a policy."""
    first = {axis: values_of(cases, axis)[0] for axis in AXES}
    free = (axis, "policy", "placement")
    found = {
        (contender(case, cases) if axis not in free[1:] else "", case.at[axis]): value
        for case, value in zip(cases, values, strict=True)
        if all(case.at[a] == first[a] for a in AXES if a not in free)
    }
    names = sorted({name for name, _ in found})
    series = {name: [found.get((name, one)) for one in values_of(cases, axis)] for name in names}
    by_name(axes, series, "line" if names != [""] else "points")
