"""A table as a paper wants it: some of its columns, other names, methods side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Literal

from ...instances.errors import InputError, Problem, Words, raise_any, unknown
from .model import Cell, Column, Table, decimals

METHOD = "method"
"""The column whose cells become heads if methods are columns."""


def arranged(
    tables: Mapping[str, Table],
    columns: Sequence[str] = (),
    rename: Mapping[str, str] | None = None,
    *,
    transpose: bool = False,
) -> dict[str, Table]:
    """Return tables with these columns and names, and with methods as columns if requested."""
    found = {}
    for label, table in tables.items():
        one = without_zeros(table)
        if columns:
            one = with_columns(one, [*([pivot_of(one)] if transpose else []), *columns])
        found[label] = transposed(one) if transpose else one
    return renamed(found, rename or {})


def with_caption(table: Table, caption: str | None) -> Table:
    """Return a table with a new caption, which is then shown in Markdown, too."""
    return replace(table, caption=caption.rstrip("."), captioned=True) if caption else table


Footnotes = Literal["below", "letters", "none"]
"""Where the notes of columns are: in a paragraph below, below by the letters at heads, nowhere."""

LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"


def with_footnotes(table: Table, place: Footnotes) -> Table:
    """Return a table with its notes in this place. The meaning of marks stays."""
    if place == "below" or (table.measures and MEASURE not in table.columns):
        return table
    sentences = dict.fromkeys(n for one in (*table.columns, *table.measures) for n in one.notes)
    letters = dict(zip(sentences, LETTERS, strict=False)) if place == "letters" else {}

    def lettered(text: Cell, column: Column) -> str:
        mine = (letter for sentence, letter in letters.items() if sentence in column.notes)
        return f"{text}{''.join(mine)}"

    def bare(column: Column) -> Column:
        return replace(column, head=lettered(column.head, column), notes=())

    at = table.columns.index(MEASURE) if table.measures else 0
    lines = zip(table.rows, table.measures, strict=True) if table.measures else ()
    rows = ((*row[:at], lettered(row[at], kind), *row[at + 1 :]) for row, kind in lines)
    below = " ".join(f"{letters.get(sentence, '')}{sentence}" for sentence in sentences)
    return replace(
        table,
        columns=tuple(map(bare, table.columns)),
        measures=tuple(map(bare, table.measures)),
        rows=tuple(rows) if table.measures else table.rows,
        notes=(below, *table.notes) if letters else () if place == "none" else table.notes,
    )


def without_zeros(table: Table) -> Table:
    """Return a table whose columns of whole numbers have no decimals."""
    columns = (
        column
        if column.digits is None
        else replace(column, digits=decimals([row[j] for row in table.rows], column.digits))
        for j, column in enumerate(table.columns)
    )
    return replace(table, columns=tuple(columns))


def with_columns(table: Table, names: Sequence[str]) -> Table:
    """Return the columns with these names in their order, grouping columns first.

    A name is a head, optionally with the head above it or the unit after a comma. Several columns
    may share a name without a comma. Marks, such as stars, follow the numbers that they mark.
    """
    places = list(dict.fromkeys(place for name in names for place in _places(table, name)))
    lead = sorted(j for j in places if j < table.shared)
    kept = [*lead, *_with_marks(table, [j for j in places if j not in lead])]
    found = table.with_places(kept)
    found = replace(found, columns=tuple(replace(one, optional=0) for one in found.columns))
    groups = len(list(table.groups()))
    if len({row[: len(lead)] for row in found.rows}) < groups and table.rows:
        heads = ", ".join(column.name for column in table.columns[: table.shared])
        problem = Problem(
            "columns",
            ",".join(names),
            f"{heads} among them: there are {groups} groups",
            "name it, or choose the rows of one group, such as one instance",
        )
        raise InputError("table", [problem])
    return found


def _with_marks(table: Table, places: Sequence[int]) -> list[int]:
    """Return the places with each column of marks behind the numbers that it marks."""
    marks = {j for j in places if table.columns[j].beside and j - 1 in places}
    pairs = ((j, j + 1) if j + 1 in marks else (j,) for j in places if j not in marks)
    return [j for pair in pairs for j in pair]


def _plain(column: Column) -> str:
    """Return a head without its unit."""
    return column.head.partition(",")[0]


def _places(table: Table, names: str) -> list[int]:
    known: dict[str, int] = {}
    for j, column in enumerate(table.columns):
        for name in (column.name, column.head, _plain(column)):
            known.setdefault(name, j)
    wanted = [names] if names in known else [name.strip() for name in names.split(",")]
    heads = [_plain(column) for column in table.columns]
    wrong = [unknown("columns", n, heads, "choose some") for n in wanted if n not in known]
    raise_any("table", wrong)
    return [known[name] for name in wanted]


def renamed(tables: Mapping[str, Table], names: Mapping[str, str]) -> dict[str, Table]:
    """Rename heads and text cells, where each old name must occur in some table."""
    there = {name for table in tables.values() for name in _names(table)}
    missing = [name for name in names if name not in there]
    if missing:
        expected, hint = "a column head or the full text of a cell", "print the table without it"
        problems = [unknown("rename", name, there, hint, expected) for name in missing]
        raise InputError("table", problems)
    return {label: _renamed(table, names) for label, table in tables.items()}


def _names(table: Table) -> set[str]:
    heads = {text for column in table.columns for text in (column.head, column.over) if text}
    return heads | {cell for row in table.rows for cell in row if isinstance(cell, str)}


def _renamed(table: Table, names: Mapping[str, str]) -> Table:
    def new(text: str) -> str:
        return names.get(text, text)

    columns = (replace(one, head=new(one.head), over=new(one.over)) for one in table.columns)
    rows = (tuple(new(c) if isinstance(c, str) else c for c in row) for row in table.rows)
    return replace(table, columns=tuple(columns), rows=tuple(rows))


def pivot_of(table: Table) -> str:
    """Return the head of the column whose cells become heads: methods, or the first column."""
    heads = [column.head for column in table.columns]
    return METHOD if METHOD in heads else heads[0]


def transposed(table: Table) -> Table:
    """Return a line for each measure, and a column for each method, or else for each line.

    A single measure is named in the caption instead of a column.
    """
    heads = [column.head for column in table.columns]
    pivot = heads.index(pivot_of(table))
    lead = len(list(takewhile(lambda column: column.digits is None, table.columns)))
    keys = [j for j in range(max(lead, 1)) if j != pivot and METHOD in heads]
    measures = [j for j in range(len(heads)) if j != pivot and j not in keys]
    if not measures:
        problem = Problem("transpose", Words("no measure"), "columns besides", "name one more")
        raise InputError("table", [problem])
    lines = _lines(table, keys, pivot)
    names = list(dict.fromkeys(str(row[pivot]) for row in table.rows))
    alone = len(measures) == 1
    rows, kinds = [], []
    for key, found in lines.items():
        for j in measures:
            cells = (found[name][j] if name in found else None for name in names)
            rows.append((*key, *([] if alone else [table.columns[j].name]), *cells))
            kinds.append(table.columns[j])
    columns = [*(table.columns[j] for j in keys), *([] if alone else [MEASURE])]
    caption = f"{table.caption}: {table.columns[measures[0]].name}" if alone else table.caption
    return replace(
        table,
        caption=caption,
        columns=(*columns, *(Column(head=name) for name in names)),
        rows=tuple(rows),
        shared=len(keys) - alone if keys else 0,
        measures=tuple(kinds),
        captioned=alone,
    )


MEASURE = Column(head="measure", digits=None)


def _lines(
    table: Table, keys: Sequence[int], pivot: int
) -> dict[tuple[Cell, ...], dict[str, tuple[Cell, ...]]]:
    """Return the rows by their keys and their future column."""
    lines: dict[tuple[Cell, ...], dict[str, tuple[Cell, ...]]] = {}
    for row in table.rows:
        found = lines.setdefault(tuple(row[j] for j in keys), {})
        name = str(row[pivot])
        if name in found:
            where = ", ".join(str(row[j]) for j in keys)
            expected = f"one line of {name}{' for ' if where else ''}{where}"
            advice = "choose one, such as one seed, or leave transpose out"
            problem = Problem("transpose", Words("several lines"), expected, advice)
            raise InputError("table", [problem])
        found[name] = row
    return lines
