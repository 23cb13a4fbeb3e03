"""A table for print, as LaTeX that fits the page of the article class."""

from collections.abc import Sequence

from .latex_rows import body_lines, breakable, head_lines, specification
from .layout import ColumnShape, TypeSize, lay_out
from .model import Table
from .pages import PAGE, height, pages

TEXT_WIDTH = 345.0
"""Points in a line of the article class at 10 points, on A4 as on letter paper."""

PREAMBLE = (
    r"\usepackage{array,booktabs,etoolbox,siunitx}",
    r"\robustify\bfseries \sisetup{detect-weight=true}",
)
"""What a document needs; with the second line bold numbers stay aligned, in siunitx 2 and 3."""


def to_latex(table: Table, label: str = "", *, width: float = TEXT_WIDTH) -> str:
    """Write a `table` with its notes below, or several where it is higher than a page.

    Nothing is wider than `width` points.
    """
    layout, best = lay_out(table, width), table.best()
    floats = [[(part, list(range(len(table.rows)))) for part in layout.parts]]
    if height(table, layout, width) > PAGE:
        whole = ((part, pages(table, layout, part, width)) for part in layout.parts)
        floats = [[(part, rows)] for part, some in whole for rows in some]
    lines = [f"% needs {line}" for line in PREAMBLE]
    for i, some in enumerate(floats):
        top = _continued() if i else [_caption(table, width), *_label(label)]
        foot = _notes(table, width) if i == len(floats) - 1 else []
        tabulars = [_tabular(table, layout.step, part, rows, best) for part, rows in some]
        lines += [r"\clearpage"] if i else []
        lines += _float(layout.step, tabulars, top, foot)
    return "\n".join(lines) + "\n"


def _float(step: TypeSize, tabulars: list[list[str]], top: list[str], foot: list[str]) -> list[str]:
    lines = [r"\begin{table}[htbp]", r"\centering", *top, r"\smallskip", rf"\{step.size}"]
    lines += [rf"\setlength{{\tabcolsep}}{{{step.space:g}pt}}"]
    for i, tabular in enumerate(tabulars):
        lines += [r"\par\medskip", *tabular] if i else tabular
    return [*lines, *foot, r"\end{table}"]


def _tabular(
    table: Table,
    step: TypeSize,
    part: Sequence[ColumnShape],
    rows: Sequence[int],
    best: set[tuple[int, int]],
) -> list[str]:
    lines = [rf"\begin{{tabular}}{{{specification(part)}}}", *head_lines(table, part, step)]
    lines += body_lines(table, part, rows, best)
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _caption(table: Table, width: float) -> str:
    return rf"\caption{{{breakable(table.caption, width / 3)}}}"


def _label(label: str) -> list[str]:
    kept = "".join(c if c.isascii() and (c.isalnum() or c in ":-.") else "-" for c in label)
    return [rf"\label{{{kept}}}"] if label else []


def _continued() -> list[str]:
    """Begin a page of its own, under the number of the table before and not in the list."""
    return [r"\addtocounter{table}{-1}", r"\caption[]{(continued)}"]


def _notes(table: Table, width: float) -> list[str]:
    start = r"\par\smallskip{\footnotesize\raggedright "
    return [rf"{start}{breakable(note, width / 3)}\par}}" for note in table.notes]
