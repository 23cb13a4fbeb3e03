"""Tables and figures that commands are asked to write."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...analysis.figures.canvas import Figure, write_figure
from ...analysis.tables import Table, to_csv, to_latex
from .options import write, written


def write_table(table: Table, label: str, latex: Path | None, csv: Path | None) -> None:
    """Write a table as LaTeX and as CSV, where a file is named."""
    if latex is not None:
        write(latex, to_latex(table, label).encode())
    if csv is not None:
        write(csv, to_csv(table).encode())


def draw_to(path: Path, draw: Callable[..., Figure], *given: Any) -> None:
    """Draw a figure and write it in the format that its file's suffix names."""
    with written(path):
        write_figure(draw(*given), path)
