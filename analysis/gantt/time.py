"""Along the axis of time: its ticks, round numbers, and means over time in layers."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import floor, log10

from ..drawing import colours
from ..drawing.colours import FAINT, INK, SOFT_INK
from ..drawing.shapes import Boxes, Line, Shape, TextLine, number
from .page import LABEL_SIZE, WIDTH

UNITS = ((86_400, "days"), (3600, "hours"), (1, "s"))
LEAST = 4
"""Minimum number of units in a horizon shown in this unit."""


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
    """Draw ticks over a span of heights, their numbers below it, and their unit.

    `more` gives further heights for numbers, by the position of their line.
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


BINS = 560
"""Number of time intervals over which means are drawn."""
RIGHT = WIDTH - 24.0

Moment = Fraction | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Area:
    """Positions of rows and time on the paper. `horizon` is the last moment."""

    left: float
    right: float = RIGHT
    top: float
    bottom: float
    horizon: float

    def x(self, moment: Moment | None) -> float:
        """Return the position of a moment, the right end for None."""
        if moment is None:
            return self.right
        return self.left + (self.right - self.left) * float(moment) / self.horizon


Step = tuple[float, float]
"""A moment, and by how much something grows there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Positions and names of layers, and the largest value among them."""

    name: str
    left: float
    top: float
    height: float
    most: float

    def y(self, value: float) -> float:
        """Return the position of a value."""
        return self.top + self.height * (1 - value / self.most)


def means(steps: Iterable[Step], horizon: float, bins: int = BINS) -> list[float]:
    """Return the mean of a step function over each of the bins."""
    sums = [0.0] * (bins + 1)
    slopes = [0.0] * (bins + 1)
    for moment, change in steps:
        place = moment / horizon * bins
        k = min(bins, int(place))
        sums[k] += change * (k + 1 - place)
        if k < bins:
            slopes[k + 1] += change
    return [part + before for part, before in zip(sums, accumulate(slopes), strict=True)][:bins]


def draw_stack(
    stack: Stack, layers: Sequence[Sequence[float]], fills: Sequence[str]
) -> Iterator[Shape]:
    """Draw layers, the first of them lowest."""
    pitch, left, height = (RIGHT - stack.left) / BINS, stack.left, stack.height
    yield Boxes(at=((left, stack.top, RIGHT - left, height),), fill=colours.BAND, role="band")
    below = [0.0] * BINS
    for layer, fill in zip(layers, fills, strict=True):
        at = tuple(
            (left + i * pitch, stack.y(base + value), pitch + 0.05, h)
            for i, (base, value) in enumerate(zip(below, layer, strict=True))
            if (h := value / stack.most * height) > 0.02
        )
        if at:
            yield Boxes(at=at, fill=fill, role="layer")
        below = [base + value for base, value in zip(below, layer, strict=True)]
    for tick in round_ticks(stack.most, 5, whole=True):
        y = stack.y(tick)
        yield Line(start=(left, y), end=(RIGHT, y), colour=colours.FAINT, width=0.6, role="grid")
        at_text, text = (left - 8, y + 4), number(tick)
        yield TextLine(at=at_text, text=text, size=10, colour=colours.SOFT_INK, anchor="end")
    name_at = (left, stack.top - 8)
    yield TextLine(at=name_at, text=stack.name, size=LABEL_SIZE, colour=colours.INK, role="row")


def draw_time(left: float, top: float, bottom: float, length: float, unit: str) -> Iterator[Shape]:
    """Draw the axis of time below the stacks. `length` is in the unit."""
    yield from draw_ticks(
        round_ticks(length, 12, whole=False),
        lambda tick: left + (RIGHT - left) * tick / length,
        (top, bottom),
        unit,
        middle=(left + RIGHT) / 2,
        width=0.6,
    )
