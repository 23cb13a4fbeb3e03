"""A step of a certificate: the rule, and the numbers that the rule is given."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ....instances.errors import ABSENT, shorten

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
    bottom = int(below or 1)
    return Fraction(int(above), bottom) if bottom else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofStep:
    """One line of a certificate behind the first; numbers in it are not negative."""

    line: int
    rule: str
    values: Mapping[str, Any]
    read: set[str] = field(default_factory=set)
    """Keys that a rule has asked for."""

    def get(self, key: str) -> Any:
        """Return what is said under a key, None if nothing is."""
        self.read.add(key)
        return self.values.get(key)

    def end(self) -> None:
        """Refuse what the rule has not asked for."""
        for key in self.values.keys() - self.read - {"rule"}:
            raise StepError(f"this rule is given no {shorten(key)}")

    def number(self, key: str) -> Fraction:
        """Return an exact number."""
        found = exact_of(self.get(key))
        if found is None or found < 0:
            raise self._wrong(key, "a number of at least 0")
        return found

    def whole(self, key: str, least: int = 0, absent: int | None = None) -> int:
        """Return a whole number, perhaps another where there is none."""
        if key not in self.values and absent is not None:
            return absent
        found = self.number(key)
        if found.denominator != 1 or found < least:
            raise self._wrong(key, f"a whole number of at least {least}")
        return int(found)

    def text(self, key: str) -> str:
        """Return a text."""
        found = self.get(key)
        if not isinstance(found, str):
            raise self._wrong(key, "a text")
        return found

    def texts(self, key: str) -> list[str]:
        """Return the texts of a list."""
        found = self.each(key)
        if not all(isinstance(one, str) for one in found):
            raise self._wrong(key, "a list of texts")
        return found

    def each(self, key: str) -> list[Any]:
        """Return a list."""
        found = self.get(key)
        if not isinstance(found, list):
            raise self._wrong(key, "a list")
        return found

    def prices(self, key: str) -> list[Fraction]:
        """Return the exact numbers of a list."""
        return _numbers(key, self.each(key))

    def counts(self, key: str) -> tuple[int, ...]:
        """Return the whole numbers of a list."""
        return _wholes(key, self.each(key))

    def rows(self, key: str, width: int | None = None) -> list[tuple[int, ...]]:
        """Return a list of lists of whole numbers, perhaps of so many."""
        rows = [_wholes(key, row) for row in self.each(key)]
        for row in rows:
            if width not in (None, len(row)):
                raise StepError(f"{key} has {shorten([*row])}; expected lists of {width} numbers")
        return rows

    def named(self, key: str) -> dict[str, tuple[int, ...]]:
        """Return lists of whole numbers by name."""
        found = self.get(key)
        if not isinstance(found, dict):
            raise self._wrong(key, "lists by name")
        return {name: _wholes(key, row) for name, row in found.items()}

    def _wrong(self, key: str, expected: str) -> StepError:
        found = self.values.get(key, ABSENT)
        what = "is missing" if found is ABSENT else f"is {shorten(found)}"
        return StepError(f"{key} {what}; expected {expected}")


def _numbers(key: str, row: Any) -> list[Fraction]:
    numbers = [exact_of(one) for one in row] if isinstance(row, list) else [None]
    found = [one for one in numbers if one is not None and one >= 0]
    if len(found) < len(numbers):
        raise StepError(f"{key} has {shorten(row)}; expected a list of numbers, none negative")
    return found


def _wholes(key: str, row: Any) -> tuple[int, ...]:
    found = _numbers(key, row)
    if any(one.denominator != 1 for one in found):
        raise StepError(f"{key} has {shorten(row)}; expected whole numbers, none negative")
    return tuple(map(int, found))
