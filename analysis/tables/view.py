"""A table as Python hands it on: shown in notebooks, written for papers, pages and programs."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...instances.errors import InputError, Problem
from ...instances.frames import Backend, frame
from ...instances.writing import write_whole
from .arrange import Footnotes, with_caption
from .latex import to_document, to_latex
from .layout import TEXT_WIDTH
from .model import Cell, Table, mean
from .notations import to_csv, to_html, to_markdown, to_plain

FORMATS = (".tex", ".md", ".csv", ".html")


@dataclass(frozen=True, repr=False)
class TableView:
    """A table with its output formats."""

    table: Table
    kind: str

    def __repr__(self) -> str:
        """Show it in plain text."""
        return to_plain(self.table)

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        return to_html(self.table)

    def latex(
        self,
        *,
        document: bool = False,
        label: str | None = None,
        caption: str | None = None,
        width: float = TEXT_WIDTH,
        footnotes: Footnotes = "below",
    ) -> str:
        """Return LaTeX for a paper, or a complete document.

        The default label is ``tab:KIND``. `width` is the column width in points. `footnotes`
        explain columns "below" the table, there by "letters" at the heads, or not at all: "none".
        """
        name, table = label or f"tab:{self.kind}", with_caption(self.table, caption)
        if document:
            return to_document({name: table}, width=width, footnotes=footnotes)
        return to_latex(table, name, width=width, footnotes=footnotes)

    def markdown(self) -> str:
        """Return it in Markdown."""
        return to_markdown(self.table)

    def csv(self) -> str:
        """Return CSV for programs, with ends of intervals in separate columns."""
        return to_csv(self.table)

    def html(self) -> str:
        """Return it as a piece of a web page."""
        return to_html(self.table)

    def save(self, path: str | Path) -> None:
        """Write it in the notation that the suffix names: .tex, .md, .csv or .html."""
        write = dict(zip(FORMATS, (self.latex, self.markdown, self.csv, self.html), strict=True))
        suffix = Path(path).suffix.lower()
        if suffix not in write:
            expected = f"one of {', '.join(FORMATS)}"
            problem = Problem("suffix", suffix, expected, "name the file table.tex")
            raise InputError(str(path), [problem])
        write_whole(Path(path), write[suffix]().encode())

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the numbers and texts of its cells as a data frame, with means for intervals."""
        names = [column.name for column in self.table.columns]
        rows = [dict(zip(names, map(_plain, row), strict=True)) for row in self.table.rows]
        return frame(rows, names, backend)


def _plain(cell: Cell) -> str | float | None:
    return cell if isinstance(cell, str) else mean(cell)
