"""A table for programs, with commas between the cells."""

import csv
from io import StringIO
from itertools import chain
from typing import Any

from ..intervals import Interval
from .model import Cell, Table

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
