"""A table as text: aligned for a terminal, as Markdown, or with commas for programs."""

import csv
from io import StringIO
from itertools import chain, groupby
from textwrap import fill
from typing import Any

from ...instances.errors import visible
from ..intervals import Interval
from .model import Cell, Table

NOTES = 100
"""Characters of a line of notes."""

MARK = "^"
"""Stands behind what is bold elsewhere; stars are for tests of significance."""

MARKED = f"{MARK}: the best, of lines that differ in nothing else."


def to_plain(table: Table) -> str:
    """Write a table under its caption, with its notes below."""
    best = table.best()
    texts = [
        [
            visible(table.text(i, j)) + (MARK if (i, j) in best else " " * bool(column.best))
            for j, column in enumerate(table.columns)
        ]
        for i in range(len(table.rows))
    ]
    heads = [column.head + " " * bool(column.best) for column in table.columns]
    widths = [max(map(len, column)) for column in zip(heads, *texts, strict=True)]
    lines = [heads, ["-" * width for width in widths], *texts]
    drawn = [_line(table, cells, widths) for cells in lines]
    below = [note.replace("Bold: ", f"{MARK}: ") for note in table.below]
    told = not best or any(f"{MARK}: " in note for note in below)
    notes = [fill(visible(note), width=NOTES) for note in (*below, *[MARKED] * (not told))]
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


def to_markdown(table: Table) -> str:
    """Write a table with its notes below."""
    rules = ["---" if column.digits is None else "--:" for column in table.columns]
    best = table.best()
    rows = [[_text(column.name) for column in table.columns]] + [
        [_marked(_text(table.text(i, j)), (i, j) in best) for j in _indices(table)]
        for i in range(len(table.rows))
    ]
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    lines.insert(1, "|" + "|".join(rules) + "|")
    above = [_text(table.caption), ""] if table.captioned else []
    return "\n".join([*above, *lines, *(f"\n{_text(note)}" for note in table.below)]) + "\n"


def _text(text: str) -> str:
    return "".join("\\" + c if c in "\\`*_|<>[]&~" else c for c in visible(text))


def _marked(text: str, best: bool) -> str:
    return f"**{text}**" if best else text


FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that spreadsheets would take as something to compute."""


def to_csv(table: Table) -> str:
    """Write all digits; an interval takes three columns.

    A text that a spreadsheet would compute gets an apostrophe in front.
    """
    wide = [any(isinstance(row[i], Interval) for row in table.rows) for i in _indices(table)]
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = [
        [column.name, *([f"{column.name} low", f"{column.name} high"] if wide[i] else [])]
        for i, column in enumerate(table.columns)
    ]
    writer.writerow(map(harmless, chain(*heads)))
    for row in table.rows:
        cells = chain(*(_cells(row[i], wide[i]) for i in _indices(table)))
        writer.writerow(map(harmless, cells))
    return out.getvalue()


def _cells(cell: Cell, wide: bool) -> list[Cell]:
    if isinstance(cell, Interval):
        return [cell.mean, *([cell.low, cell.high] if cell.bounded else ["", ""])]
    return [cell, "", ""] if wide else [cell]


def harmless(cell: Any) -> Any:
    """Return a cell as it may stand in a file that a spreadsheet reads."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _indices(table: Table) -> range:
    return range(len(table.columns))
