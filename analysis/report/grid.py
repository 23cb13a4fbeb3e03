"""A table of the page as data: columns that hold each repeated value once.

`grid.js` shows it. A column is packed in the smallest of three forms: one value for all rows
(`all`), a list of different values with their places (`of`, `at`), or the values as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ...instances.errors import visible

Form = Literal["text", "number", "count", "percent", "seconds", "small", "status"]
"""Notation of a value: whole numbers, at most three decimals, per cent, powers of ten, .."""

DIGITS = 6
"""Significant digits of measured values. Objectives and bounds keep all digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GridColumn:
    """A column with the `name` used by filters and the `head` shown above it.

    A column that is not `shown` appears when a row is chosen. A text in a column of numbers gives
    the reason for a missing number and is sorted last. `best` marks rows in bold. On a narrow
    screen, `key` columns come first.
    """

    name: str
    values: Sequence[Any]
    head: str = ""
    form: Form = "text"
    about: str = ""
    shown: bool = True
    key: bool = False
    best: frozenset[int] = frozenset()
    links: Sequence[str] = ()
    """Of each row, the address to which its cell links."""


Heads = dict[str, tuple[str, Form, str]]
"""Head, form and meaning of columns, by name."""


def columns_of(
    heads: Heads, lines: Sequence[dict[str, Any]], keys: Sequence[str], hidden: str = ""
) -> tuple[GridColumn, ...]:
    """Return a column for each head from the values of all lines."""
    return tuple(
        GridColumn(
            name=name,
            head=head,
            form=form,
            about=about,
            values=[line.get(name) for line in lines],
            shown=name != hidden,
            key=name in keys,
        )
        for name, (head, form, about) in heads.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A sortable table, with `facets` and a filter if it has many rows."""

    name: str
    about: str
    columns: tuple[GridColumn, ...]
    facets: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """Return the number of rows."""
        return len(self.columns[0].values)


def packed(grid: Grid) -> dict[str, Any]:
    """Return a table as plain values for JSON, without columns that are empty in all rows."""
    known = [one for one in grid.columns if not one.shown or {*one.values} - {None, ""}]
    return {
        "name": grid.name,
        "about": grid.about,
        "count": grid.count,
        "facets": list(grid.facets),
        "columns": [_packed(column) for column in known or grid.columns],
    }


def _packed(column: GridColumn) -> dict[str, Any]:
    values = [_plain(value, column.form) for value in column.values]
    found: dict[str, Any] = {"name": column.name, "form": column.form}
    found |= {"head": column.head} if column.head else {}
    found |= {"about": column.about} if column.about else {}
    found |= {} if column.shown else {"hidden": True}
    found |= {"key": True} if column.key else {}
    found |= {"best": sorted(column.best)} if column.best else {}
    found |= {"links": list(column.links)} if column.links else {}
    places = {value: i for i, value in enumerate(dict.fromkeys(values))}
    if len(places) == 1:
        return found | {"all": values[0]}
    if 2 * len(places) <= len(values):
        return found | {"of": list(places), "at": [places[value] for value in values]}
    return found | {"values": values}


def _plain(value: Any, form: Form) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and form in ("percent", "seconds"):
        return float(f"{value:.{DIGITS}g}")
    return int(value) if isinstance(value, float) and value.is_integer() else value
