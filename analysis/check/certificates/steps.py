"""A step of a certificate: the rule, and the numbers that the rule is given."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ....instances.errors import shorten

NUMBER = re.compile(r"-?[0-9]{1,1000}(/[0-9]{1,1000})?")
"""How a text says an exact number."""


class StepError(Exception):
    """Why nothing follows from a step."""


def exact_of(value: Any) -> Fraction | None:
    """Return the number that a whole number or a text such as 14/3 is; None if it is none."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        return None
    above, _, below = value.partition("/")
    return Fraction(int(above), int(below or 1)) if int(below or 1) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofStep:
    """One line of a certificate behind the first."""

    line: int
    rule: str
    values: Mapping[str, Any]

    def number(self, key: str, least: int | None = 0) -> Fraction:
        """Return an exact number, by default one that is not negative."""
        found = exact_of(self.values.get(key))
        if found is None or (least is not None and found < least):
            raise self._wrong(
                key, "a number" + (f" of at least {least}" if least is not None else "")
            )
        return found

    def whole(self, key: str, least: int | None = 0) -> int:
        """Return a whole number, by default one that is not negative."""
        found = self.number(key, least)
        if found.denominator != 1:
            raise self._wrong(key, "a whole number")
        return int(found)

    def text(self, key: str) -> str:
        """Return a text."""
        found = self.values.get(key)
        if not isinstance(found, str):
            raise self._wrong(key, "a text")
        return found

    def texts(self, key: str) -> tuple[str, ...]:
        """Return the texts of a list."""
        found = self.values.get(key)
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self._wrong(key, "a list of texts")
        return tuple(found)

    def lists(self, key: str) -> dict[str, tuple[int, ...]]:
        """Return lists of whole numbers that are not negative, by name."""
        found = self.values.get(key)
        if not isinstance(found, dict):
            raise self._wrong(key, "lists by name")
        return {name: _wholes(key, row) for name, row in found.items()}

    def rows(self, key: str, width: int) -> list[tuple[int, ...]]:
        """Return a list of lists of so many whole numbers that are not negative."""
        found = self.values.get(key)
        if not isinstance(found, list):
            raise self._wrong(key, "a list")
        rows = [_wholes(key, row) for row in found]
        for row in rows:
            if len(row) != width:
                raise StepError(f"{key} has {shorten([*row])}; expected lists of {width} numbers")
        return rows

    def _wrong(self, key: str, expected: str) -> StepError:
        if key not in self.values:
            return StepError(f"{key} is missing; expected {expected}")
        return StepError(f"{key} is {shorten(self.values[key])}; expected {expected}")


def _wholes(key: str, row: Any) -> tuple[int, ...]:
    """Return the numbers of a list."""
    numbers = [exact_of(one) for one in row] if isinstance(row, list) else [None]
    if any(one is None or one < 0 or one.denominator != 1 for one in numbers):
        expected = "lists of whole numbers, none negative"
        raise StepError(f"{key} has {shorten(row)}; expected {expected}")
    return tuple(int(one) for one in numbers if one is not None)
