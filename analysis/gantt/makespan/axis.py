"""The axis of time: ticks at round slots, and the lines of bound and makespan."""

from collections.abc import Iterator
from math import floor, log10
from typing import Literal

from ..colours import FAINT, INK, SOFT_INK
from ..frame import WIDTH, Frame
from ..shapes import Line, Shape, Text
from ..words import number, text_width
from .facts import Facts


def round_ticks(horizon: float, most: int, whole: bool) -> list[float]:
    """Return up to `most` + 1 moments from 0 on, at steps of 1, 2 or 5 times a power of ten."""
    power = floor(log10(horizon / most))
    choices = [digit * 10.0**exponent for exponent in (power, power + 1) for digit in (1, 2, 5)]
    step = next(choice for choice in choices if horizon / choice <= most)
    step = max(step, 1.0) if whole else step
    return [i * step for i in range(int(horizon / step * (1 + 1e-12)) + 1)]


def draw_axis(facts: Facts, frame: Frame) -> Iterator[Shape]:
    """Draw grid lines and their numbers, below and, if the chart is high, also above."""
    ticks = round_ticks(frame.horizon, 12, facts.whole_slots)
    rows = [frame.bottom + 16]
    if frame.bottom - frame.top > 600:
        rows.append(frame.top - 8)
    marked = [slot for slot in (facts.bound, facts.makespan) if slot is not None]
    for tick in ticks:
        x = frame.x(tick)
        yield Line(start=(x, frame.top - 4), end=(x, frame.bottom + 4), colour=FAINT, role="grid")
        for y in rows:
            if y < frame.top and any(abs(x - frame.x(slot)) < 28 for slot in marked):
                continue
            text = number(tick)
            yield Text(at=(x, y), text=text, size=10, colour=SOFT_INK, anchor="middle", role="tick")
    unit = "slots" if facts.slot_s == "1" else f"slots of {facts.slot_s} s"
    middle = (frame.left + frame.right) / 2
    at = (middle, frame.bottom + 34)
    yield Text(at=at, text=f"time in {unit}", size=11, colour=INK, anchor="middle")


def draw_lines(facts: Facts, frame: Frame) -> Iterator[Shape]:
    """Draw the bound (dashed) and the makespan (solid), with what they are."""
    bound, makespan = facts.bound, facts.makespan
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
    yield Text(at=at, text=text, size=11, colour=INK, anchor=anchor, bold=True, role="value")
