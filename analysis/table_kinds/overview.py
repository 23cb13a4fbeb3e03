"""The methods of a campaign in a few numbers, as Python shows them."""

from collections.abc import Sequence
from statistics import fmean

from ..rows import BOUND, Row, answered, solved
from ..tables import Cell, Column, Table, numbers, texts

NOTE = "Proved: optimal, or infeasible. Gap: mean over the valid runs with a bound."


def overview(rows: Sequence[Row], caption: str, notes: Sequence[str] = ()) -> Table:
    """Return runs, valid and proved ones, and the mean gap of each method."""
    by_method: dict[str, list[Row]] = {}
    for row in rows:
        if row["method"] != BOUND:
            by_method.setdefault(row["method"], []).append(row)
    return Table(
        caption=caption,
        columns=(
            *texts("method"),
            *numbers("runs", "valid", "proved"),
            Column(head="mean gap, %", digits=1),
        ),
        rows=tuple((method, *_counts(some)) for method, some in sorted(by_method.items())),
        notes=(NOTE, *notes),
    )


def _counts(rows: Sequence[Row]) -> tuple[Cell, ...]:
    gaps = [row["gap"] for row in rows if answered(row) and row["gap"] is not None]
    mean = 100 * fmean(gaps) if gaps else None
    return len(rows), sum(map(answered, rows)), sum(map(solved, rows)), mean
