"""A table for a terminal: aligned columns, and the best of a group with a star."""

from itertools import groupby
from textwrap import fill

from ...instances.errors import visible
from .model import Table

NOTES = 100
"""Characters of a line of notes."""

STAR = "*: the best, of lines that differ in nothing else."


def to_plain(table: Table) -> str:
    """Write a table under its caption, with its notes below."""
    best = table.best()
    texts = [
        [
            visible(column.text(cell)) + ("*" if (i, j) in best else " " * bool(column.best))
            for j, (cell, column) in enumerate(zip(row, table.columns, strict=True))
        ]
        for i, row in enumerate(table.rows)
    ]
    heads = [column.head + " " * bool(column.best) for column in table.columns]
    widths = [max(map(len, column)) for column in zip(heads, *texts, strict=True)]
    lines = [heads, ["-" * width for width in widths], *texts]
    drawn = [_line(table, cells, widths) for cells in lines]
    notes = [fill(visible(note), width=NOTES) for note in (*table.notes, *[STAR] * bool(best))]
    return "\n".join([table.caption, "", *_over(table, widths), *drawn, "", *notes]) + "\n"


def _line(table: Table, cells: list[str], widths: list[int]) -> str:
    parts = [
        cell.ljust(width) if column.digits is None else cell.rjust(width)
        for cell, width, column in zip(cells, widths, table.columns, strict=True)
    ]
    return "  ".join(parts).rstrip()


def _over(table: Table, widths: list[int]) -> list[str]:
    """Return the line of heads above heads, if there are any."""
    if not any(column.over for column in table.columns):
        return []
    pairs = zip((column.over for column in table.columns), widths, strict=True)
    parts = []
    for over, some in groupby(pairs, key=lambda pair: pair[0]):
        room = [width for _, width in some]
        parts.append(over.center(sum(room) + 2 * (len(room) - 1)))
    return ["  ".join(parts).rstrip()]
