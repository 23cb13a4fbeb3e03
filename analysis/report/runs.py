"""The table of all runs, and what all of them have in common."""

from collections.abc import Sequence
from typing import Any

from ..rows import COLUMNS, LATER, Row
from .grid import Form, Grid, GridColumn

LEFT_OUT = ("v", "key", "phases", "trajectory", "schedule", "finished", *LATER)
"""Columns that the page does without: they differ in every row, or are not for reading."""

ALWAYS = ("instance", "method", "status", "objective", "bound", "gap", "seconds")
"""Columns of the table."""

IF_DIFFERENT = (
    "seed",
    "repetition",
    "threads",
    "horizon",
    "time_limit",
    "bound_kind",
    "cpu_seconds",
    "memory_mb",
    "nodes",
    "termination",
    "note",
)
"""Columns of the table if runs differ in them; all others are shown for a chosen run."""

FORMS: dict[str, Form] = {
    "status": "status",
    "gap": "percent",
    "seconds": "seconds",
    "seconds_bound": "seconds",
    "seconds_check": "seconds",
    "cpu_seconds": "seconds",
    "memory_mb": "count",
}

HEADS = {"cpu_seconds": "CPU seconds", "memory_mb": "memory (MB)"}

DIGEST = 12
"""Characters of an instance's digest; enough to find its file."""


def runs(rows: Sequence[Row]) -> Grid:
    """Return the table of all runs, in the order of the rows."""
    values = {name: _values(rows, name) for name in COLUMNS if name not in LEFT_OUT}
    shown = [*ALWAYS[:3], *IF_DIFFERENT[:5], *ALWAYS[3:], *IF_DIFFERENT[5:]]
    names = [name for name in shown if name in ALWAYS or len(set(values[name])) > 1]
    hidden = [name for name in values if name not in names]
    return Grid(
        name="runs",
        about="all runs",
        columns=tuple(_column(name, values[name], name in names) for name in [*names, *hidden]),
        facets=("family", "status", "method"),
    )


def _column(name: str, values: list[Any], shown: bool) -> GridColumn:
    kind, about = COLUMNS[name]
    return GridColumn(
        name=name,
        head=HEADS.get(name, name.replace("_", " ")),
        values=values,
        form=FORMS.get(name, "text" if kind in ("text", "boolean") else "number"),
        about=about.replace("`", ""),
        shown=shown,
    )


def _values(rows: Sequence[Row], name: str) -> list[Any]:
    """Return what stands in a column; an empty text is nothing."""
    values = [row[name] for row in rows]
    if name == "digest":
        return [value[:DIGEST] for value in values]
    if name == "started":
        return [value[:19].replace("T", " ") for value in values]
    return [None if value == "" else value for value in values]
