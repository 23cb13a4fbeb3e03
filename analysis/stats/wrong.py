"""Where the answers to one instance cannot all be right, and which runs gave a wrong one."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...instances import BoundKind
from ..by_key import by_key
from ..rows import Row
from .references import Key, best_values, key_of

SLACK = 1e-6
"""By which part of the value a solver's bound may lie beyond it: so exactly do they search."""


CLAIMED = "claimed"
"""The kind of a bound that a user's method claims."""


def contradictions(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return a sentence for every bound that the best valid value of its instance crosses.

    Rows are those of `ringyard solve --json`; instances are distinguished by their digest. Of
    what a method gave back without a certificate (`none`), nothing is concluded.
    """
    found = []
    told = (row for row in rows if "digest" in row)
    for same in by_key(told, lambda row: str(row["digest"])).values():
        if not (values := _values(same)):
            continue
        sign, side = (-1, "above") if _is_most(values[0]) else (1, "below")
        best = min(values, key=lambda row: sign * float(row["objective"]))
        found += [
            f"{best['instance']}: {best['method']} gave a valid value of {best['objective']}, "
            f"{side} the {kind} bound {bound} of {row['method']}"
            for row in same
            for kind, bound in _crossed(row, float(best["objective"]))
        ]
    return found


def extremes(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows of one instance with the best valid value and with the tightest bound."""
    sign = -1 if rows and _is_most(rows[0]) else 1
    best = sorted(_values(rows), key=lambda row: sign * float(row["objective"]))[:1]
    bounded = [(sign * float(bound), row) for row in rows for _, bound in _bounds(row)]
    tightest = [row for _, row in sorted(bounded, key=lambda pair: -pair[0])[:1]]
    return [*best, *(row for row in tightest if row not in best)]


def _is_most(row: dict[str, Any]) -> bool:
    return row.get("sense") == "max"


def _values(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["valid"]]


def _bounds(row: dict[str, Any]) -> list[tuple[str, float]]:
    """Return the bounds of a row from which something can be concluded, each with its kind."""
    found = ((row["bound_kind"], row["bound"]), (CLAIMED, row.get("claimed_bound")))
    return [(kind, bound) for kind, bound in found if bound is not None and kind != BoundKind.NONE]


def _crossed(row: dict[str, Any], value: float) -> list[tuple[str, float]]:
    """Return the bounds of a row that lie beyond a value which its instance can have."""
    sign, slack = -1 if _is_most(row) else 1, SLACK * abs(value)
    return [
        (kind, bound)
        for kind, bound in _bounds(row)
        if sign * (bound - value) > (slack if kind in (BoundKind.SOLVER, CLAIMED) else 0)
    ]


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
    if row["rejection"]:
        return str(row["rejection"])
    if str(row["note"] or "").startswith("ContradictionError"):
        return str(row["note"])
    if value is None:
        return ""
    said = [f"{kind} bound {bound:.12g}" for kind, bound in _crossed(row, value)]
    if "infeasible" in (row["status"], row["solution_status"]):
        said.insert(0, "infeasible")
    if not said:
        return ""
    return f"{said[0]}, but there is a schedule of {value:.12g}"


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
