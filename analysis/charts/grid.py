"""What surrounds the series: grid, axes, round numbers and titles."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from ..drawing.colours import FAINT, INK, SOFT_INK
from ..drawing.shapes import Line, Shape, TextLine
from ..drawing.words import fit, text_width
from .axis import SIZE, Scale, View
from .panel import Panel

RIGHT = 18.0
"""Room to the right of the plot, for half of the last number."""

Ticks = list[tuple[float, str]]


def ticks_up(scale: Scale, height: float) -> Ticks:
    """Choose the ticks of the upright axis: as many as stand apart."""
    return _choose(scale, height, lambda text: 2 * SIZE)


def ticks_across(scale: Scale, width: float) -> Ticks:
    """Choose the ticks of the lower axis: as many as stand apart."""
    return _choose(scale, width, lambda text: text_width(text, SIZE) + SIZE)


def _choose(scale: Scale, length: float, room: Callable[[str], float]) -> Ticks:
    chosen: Ticks = []
    for ticks in scale.ticks():
        chosen = ticks
        if all(
            length * (scale.part(b) - scale.part(a)) >= (room(s) + room(t)) / 2
            for (a, s), (b, t) in pairwise(ticks)
        ):
            break
    return chosen


def draw_grid(rows: Ticks, view: View) -> Iterator[Shape]:
    """Draw the grid with its numbers, then the lower axis over it."""
    for value, text in rows:
        y = view.up(value)
        yield Line(start=(view.left, y), end=(view.right, y), colour=FAINT, width=0.8, role="grid")
        at = (view.left - 5, y + 0.36 * SIZE)
        yield TextLine(at=at, text=text, size=SIZE, colour=SOFT_INK, anchor="end", role="tick")
    for value, text in ticks_across(view.x, view.right - view.left):
        x, half = view.across(value), text_width(text, SIZE) / 2
        if x - half < 0 or x + half > view.right + RIGHT:
            continue
        yield Line(start=(x, view.top), end=(x, view.bottom), colour=FAINT, width=0.8, role="grid")
        at = (x, view.bottom + 14)
        yield TextLine(at=at, text=text, size=SIZE, colour=SOFT_INK, anchor="middle", role="tick")
    start, end = (view.left, view.bottom), (view.right, view.bottom)
    yield Line(start=start, end=end, colour=INK, role="axis")


def draw_titles(panel: Panel, view: View, left: float) -> Iterator[Shape]:
    """Say above the plot what goes up, and below it what goes across."""
    text = fit(panel.y.title, SIZE + 1, view.right - left)
    yield TextLine(at=(left, view.top - 10), text=text, size=SIZE + 1, colour=INK, role="title")
    text = fit(panel.x.title, SIZE + 1, view.right - left)
    middle = max((view.left + view.right) / 2, left + text_width(text, SIZE + 1) / 2)
    at = (middle, view.bottom + 30)
    yield TextLine(at=at, text=text, size=SIZE + 1, colour=INK, anchor="middle", role="title")
