"""`ringyard table`: a table of a campaign, for a paper, a web page, or a program."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ..instances.errors import InputError, Problem, nearest
from .files import place_problems
from .hypotheses import unmet
from .output import say

if TYPE_CHECKING:
    from ..analysis.results import Sources
    from ..analysis.rows import Row
    from ..analysis.tables import Table
    from ..campaigns.store import Store

FORMATS = {"latex": ".tex", "markdown": ".md", "csv": ".csv", "html": ".html"}
"""Notations, and how the names of their files end."""

ALL = "all"
"""In place of a kind: each of them, one after the other."""


def table_command(
    folder: Path,
    /,
    *,
    kind: str = "solvers",
    format: str | None = None,
    out: Path | None = None,
    where: tuple[str, ...] = (),
    document: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Make a table of a campaign's rows; on standard output where no file is named.

    Parameters
    ----------
    folder
        Folder of a campaign, as `ringyard run` makes it.
    kind
        Distances to bounds (ratios), comparison of methods (solvers), means by instance group
        (policies), theorems (verdicts), proved optima by size (frontier), failed runs
        (failures), every run (runs), or all of these.
    format
        latex, markdown, csv or html; without it as the name of the file ends, else markdown.
    out
        Write this file.
    where
        Only rows whose column has this value, as in time_limit=60; may be repeated.
    document
        A whole document in LaTeX, which needs nothing else to be compiled.
    """
    from ..analysis.results import KINDS
    from ..campaigns.store import existing

    notation = format or _notation(out, document=document)
    problems = _chosen("--kind", kind, [*KINDS, ALL])
    problems += _chosen("--format", notation, list(FORMATS))
    if document and notation in FORMATS and notation != "latex":
        problems.append(Problem("--format", notation, "latex, with --document", "leave one out"))
    problems += place_problems("--out", str(folder), out)
    if problems:
        raise InputError("ringyard table", problems)
    store = existing(folder)
    rows = _where(store.rows(), where)
    kinds = list(KINDS) if kind == ALL else [kind]
    tables = {f"tab:{name}": KINDS[name](rows, _sources(store)) for name in kinds}
    _write(_text(tables, notation, document=document), out)
    return 0


def _notation(out: Path | None, *, document: bool) -> str:
    endings = {ending: name for name, ending in FORMATS.items()}
    usual = "latex" if document else "markdown"
    return usual if out is None else endings.get(out.suffix.lower(), usual)


def _chosen(option: str, name: str, known: Sequence[str]) -> list[Problem]:
    if name in known:
        return []
    like = nearest(name, list(known))
    advice = f"did you mean {like!r}?" if like else "see `ringyard table --help`"
    return [Problem(option, name, "one of " + ", ".join(known), advice)]


def _where(rows: "list[Row]", conditions: Sequence[str]) -> "list[Row]":
    """Return the rows that meet all conditions."""
    from ..analysis.rows import COLUMNS

    for condition in conditions:
        name, sign, value = condition.partition("=")
        if not sign or name not in COLUMNS:
            like = nearest(name, list(COLUMNS))
            advice = f"did you mean {like!r}?" if like else "see docs/campaigns.md for the columns"
            expected = "COLUMN=VALUE with a column of the rows"
            raise InputError("ringyard table", [Problem("--where", condition, expected, advice)])
        found = [row for row in rows if _said(row[name]) == value]
        if not found:
            said = sorted({_said(row[name]) for row in rows})
            expected = "a value of some row, such as " + ", ".join(said[:5])
            raise InputError("ringyard table", [Problem("--where", condition, expected, "use one")])
        rows = found
    return rows


def _said(value: object) -> str:
    """Write a value as it is given on the command line."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _sources(store: "Store") -> "Sources":
    from ..analysis.results import Sources
    from ..methods import find_method

    def exact(row: "Row") -> bool:
        return find_method(row["method"], row["family"]).guarantee == "optimal"

    return Sources(instance=store.instance, unmet=unmet, exact=exact)


def _text(tables: "dict[str, Table]", format: str, *, document: bool) -> str:
    from ..analysis.tables import to_csv, to_document, to_html, to_latex, to_markdown

    if document:
        return to_document(tables)
    if format == "latex":
        return "\n".join(to_latex(table, label) for label, table in tables.items())
    write = {"markdown": to_markdown, "csv": to_csv, "html": to_html}[format]
    return "\n".join(map(write, tables.values()))


def _write(text: str, out: Path | None) -> None:
    if out is None:
        say(text.removesuffix("\n"))
        return
    from ..instances.files import write_whole

    write_whole(out, text.encode())
