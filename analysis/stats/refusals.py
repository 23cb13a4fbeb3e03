"""How a statistic says that it would not mean anything."""

from collections.abc import Iterable
from math import isfinite
from typing import Any

from ...instances.errors import InputError, Problem


def refusal(source: str, place: str, value: Any, expected: str, advice: str) -> InputError:
    """Return the error that names a place, what stands there, and what to do."""
    return InputError(source, [Problem(place, value, expected, advice)])


def check_numbers(source: str, values: Iterable[float], least: float | None = None) -> list[float]:
    """Return the values as a list; refuse none at all, and any that is not a number in range."""
    numbers = list(values)
    if not numbers:
        raise refusal(source, "values", numbers, "at least one", "there is nothing to average")
    for i, value in enumerate(numbers):
        if not isfinite(value) or (least is not None and value < least):
            expected = "a finite number" + ("" if least is None else f" of at least {least:g}")
            advice = "a run that failed enters with what it is charged, or not at all"
            raise refusal(source, f"values[{i}]", value, expected, advice)
    return numbers
