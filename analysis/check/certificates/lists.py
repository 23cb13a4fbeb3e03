"""Lists that steps have."""

from fractions import Fraction

from ....instances.errors import shorten
from .steps import ProofStep, StepError, exact_of


def prices_in(step: ProofStep, key: str) -> list[Fraction]:
    """Return the exact numbers of a list, none of them negative."""
    found = [exact_of(one) for one in _list(step.values.get(key), key)]
    prices = [one for one in found if one is not None and one >= 0]
    if len(prices) < len(found):
        raise StepError(f"{key} has something else than numbers that are not negative")
    return prices


def counts_in(step: ProofStep, key: str) -> list[int]:
    """Return the whole numbers of a list, none of them negative."""
    return _counts(step.values.get(key), key)


def lists_in(step: ProofStep, key: str) -> list[list[int]]:
    """Return the lists in a list, of whole numbers that are not negative."""
    return [_counts(one, key) for one in _list(step.values.get(key), key)]


def _counts(value: object, key: str) -> list[int]:
    found = [exact_of(one) for one in _list(value, key)]
    counts = [int(one) for one in found if one is not None and one >= 0 and one.denominator == 1]
    if len(counts) < len(found):
        raise StepError(f"{key} has something else than whole numbers that are not negative")
    return counts


def _list(value: object, key: str) -> list[object]:
    if not isinstance(value, list):
        raise StepError(f"{key} is {shorten(value)}; expected a list")
    return value
