"""The series of a panel: bars, lines and marks with their intervals, named at their right end."""

from collections.abc import Iterator
from itertools import pairwise

from .chart import Frame, Panel, Series, mean_of
from .gantt.colours import INK, PAPER, mixed
from .gantt.shapes import Boxes, Line, Shape, Text
from .intervals import Interval

DASH = (5.0, 3.0)
DODGE = 5.0
"""How far lines with intervals stand apart, so that none hides another."""


def draw_series(panel: Panel, frame: Frame) -> Iterator[Shape]:
    """Draw the series of a panel in their order, then their names."""
    for series in panel.series:
        yield from _paint(series, frame, _dodge(series, panel))
    yield from _names(panel, frame)


def _dodge(series: Series, panel: Panel) -> float:
    lines = [one for one in panel.series if one.look in ("line", "points") and _is_uncertain(one)]
    return DODGE * (lines.index(series) - (len(lines) - 1) / 2) if series in lines else 0.0


def _is_uncertain(series: Series) -> bool:
    return any(isinstance(value, Interval) and value.bounded for value in series.values)


def _paint(series: Series, frame: Frame, dodge: float) -> Iterator[Shape]:
    points = [(frame.x(i) + dodge, value) for i, value in series.points]
    if series.look in ("line", "plain", "dashed"):
        yield from _joined(series, frame, [(x, frame.y(mean_of(value))) for x, value in points])
    if series.look in ("plain", "dashed"):
        return
    for x, value in points:
        if series.look == "bars":
            yield from _bar(series, frame, x, mean_of(value))
        if isinstance(value, Interval) and value.bounded:
            yield from _whisker(frame, x, value, mixed(series.colour, "#000000", 0.35))
        if series.look != "bars":
            yield _mark(series, x, frame.y(mean_of(value)))


def _joined(series: Series, frame: Frame, places: list[tuple[float, float]]) -> Iterator[Shape]:
    """Join the points; a level line without points runs across the whole panel."""
    if _is_level(series):
        places = [(frame.left, places[0][1]), (frame.right, places[0][1])]
    dash = DASH if series.look == "dashed" else None
    for start, end in pairwise(places):
        colour, role = series.colour, series.look
        yield Line(start=start, end=end, colour=colour, width=1.6, dash=dash, role=role)


def _is_level(series: Series) -> bool:
    level = len({mean_of(value) for _, value in series.points}) == 1
    return level and series.look in ("plain", "dashed")


def _mark(series: Series, x: float, y: float) -> Boxes:
    hollow = series.look == "marks"
    half, fill = (3.5, PAPER) if hollow else (2.5, series.colour)
    box, edge = (x - half, y - half, 2 * half, 2 * half), series.colour
    return Boxes(at=(box,), fill=fill, edge=edge, edge_width=1.4, role=series.look)


def _bar(series: Series, frame: Frame, x: float, value: float) -> Iterator[Shape]:
    """Draw a bar with its value written at its foot, where no interval can hide it."""
    width, y = 0.62 * frame.pitch, frame.y(value)
    box = (x - width / 2, y, width, frame.bottom - y)
    yield Boxes(at=(box,), fill=mixed(series.colour, PAPER, 0.45), role="bars")
    at, text = (x, frame.bottom - 6), f"{value:.0f}"
    yield Text(at=at, text=text, size=10, colour=INK, anchor="middle", bold=True, role="value")


def _whisker(frame: Frame, x: float, value: Interval, colour: str) -> Iterator[Shape]:
    low, high = frame.y(max(0.0, value.low)), frame.y(value.high)
    yield Line(start=(x, low), end=(x, high), colour=colour, width=1.2, role="interval")
    for y in (low, high):
        yield Line(start=(x - 3, y), end=(x + 3, y), colour=colour, width=1.2)


def _names(panel: Panel, frame: Frame) -> Iterator[Shape]:
    """Name each series at its right end; names that would touch are moved apart."""
    ends = []
    for series in panel.series:
        if series.look != "bars" and series.points:
            last, value = series.points[-1]
            x = frame.right if _is_level(series) else frame.x(last) + _dodge(series, panel) + 6
            ends.append((x, frame.y(mean_of(value)), series))
    ends.sort(key=lambda end: end[1])
    heights = _apart([y for _, y, _ in ends], frame.bottom)
    for (x, true, series), y in zip(ends, heights, strict=True):
        end = (frame.right + 6, y)
        yield Line(start=(x, true), end=end, colour=series.colour, width=0.6, opacity=0.7)
        at = (frame.right + 9, y + 3.5)
        yield Text(at=at, text=series.name, size=10, colour=series.colour, role="name")


def _apart(wanted: list[float], lowest: float, pitch: float = 13.0) -> list[float]:
    """Move heights, given from the top down, a pitch apart; none below the lowest."""
    placed: list[float] = []
    for y in wanted:
        placed.append(max(y, placed[-1] + pitch) if placed else y)
    limit = lowest
    for i in reversed(range(len(placed))):
        placed[i] = min(placed[i], limit)
        limit = placed[i] - pitch
    return placed
