"""A small picture of an instance: a dot for each of its items, at two of their numbers."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil, floor, log10
from typing import Any

from ..families.registry import family_of
from ..instances import Instance
from .drawing import colours
from .drawing.shapes import Boxes, Line, Picture, Shape, TextLine, number
from .gantt.time import round_ticks

WIDTH, HEIGHT = 400.0, 200.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 392.0, 24.0, 162.0
DOT, MARGIN = 5.0, 8.0
MOST_DOTS = 500
"""Maximum number of dots. Of more items, an evenly spaced sample is drawn."""
LOGARITHMIC = 20
"""The axis upwards is logarithmic if its largest value is more times its smallest."""


def portrait(instance: Instance) -> Picture | None:
    """Return the picture, or None if the family has none."""
    look = family_of(instance).portrait
    if look is None:
        return None
    items = getattr(instance, look.items)
    some = items[:: -(-len(items) // MOST_DOTS)]
    points = [look.point(instance, item) for item in some]
    xs, ys = ([float(value) for value in values] for values in zip(*points, strict=True))
    x_part, x_ticks = _linear(xs)
    wide = min(ys) > 0 and max(ys) > LOGARITHMIC * min(ys)
    y_part, y_ticks = (_logarithmic if wide else _linear)(ys)

    def across(x: float) -> float:
        return LEFT + MARGIN + (RIGHT - LEFT - 2 * MARGIN) * x_part(x)

    def up(y: float) -> float:
        return BOTTOM - MARGIN - (BOTTOM - TOP - 2 * MARGIN) * y_part(y)

    half = DOT / 2
    dots = [(across(x) - half, up(y) - half, DOT, DOT) for x, y in zip(xs, ys, strict=True)]
    about = f"{look.up} against {look.across} of {len(some):,} {look.items}"
    sample = "" if len(some) == len(items) else f" ({len(some):,} of {len(items):,} {look.items})"
    shapes = (
        Boxes(at=((LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP),), fill=colours.BAND, role="band"),
        *_grid([(across(tick), _short(tick)) for tick in x_ticks], upright=True),
        *_grid([(up(tick), _short(tick)) for tick in y_ticks], upright=False),
        *(Boxes(at=(dot,), fill=colours.HUES[0], opacity=0.6, role="dot") for dot in dots),
        _text((LEFT + RIGHT) / 2, BOTTOM + 32, look.across, "middle"),
        _text(LEFT, TOP - 8, look.up + sample, "start"),
    )
    return Picture.on_paper((WIDTH, HEIGHT), about, shapes)


def _linear(values: Sequence[float]) -> tuple[Callable[[float], float], list[float]]:
    """Return where a value is from 0 to 1, and round values."""
    high = max(values) or 1.0
    whole = all(value == int(value) for value in values)
    return (lambda value: value / high), round_ticks(high, 5, whole=whole)


def _logarithmic(values: Sequence[float]) -> tuple[Callable[[float], float], list[float]]:
    """Return the same on a scale of powers of ten, from the smallest value on."""
    low, high = min(values), max(values)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks = [digit * 10.0**power for power in powers for digit in (1, 2, 5)]
    if high > 300 * low:
        ticks = ticks[:: 3 * ceil(len(powers) / 6)]
    span = log10(high / low)
    return (lambda value: log10(value / low) / span), [x for x in ticks if low <= x <= high]


def _short(value: float) -> str:
    """Write the value of a tick."""
    return f"{value / 1e6:g} M" if value >= 1e6 else number(value)


def _grid(ticks: Sequence[tuple[float, str]], *, upright: bool) -> Iterator[Shape]:
    """Draw the lines and the values of an axis."""
    for at, text in ticks:
        ends = ((at, TOP), (at, BOTTOM + 4)) if upright else ((LEFT, at), (RIGHT, at))
        yield Line(start=ends[0], end=ends[1], colour=colours.FAINT, width=0.6, role="grid")
        yield (
            _text(at, BOTTOM + 16, text, "middle")
            if upright
            else _text(LEFT - 6, at + 4, text, "end")
        )


def _text(x: float, y: float, text: str, anchor: Any) -> TextLine:
    return TextLine(at=(x, y), text=text, size=11, colour=colours.SOFT_INK, anchor=anchor)
