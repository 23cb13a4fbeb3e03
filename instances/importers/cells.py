"""One line of a foreign table: its cells, read as what they should be, and the job they give."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import Words
from ..reading.parse import ORDINARY, ordinary
from ..reading.shape import shape_of
from ..reading.vocabulary import Label
from ..trace.instance import RackServer
from .reading import Reading, Record

Exact = int | Fraction
"""An exact number; most are whole, which is so much faster."""


ATTEMPTS = "jobs that ran in several attempts, whose times are added up"
"""The remark on jobs that were stopped and ran again."""
PARTS = "jobs with parts of GPUs, which have the next whole number"
"""The remark on jobs whose GPUs were rounded up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignJob:
    """A job as a foreign file tells of it; what the file leaves open is None."""

    record: Record
    """Where it stands in the file."""
    records: int = 1
    """How many records of the file tell of it."""
    name: str
    arrival: Exact | None
    """Seconds since whenever."""
    gpus: int | None
    duration: Exact | None
    """Seconds for which it ran."""
    model: str | None = None
    good: bool = True
    """Whether it ended as it should, as far as the file says."""
    unusable: str = ""
    """Why it cannot be used, whatever else stands there."""
    vc: str | None = None
    """Its virtual cluster."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Other fields of a `TraceJob`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """A foreign trace: its jobs, and its machines if it names them."""

    jobs: list[ForeignJob]
    servers: tuple[RackServer, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to read, with what some formats need beside it."""

    name: str
    text: str
    throughputs: Path | None = None
    """Measured speeds, for traces that count steps."""
    gpu: str = "v100"
    """The kind of GPU whose speeds count."""
    across: bool = True
    """Whether the speeds across servers count, too."""
    columns: tuple[str, ...] = ()
    """The columns of a table without a header."""
    slice: Fraction | None = None
    """The part of a GPU that a slice counts; None: as its kind says."""


NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,9})?", re.ASCII | re.IGNORECASE)
SECONDS = re.compile(r"\d{9,12}(\.\d{1,9})?", re.ASCII)
"""A time in seconds since 1970: too many digits for a date such as 20200609."""
NOTHING = ("", "None", "Unknown")
"""How tables write that there is no value."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAME = shape_of(Label)


class Cells:
    """The cells of a line by column; a faulty one is noted and read as None, as an empty one."""

    __slots__ = ("cells", "faults")

    def __init__(self, cells: dict[str, str], faults: Reading) -> None:
        """Keep the cells, and where faults go."""
        self.cells = cells
        self.faults = faults

    def text(self, column: str) -> str:
        """Return what stands in a column, nothing if it is not there or says so."""
        found = self.cells.get(column, "")
        return "" if found in NOTHING else found

    def fault(self, column: str, expected: str, advice: str, found: Any = None) -> None:
        """Note a fault of a cell."""
        value = self.text(column) if found is None else found
        self.faults.fault(column, value, expected, advice)

    def number(self, column: str) -> Exact | None:
        """Return a number of at least 0."""
        text = self.text(column)
        value = Decimal(text) if NUMBER.fullmatch(text) else None
        if value is not None and value >= 0 and ordinary(value):
            return exactly(value)
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
        return None if not text else moment(text, column, self.faults)

    def name(self, column: str) -> str | None:
        """Return a name, None if there is none; None and Unknown are names here."""
        text = self.cells.get(column, "")
        if not text:
            return None
        self.faults.value(NAME, text, column)
        return text

    def needed(self, column: str) -> str:
        """Return a name that must be there."""
        found = self.name(column)
        if found is None:
            self.fault(column, NAME.expectation(), "write one", Words("an empty cell"))
        return found or ""


def moment(text: str, path: str, faults: Reading) -> Exact | None:
    """Return a date and time as seconds since 1970, as if all clocks showed UTC."""
    if SECONDS.fullmatch(text):
        faults.tell("arrivals in seconds since 1970, read as UTC")
        return exactly(Decimal(text))
    try:
        when = datetime.fromisoformat(text)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        since = when - EPOCH
        whole = since.days * 86_400 + since.seconds
        return whole + Fraction(since.microseconds, 10**6) if since.microseconds else whole
    except (ValueError, OverflowError):
        faults.fault(path, text, "a time such as 2020-06-09 18:41:01", "correct it")
        return None


def exactly(value: Decimal) -> Exact:
    """Return the same number as an integer if it is one, else as a fraction."""
    return int(value) if value == int(value) else Fraction(value)
