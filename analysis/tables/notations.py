"""A table for a terminal, as Markdown, with commas for programs, and as a piece of a web page."""

import csv
from html import escape
from io import StringIO
from itertools import chain, groupby
from textwrap import fill
from typing import Any

from ...instances.errors import visible
from ..intervals import Interval
from .model import Cell, Column, Table, mean

NOTES = 100
"""Characters of a line of notes."""

MARK = "^"
"""Mark of numbers that are bold in other notations. Stars are for tests of significance."""

BEST = "best value among otherwise equal rows"
"""Meaning of the mark, if a table does not state it."""


def to_plain(table: Table, width: int = NOTES) -> str:
    """Write a table under its caption, with its notes below in lines of at most `width`."""
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
    _widen(table, widths)
    lines = [heads, ["-" * width for width in widths], *texts]
    drawn = [_plain_line(table, cells, widths) for cells in lines]
    below = [" ".join(table.marks(MARK)), *table.paragraphs]
    below += [f"{MARK} {BEST}."] if best and not table.bold else []
    notes = [fill(visible(note), width=min(width, NOTES)) for note in filter(None, below)]
    return "\n".join([table.caption, "", *_plain_over(table, widths), *drawn, "", *notes]) + "\n"


def _widen(table: Table, widths: list[int]) -> None:
    """Make room for heads that are longer than the columns below them."""
    for over, some in groupby(range(len(widths)), key=lambda j: table.columns[j].over):
        own = list(some)
        room = sum(widths[j] for j in own) + 2 * (len(own) - 1)
        widths[own[-1]] += max(0, len(over) - room)


def _plain_line(table: Table, cells: list[str], widths: list[int]) -> str:
    parts = [
        cell.ljust(width) if column.digits is None else cell.rjust(width)
        for cell, width, column in zip(cells, widths, table.columns, strict=True)
    ]
    return "  ".join(parts).rstrip()


def _plain_over(table: Table, widths: list[int]) -> list[str]:
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
    rows = [[_markdown_text(column.name) for column in table.columns]]
    for i, texts in enumerate(table.texts()):
        cells = enumerate(map(_markdown_text, texts))
        rows.append([f"**{text}**" if (i, j) in best else text for j, text in cells])
    lines = ["| " + " | ".join(cells) + " |" for cells in rows]
    lines.insert(1, "|" + "|".join(rules) + "|")
    above = [_markdown_text(table.caption), ""] if table.captioned else []
    return (
        "\n".join([*above, *lines, *(f"\n{_markdown_text(note)}" for note in table.below)]) + "\n"
    )


def _markdown_text(text: str) -> str:
    return "".join("\\" + c if c in "\\`*_|<>[]&~" else c for c in visible(text))


FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a text that a spreadsheet would compute."""


def to_csv(table: Table) -> str:
    """Return all digits as CSV, with three columns for an interval.

    A text that a spreadsheet would compute gets a leading apostrophe.
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
        cells = chain(*(_csv_cells(row[i], wide[i]) for i in _indices(table)))
        writer.writerow(map(harmless, cells))
    return out.getvalue()


def _csv_cells(cell: Cell, wide: bool) -> list[Cell]:
    if isinstance(cell, Interval):
        return [cell.mean, *([cell.low, cell.high] if cell.bounded else ["", ""])]
    return [cell, "", ""] if wide else [cell]


def harmless(cell: Any) -> Any:
    """Return a cell that is safe in a file opened by a spreadsheet."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell


def _indices(table: Table) -> range:
    return range(len(table.columns))


def to_html(table: Table) -> str:
    """Return an unstyled `table` element with every cell filled for sorting.

    Cells of numeric columns have the class `number`, the best of a group `best` as well.
    `data-value` has all digits of a number, and is absent without one. Notes are in the foot.
    """
    best = table.best()
    lines = [
        "<table>",
        f"<caption>{_html_text(table.long_caption)}</caption>",
        "<thead>",
        *_html_heads(table),
        "</thead>",
        "<tbody>",
        *(
            f"<tr>{''.join(_html_cell(table, i, j, best) for j in _indices(table))}</tr>"
            for i in range(len(table.rows))
        ),
        "</tbody>",
        *_html_foot(table),
        "</table>",
    ]
    return "\n".join(lines) + "\n"


def _html_heads(table: Table) -> list[str]:
    lines = []
    if any(column.over for column in table.columns):
        spans = [(over, len(list(some))) for over, some in groupby(c.over for c in table.columns)]
        cells = [
            f'<th colspan="{span}" scope="colgroup">{_html_text(text)}</th>' for text, span in spans
        ]
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return [*lines, "<tr>" + "".join(map(_html_head, table.columns)) + "</tr>"]


def _html_head(column: Column) -> str:
    kind = "" if column.digits is None else ' class="number"'
    return f'<th scope="col"{kind}>{_html_text(column.head)}</th>'


def _html_cell(table: Table, i: int, j: int, bests: set[tuple[int, int]]) -> str:
    best = (i, j) in bests
    text, value = _html_text(table.text(i, j)), mean(table.rows[i][j])
    kinds = ([] if table.columns[j].digits is None else ["number"]) + (["best"] if best else [])
    marks = f' class="{" ".join(kinds)}"' if kinds else ""
    # A script reads what JSON cannot say by the names of its own language.
    number = "" if value is None else repr(float(value)).replace("inf", "Infinity")
    marks += f' data-value="{number}"' if number else ""
    return f"<td{marks}>{f'<strong>{text}</strong>' if best else text}</td>"


def _html_foot(table: Table) -> list[str]:
    if not table.paragraphs:
        return []
    span = f' colspan="{len(table.columns)}"'
    rows = [f"<tr><td{span}>{_html_text(note)}</td></tr>" for note in table.paragraphs]
    return ["<tfoot>", *rows, "</tfoot>"]


def _html_text(text: str) -> str:
    return escape(visible(text))
