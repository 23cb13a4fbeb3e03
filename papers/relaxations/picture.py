"""Relaxations and what is rounded from them, line by line around the best that is known."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...analysis.drawing.colours import INK, SOFT_INK
from ...analysis.drawing.paint import POINT
from ...analysis.figures.canvas import Axes, Figure, blank, draw, finished, label
from ...analysis.figures.style import HOLLOW, LOOKS, POINTS, SIZE
from ...analysis.intervals import Interval
from ...instances.errors import plural

WIDTH, LINE, BOTTOM = 820.0, 26.0, 60.0
"""Pixels of the whole, of a line, and below the lines."""
TICKS = (0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20)


class RoundedPair(NamedTuple):
    """A relaxation, what rounds it, and both over the best that is known."""

    relaxation: str
    method: str
    value: Interval
    rounded: Interval
    factor: float | None
    """The least that is proved; None where no theorem speaks."""


def rounded_picture(groups: Mapping[str, Sequence[RoundedPair]]) -> Figure:
    """Draw a line for each pair, under a line with what its group is."""
    lines: list[str | RoundedPair] = []
    for name, pairs in groups.items():
        lines += [name, *pairs]
    about = "relaxation, what is rounded from it and proved factor over the best known"
    figure, [[axes]] = blank(about, (WIDTH, LINE * len(lines) + BOTTOM))
    label(axes, across="over the best known", log="x")
    axes.axvline(1, color=INK, linewidth=1)
    drawn = {-i: one for i, one in enumerate(lines) if isinstance(one, RoundedPair)}
    for y, pair in drawn.items():
        _draw_pair(axes, pair, y)
    kinds = {"relaxation": LOOKS[0] | POINTS, "rounded": LOOKS[1] | POINTS, "proved factor": HOLLOW}
    values = {
        "relaxation": [(pair.value.mean, y) for y, pair in drawn.items()],
        "rounded": [(pair.rounded.mean, y) for y, pair in drawn.items()],
        "proved factor": [(p.factor, y) for y, p in drawn.items() if p.factor is not None],
    }
    for name, look in kinds.items():
        draw(axes, values[name], name, look)
    axes.set(xlim=(TICKS[0], TICKS[-1]), ylim=(0.6 - len(lines), 0.6))
    texts = [one if isinstance(one, str) else _text(one) for one in lines]
    axes.set_yticks([-i for i in range(len(lines))], texts)
    axes.tick_params(axis="y", labelcolor=INK)
    for text, one in zip(axes.get_yticklabels(), lines, strict=True):
        text.set_fontweight("bold" if isinstance(one, str) else "normal")
    finished(figure)
    axes.set_xticks(TICKS)
    return figure


def _text(pair: RoundedPair) -> str:
    return f"{pair.relaxation} → {pair.method}"


def _draw_pair(axes: Axes, pair: RoundedPair, y: float) -> None:
    """Draw the way from a relaxation to what is rounded, the intervals, and how many answers."""
    axes.plot([pair.value.mean, pair.rounded.mean], [y, y], color=SOFT_INK, linewidth=1)
    for look, one in zip(LOOKS, (pair.value, pair.rounded), strict=False):
        if one.bounded:
            axes.plot([one.low, one.high], [y, y], color=look["color"], linewidth=3.5, alpha=0.4)
    count = plural(pair.rounded.count, "answer")
    place = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "center"}
    axes.text(0.995, y, count, color=SOFT_INK, size=SIZE * POINT, **place)
