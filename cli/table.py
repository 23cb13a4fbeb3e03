"""`ringyard table`: a table of a campaign, for a paper, a web page, or a program."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..analysis.tables import Table, to_csv, to_document, to_html, to_latex, to_markdown, to_plain
from ..analysis.tables.arrange import Footnotes, arranged, with_caption, with_footnotes
from ..analysis.tables.latex import left_out_text
from ..analysis.tables.layout import TEXT_WIDTH, compact
from ..campaigns.store import existing
from ..instances.arguments import at_least_one
from ..instances.errors import Problem, Words, raise_any
from .shared.campaign import sources_of
from .shared.choice import ALL_ROWS, Chosen, kind_problems, new_names, rename_problems, rows_of
from .shared.options import Flag, Whole, is_standard, lost, place_problems, write
from .shared.output import note, say, show_table, terminal

FORMATS = {"latex": ".tex", "markdown": ".md", "csv": ".csv", "html": ".html", "text": ".txt"}
"""Table formats, and their file name suffixes."""

WRITERS = {"markdown": to_markdown, "csv": to_csv, "html": to_html, "text": to_plain}
"""Functions that write a table, by format. LaTeX has more options and is not one of them."""

ALL = "all"
"""In place of a kind: all kinds in sequence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrangement:
    """Options for the layout of a table.

    Parameters
    ----------
    columns
        Only these columns, in this order, as in method,mean,worst. May be repeated. Columns that
        define groups come first.
    rename
        A head or cell text and its replacement, as in sjf-bco=SJF-BCO. May be repeated.
    transpose
        Methods as columns, a line for each measure.
    caption
        The caption, in place of the default.
    label
        The LaTeX label, for references (default: tab:KIND).
    footnotes
        Explanations of columns: in a paragraph below the table (below), there by letters at the
        heads (letters), or nowhere (none).
    """

    columns: tuple[str, ...] = ()
    rename: tuple[str, ...] = ()
    transpose: Flag = False
    caption: str | None = None
    label: str | None = None
    footnotes: Footnotes = "below"

    def problems(self, kind: str) -> list[Problem]:
        """Return invalid options."""
        found = rename_problems(self.rename)
        given = {"columns": self.columns, "caption": self.caption, "label": self.label}
        found += [
            Problem(f"--{name}", Words("--kind all"), "one kind", "name the kind")
            for name, value in given.items()
            if value and kind == ALL
        ]
        return found

    def arranged(self, tables: dict[str, Table]) -> dict[str, Table]:
        """Return the requested tables."""
        names = new_names(self.rename)
        found = arranged(tables, self.columns, names, transpose=self.transpose)
        return {self.label or name: with_caption(one, self.caption) for name, one in found.items()}


AS_IT_IS = Arrangement()


def table_command(
    folder: Path,
    /,
    *,
    kind: str = "solvers",
    format: str | None = None,
    out: Path | None = None,
    choice: Chosen = ALL_ROWS,
    arrangement: Annotated[Arrangement, Parameter(name="*")] = AS_IT_IS,
    document: Flag = False,
    width: Whole | None = None,
) -> int:
    """Write a table of a campaign's rows, by default to standard output.

    Parameters
    ----------
    folder
        Folder of a campaign, as `ringyard run` creates it.
    kind
        Distances to bounds (ratios), comparison of methods (solvers), means by instance group
        (policies), p-values and effect sizes of pairs of methods by objective (pairs) or time
        to a proof (pair-times), theorems (verdicts), proved optima by size (frontier), failed
        runs (failures), every run (runs), or all of these, or a kind of another package, from
        `ringyard list tables`.
    format
        latex, markdown, csv, html or text (default: from the file name, or else text on
        a terminal and markdown otherwise).
    out
        Write this file.
    document
        Write a complete LaTeX document, ready to compile.
    width
        Width of a page or column for a LaTeX table, in points: 345 by default, about 240
        in two columns. Columns without room are left out, unless --columns names them.
    """
    from ..analysis.table_kinds import KINDS, find_kind, kind_names

    make = {name: find_kind(name) for name in (KINDS if kind == ALL else [kind])}
    notation = format or _notation(out, document=document)
    problems = list[Problem]()
    if None in make.values():
        problems += kind_problems("--kind", kind, [*kind_names(), ALL], "ringyard table")
    problems += _notation_problems(notation, format, out, document=document)
    problems += place_problems("--out", str(folder), out) + at_least_one("--width", width)
    problems += arrangement.problems(kind)
    raise_any("ringyard table", problems)
    store = existing(folder)
    rows, sources = choice.rows(rows_of(store)), sources_of(store)
    tables = {f"tab:{name}": one(rows, sources) for name, one in make.items() if one}
    wanted = arrangement.arranged(tables)
    if notation == "text" and out is None:
        for one in wanted.values():
            show_table(with_footnotes(one, arrangement.footnotes))
    elif notation == "latex":
        _write(_latex(wanted, document, width or TEXT_WIDTH, arrangement.footnotes), out)
    else:
        place = "none" if notation == "csv" else arrangement.footnotes
        each = (with_footnotes(one, place) for one in wanted.values())
        _write("\n".join(map(WRITERS[notation], each)), out)
    return 0


def _notation_problems(
    notation: str, format: str | None, out: Path | None, *, document: bool
) -> Iterator[Problem]:
    """Yield the reasons why no table can be written with these options."""
    if format is None and out is not None and notation not in FORMATS:
        expected = f"a name that ends in {', '.join(FORMATS.values())}, or --format"
        yield Problem("--out", str(out), expected, "name the file table.md")
        return
    yield from kind_problems("--format", notation, list(FORMATS), "ringyard table")
    if document and notation in FORMATS and notation != "latex":
        yield Problem("--format", notation, "latex, with --document", "leave one out")


def _notation(out: Path | None, *, document: bool) -> str:
    endings = {ending: name for name, ending in FORMATS.items()}
    if out is None or is_standard(out):
        shown = "text" if out is None and terminal() else "markdown"
        return "latex" if document else shown
    return endings.get(out.suffix.lower(), out.suffix)


def _latex(tables: dict[str, Table], document: bool, width: float, footnotes: Footnotes) -> str:
    """Return LaTeX, after printing the names of the columns that have no room."""
    for name, table in tables.items():
        if left_out := compact(table, width)[1]:
            note(f"{name}: " * (len(tables) > 1) + left_out_text(left_out, width))
    if document:
        return to_document(tables, width=width, footnotes=footnotes)
    each = tables.items()
    return "\n".join(to_latex(one, name, width=width, footnotes=footnotes) for name, one in each)


def _write(text: str, out: Path | None) -> None:
    if out is not None:
        write(out, text.encode())
    if out is None or lost():
        say(text.removesuffix("\n"))
