"""One line of a foreign table: its cells, read as what they should be."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ..decode import Decoder
from ..errors import Words
from ..parse import ORDINARY, ordinary
from ..shape import shape_of
from ..vocabulary import Label
from .job import Exact

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,9})?", re.ASCII | re.IGNORECASE)
NOTHING = ("", "None", "Unknown")
"""How tables write that there is no value."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAME = shape_of(Label)


class Cells:
    """The cells of a line by column; a faulty one is noted and read as None, as an empty one."""

    __slots__ = ("cells", "faults", "place")

    def __init__(self, place: str, cells: dict[str, str], faults: Decoder) -> None:
        """Keep the cells, and where faults go."""
        self.place = place
        self.cells = cells
        self.faults = faults

    def text(self, column: str) -> str:
        """Return what stands in a column, nothing if it is not there or says so."""
        found = self.cells.get(column, "")
        return "" if found in NOTHING else found

    def fault(self, column: str, expected: str, advice: str, found: Any = None) -> None:
        """Note a fault of a cell."""
        value = self.text(column) if found is None else found
        self.faults.fault(f"{self.place}, {column}", value, expected, advice)

    def number(self, column: str) -> Exact | None:
        """Return a number of at least 0."""
        text = self.text(column)
        value = Decimal(text) if NUMBER.fullmatch(text) else None
        if value is not None and value >= 0 and ordinary(value):
            return int(value) if value == int(value) else Fraction(value)
        if text:
            known = value is None or value < 0
            expected = "a number of at least 0" if known else ORDINARY
            self.fault(column, expected, "correct it, or remove the line")
        return None

    def whole(self, column: str) -> int | None:
        """Return an integer of at least 0."""
        value = self.number(column)
        if value is None or value.denominator == 1:
            return None if value is None else value.numerator
        self.fault(column, "an integer of at least 0", "correct or round it")
        return None

    def moment(self, column: str) -> Exact | None:
        """Return a date and time as seconds since 1970, as if all clocks showed UTC."""
        text = self.text(column)
        return None if not text else moment(text, f"{self.place}, {column}", self.faults)

    def name(self, column: str) -> str | None:
        """Return a name, None if there is none; None and Unknown are names here."""
        text = self.cells.get(column, "")
        if not text:
            return None
        self.faults.value(NAME, text, f"{self.place}, {column}")
        return text

    def needed(self, column: str) -> str:
        """Return a name that must be there."""
        found = self.name(column)
        if found is None:
            self.fault(column, NAME.expectation(), "write one", Words("an empty cell"))
        return found or ""


def moment(text: str, place: str, faults: Decoder) -> Exact | None:
    """Return a date and time as seconds since 1970, as if all clocks showed UTC."""
    try:
        when = datetime.fromisoformat(text)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        since = when - EPOCH
        whole = since.days * 86_400 + since.seconds
        return whole + Fraction(since.microseconds, 10**6) if since.microseconds else whole
    except (ValueError, OverflowError):
        faults.fault(place, text, "a time such as 2020-06-09 18:41:01", "correct it")
        return None
