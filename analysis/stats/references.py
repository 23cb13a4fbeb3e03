"""What an objective is compared with: the best valid value, or the best proved bound."""

from collections.abc import Iterable

from ...instances import BoundKind
from ..rows import Row, answered
from .refusals import refusal

PROVED = tuple(kind.value for kind in BoundKind if kind.proved)
"""Kinds of bounds behind which there is more than a solver's word."""

Key = tuple[str, int | None]
"""Digest of an instance, and its horizon."""


def key_of(row: Row) -> Key:
    """Return what runs of one and the same problem have in common."""
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
    """Return the tightest bound of each problem among those of some kinds."""
    kinds, best = frozenset(kinds), dict[Key, float]()
    for row in rows:
        if row["bound"] is not None and row["bound_kind"] in kinds:
            bound: float = row["bound"]
            tighter = min if row["sense"] == "max" else max
            best[key_of(row)] = tighter(best.get(key_of(row), bound), bound)
    return best


def ratio(value: float, reference: float, sense: str) -> float | None:
    """Return by which factor a value is worse than its reference; None if no factor is.

    That is value over reference for `min` and reference over value for `max`; 1 if both are 0.
    """
    worse, better = (reference, value) if sense == "max" else (value, reference)
    if worse < 0 or better < 0:
        advice = "compare differences instead"
        raise refusal("ratio", "values", min(worse, better), "at least 0", advice)
    if better == 0:
        return 1.0 if worse == 0 else None
    return worse / better
