"""The rule of the runner: no schedule is handed on that is worse than a valid one known."""

from collections.abc import Iterable
from fractions import Fraction
from math import isfinite
from typing import Any

from ..instances import Incumbent, Instance
from ..instances.reading.encode import as_number
from .check import AnyVerdict, check


def best_reported(
    instance: Instance,
    own: Any,
    verdict: AnyVerdict | None,
    told: Iterable[Incumbent],
    *,
    maximize: bool,
) -> tuple[Any, AnyVerdict] | None:
    """Return the best valid schedule reported on the way, if the method's own is no match for it.

    The judge looks only at what is better, by the method's word, than the best valid one so far.
    """
    sign, found = -1 if maximize else 1, None
    best = verdict.objective if verdict is not None and verdict.valid else None
    finite = (one for one in told if isfinite(one.value) and one.schedule != own)
    for one in sorted(finite, key=lambda one: sign * one.value):
        if best is not None and sign * Fraction(one.value) >= sign * best:
            break
        judged = check(instance, one.schedule)
        value = judged.objective
        if judged.valid and value is not None and (best is None or sign * value < sign * best):
            best, found = value, (one.schedule, judged)
    return found


def rejection_reason(own: AnyVerdict | None, other: AnyVerdict) -> str:
    """Say why another schedule is handed on than the method's own."""
    if own is None:
        why = "it ended without a schedule"
    elif own.valid:
        why = f"its own schedule has the value {as_number(own.objective)}"
    else:
        rules = ", ".join(dict.fromkeys(violation.rule for violation in own.violations))
        why = f"its own schedule is invalid ({rules})"
    return f"{why}; handed on is one reported on the way, of value {as_number(other.objective)}"
