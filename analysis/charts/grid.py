"""Small multiples: panels in rows and columns, on one scale along each row and down each column.

The rows measure different things of the same cases, the columns are the cases. A row says at its
left what goes up, a column at its top which case it is; below all is one legend.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...instances.errors import raise_any, visible
from ..drawing.colours import INK
from ..drawing.shapes import Picture, Shape, TextLine, text_width
from .axis import SIZE, Axis, Scale, View
from .draw import MARGIN, PITCH, Ticks, draw_band, draw_grid, draw_legend, draw_series, ticks_up
from .panel import Panel

WIDTH, HEIGHT = 196.0, 150.0
"""Pixels of each plot."""
GAP, BETWEEN = 16.0, 42.0
"""Pixels between columns, and between rows, where a title stands."""
HEAD, FOOT = 46.0, 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelGrid:
    """Panels in rows, all as long as `heads`, which say above each column what it is."""

    about: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Panel, ...], ...]


def lay_out_grid(grid: PanelGrid) -> Picture:
    """Lay out panels of numbers; say which of them cannot be drawn.

    The axis across is that of the first row, the series of the legend are those of the first panel.
    """
    raise_any(grid.about, [one for row in grid.rows for panel in row for one in panel.problems()])
    width = max(view.right for _, view, _ in _views(grid)) + GAP
    low = HEAD + len(grid.rows) * (HEIGHT + BETWEEN) - BETWEEN + FOOT
    named = {one.name: one for row in grid.rows for panel in row for one in panel.series}
    legend = list(draw_legend(list(named.values()), MARGIN, low + PITCH, width - 2 * MARGIN))
    height = max(shape.at[1] for shape in legend if isinstance(shape, TextLine)) + 8
    return Picture.on_paper((width, height), visible(grid.about), [*_plots(grid), *legend])


def _plots(grid: PanelGrid) -> Iterator[Shape]:
    for place, view, ticks in _views(grid):
        row, column = place
        panel = grid.rows[row][column]
        yield from draw_grid(ticks, view, numbers=column == 0, alone=False)
        for draw in (draw_band, draw_series):
            for series in panel.series:
                yield from draw(series, view)
        if row == 0:
            at, text = ((view.left + view.right) / 2, 16.0), grid.heads[column]
            yield TextLine(at=at, text=text, size=12, colour=INK, anchor="middle", bold=True)
        if column == 0:
            at = (MARGIN, view.top - 10.0)
            yield TextLine(at=at, text=panel.y.title, size=SIZE + 1, colour=INK, role="title")
        if row == len(grid.rows) - 1:
            at, text = ((view.left + view.right) / 2, view.bottom + 30), panel.x.title
            yield TextLine(
                at=at, text=text, size=SIZE + 1, colour=INK, anchor="middle", role="title"
            )


def _views(grid: PanelGrid) -> Iterator[tuple[tuple[int, int], View, Ticks]]:
    """Yield the row and column of each panel, where it lies, and the ticks of its row."""
    columns = [_scale([row[i] for row in grid.rows], "x") for i in range(len(grid.heads))]
    heights = [_scale(row, "y") for row in grid.rows]
    ticks = [ticks_up(scale, HEIGHT) for scale in heights]
    first = MARGIN + 5 + max(text_width(text, SIZE) for own in ticks for _, text in own)
    for row, scale in enumerate(heights):
        for column, across in enumerate(columns):
            left, top = first + column * (WIDTH + GAP), HEAD + row * (HEIGHT + BETWEEN)
            view = View(
                x=across, y=scale, left=left, right=left + WIDTH, top=top, bottom=top + HEIGHT
            )
            yield (row, column), view, ticks[row]


def _scale(panels: Sequence[Panel], side: str) -> Scale:
    """Return the scale on which the values of several panels fit."""
    axis: Axis = getattr(panels[0], side)
    return axis.around(place[side == "y"] for panel in panels for place in panel.places())
