"""Tables as LaTeX that fits the page of the article class, alone or as a document."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, groupby, takewhile, zip_longest
from re import fullmatch

from ..intervals import Interval
from .arrange import Footnotes, with_footnotes
from .latex_text import BOLD, in_lines, latex_text, pieces, prose
from .layout import (
    NUMBER,
    TEXT_WIDTH,
    ColumnShape,
    TableLayout,
    TypeSize,
    compact,
    lay_out,
    tail_of,
)
from .model import Cell, Column, Table

PAGE = 480.0
"""Points of height for one table: the article class has 550 on letter paper, 598 on A4."""

TOGETHER = 0.4 * PAGE
"""Height in points of rows kept on one page. Higher groups repeat their name after a break."""

GAP = 5.0
"""Points between two groups of rows."""

CAPTION_LINE, CAPTION_SPACE = 12, 20
"""Points of height of a line of the caption, and of the space around the caption."""

CAPTION_WIDTH = 0.95
"""Share of the width that a line of the caption fills."""

CAPTION_LINES, CAPTION_NAME = 3, "Table 10: "
"""Lines of a caption, from which the meaning of marks moves below the table, and its first word."""

NOTE_LINE, NOTE_SPACE = 9.5, 3
"""Points of height of a line of a note, and of the space above the note."""

NOTE_SIZE = 0.9
"""Width of letters of a note, relative to the width at 10 points."""

RULES = 12
"""Height in points of the rules of a table and their margins."""

WORDS_A_LINE = 3
"""Words of captions and notes that are longer than the width divided by this may be broken."""

TABLES_TO_CLEAR = 8
"""Number of pending tables after which a document clears them, because LaTeX has a limit."""

PREAMBLE = (
    r"\usepackage{array,booktabs,etoolbox,longtable,siunitx}",
    r"\robustify\bfseries \sisetup{detect-weight=true}",
)
"""Preamble of a document. The second line keeps bold numbers aligned in siunitx 2 and 3."""

CONTINUED = [r"\addtocounter{table}{-1}", r"\caption[]{(continued)}"]
"""The caption of a further page, under the number of the table before and not in the list."""


def height(table: Table, layout: TableLayout, width: float) -> float:
    """Return about how many points high a table is, in one piece."""
    rows = sum(_row(table, layout, part, i) for part in layout.parts for i in _all(table))
    gaps = GAP * len(list(table.groups())) if table.shared else 0
    return _around(table, layout, layout.parts, width) + rows + gaps * len(layout.parts)


def pages(
    table: Table, layout: TableLayout, part: Sequence[ColumnShape], width: float
) -> list[list[int]]:
    """Split the rows of a part into pages, splitting only groups that exceed a page."""
    room = max(PAGE - _around(table, layout, [part], width), PAGE / 4)
    found: list[list[int]] = [[]]
    used = 0.0
    for group in table.groups() if table.shared else [[i] for i in _all(table)]:
        heights = [_row(table, layout, part, i) for i in group]
        whole = sum(heights) <= room < used + sum(heights)
        for i, needed in zip(group, heights, strict=True):
            if found[-1] and (used + needed > room or (whole and i == group[0])):
                found.append([])
                used = 0.0
            found[-1].append(i)
            used += needed
        used += GAP if table.shared else 0
    return found


def _all(table: Table) -> range:
    return range(len(table.rows))


def _around(
    table: Table, layout: TableLayout, parts: Sequence[Sequence[ColumnShape]], width: float
) -> float:
    """Return the height of caption, heads and notes."""
    above, below = _words(table, width)
    caption = CAPTION_LINE * len(_caption_lines(above, width))
    notes = sum(NOTE_SPACE + NOTE_LINE * len(in_lines(note, width / NOTE_SIZE)) for note in below)
    heads = sum(RULES + layout.step.line * max(len(shape.head) for shape in part) for part in parts)
    return caption + CAPTION_SPACE + notes + heads


def _words(table: Table, width: float) -> tuple[str, tuple[str, ...]]:
    """Return the caption and the notes, with the meaning of marks where there is room for it."""
    if table.marks() and len(_caption_lines(table.long_caption, width)) > CAPTION_LINES:
        return table.caption, table.below
    return table.long_caption, table.paragraphs


def _caption_lines(caption: str, width: float) -> list[str]:
    return in_lines(CAPTION_NAME + caption, CAPTION_WIDTH * width)


def _row(table: Table, layout: TableLayout, part: Sequence[ColumnShape], row: int) -> float:
    def lines(shape: ColumnShape) -> int:
        upto = shape.place + 1
        above = table.rows[row - 1][:upto] if row and upto <= table.shared else None
        if shape.squeezed is None or above == table.rows[row][:upto]:
            return 1
        return len(in_lines(table.text(row, shape.place), shape.breadth))

    return layout.step.line * max(map(lines, part))


def to_latex(
    table: Table,
    label: str = "",
    *,
    width: float = TEXT_WIDTH,
    footnotes: Footnotes = "below",
) -> str:
    """Return a `table` with its notes below, or a `longtable` if it exceeds a page.

    The result fits into `width` points. Columns narrower than a page allow no `longtable`, and a
    high table is split into several tables. Optional columns without room are left out, as a
    comment says.
    """
    table, left_out = compact(table, width)
    table = with_footnotes(table, footnotes)
    layout, best = lay_out(table, width), table.best()
    lines = [f"% needs {line}" for line in PREAMBLE]
    lines += [f"% {left_out_text(map(latex_text, left_out), width)}"] if left_out else []
    floats = [[(part, list(range(len(table.rows)))) for part in layout.parts]]
    if height(table, layout, width) > PAGE:
        if width >= TEXT_WIDTH:
            return "\n".join([*lines, *_long(table, layout, label, width)]) + "\n"
        whole = ((part, pages(table, layout, part, width)) for part in layout.parts)
        floats = [[(part, rows)] for part, some in whole for rows in some]
    for i, some in enumerate(floats):
        top = CONTINUED if i else [_caption(table, width), *_label(label)]
        foot = _notes(table, width) if i == len(floats) - 1 else []
        tabulars = [_tabular(table, layout.step, part, rows, best) for part, rows in some]
        lines += [r"\clearpage"] if i else []
        lines += _float(layout.step, tabulars, top, foot)
    return "\n".join(lines) + "\n"


def left_out_text(names: Iterable[str], width: float) -> str:
    """Say which columns were left out, and how to get them."""
    return (
        f"left out to fit {width:g} points: {'; '.join(names)}. Name the columns that you want "
        "with --columns, or allow a larger --width."
    )


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
    lines = [rf"\begin{{tabular}}{{{_specification(part)}}}", *_head_lines(table, part, step)]
    lines += _body_lines(table, part, rows, best)
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def _caption(table: Table, width: float) -> str:
    """Return the caption, and a version without the meaning of marks for the list of tables."""
    text, _ = _words(table, width)
    short = rf"[{{{prose(table.caption)}}}]" if text != table.caption else ""
    return rf"\caption{short}{{{_breakable(text, width / WORDS_A_LINE, prose)}}}"


def _long(table: Table, layout: TableLayout, label: str, width: float) -> list[str]:
    """Return each part as a `longtable`, with breaks between groups and repeated heads."""
    step = layout.step
    lines = [rf"{{\{step.size}", rf"\setlength{{\tabcolsep}}{{{step.space:g}pt}}"]
    lines += [rf"\setlength{{\LTcapwidth}}{{{width:g}pt}}\setlength{{\LTpost}}{{0pt}}"]
    for i, part in enumerate(layout.parts):
        heads = _head_lines(table, part, step)
        first = [CONTINUED[1]] if i else [_caption(table, width), *_label(label)]
        lines += [CONTINUED[0]] if i else []
        lines += [rf"\begin{{longtable}}{{{_specification(part)}}}", *first, r"\\", *heads]
        lines += [r"\endfirsthead", CONTINUED[1], r"\\", *heads, r"\endhead"]
        lines += [r"\bottomrule", r"\endfoot", *_groups(table, layout, part)]
        lines += [r"\end{longtable}"]
    return [*lines, "}", *_notes(table, width)]


def _groups(table: Table, layout: TableLayout, part: Sequence[ColumnShape]) -> list[str]:
    """Return all rows, with page breaks between groups only."""
    best, lines = table.best(), list[str]()
    if not table.shared:
        return _body_lines(table, part, _all(table), best)
    for group in table.groups():
        lines += [r"\addlinespace"] if lines else []
        upto = accumulate(_row(table, layout, part, i) for i in group)
        sheets = groupby(zip(upto, group, strict=True), key=lambda pair: pair[0] // TOGETHER)
        for _, some in sheets:
            *rows, last = _body_lines(table, part, [i for _, i in some], best)
            lines += [*(f"{row}*" for row in rows), last]
    return lines


def _label(label: str) -> list[str]:
    kept = "".join(c if c.isascii() and (c.isalnum() or c in ":-.") else "-" for c in label)
    return [rf"\label{{{kept}}}"] if label else []


def _notes(table: Table, width: float) -> list[str]:
    start = r"\par\smallskip{\footnotesize\raggedright "
    _, notes = _words(table, width)
    return [rf"{start}{_breakable(note, width / WORDS_A_LINE, prose)}\par}}" for note in notes]


def _specification(part: Sequence[ColumnShape]) -> str:
    """Write the columns of a `tabular`."""
    return "@{}" + "".join(map(_column, part)) + "@{}"


def _column(shape: ColumnShape) -> str:
    if shape.squeezed is not None:
        return rf">{{\raggedright\arraybackslash}}p{{{shape.squeezed - 0.1:.1f}pt}}"
    if shape.format is None:
        return "l"
    side = "l" if shape.marked else "r"
    beside = rf"@{{\hspace{{{0 if shape.marked else 3}pt}}}}>{{\scriptsize}}{side}"
    return f"S[table-format={shape.format}]{beside if shape.ends else ''}"


def _head_lines(table: Table, part: Sequence[ColumnShape], step: TypeSize) -> list[str]:
    """Return the heads, with shared heads above, between rules."""
    shared = any(table.columns[shape.place].over for shape in part)
    height = max(len(shape.head) for shape in part)
    heads = [("",) * (height - len(shape.head)) + shape.head for shape in part]
    lines = [
        _line([_head_cell(shape, head[i]) for shape, head in zip(part, heads, strict=True)])
        for i in range(height)
    ]
    return [r"\toprule", *(_over(table, part, step) if shared else []), *lines, r"\midrule"]


def _head_cell(shape: ColumnShape, text: str) -> str:
    text = latex_text(text) if shape.format is None else prose(text)
    if shape.format is None:
        return text
    braced = f"{{{text}}}"
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
                rf"\multicolumn{{{span}}}{{@{{}}c@{{}}}}{{{prose(text)}}}"
                for span, text in zip(spans, row, strict=True)
            ]
        )
        for row in zip_longest(*heads, fillvalue="")
    ]
    return [*lines, "".join(rules)]


def _body_lines(
    table: Table, part: Sequence[ColumnShape], rows: Sequence[int], best: set[tuple[int, int]]
) -> list[str]:
    """Return some of the rows in groups, leaving cells blank that repeat the row above."""
    span = sum(2 if shape.ends else 1 for shape in part)
    lines, above = [] if rows else [rf"\multicolumn{{{span}}}{{c}}{{--}} \\"], -1
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


def _same(table: Table, above: int, i: int) -> int:
    """Return the number of shared cells that repeat the row above."""
    pairs = zip(table.rows[above][: table.shared], table.rows[i], strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _cell(table: Table, i: int, shape: ColumnShape, best: set[tuple[int, int]]) -> str:
    column, cell = table.kind(i, shape.place), table.rows[i][shape.place]
    bold = (i, shape.place) in best
    if shape.format is not None:
        text = _number(column, cell, bold=bold)
        beside = latex_text(tail_of(table, i, shape.place, marked=shape.marked))
        return f"{text} & {beside}" if shape.ends else text
    if cell is None:
        return "--"
    text = column.text(cell)
    if shape.squeezed is None:
        text = latex_text(text)
    else:
        text = _breakable(text, shape.breadth / (BOLD if bold else 1))
    return rf"\textbf{{{text}}}" if bold else text


def _number(column: Column, cell: Cell, *, bold: bool) -> str:
    """Return a cell for siunitx, which treats braced contents as text."""
    text = column.text(cell.mean if isinstance(cell, Interval) else cell)
    if cell is None:
        return "{--}"
    if fullmatch(NUMBER, text):
        return rf"\bfseries {text}" if bold else text
    return f"{{{latex_text(text)}}}"


def _breakable(text: str, width: float, write: Callable[[str], str] = latex_text) -> str:
    """Write a text whose lines may end within words that are wider than that."""
    *parts, last = pieces(text, width) or [""]
    ends = ("" if part.endswith(" ") else r"\allowbreak{}" for part in parts)
    return "".join(map("".join, zip(map(write, parts), ends, strict=True))) + write(last)


def _line(cells: list[str]) -> str:
    line = " & ".join(cells) + r" \\"
    # Behind the end of a line or a rule, a bracket or a star would be read as its option.
    return "{}" + line if line[0] in "[*" else line


def to_document(
    tables: Mapping[str, Table], *, width: float = TEXT_WIDTH, footnotes: Footnotes = "below"
) -> str:
    """Write a whole document of tables by label."""
    lines = [r"\documentclass{article}", *PREAMBLE, r"\begin{document}"]
    for i, (label, table) in enumerate(tables.items()):
        lines += [r"\clearpage"] if i and i % TABLES_TO_CLEAR == 0 else []
        lines.append(to_latex(table, label, width=width, footnotes=footnotes))
    return "\n".join([*lines, r"\end{document}"]) + "\n"
