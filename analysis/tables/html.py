"""A table as a piece of a web page, without any style of its own."""

from html import escape
from itertools import groupby

from ...instances.errors import visible
from .model import Column, Table, mean


def to_html(table: Table) -> str:
    """Write a `table` element: every cell filled, so that rows may be sorted.

    Cells of columns of numbers have the class `number`, the best of a group `best` as well;
    `data-value` holds all digits of a number, and is missing where there is none. Notes stand
    in the foot.
    """
    best = table.best()
    lines = [
        "<table>",
        f"<caption>{_text(table.long_caption)}</caption>",
        "<thead>",
        *_heads(table),
        "</thead>",
        "<tbody>",
        *("<tr>" + _row(table, i, best) + "</tr>" for i in range(len(table.rows))),
        "</tbody>",
        *_foot(table),
        "</table>",
    ]
    return "\n".join(lines) + "\n"


def _heads(table: Table) -> list[str]:
    lines = []
    if any(column.over for column in table.columns):
        spans = [(over, len(list(some))) for over, some in groupby(c.over for c in table.columns)]
        cells = [
            f'<th colspan="{span}" scope="colgroup">{_text(text)}</th>' for text, span in spans
        ]
        lines.append("<tr>" + "".join(cells) + "</tr>")
    return [*lines, "<tr>" + "".join(map(_head, table.columns)) + "</tr>"]


def _head(column: Column) -> str:
    kind = "" if column.digits is None else ' class="number"'
    return f'<th scope="col"{kind}>{_text(column.head)}</th>'


def _row(table: Table, i: int, best: set[tuple[int, int]]) -> str:
    return "".join(_cell(table, i, j, (i, j) in best) for j in range(len(table.columns)))


def _cell(table: Table, i: int, j: int, best: bool) -> str:
    text, value = _text(table.text(i, j)), mean(table.rows[i][j])
    kinds = ([] if table.columns[j].digits is None else ["number"]) + (["best"] if best else [])
    marks = f' class="{" ".join(kinds)}"' if kinds else ""
    # A script reads what JSON cannot say by the names of its own language.
    number = "" if value is None else repr(float(value)).replace("inf", "Infinity")
    marks += f' data-value="{number}"' if number else ""
    return f"<td{marks}>{f'<strong>{text}</strong>' if best else text}</td>"


def _foot(table: Table) -> list[str]:
    if not table.notes:
        return []
    span = f' colspan="{len(table.columns)}"'
    rows = [f"<tr><td{span}>{_text(note)}</td></tr>" for note in table.notes]
    return ["<tfoot>", *rows, "</tfoot>"]


def _text(text: str) -> str:
    return escape(visible(text))
