"""The methods of a campaign in a few numbers, as Python shows them."""

from collections.abc import Sequence
from statistics import fmean

from ..by_key import by_key
from ..rows import BOUND, Row, answered, solved
from ..tables import Cell, Table, columns_of

NOTE = "Proved: optimal, or infeasible. Gap: mean over the valid runs with a bound."


def overview(rows: Sequence[Row], caption: str, notes: Sequence[str] = ()) -> Table:
    """Return runs, valid and proved ones, and the mean gap of each method."""
    runs = (row for row in rows if row["method"] != BOUND)
    by_method = by_key(runs, lambda row: str(row["method"]))
    return Table(
        caption=caption,
        columns=columns_of({"method": None, "runs": 0, "valid": 0, "proved": 0, "mean gap, %": 1}),
        rows=tuple((method, *_counts(some)) for method, some in sorted(by_method.items())),
        notes=(NOTE, *notes),
    )


def _counts(rows: Sequence[Row]) -> tuple[Cell, ...]:
    gaps = [row["gap"] for row in rows if answered(row) and row["gap"] is not None]
    mean = 100 * fmean(gaps) if gaps else None
    return len(rows), sum(map(answered, rows)), sum(map(solved, rows)), mean
