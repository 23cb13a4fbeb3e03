"""Means over time in layers on top of each other, with an axis of their own."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ..drawing import colours
from ..drawing.shapes import Boxes, Line, Shape, TextLine, number
from .sheet import LABEL_SIZE, WIDTH
from .time import draw_ticks, round_ticks

BINS = 560
"""Stretches of time of which means are drawn."""
RIGHT = WIDTH - 24.0

Step = tuple[float, float]
"""A moment, and by how much something grows there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Where layers are, what they are called, and the greatest value among them."""

    name: str
    left: float
    top: float
    height: float
    most: float

    def y(self, value: float) -> float:
        """Return where a value is."""
        return self.top + self.height * (1 - value / self.most)


def means(steps: Iterable[Step], horizon: float) -> list[float]:
    """Return the mean of a step function over each of the bins."""
    sums = [0.0] * (BINS + 1)
    slopes = [0.0] * (BINS + 1)
    for moment, change in steps:
        place = moment / horizon * BINS
        k = min(BINS, int(place))
        sums[k] += change * (k + 1 - place)
        if k < BINS:
            slopes[k + 1] += change
    return [part + before for part, before in zip(sums, accumulate(slopes), strict=True)][:BINS]


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
    """Draw the axis of time below the stacks; `length` is in the unit."""
    yield from draw_ticks(
        round_ticks(length, 12, whole=False),
        lambda tick: left + (RIGHT - left) * tick / length,
        (top, bottom),
        unit,
        middle=(left + RIGHT) / 2,
        width=0.6,
    )
