"""Panels over a few categories: bars, lines and marks, with intervals, on one scale from 0.

Values stand where the eye is: bars have theirs at the foot, other series their name at the right.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..drawing.colours import FAINT, INK, PAPER, SOFT_INK, mixed
from ..drawing.shapes import Boxes, Line, Picture, Place, Shape, TextLine, fit, number, text_width
from ..gantt.time import round_ticks
from .axis import Scale, View
from .panel import Panel, Series

SINGLE, SHARED, HEIGHT = 560.0, 380.0, 330.0
"""Width of a panel alone and of one among others, height of all."""
LEFT, TOP, BOTTOM, GAP = 48.0, 34.0, 48.0, 10.0

DODGE = 5.0
"""How far lines with intervals stand apart, so that none hides another."""


def lay_out_categories(panels: Sequence[Panel]) -> Picture:
    """Lay out panels from left to right."""
    most = 1.04 * max((y for panel in panels for _, y in panel.places()), default=0.0)
    width = SHARED if len(panels) > 1 else SINGLE
    shapes = list[Shape]()
    for i, panel in enumerate(panels):
        named = [series.name for series in panel.series if series.way != "bars"]
        room = max((text_width(name, 10) for name in named), default=0) + 18
        view = View(
            x=Scale(log=False, low=-0.5, high=len(panel.x.categories) - 0.5),
            y=Scale(log=False, low=0.0, high=most or 1.0),
            left=i * width + LEFT,
            right=(i + 1) * width - GAP - room,
            top=TOP,
            bottom=HEIGHT - BOTTOM,
        )
        shapes.extend(_axes(panel, view))
        for series in panel.series:
            shapes.extend(_paint(series, view, _dodge(series, panel)))
        shapes.extend(_names(panel, view))
    return Picture.on_paper((width * len(panels), HEIGHT), panels[0].about, shapes)


def _axes(panel: Panel, view: View) -> Iterator[Shape]:
    """Draw the scale with its grid, the names of the categories, and the titles."""
    for tick in round_ticks(view.y.high, 6, whole=False):
        y = view.up(tick)
        yield Line(start=(view.left, y), end=(view.right, y), colour=FAINT, role="grid")
        at = (view.left - 6, y + 3.5)
        yield TextLine(
            at=at, text=number(tick), size=10, colour=SOFT_INK, anchor="end", role="tick"
        )
    for i, name in enumerate(panel.x.categories):
        at = (view.across(i), view.bottom + 15)
        text = fit(name, 10, _pitch(view) + 8)
        yield TextLine(at=at, text=text, size=10, colour=INK, anchor="middle", role="category")
    at = ((view.left + view.right) / 2, view.bottom + 34)
    yield TextLine(at=at, text=panel.x.title, size=11, colour=INK, anchor="middle")
    yield TextLine(at=(view.left - 36, 18), text=panel.y.title, size=12, colour=INK, bold=True)


def _pitch(view: View) -> float:
    return (view.right - view.left) / (view.x.high - view.x.low)


def _dodge(series: Series, panel: Panel) -> float:
    bare = [one for one in panel.series if one.way != "bars" and one.marked and one.band]
    lines = [one for one in bare if not one.look.hollow]
    return DODGE * (lines.index(series) - (len(lines) - 1) / 2) if series in lines else 0.0


def _role(series: Series) -> str:
    if series.way == "points":
        return "marks" if series.look.hollow else "points"
    return series.way if series.marked else "dashed" if series.look.dash else "plain"


def _paint(series: Series, view: View, dodge: float) -> Iterator[Shape]:
    places = [(view.across(x) + dodge, view.up(y)) for x, y in series.points]
    if series.way == "line":
        yield from _joined(series, view, places)
    if not series.marked:
        return
    sure = {x: (view.up(max(0.0, low)), view.up(high)) for x, low, high in series.band}
    for (point, value), place in zip(series.points, places, strict=True):
        if series.way == "bars":
            yield from _bar(series, view, place, value)
        if point in sure:
            yield from _whisker(place[0], *sure[point], mixed(series.look.colour, "#000000", 0.35))
        if series.way != "bars":
            yield _mark(series, *place)


def _joined(series: Series, view: View, places: list[Place]) -> Iterator[Shape]:
    """Join the points; a level line without points runs across the whole panel."""
    if _is_level(series):
        places = [(view.left, places[0][1]), (view.right, places[0][1])]
    for start, end in pairwise(places):
        colour, dash = series.look.colour, series.look.dash
        yield Line(start=start, end=end, colour=colour, width=1.6, dash=dash, role=_role(series))


def _is_level(series: Series) -> bool:
    heights = {y for _, y in series.points}
    return series.way == "line" and not series.marked and len(heights) == 1


def _mark(series: Series, x: float, y: float) -> Boxes:
    edge = series.look.colour
    half, fill = (3.5, PAPER) if series.look.hollow else (2.5, edge)
    box = (x - half, y - half, 2 * half, 2 * half)
    return Boxes(at=(box,), fill=fill, edge=edge, edge_width=1.4, role=_role(series))


def _bar(series: Series, view: View, place: Place, value: float) -> Iterator[Shape]:
    """Draw a bar with its value written at its foot, where no interval can hide it."""
    (x, y), width = place, 0.62 * _pitch(view)
    box = (x - width / 2, y, width, view.bottom - y)
    yield Boxes(at=(box,), fill=mixed(series.look.colour, PAPER, 0.45), role="bars")
    at, text = (x, view.bottom - 6), f"{value:.0f}"
    yield TextLine(at=at, text=text, size=10, colour=INK, anchor="middle", bold=True, role="value")


def _whisker(x: float, low: float, high: float, colour: str) -> Iterator[Shape]:
    yield Line(start=(x, low), end=(x, high), colour=colour, width=1.2, role="interval")
    for y in (low, high):
        yield Line(start=(x - 3, y), end=(x + 3, y), colour=colour, width=1.2)


def _names(panel: Panel, view: View) -> Iterator[Shape]:
    """Name each series at its right end; names that would touch are moved apart."""
    ends = []
    for series in panel.series:
        if series.way != "bars" and series.points:
            last, value = series.points[-1]
            x = view.right if _is_level(series) else view.across(last) + _dodge(series, panel) + 6
            ends.append((x, view.up(value), series))
    ends.sort(key=lambda end: end[1])
    heights = _apart([y for _, y, _ in ends], view.bottom)
    for (x, true, series), y in zip(ends, heights, strict=True):
        end, colour = (view.right + 6, y), series.look.colour
        yield Line(start=(x, true), end=end, colour=colour, width=0.6, opacity=0.7)
        at = (view.right + 9, y + 3.5)
        yield TextLine(at=at, text=series.name, size=10, colour=colour, role="name")


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
