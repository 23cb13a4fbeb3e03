"""Bars, lines and marks over a few categories, with intervals and labels where the eye is.

A chart is laid out in the shapes of `gantt/` and painted by the same two painters: SVG by our
own writer, PNG and PDF by matplotlib. All panels of a chart share one scale, which begins at 0.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from ..instances.errors import MissingError
from ..instances.writing import write_whole
from .chart import PALETTE, Chart, Frame, Look, Panel, Series, Value, mean_of
from .gantt.colours import FAINT, INK, PAPER, SOFT_INK
from .gantt.makespan.axis import round_ticks
from .gantt.shapes import Boxes, Line, Picture, Shape, Text
from .gantt.svg import to_svg
from .gantt.words import fit, number, text_width
from .intervals import Interval
from .series import draw_series

__all__ = ["PALETTE", "Chart", "Look", "Panel", "Series", "Value", "draw_chart", "lay_out_chart"]

SINGLE, SHARED, HEIGHT = 560.0, 380.0, 330.0
"""Width of a panel alone and of one among others, height of all."""
LEFT, TOP, BOTTOM, GAP = 48.0, 34.0, 48.0, 10.0


def draw_chart(chart: Chart, path: Path) -> None:
    """Write a chart as the suffix of `path` says: .svg, or .pdf and .png with matplotlib."""
    form = path.suffix.removeprefix(".")
    if form == "svg":
        return write_whole(path, to_svg(lay_out_chart(chart)).encode())
    if find_spec("matplotlib") is None:
        raise MissingError(f"a {form.upper()} chart needs matplotlib: pip install 'ringyard[plot]'")
    from .gantt.plot import to_plot

    return write_whole(path, to_plot(lay_out_chart(chart), form))


def lay_out_chart(chart: Chart) -> Picture:
    """Lay out all panels of a chart, from left to right."""
    series = [one for panel in chart.panels for one in panel.series]
    most = 1.04 * max((_top(value) for one in series for _, value in one.points), default=0.0)
    width = SHARED if len(chart.panels) > 1 else SINGLE
    whole = width * len(chart.panels)
    shapes: list[Shape] = [Boxes(at=((0, 0, whole, HEIGHT),), fill=PAPER, role="paper")]
    for i, panel in enumerate(chart.panels):
        named = [series.name for series in panel.series if series.look != "bars"]
        room = max((text_width(name, 10) for name in named), default=0) + 18
        frame = Frame(
            left=i * width + LEFT,
            right=(i + 1) * width - GAP - room,
            top=TOP,
            bottom=HEIGHT - BOTTOM,
            most=most or 1.0,
            count=len(panel.categories),
        )
        shapes.extend(_axes(panel, frame))
        shapes.extend(draw_series(panel, frame))
    return Picture(width=whole, height=HEIGHT, head=0, about=chart.about, shapes=tuple(shapes))


def _top(value: Interval | float) -> float:
    return value.high if isinstance(value, Interval) and value.bounded else mean_of(value)


def _axes(panel: Panel, frame: Frame) -> Iterator[Shape]:
    """Draw the scale with its grid, the names of the categories, and the titles."""
    for tick in round_ticks(frame.most, 6, whole=False):
        y = frame.y(tick)
        yield Line(start=(frame.left, y), end=(frame.right, y), colour=FAINT, role="grid")
        at = (frame.left - 6, y + 3.5)
        yield Text(at=at, text=number(tick), size=10, colour=SOFT_INK, anchor="end", role="tick")
    for i, name in enumerate(panel.categories):
        at = (frame.x(i), frame.bottom + 15)
        text = fit(name, 10, frame.pitch + 8)
        yield Text(at=at, text=text, size=10, colour=INK, anchor="middle", role="category")
    at = ((frame.left + frame.right) / 2, frame.bottom + 34)
    yield Text(at=at, text=panel.across, size=11, colour=INK, anchor="middle")
    yield Text(at=(frame.left - 36, 18), text=panel.title, size=12, colour=INK, bold=True)
