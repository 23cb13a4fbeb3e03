"""The rows of a LaTeX table: what its columns are, its head, its body."""

from collections.abc import Sequence
from itertools import groupby, takewhile, zip_longest
from re import fullmatch

from ..intervals import Interval
from .latex_text import BOLD, in_lines, latex_text, pieces
from .layout import NUMBER, ColumnShape, TypeSize, ends_of
from .model import Cell, Column, Table


def specification(part: Sequence[ColumnShape]) -> str:
    """Write the columns of a `tabular`."""
    return "@{}" + "".join(map(_column, part)) + "@{}"


def _column(shape: ColumnShape) -> str:
    if shape.squeezed is not None:
        return rf">{{\raggedright\arraybackslash}}p{{{shape.squeezed - 0.1:.1f}pt}}"
    if shape.format is None:
        return "l"
    interval = r"@{\hspace{3pt}}>{\scriptsize}r" if shape.ends else ""
    return f"S[table-format={shape.format}]{interval}"


def head_lines(table: Table, part: Sequence[ColumnShape], step: TypeSize) -> list[str]:
    """Write the heads, those that neighbours share above, between rules."""
    shared = any(table.columns[shape.place].over for shape in part)
    height = max(len(shape.head) for shape in part)
    heads = [("",) * (height - len(shape.head)) + shape.head for shape in part]
    lines = [
        _line([_head_cell(shape, head[i]) for shape, head in zip(part, heads, strict=True)])
        for i in range(height)
    ]
    return [r"\toprule", *(_over(table, part, step) if shared else []), *lines, r"\midrule"]


def _head_cell(shape: ColumnShape, text: str) -> str:
    if shape.format is None:
        return latex_text(text)
    braced = f"{{{latex_text(text)}}}"
    # At the edges of a table columns have no space beside them, so this has none either.
    return rf"\multicolumn{{2}}{{@{{}}c@{{}}}}{braced}" if shape.ends else braced


def _over(table: Table, part: Sequence[ColumnShape], step: TypeSize) -> list[str]:
    """Write heads that neighbours share, with a rule below each."""
    spans, heads, rules, at = [], [], [], 1
    for text, some in groupby(part, key=lambda shape: table.columns[shape.place].over):
        below = list(some)
        spans.append(sum(2 if shape.ends else 1 for shape in below))
        room = sum(shape.width(step.scale) for shape in below) + 2 * step.space * (len(below) - 1)
        heads.append(in_lines(text, room / step.scale))
        rules += [rf"\cmidrule(lr){{{at}-{at + spans[-1] - 1}}}"] if text else []
        at += spans[-1]
    lines = [
        _line(
            [
                rf"\multicolumn{{{span}}}{{@{{}}c@{{}}}}{{{latex_text(text)}}}"
                for span, text in zip(spans, row, strict=True)
            ]
        )
        for row in zip_longest(*heads, fillvalue="")
    ]
    return [*lines, "".join(rules)]


def body_lines(
    table: Table, part: Sequence[ColumnShape], rows: Sequence[int], best: set[tuple[int, int]]
) -> list[str]:
    """Write some of the rows, groups apart; what stands in the row above is left blank."""
    lines, above = [] if rows else [_nothing(part)], -1
    for i in rows:
        same = _same(table, above, i) if above >= 0 else 0
        lines += [r"\addlinespace"] if above >= 0 and same < table.shared else []
        cells = [
            _cell(table, i, shape, best) if shape.place >= same else " & " if shape.ends else ""
            for shape in part
        ]
        lines.append(_line(cells))
        above = i
    return lines


def _nothing(part: Sequence[ColumnShape]) -> str:
    span = sum(2 if shape.ends else 1 for shape in part)
    return rf"\multicolumn{{{span}}}{{c}}{{--}} \\"


def _same(table: Table, above: int, i: int) -> int:
    """Return how many of the shared cells are those of the row above."""
    pairs = zip(table.rows[above][: table.shared], table.rows[i], strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _cell(table: Table, i: int, shape: ColumnShape, best: set[tuple[int, int]]) -> str:
    column, cell = table.kind(i, shape.place), table.rows[i][shape.place]
    bold = (i, shape.place) in best
    if shape.format is not None:
        return _number(column, cell, shape, bold=bold)
    if cell is None:
        return "--"
    text = column.text(cell)
    if shape.squeezed is None:
        text = latex_text(text)
    else:
        text = breakable(text, shape.breadth / (BOLD if bold else 1))
    return rf"\textbf{{{text}}}" if bold else text


def _number(column: Column, cell: Cell, shape: ColumnShape, *, bold: bool) -> str:
    """Write a cell for siunitx, which takes what stands in braces as a text."""
    text = column.text(cell.mean if isinstance(cell, Interval) else cell)
    if cell is None:
        text = "{--}"
    elif fullmatch(NUMBER, text):
        text = rf"\bfseries {text}" if bold else text
    else:
        text = f"{{{latex_text(text)}}}"
    return f"{text} & {ends_of(cell, column)}" if shape.ends else text


def breakable(text: str, width: float) -> str:
    """Write a text whose lines may end within words that are wider than that."""
    *parts, last = pieces(text, width) or [""]
    ends = ("" if part.endswith(" ") else r"\allowbreak{}" for part in parts)
    return "".join(map("".join, zip(map(latex_text, parts), ends, strict=True))) + latex_text(last)


def _line(cells: list[str]) -> str:
    line = " & ".join(cells) + r" \\"
    # Behind the end of a line or a rule, a bracket or a star would be read as its option.
    return "{}" + line if line[0] in "[*" else line
