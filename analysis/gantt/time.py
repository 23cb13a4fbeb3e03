"""The axis of time below a chart, and round numbers along an axis."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import floor, log10

from ..drawing.colours import FAINT, INK, SOFT_INK
from ..drawing.shapes import Line, Shape, TextLine, number

UNITS = ((86_400, "days"), (3600, "hours"), (1, "s"))
LEAST = 4
"""A unit is used from so many of it on."""


def round_ticks(horizon: float, most: int, whole: bool) -> list[float]:
    """Return up to `most` + 1 moments from 0 on, at steps of 1, 2 or 5 times a power of ten."""
    power = floor(log10(horizon / most))
    choices = [digit * 10.0**exponent for exponent in (power, power + 1) for digit in (1, 2, 5)]
    step = next(choice for choice in choices if horizon / choice <= most)
    step = max(step, 1.0) if whole else step
    return [i * step for i in range(int(horizon / step * (1 + 1e-12)) + 1)]


def draw_ticks(
    ticks: Iterable[float],
    x: Callable[[float], float],
    span: tuple[float, float],
    unit: str,
    *,
    middle: float,
    width: float = 1,
    more: Callable[[float], list[float]] = lambda _: [],
) -> Iterator[Shape]:
    """Draw lines over a span of heights, their numbers below it, and what they count.

    `more` says at which other heights a number stands, by where its line is.
    """
    top, bottom = span
    for tick in ticks:
        at, text = x(tick), number(tick)
        yield Line(start=(at, top), end=(at, bottom + 4), colour=FAINT, width=width, role="grid")
        for y in (bottom + 16, *more(at)):
            place = (at, y)
            yield TextLine(
                at=place, text=text, size=10, colour=SOFT_INK, anchor="middle", role="tick"
            )
    at_text = (middle, bottom + 34)
    yield TextLine(at=at_text, text=f"time in {unit}", size=11, colour=INK, anchor="middle")


def time_unit(horizon: int, tick: Fraction) -> tuple[float, str]:
    """Return a unit of time that suits a length: its ticks, and its name."""
    seconds = float(horizon * tick)
    size, name = next((unit for unit in UNITS if seconds >= LEAST * unit[0]), UNITS[-1])
    return float(size / tick), name
