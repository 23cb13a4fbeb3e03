"""Relaxations and what is rounded from them, line by line around the best that is known."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...analysis.charts import PALETTE, Scale
from ...analysis.drawing.colours import FAINT, INK, PAPER, SOFT_INK
from ...analysis.drawing.shapes import Boxes, Line, Picture, Shape, TextLine
from ...analysis.intervals import Interval

WIDTH, LEFT, RIGHT, TOP, LINE, BOTTOM = 880.0, 336.0, 64.0, 48.0, 30.0, 44.0
TICKS = (0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20)


class RoundedPair(NamedTuple):
    """A relaxation, what rounds it, and both over the best that is known."""

    relaxation: str
    method: str
    value: Interval
    rounded: Interval
    factor: float | None
    """The least that is proved; None where no theorem speaks."""


def rounded_picture(groups: Mapping[str, Sequence[RoundedPair]]) -> Picture:
    """Return a picture with a line for each pair, under a line with what its group is."""
    height = TOP + LINE * _lines(groups) + BOTTOM
    about = "relaxation, what is rounded from it and proved factor over the best known"
    return Picture.on_paper((WIDTH, height), about, _shapes(groups))


def _lines(groups: Mapping[str, Sequence[RoundedPair]]) -> int:
    return sum(1 + len(pairs) for pairs in groups.values())


def _across(value: float) -> float:
    scale = Scale(log=True, low=TICKS[0], high=TICKS[-1])
    return LEFT + (WIDTH - LEFT - RIGHT) * scale.part(value)


def _shapes(groups: Mapping[str, Sequence[RoundedPair]]) -> Iterator[Shape]:
    low = TOP + LINE * _lines(groups)
    yield TextLine(at=(12, 20), text="over the best known", size=12, colour=INK, bold=True)
    for tick in TICKS:
        x = _across(tick)
        strong = tick == 1
        yield Line(start=(x, TOP - 8), end=(x, low), colour=INK if strong else FAINT, role="grid")
        at = (x, low + 16)
        yield TextLine(at=at, text=f"{tick:g}", size=10, colour=SOFT_INK, anchor="middle")
    names = (("relaxation", 0), ("rounded", 1), ("proved factor", 2))
    for (name, colour), x in zip(names, (LEFT, LEFT + 110, LEFT + 200), strict=True):
        yield _mark(x + 4, 16, colour)
        yield TextLine(at=(x + 14, 20), text=name, size=10, colour=PALETTE[colour])
    x = WIDTH - 12
    yield TextLine(at=(x, 20), text="answers", size=10, colour=SOFT_INK, anchor="end")
    y = TOP - LINE / 2
    for name, pairs in groups.items():
        y += LINE
        yield TextLine(at=(12, y + 4), text=name, size=11, colour=INK, bold=True)
        for pair in pairs:
            y += LINE
            yield from _pair(pair, y)


def _pair(pair: RoundedPair, y: float) -> Iterator[Shape]:
    text = f"{pair.relaxation} → {pair.method}"
    yield TextLine(at=(LEFT - 12, y + 4), text=text, size=11, colour=INK, anchor="end", role="name")
    start, end = _across(pair.value.mean), _across(pair.rounded.mean)
    yield Line(start=(start, y), end=(end, y), colour=SOFT_INK, width=1.4)
    for colour, one in enumerate((pair.value, pair.rounded)):
        if one.bounded:
            ends = (_across(one.low), y), (_across(one.high), y)
            yield Line(start=ends[0], end=ends[1], colour=PALETTE[colour], width=4, opacity=0.4)
        yield _mark(_across(one.mean), y, colour)
    count = f"{pair.rounded.count:,}"
    yield TextLine(at=(WIDTH - 12, y + 4), text=count, size=10, colour=SOFT_INK, anchor="end")
    if pair.factor is not None:
        yield _mark(_across(pair.factor), y, 2)


def _mark(x: float, y: float, colour: int) -> Boxes:
    edge = PALETTE[colour]
    fill = PAPER if colour == 2 else edge
    box = (x - 4, y - 4, 8.0, 8.0)
    return Boxes(at=(box,), fill=fill, edge=edge, edge_width=1.4, role="marks")
