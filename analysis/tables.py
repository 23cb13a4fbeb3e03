r"""One table, written for print (LaTeX with booktabs), for the web (Markdown), for programs (CSV).

A LaTeX table needs ``\usepackage{booktabs}`` and nothing else.
"""

import csv
from dataclasses import dataclass
from io import StringIO
from itertools import chain

from ..instances.errors import visible
from .intervals import Interval

Cell = str | float | Interval | None

LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
} | {sign: "\\" + sign for sign in "#$%&_"}
"""What stands for a character in LaTeX; characters beyond ASCII are named by their number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: its head, and how many decimals its numbers have; None for a column of texts."""

    head: str
    digits: int | None = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A caption, columns, rows of as many cells each, and notes below."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a row with too many or too few cells."""
        wrong = [row for row in self.rows if len(row) != len(self.columns)]
        if wrong:
            raise ValueError(f"{wrong[0]!r} has {len(wrong[0])} cells for {len(self.columns)}")


def to_latex(table: Table, label: str = "") -> str:
    """Write a `table` environment with the notes below the rules."""
    texts = [column.digits is None for column in table.columns]
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(table.caption)}}}",
        *([rf"\label{{{label}}}"] if label else []),
        rf"\begin{{tabular}}{{{''.join('l' if text else 'r' for text in texts)}}}",
        r"\toprule",
        _latex_line([column.head for column in table.columns]),
        r"\midrule",
        *(_latex_line(cells) for cells in _written(table)),
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip{{\footnotesize {latex_text(note)}\par}}" for note in table.notes),
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_markdown(table: Table) -> str:
    """Write a table for the web with its notes below."""
    rules = ["---" if column.digits is None else "--:" for column in table.columns]
    heads = [_markdown_text(column.head) for column in table.columns]
    rows = [[_markdown_text(cell) for cell in cells] for cells in _written(table)]
    lines = ["| " + " | ".join(cells) + " |" for cells in [heads, *rows]]
    lines.insert(1, "|" + "|".join(rules) + "|")
    return "\n".join([*lines, *(f"\n{_markdown_text(note)}" for note in table.notes)]) + "\n"


def to_csv(table: Table) -> str:
    """Write all digits; an interval takes three columns."""
    wide = [any(isinstance(row[i], Interval) for row in table.rows) for i in _indices(table)]
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads = [
        [column.head, *([f"{column.head} low", f"{column.head} high"] if wide[i] else [])]
        for i, column in enumerate(table.columns)
    ]
    writer.writerow(chain(*heads))
    for row in table.rows:
        writer.writerow(chain(*(_csv_cells(row[i], wide[i]) for i in _indices(table))))
    return out.getvalue()


def latex_text(text: str) -> str:
    """Write any text so that LaTeX prints it."""
    return "".join(LATEX.get(c) or (c if c.isascii() else f"U+{ord(c):04X}") for c in visible(text))


def cell_text(cell: Cell, digits: int | None) -> str:
    """Show a cell: numbers with so many decimals, an interval behind its mean."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return cell
    places = digits or 0
    if not isinstance(cell, Interval):
        return _rounded(cell, places)
    mean, low, high = (_rounded(value, places) for value in (cell.mean, cell.low, cell.high))
    return f"{mean} ({low} to {high})" if cell.bounded else mean


def _rounded(value: float, places: int) -> str:
    return f"{round(value, places) + 0.0:.{places}f}"  # Adding 0 takes the sign off a zero.


def _written(table: Table) -> list[list[str]]:
    return [
        [cell_text(cell, column.digits) for cell, column in zip(row, table.columns, strict=True)]
        for row in table.rows
    ]


def _latex_line(cells: list[str]) -> str:
    line = " & ".join(latex_text(cell) for cell in cells) + r" \\"
    # Behind the end of a line or a rule, a bracket or a star would be read as its option.
    return "{}" + line if line[0] in "[*" else line


def _markdown_text(text: str) -> str:
    return "".join("\\" + c if c in "\\`*_|<>[]" else c for c in visible(text))


def _csv_cells(cell: Cell, wide: bool) -> list[Cell]:
    if isinstance(cell, Interval):
        return [cell.mean, *([cell.low, cell.high] if cell.bounded else ["", ""])]
    return [cell, "", ""] if wide else [cell]


def _indices(table: Table) -> range:
    return range(len(table.columns))
