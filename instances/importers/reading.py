"""Records of a foreign trace: their cells, read as what they should be, and the jobs they give.

Reading goes on after a faulty record, here only, and counts what is left out, by reason.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..errors import InputError, Problem, Words, shown
from ..reading.decode import ORDINARY, Decoder, TooManyError, ordinary
from ..reading.vocabulary import Label, shape_of
from ..trace import RackServer

MANY_REASONS = 50
OTHERS = "other reasons"
"""What is reported once there are this many reasons."""
WIDTH = 160
"""How many characters of a line are shown."""

Row = TypeVar("Row")
Made = TypeVar("Made")


class Record(NamedTuple):
    """A line of a log, or what stands for one: what it says of a job, and where."""

    place: str
    text: str


@dataclass(slots=True)
class LeftOutRecords:
    """Records that are left out for one reason, and the first of them."""

    reason: str
    first: Record
    count: int = 0

    @property
    def line(self) -> str:
        """The first record on one line, with what cannot be printed escaped."""
        return f"{self.first.place}: {shown(self.first.text, WIDTH)}"


class Reading(Decoder):
    """What the reading of a file brings beside its jobs: problems, counts, and what is not used.

    A record with a problem is left out and counted; if the reading is strict, the problem is one of
    the file. What is noted outside of a record is always one of the file.
    """

    def __init__(self, *, strict: bool = False) -> None:
        """Start with nothing."""
        super().__init__()
        self.strict = strict
        self.read = 0
        """Records so far."""
        self.left: dict[str, LeftOutRecords] = {}
        """What is left out, by reason."""
        self.unused: dict[str, None] = {}
        """Columns that are not used, in their order."""
        self.remark_counts: Counter[str] = Counter()
        """What was understood in a way that users have to know, and how often."""
        self.notes: list[str] = []
        """What else users have to know."""
        self._record: Record | None = None
        self._new_remarks: Counter[str] = Counter()
        self._problem: Problem | None = None

    def each(
        self,
        rows: Iterable[tuple[Record, Row | Problem]],
        make: Callable[[Record, Row], Made | None],
    ) -> Iterator[Made]:
        """Yield what is made of each row, unless it has a problem or is one."""
        for record, row in rows:
            self.read += 1
            self._record, self._problem, self._new_remarks = record, None, Counter()
            made = None
            if isinstance(row, Problem):
                self.note(row)
            else:
                made = make(record, row)
            problem = self._closed()
            if problem:
                self.leave(record, _reason(problem))
            elif made is not None:
                self.remark_counts.update(self._new_remarks)
                yield made

    def _closed(self) -> Problem | None:
        """End the record that is being read, and return its first problem."""
        self._record = None
        return self._problem

    def remark(self, what: str, count: int = 1) -> None:
        """Count how something was understood; not if the record turns out to have a problem."""
        if len(self.remark_counts) >= MANY_REASONS and what not in self.remark_counts:
            what = "other remarks"
        (self.remark_counts if self._record is None else self._new_remarks)[what] += count

    def note(self, problem: Problem) -> None:
        """Note a problem of the record that is being read, or of the file."""
        if self._record is None:
            super().note(problem)
            return
        self._problem = self._problem or problem
        if self.strict:
            path = f"{self._record.place}, {problem.path}" if problem.path else self._record.place
            super().note(replace(problem, path=path))

    def refuse(self, record: Record, problem: Problem, records: int = 1) -> None:
        """Leave out a record for a problem that shows only beside the others."""
        self._record = record
        self.note(problem)
        self._record = None
        if records:
            self.leave(record, _reason(problem), records)

    def leave(self, record: Record, reason: str, records: int = 1) -> None:
        """Leave out what stands in a record, or in several from there on."""
        if reason not in self.left and len(self.left) >= MANY_REASONS:
            reason = OTHERS
        self.left.setdefault(reason, LeftOutRecords(reason, record)).count += records

    def _unknown(self, known: Iterable[str], value: dict[str, object], _: str) -> set[str]:
        """Keep the keys that are not used; a log may say more than is used of it."""
        self.unused |= dict.fromkeys(key for key in value if key not in known)
        return set()

    @property
    def left_out(self) -> tuple[LeftOutRecords, ...]:
        """What is left out, most of it first."""
        return tuple(sorted(self.left.values(), key=lambda one: (-one.count, one.reason)))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was understood in a way that users have to know."""
        return (*self.notes, *(f"{what}: {count:,}" for what, count in self.remark_counts.items()))


