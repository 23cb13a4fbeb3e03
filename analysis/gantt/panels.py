"""Panels over time: layers of means on top of each other, with an axis of their own."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from . import colours
from .frame import LABEL_SIZE, WIDTH
from .makespan.axis import round_ticks
from .shapes import Boxes, Line, Shape, Text
from .words import number

BINS = 560
"""Stretches of time of which means are drawn."""
RIGHT = WIDTH - 24.0

Step = tuple[float, float]
"""A moment, and by how much something grows there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Where a panel is, what it is called, and the greatest value in it."""

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


def draw_panel(
    panel: Panel, layers: Sequence[Sequence[float]], fills: Sequence[str]
) -> Iterator[Shape]:
    """Draw layers, the first of them lowest."""
    pitch, left, height = (RIGHT - panel.left) / BINS, panel.left, panel.height
    yield Boxes(at=((left, panel.top, RIGHT - left, height),), fill=colours.BAND, role="band")
    below = [0.0] * BINS
    for layer, fill in zip(layers, fills, strict=True):
        at = tuple(
            (left + i * pitch, panel.y(base + value), pitch + 0.05, h)
            for i, (base, value) in enumerate(zip(below, layer, strict=True))
            if (h := value / panel.most * height) > 0.02
        )
        if at:
            yield Boxes(at=at, fill=fill, role="layer")
        below = [base + value for base, value in zip(below, layer, strict=True)]
    for tick in round_ticks(panel.most, 5, whole=True):
        y = panel.y(tick)
        yield Line(start=(left, y), end=(RIGHT, y), colour=colours.FAINT, width=0.6, role="grid")
        at_text, text = (left - 8, y + 4), number(tick)
        yield Text(at=at_text, text=text, size=10, colour=colours.SOFT_INK, anchor="end")
    name_at = (left, panel.top - 8)
    yield Text(at=name_at, text=panel.name, size=LABEL_SIZE, colour=colours.INK, role="row")


def draw_time(left: float, top: float, bottom: float, length: float, unit: str) -> Iterator[Shape]:
    """Draw the axis of time below the panels; `length` is in the unit."""
    for tick in round_ticks(length, 12, whole=False):
        x = left + (RIGHT - left) * tick / length
        yield Line(
            start=(x, top), end=(x, bottom + 4), colour=colours.FAINT, width=0.6, role="grid"
        )
        at, text = (x, bottom + 16), number(tick)
        yield Text(at=at, text=text, size=10, colour=colours.SOFT_INK, anchor="middle", role="tick")
    middle = ((left + RIGHT) / 2, bottom + 34)
    yield Text(at=middle, text=f"time in {unit}", size=11, colour=colours.INK, anchor="middle")
