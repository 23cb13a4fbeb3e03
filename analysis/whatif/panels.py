"""The figure of a what-if question: a panel for each axis that was varied."""

from collections.abc import Callable, Sequence
from functools import partial

from ..figures.canvas import Figure, finished
from ..figures.categories import by_name, category_figure
from ..trace.parts import unit_of
from .cases import AXES, AxisRow, contender, values_of, varied

ABOUT = "Mean JCT by {}, everything else as first asked for"


def panels(cases: Sequence[AxisRow]) -> Callable[[], Figure] | None:
    """Return a function that draws a panel for each varied cluster, load or contention model.

    Without any, there is one panel of policies.
    """
    known = [case for case in cases if case.mean is not None]
    axes = varied(cases)
    asked = [axis for axis in axes if axis not in ("policy", "placement")] or axes[:1]
    return partial(_draw, cases, asked) if known and asked else None


def _draw(cases: Sequence[AxisRow], asked: Sequence[str]) -> Figure:
    size, unit = unit_of(case.mean for case in cases)
    first = {axis: values_of(cases, axis)[0] for axis in AXES}
    up = f"mean JCT, {unit}"
    figure, row = category_figure(
        ABOUT.format(" and ".join(asked)),
        *((axis, values_of(cases, axis), up) for axis in asked),
    )
    for axes, axis in zip(row, asked, strict=True):
        free = (axis, "policy", "placement")
        own = [case for case in cases if all(case.at[a] == first[a] for a in AXES if a not in free)]
        means = {
            (contender(case, cases) if axis not in free[1:] else "", case.at[axis]): case.mean
            for case in own
        }
        names = sorted({name for name, _ in means})
        values = {
            name: [
                None if (mean := means.get((name, value))) is None else mean / size
                for value in values_of(cases, axis)
            ]
            for name in names
        }
        by_name(axes, values, "line" if names != [""] else "points")
    return finished(figure)
