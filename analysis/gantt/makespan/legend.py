"""What the looks of a chart mean."""

from collections.abc import Iterator

from ...drawing import colours
from ...drawing.shapes import Boxes, Line, Shape, TextLine
from ...drawing.words import number
from ...timeline.makespan import MakespanTimeline
from ..sheet import MARGIN, draw_words
from .frame import Frame

SAMPLES = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0)
"""Slowdowns that the legend shows, as far as they occur."""
SWATCH = 26


def draw_legend(timeline: MakespanTimeline, frame: Frame) -> Iterator[Shape]:
    """Draw the keys of what occurs, then the scale of slowdowns."""
    x, y = float(MARGIN), frame.top - 58
    rings = any(stint.is_ring for stint in timeline.stints)
    if not all(stint.is_ring for stint in timeline.stints):
        yield Boxes(at=((x, y - 9, SWATCH, 11),), fill=colours.quiet_colour(0))
        x = yield from draw_words(x + SWATCH + 5, y, "job inside one server")
    if rings:
        ring, edge = colours.ring_colour(0), colours.edge_colour(0)
        yield Boxes(at=((x, y - 9, SWATCH, 11),), fill=ring, edge=edge, edge_width=0.8)
        tie = x + SWATCH - 5
        yield Line(start=(tie, y - 13), end=(tie, y + 6), colour=edge, width=1.2)
        yield Boxes(at=((tie - 2, y - 5.5, 4, 4),), fill=ring, edge=edge, edge_width=0.8)
        x = yield from draw_words(x + SWATCH + 5, y, "ring over several servers, tied")
    if any(lanes.lanes > lanes.server.gpus for lanes in frame.bands.values()):
        yield Boxes(at=((x, y - 9, SWATCH, 11),), fill=colours.WRONG, opacity=0.75)
        x = yield from draw_words(x + SWATCH + 5, y, "more GPUs than the server has")
    if rings:
        worst = max(stint.worst_slowdown for stint in timeline.stints)
        yield from _scale(x, y, worst)


def _scale(x: float, y: float, worst: float) -> Iterator[Shape]:
    x = yield from draw_words(x, y, "darker: others slow the ring's exchange down, times")
    shown = [s for i, s in enumerate(SAMPLES) if i < 3 or SAMPLES[i - 1] < worst]
    for slowdown in shown:
        step = colours.shade_step(colours.lost_part(slowdown))
        box = (x, y - 11, float(SWATCH), 15.0)
        yield Boxes(at=(box,), fill=colours.ring_colour(0))
        yield Boxes(at=(box,), fill=colours.SHADE, opacity=colours.shade_opacity(step))
        ink = colours.ink_on(colours.ring_colour(0), step)
        at = (x + SWATCH / 2, y)
        yield TextLine(at=at, text=number(slowdown), size=10, colour=ink, anchor="middle")
        x += SWATCH
