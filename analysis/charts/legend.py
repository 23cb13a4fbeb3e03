"""The legend below the plot, where it covers nothing."""

from collections.abc import Iterator, Sequence

from ..drawing.colours import INK
from ..drawing.shapes import Curve, Shape, TextLine
from ..drawing.words import fit, text_width
from .axis import SIZE
from .looks import GUIDE
from .panel import Series
from .series import mark

SAMPLE = 30.0
"""Width of a sample of a line."""
PITCH = 14.0
MOST_COLUMNS = 4


def draw_legend(series: Sequence[Series], left: float, top: float, width: float) -> Iterator[Shape]:
    """Name the series in rows, guides last, with samples, in as many columns as fit."""
    named = sorted((one for one in series if one.name), key=lambda one: one.look == GUIDE)
    widest = max((SAMPLE + 18 + text_width(one.name, SIZE) for one in named), default=width)
    columns = max(1, min(MOST_COLUMNS, len(named), int(width / widest)))
    for i, one in enumerate(named):
        row, column = divmod(i, columns)
        x, y = left + column * width / columns, top + row * PITCH
        yield from _sample(one, x, y - 0.36 * SIZE)
        text = fit(one.name, SIZE, width / columns - SAMPLE - 8)
        yield TextLine(at=(x + SAMPLE + 6, y), text=text, size=SIZE, colour=INK, role="name")


def _sample(series: Series, x: float, y: float) -> Iterator[Shape]:
    look = series.look
    if series.way != "points" and len(series.points) > 1:
        through = ((x, y), (x + SAMPLE, y))
        yield Curve(through=through, colour=look.colour, width=1.5, dash=look.dash, role="sample")
    if series.marked:
        yield mark(((x + SAMPLE / 2, y),), look)
