"""Which rows are meant: those that have a value, or a pattern, in a column."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ..instances.errors import InputError, Problem, Words
from .rows import BOUND, Row

WHERE = "rows of the campaign"

RUNS = ("method", "seed")
"""Columns that choose among the runs of an instance; its bounds stay, whatever runs are chosen."""

MANY = 12
"""An error names at most this many of what there is."""


def chosen(rows: Sequence[Row], column: str, values: Sequence[str], option: str) -> list[Row]:
    """Return the rows that have one of some values in a column; each value must be there.

    A value may be a pattern such as 'tight-*'. `option` names the place in errors.
    """
    there = sorted({_said(row[column]) for row in rows}, key=_order)
    for value in values:
        if not any(_fits(one, value) for one in there):
            problem = Problem(
                option,
                value,
                f"one of {listed([one for one in there if one])}",
                "choose one of them",
            )
            raise InputError(WHERE, [problem])
    return [
        row
        for row in rows
        if (column in RUNS and row["method"] == BOUND)
        or any(_fits(_said(row[column]), value) for value in values)
    ]


def refuse_mixed(rows: Sequence[Row], column: str, lead: str = "--") -> None:
    """Refuse rows that differ in a column."""
    there = sorted({row[column] for row in rows})
    if len(there) > 1:
        found = Words(f"{len(there):,} of them: {listed(there)}")
        problem = Problem(lead + column, found, "a single one for this figure", "choose one")
        raise InputError(WHERE, [problem])


def listed(names: Sequence[object]) -> str:
    """List names, the first of very many."""
    shown = ", ".join(map(str, names[:MANY]))
    return f"{shown} and {len(names) - MANY:,} more" if len(names) > MANY else shown


def _said(value: object) -> str:
    """Write a value as it is given on the command line."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _order(text: str) -> tuple[int, str]:
    """Sort texts, and whole numbers by their size."""
    return len(text) if text.isdigit() else 0, text


def _fits(text: str, wanted: str) -> bool:
    return text == wanted or fnmatchcase(text, wanted)
