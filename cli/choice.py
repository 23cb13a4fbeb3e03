"""Which rows of a campaign are meant: chosen by what stands in their columns."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ..instances.errors import InputError, Problem, Words

if TYPE_CHECKING:
    from ..analysis.rows import Row

MANY = 12
"""An error names at most so many of what there is."""


def chosen_rows(rows: "list[Row]", wanted: Mapping[str, Sequence[object]]) -> "list[Row]":
    """Return the rows with a wanted value, or pattern, in every column for which there are any.

    Whatever is wanted must be there, among the rows that the columns before it leave.
    """
    for column, values in wanted.items():
        there = sorted({row[column] for row in rows})
        for value in values:
            if not any(_fits(one, value) for one in there):
                expected = f"one of {listed(there)}"
                problem = Problem(f"--{column}", value, expected, "choose one of them")
                raise InputError("rows of the campaign", [problem])
        rows = [row for row in rows if not values or any(_fits(row[column], v) for v in values)]
    return rows


def _fits(value: object, wanted: object) -> bool:
    return value == wanted or fnmatchcase(str(value), str(wanted))


def listed(names: Sequence[object]) -> str:
    """List names, the first of very many."""
    shown = ", ".join(map(str, names[:MANY]))
    return f"{shown} and {len(names) - MANY:,} more" if len(names) > MANY else shown


def refuse_mixed(rows: "list[Row]", column: str) -> None:
    """Refuse rows that differ in a column."""
    there = sorted({row[column] for row in rows})
    if len(there) > 1:
        found = Words(f"{len(there):,} of them: {listed(there)}")
        problem = Problem(f"--{column}", found, "a single one for this figure", "choose one")
        raise InputError("rows of the campaign", [problem])
