"""Where the answers of several methods to one instance cannot all be right."""

from collections.abc import Iterable
from typing import Any

from ..instances import BoundKind


def contradictions(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return a sentence for every bound that the best valid value of its instance crosses.

    Rows are those of `ringyard solve --json`; instances are told apart by their digest. Of
    what a method gave back without a certificate (`none`), nothing is concluded.
    """
    by_digest: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if "digest" in row:
            by_digest.setdefault(row["digest"], []).append(row)
    found = []
    for same in by_digest.values():
        values, bounds = _values(same), _bounds(same)
        if not values:
            continue
        sign, side = (-1, "above") if _is_most(values[0]) else (1, "below")
        best = min(values, key=lambda row: sign * float(row["objective"]))
        what = "utility" if sign < 0 else "makespan"
        found += [
            f"{best['instance']}: {best['method']} gave a valid {what} of {best['objective']}, "
            f"{side} the {row['bound_kind']} bound {row['bound']} of {row['method']}"
            for row in bounds
            if sign * row["bound"] > sign * best["objective"]
        ]
    return found


def extremes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of one instance with the best valid value and with the tightest bound."""
    sign = -1 if rows and _is_most(rows[0]) else 1
    best = sorted(_values(rows), key=lambda row: sign * float(row["objective"]))[:1]
    tightest = sorted(_bounds(rows), key=lambda row: -sign * float(row["bound"]))[:1]
    return [*best, *(row for row in tightest if row not in best)]


def _is_most(row: dict[str, Any]) -> bool:
    return row.get("sense") == "max"


def _values(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["valid"]]


def _bounds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with a bound of which something can be concluded."""
    return [row for row in rows if row["bound"] is not None and row["bound_kind"] != BoundKind.NONE]
