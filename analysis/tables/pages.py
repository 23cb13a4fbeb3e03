"""How high a table is in print, and which of its rows stand on which page."""

from collections.abc import Sequence

from .layout import ColumnShape, TableLayout
from .model import Table
from .width import in_lines

PAGE = 480.0
"""Points of height for one table: the article class has 550 on letter paper, 598 on A4."""

GAP = 5.0
"""Points between two groups of rows."""


def height(table: Table, layout: TableLayout, width: float) -> float:
    """Return about how many points high a table is, in one piece."""
    rows = sum(_row(table, layout, part, i) for part in layout.parts for i in _all(table))
    gaps = GAP * len(list(table.groups())) if table.shared else 0
    return _around(table, layout, layout.parts, width) + rows + gaps * len(layout.parts)


def pages(
    table: Table, layout: TableLayout, part: Sequence[ColumnShape], width: float
) -> list[list[int]]:
    """Split the rows of a part into pages; a page is filled before the next begins."""
    room = max(PAGE - _around(table, layout, [part], width), PAGE / 4)
    found: list[list[int]] = [[]]
    used = 0.0
    for i in _all(table):
        needed = _row(table, layout, part, i) + (GAP if table.shared else 0)
        if found[-1] and used + needed > room:
            found.append([])
            used = 0.0
        found[-1].append(i)
        used += needed
    return found


def _all(table: Table) -> range:
    return range(len(table.rows))


def _around(
    table: Table, layout: TableLayout, parts: Sequence[Sequence[ColumnShape]], width: float
) -> float:
    """Return the height of caption, heads and notes."""
    caption = 12 * len(in_lines(table.caption, 0.95 * width)) + 20
    notes = sum(3 + 9.5 * len(in_lines(note, width / 0.9)) for note in table.notes)
    heads = sum(12 + layout.step.line * max(len(shape.head) for shape in part) for part in parts)
    return caption + notes + heads


def _row(table: Table, layout: TableLayout, part: Sequence[ColumnShape], row: int) -> float:
    def lines(shape: ColumnShape) -> int:
        if shape.squeezed is None:
            return 1
        text = table.columns[shape.place].text(table.rows[row][shape.place])
        return len(in_lines(text, shape.breadth))

    return layout.step.line * max(map(lines, part))