def counted(left_out: Iterable[LeftOutRecords]) -> str:
    """Return in words how many records were left out, by reason."""
    return ", ".join(f"{one.count:,} ({one.reason})" for one in left_out) or "none"


@contextmanager
def collecting(name: str, *, strict: bool = True) -> Iterator[Reading]:
    """Yield a collector of problems of a file; raise `InputError` at the end if there are any."""
    reading = Reading(strict=strict)
    with suppress(TooManyError):
        yield reading
    if reading.problems:
        raise InputError(name, reading.problems, reading.more)


def _reason(problem: Problem) -> str:
    """Return what was expected and where, without what differs from record to record."""
    expected = re.sub(r"that of line .*", "those before", problem.expected)
    expected = re.sub(r", for job .*", "", expected)
    where = re.sub(r"\[\d+\]", "", problem.path)
    return f"{where}: expected {expected}" if where else f"expected {expected}"


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
    """True if it ended as it should, as far as the file says."""
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
    """True if the speeds across servers count, too."""
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

    __slots__ = ("cells", "reading")

    def __init__(self, cells: dict[str, str], reading: Reading) -> None:
        """Keep the cells, and where problems go."""
        self.cells = cells
        self.reading = reading

    def text(self, column: str) -> str:
        """Return what stands in a column, nothing if it is not there or says so."""
        found = self.cells.get(column, "")
        return "" if found in NOTHING else found

    def reject(self, column: str, expected: str, advice: str, found: Any = None) -> None:
        """Note a problem of a cell."""
        value = self.text(column) if found is None else found
        self.reading.reject(column, value, expected, advice)

    def number(self, column: str) -> Exact | None:
        """Return a number of at least 0."""
        text = self.text(column)
        value = Decimal(text) if NUMBER.fullmatch(text) else None
        if value is not None and value >= 0 and ordinary(value):
            return exactly(value)
        if text:
            known = value is None or value < 0
            expected = "a number of at least 0" if known else ORDINARY
            self.reject(column, expected, "correct it, or remove the line")
        return None

    def whole(self, column: str) -> int | None:
        """Return an integer of at least 0."""
        value = self.number(column)
        if value is None or value.denominator == 1:
            return None if value is None else value.numerator
        self.reject(column, "an integer of at least 0", "correct or round it")
        return None

    def moment(self, column: str) -> Exact | None:
        """Return a date and time as seconds since 1970, as if all clocks showed UTC."""
        text = self.text(column)
        return None if not text else moment(text, column, self.reading)

    def name(self, column: str) -> str | None:
        """Return a name, None if there is none; None and Unknown are names here."""
        text = self.cells.get(column, "")
        if not text:
            return None
        self.reading.value(NAME, text, column)
        return text

    def needed(self, column: str) -> str:
        """Return a name that must be there."""
        found = self.name(column)
        if found is None:
            self.reject(column, NAME.expectation(), "write one", Words("an empty cell"))
        return found or ""


def moment(text: str, path: str, reading: Reading) -> Exact | None:
    """Return a date and time as seconds since 1970, as if all clocks showed UTC."""
    if SECONDS.fullmatch(text):
        reading.remark("arrivals in seconds since 1970, read as UTC")
        return exactly(Decimal(text))
    try:
        when = datetime.fromisoformat(text)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        since = when - EPOCH
        whole = since.days * 86_400 + since.seconds
        return whole + Fraction(since.microseconds, 10**6) if since.microseconds else whole
    except (ValueError, OverflowError):
        reading.reject(path, text, "a time such as 2020-06-09 18:41:01", "correct it")
        return None


def exactly(value: Decimal) -> Exact:
    """Return the same number as an integer if it is one, else as a fraction."""
    return int(value) if value == int(value) else Fraction(value)
