"""From panels to a file, or to SVG: put together from back to front, as wide as a column.

A series on paper: its band, its line and its marks.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path

from ...instances.errors import raise_any, visible
from ...instances.writing import write_whole
from ..drawing.colours import FAINT, INK, PAPER, SOFT_INK
from ..drawing.paint import form_of, painted
from ..drawing.shapes import Curve, Line, Picture, Place, Shape, Stamps, TextLine, fit, text_width
from ..drawing.svg import to_svg
from .axis import SIZE, Scale, View
from .categories import lay_out_categories
from .looks import GUIDE, LOOKS, Look
from .panel import Panel, Series

APART = 44.0
"""Least distance in pixels of two marks on one line."""


def draw_band(series: Series, view: View) -> Iterator[Shape]:
    """Draw how sure a series is."""
    if series.band:
        upper = [view.place((x, high)) for x, _, high in series.band]
        lower = [view.place((x, low)) for x, low, _ in reversed(series.band)]
        outline, colour = (*upper, *lower), series.look.colour
        yield Stamps(at=((0, 0),), outline=outline, fill=colour, opacity=0.16, role="band")


def draw_series(series: Series, view: View) -> Iterator[Shape]:
    """Draw the line of a series, if it has one, and its marks."""
    places = [view.place(point) for point in series.points]
    if series.way != "points":
        through = _smooth(_stairs(places) if series.way == "steps" else places)
        if len(through) > 1:
            width, look = 0.8 if series.thin else 1.5, series.look
            role = "curve" if series.marked else "guide"
            yield Curve(through=through, colour=look.colour, width=width, dash=look.dash, role=role)
    if series.marked and places:
        some = _spread(places, series.look) if series.way == "steps" else _apart(places)
        yield mark(some, series.look)


def mark(at: tuple[Place, ...], look: Look) -> Stamps:
    """Draw the mark of a look at some places."""
    fill, edge = (PAPER, look.colour) if look.hollow else (look.colour, PAPER)
    width = 1.2 if look.hollow else 0.5
    return Stamps(at=at, outline=look.outline, fill=fill, edge=edge, edge_width=width, role="mark")


def _stairs(places: list[Place]) -> list[Place]:
    """Hold each height until the next place."""
    corners = [(b[0], a[1]) for a, b in pairwise(places)]
    return [place for pair in zip(places, corners, strict=False) for place in pair] + places[-1:]


def _smooth(places: list[Place]) -> tuple[Place, ...]:
    """Leave out every place in the same pixel as the one before it."""
    runs = groupby(places, key=lambda place: (round(place[0]), round(place[1])))
    return tuple(next(together) for _, together in runs)


def _apart(places: list[Place]) -> tuple[Place, ...]:
    """Leave out every place in the same two by two pixels as any before it."""
    first = {(round(x / 2), round(y / 2)): (x, y) for x, y in reversed(places)}
    return tuple(first.values())[::-1]


def _spread(places: list[Place], look: Look) -> tuple[Place, ...]:
    """Choose places far enough from each other, others for each look where lines coincide."""
    phase = LOOKS.index(look) / len(LOOKS) if look in LOOKS else 0.0
    after = places[0][0] + phase * APART
    chosen = []
    for x, y in places:
        if x >= after:
            chosen.append((x, y))
            after = x + APART
    return tuple(chosen or places[-1:])


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


RIGHT = 18.0
"""Room to the right of the plot, for half of the last number."""

Ticks = list[tuple[float, str]]


def ticks_up(scale: Scale, height: float) -> Ticks:
    """Choose the ticks of the upright axis."""
    return _choose(scale, height, lambda text: 2 * SIZE)


def _choose(scale: Scale, length: float, room: Callable[[str], float]) -> Ticks:
    """Choose the ticks of an axis: as many as stand apart."""
    chosen: Ticks = []
    for ticks in scale.ticks():
        chosen = ticks
        if all(
            length * (scale.part(b) - scale.part(a)) >= (room(s) + room(t)) / 2
            for (a, s), (b, t) in pairwise(ticks)
        ):
            break
    return chosen


def draw_grid(rows: Ticks, view: View, numbers: bool = True, alone: bool = True) -> Iterator[Shape]:
    """Draw the grid with its numbers, then the lower axis over it.

    The heights have no `numbers` where those of another plot serve. Of a plot that stands `alone`,
    what would leave the picture is left out.
    """
    for value, text in rows:
        y = view.up(value)
        yield Line(start=(view.left, y), end=(view.right, y), colour=FAINT, width=0.8, role="grid")
        if numbers:
            at = (view.left - 5, y + 0.36 * SIZE)
            yield TextLine(at=at, text=text, size=SIZE, colour=SOFT_INK, anchor="end", role="tick")
    wide = view.right - view.left
    for value, text in _choose(view.x, wide, lambda text: text_width(text, SIZE) + SIZE):
        x, half = view.across(value), text_width(text, SIZE) / 2
        if alone and (x - half < 0 or x + half > view.right + RIGHT):
            continue
        yield Line(start=(x, view.top), end=(x, view.bottom), colour=FAINT, width=0.8, role="grid")
        at = (x, view.bottom + 14)
        yield TextLine(at=at, text=text, size=SIZE, colour=SOFT_INK, anchor="middle", role="tick")
    start, end = (view.left, view.bottom), (view.right, view.bottom)
    yield Line(start=start, end=end, colour=INK, role="axis")


def draw_titles(panel: Panel, view: View, left: float) -> Iterator[Shape]:
    """Say above the plot what goes up, and below it what goes across."""
    text = fit(panel.y.title, SIZE + 1, view.right - left)
    yield TextLine(at=(left, view.top - 10), text=text, size=SIZE + 1, colour=INK, role="title")
    text = fit(panel.x.title, SIZE + 1, view.right - left)
    middle = max((view.left + view.right) / 2, left + text_width(text, SIZE + 1) / 2)
    at = (middle, view.bottom + 30)
    yield TextLine(at=at, text=text, size=SIZE + 1, colour=INK, anchor="middle", role="title")


WIDTH, PLOT = 340.0, 190.0
"""Pixels of the whole (3.5 inches), and of the plot's height."""
MARGIN, TOP = 6.0, 24.0


def lay_out(panels: Panel | Sequence[Panel]) -> Picture:
    """Lay out a panel, or several over categories; say which numbers cannot be drawn."""
    some = (panels,) if isinstance(panels, Panel) else panels
    problems = [problem for panel in some for problem in panel.problems()]
    raise_any(some[0].about, problems)
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
    return Picture.on_paper((WIDTH, _lowest(shapes) + 8), visible(panel.about), shapes)


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


FORMATS = ("svg", "pdf", "png")


def figure_format(path: Path) -> str:
    """Return the format that a file's suffix names, or say why it cannot be drawn."""
    return form_of(path, FORMATS, "figure", ".svg")


def svg_text(panel: Panel) -> str:
    """Write a panel as SVG for a page, to whose width it scales."""
    return to_svg(lay_out(panel), embedded=True)


def draw_figure(panels: Panel | Sequence[Panel], path: Path) -> None:
    """Write a panel, or several, in the format that the suffix of `path` names."""
    form = figure_format(path)
    write_whole(path, painted(lay_out(panels), form))
