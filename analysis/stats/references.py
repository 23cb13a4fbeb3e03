"""References of objectives, wrong answers, and refusals of meaningless statistics.

An objective is compared with the best valid value or the best proved bound. If the answers to one
instance contradict each other, some runs are wrong.
"""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

from ...instances import BoundKind
from ...instances.errors import InputError, Problem
from ..rows import Row, answered, by_key


def refusal(source: str, place: str, value: Any, expected: str, advice: str) -> InputError:
    """Return the error for a place, its value and the next step."""
    return InputError(source, [Problem(place, value, expected, advice)])


def check_numbers(source: str, values: Iterable[float], least: float | None = None) -> list[float]:
    """Return the values as a list. Refuse an empty list and numbers out of range."""
    numbers = list(values)
    if not numbers:
        raise refusal(source, "values", numbers, "at least one", "add a value")
    for i, value in enumerate(numbers):
        if not isfinite(value) or (least is not None and value < least):
            expected = "a finite number" + ("" if least is None else f" of at least {least:g}")
            advice = "include a failed run at its charge, or leave it out"
            raise refusal(source, f"values[{i}]", value, expected, advice)
    return numbers


PROVED = tuple(kind.value for kind in BoundKind if kind.proved)
"""Kinds of bounds behind which there is more than a solver's word."""

Key = tuple[str, int | None]
"""Digest of an instance, and its horizon."""


def key_of(row: Row) -> Key:
    """Return the key common to runs of the same problem."""
    return row["digest"], row["horizon"]


def sign_of(row: Row) -> int:
    """Return 1 if small objectives are better, -1 if large ones are."""
    return -1 if row["sense"] == "max" else 1


def best_values(rows: Iterable[Row]) -> dict[Key, float]:
    """Return the best valid objective of each problem that has one."""
    best: dict[Key, float] = {}
    for row in rows:
        if answered(row):
            value: float = row["objective"]
            better = max if row["sense"] == "max" else min
            best[key_of(row)] = better(best.get(key_of(row), value), value)
    return best


def best_bounds(rows: Iterable[Row], kinds: Iterable[str] = PROVED) -> dict[Key, float]:
    """Return the tightest bound of each problem among some kinds of bounds."""
    kinds, best = frozenset(kinds), dict[Key, float]()
    for row in rows:
        if row["bound"] is not None and row["bound_kind"] in kinds:
            bound: float = row["bound"]
            tighter = min if row["sense"] == "max" else max
            best[key_of(row)] = tighter(best.get(key_of(row), bound), bound)
    return best


def ratio(value: float, reference: float, sense: str) -> float | None:
    """Return how many times worse a value is than its reference, None if only the better one is 0.

    That is value over reference for `min` and reference over value for `max`, and 1 if both are 0.
    """
    worse, better = (reference, value) if sense == "max" else (value, reference)
    if worse < 0 or better < 0:
        advice = "compare differences instead"
        raise refusal("ratio", "values", min(worse, better), "at least 0", advice)
    if better == 0:
        return 1.0 if worse == 0 else None
    return worse / better


SLACK = 1e-6
"""Relative tolerance of a solver's bound, the precision of its search."""


CLAIMED = "claimed"
"""The kind of a bound that a user's method claims."""


def contradictions(rows: Iterable[dict[str, Any]]) -> list[str]:
    """Return a sentence for every bound that the best valid value of its instance crosses.

    Rows have the columns of `ringyard solve --json`, and instances are distinguished by digest. An
    answer returned without a certificate (`none`) has no consequences.
    """
    found = []
    known = (row for row in rows if "digest" in row)
    for same in by_key(known, lambda row: str(row["digest"])).values():
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
    """Return the reason why the answer of a run is wrong, or an empty text.

    `best` has valid values, computed exactly by the judge. A bound that such a value crosses is
    wrong.
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
    crossed = [f"{kind} bound {bound:.12g}" for kind, bound in _crossed(row, value)]
    if "infeasible" in (row["status"], row["solution_status"]):
        crossed.insert(0, "infeasible")
    if not crossed:
        return ""
    return f"{crossed[0]}, but a schedule has {value:.12g}"


def mark_wrong(rows: Iterable[Row]) -> list[Row]:
    """Return the rows, with status `wrong`, a reason and no answer for wrong runs."""
    rows = list(rows)
    best = best_values(rows)
    nothing = dict.fromkeys(("objective", "bound", "gap", "schedule", "trajectory"))
    marked = []
    for row in rows:
        reason = wrong_reason(row, best)
        change = {"status": WRONG, "valid": False, "bound_kind": "none", "note": reason, **nothing}
        marked.append(row | change if reason else row)
    return marked
