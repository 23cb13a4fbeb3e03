"""The axis of time: ticks at round slots, and the lines of bound and makespan."""

from collections.abc import Iterator
from typing import Literal

from ...drawing.colours import INK
from ...drawing.shapes import Line, Shape, TextLine
from ...drawing.words import number, text_width
from ...timeline.makespan import MakespanTimeline
from ..sheet import WIDTH
from ..time import draw_ticks, round_ticks
from .frame import Frame


def draw_axis(timeline: MakespanTimeline, frame: Frame) -> Iterator[Shape]:
    """Draw grid lines and their numbers, below and, if the chart is high, also above."""
    marked = [frame.x(slot) for slot in (timeline.bound, timeline.value) if slot is not None]

    def above(x: float) -> list[float]:
        high = frame.bottom - frame.top > 600
        return [frame.top - 8] if high and all(abs(x - line) >= 28 for line in marked) else []

    return draw_ticks(
        round_ticks(frame.horizon, 12, timeline.instance.progress != "continuous"),
        frame.x,
        (frame.top - 4, frame.bottom),
        timeline.time,
        middle=(frame.left + frame.right) / 2,
        more=above,
    )


def draw_lines(timeline: MakespanTimeline, frame: Frame) -> Iterator[Shape]:
    """Draw the bound (dashed) and the makespan (solid), with what they are."""
    bound, makespan = timeline.bound, timeline.value
    if makespan is not None:
        equal = bound == makespan
        text = f"makespan {'= bound ' if equal else ''}{number(makespan)}"
        yield from _line(frame, frame.x(makespan), text, "makespan")
    if bound is not None and bound != makespan:
        yield from _line(frame, frame.x(bound), f"bound {number(bound)}", "bound")


def _line(frame: Frame, x: float, text: str, role: str) -> Iterator[Shape]:
    """Draw a line with its label; bound and makespan have rows of their own."""
    is_bound = role == "bound"
    top = frame.top - (46 if is_bound else 32)
    end = (x, frame.bottom + 4)
    dash = (5.0, 3.0) if is_bound else None
    yield Line(start=(x, top), end=end, colour=INK, width=1.4, dash=dash, role=role)
    room = (WIDTH - x if not is_bound else 0) - 12
    right = text_width(text, 12) < room or text_width(text, 12) > x
    at = (x + 5 if right else x - 5, top + 9)
    anchor: Literal["start", "end"] = "start" if right else "end"
    yield TextLine(at=at, text=text, size=11, colour=INK, anchor=anchor, bold=True, role="value")
