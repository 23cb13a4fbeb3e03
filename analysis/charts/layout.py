"""A panel put together from back to front, as wide as a column of a paper."""

from collections.abc import Iterator, Sequence

from ...instances.errors import InputError, visible
from ..drawing.colours import PAPER, SOFT_INK
from ..drawing.shapes import Boxes, Picture, Shape, TextLine
from ..drawing.words import fit, text_width
from .axis import SIZE, View
from .categories import lay_out_categories
from .grid import RIGHT, Ticks, draw_grid, draw_titles, ticks_up
from .legend import PITCH, draw_legend
from .panel import Panel
from .series import draw_band, draw_series

WIDTH, PLOT = 340.0, 190.0
"""Pixels of the whole (3.5 inches), and of the plot's height."""
MARGIN, TOP = 6.0, 24.0


def lay_out(panels: Panel | Sequence[Panel]) -> Picture:
    """Lay out a panel, or several over categories; say which numbers cannot be drawn."""
    some = (panels,) if isinstance(panels, Panel) else panels
    problems = [problem for panel in some for problem in panel.problems()]
    if problems:
        raise InputError(some[0].about, problems)
    if some[0].x.categories:
        return lay_out_categories(some)
    (panel,) = some
    view, rows = _view(panel)
    room = WIDTH - 2 * MARGIN
    shapes: list[Shape] = [*draw_titles(panel, view, MARGIN), *draw_grid(rows, view)]
    for draw in (draw_band, draw_series):
        for series in panel.series:
            shapes += draw(series, view)
    shapes += draw_legend(panel.series, MARGIN, view.bottom + 48, room)
    below = _lowest(shapes) + PITCH + 1
    shapes += _notes(panel, below, room)
    height = _lowest(shapes) + 8
    paper = Boxes(at=((0, 0, WIDTH, height),), fill=PAPER, role="paper")
    return Picture(
        width=WIDTH, height=height, head=0, about=visible(panel.about), shapes=(paper, *shapes)
    )


def _view(panel: Panel) -> tuple[View, Ticks]:
    places = panel.places()
    x, y = panel.x.around(p[0] for p in places), panel.y.around(p[1] for p in places)
    rows = ticks_up(y, PLOT)
    left = MARGIN + 5 + max((text_width(text, SIZE) for _, text in rows), default=0)
    right, bottom = WIDTH - RIGHT, TOP + PLOT
    return View(x=x, y=y, left=left, right=right, top=TOP, bottom=bottom), rows


def _lowest(shapes: list[Shape]) -> float:
    return max(shape.at[1] for shape in shapes if isinstance(shape, TextLine))


def _notes(panel: Panel, top: float, room: float) -> Iterator[TextLine]:
    for i, note in enumerate(panel.notes):
        at, text = (MARGIN, top + i * PITCH), fit(note, SIZE, room)
        yield TextLine(at=at, text=text, size=SIZE, colour=SOFT_INK, role="note")
