"""Lengths of time as people type them: 30m, 4h, 1.5 d, or a number without a unit."""

import re
from decimal import Decimal
from typing import NamedTuple

UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "days": 86_400}
"""Seconds of each unit."""

LENGTH = re.compile(rf"(\d+(?:\.\d+)?)\s*({'|'.join(UNITS)})?")


class Length(NamedTuple):
    """A number, at least 0, and its unit. The unit of a bare number is empty."""

    number: Decimal
    unit: str

    @property
    def seconds(self) -> Decimal:
        """The length in seconds. A number without a unit counts seconds."""
        return self.number * UNITS.get(self.unit, 1)


def length_of(text: str) -> Length | None:
    """Return the length that a text states, or None if it states none."""
    found = LENGTH.fullmatch(text.strip())
    return found and Length(Decimal(found[1]), found[2] or "")


def length_text(seconds: float) -> str:
    """Return a length as text with three digits, which `length_of` reads.

    The unit is the largest one that fits into the length at least twice.
    """
    unit = next((unit for unit in ("d", "h", "min") if seconds >= 2 * UNITS[unit]), "s")
    number = seconds / UNITS[unit]
    return f"{number:.0f}{unit}" if number >= 100 else f"{number:.3g}{unit}"
