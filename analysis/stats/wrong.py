"""Which runs gave a wrong answer; whatever else they did, they count as failed."""

from collections.abc import Iterable, Mapping

from ..compare import crosses
from ..rows import Row
from .references import Key, best_values, key_of

WRONG = "wrong"
"""The `status` of a run whose answer cannot be right."""


def wrong_reason(row: Row, best: Mapping[Key, float]) -> str:
    """Say why the answer of a run cannot be right, or nothing.

    `best` has valid values, which the judge computed exactly: where one lies beyond a bound,
    the bound is wrong.
    """
    value = best.get(key_of(row))
    if row["violations"]:
        return f"invalid schedule: {row['violation']}"
    if row["fault"]:
        return str(row["fault"])
    if str(row["note"] or "").startswith("ContradictionError"):
        return str(row["note"])
    if value is None:
        return ""
    if row["status"] == "infeasible":
        said = "infeasible"
    elif crosses(row, value):
        said = f"{row['bound_kind']} bound {row['bound']:.12g}"
    else:
        return ""
    return f"{said}, but there is a schedule of {value:.12g}"


def mark_wrong(rows: Iterable[Row]) -> list[Row]:
    """Return the rows; wrong runs have the status `wrong`, a reason, and no answer."""
    rows = list(rows)
    best = best_values(rows)
    nothing = dict.fromkeys(("objective", "bound", "gap", "schedule", "trajectory"))
    marked = []
    for row in rows:
        reason = wrong_reason(row, best)
        change = {"status": WRONG, "valid": False, "bound_kind": "none", "note": reason, **nothing}
        marked.append(row | change if reason else row)
    return marked
