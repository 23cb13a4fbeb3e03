"""Records of an external trace: their values, with conversion, and their jobs.

Only here, reading continues after an invalid record and counts left-out records by reason.
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

from ..errors import InputError, Problem, Words, shown, unknown
from ..reading.decode import ORDINARY, Decoder, TooManyError, ordinary
from ..reading.vocabulary import Label, shape_of
from ..trace import RackServer
from .failures import NodeFailures

MANY_REASONS = 50
OTHERS = "other reasons"
"""The reported reason once there are this many."""
WIDTH = 160
"""Most characters of a line that are shown."""

Row = TypeVar("Row")
Made = TypeVar("Made")


class Record(NamedTuple):
    """A line of a log, or another record: its data on a job, and its place."""

    place: str
    text: str


@dataclass(slots=True)
class LeftOutRecords:
    """Records left out for one reason, and the first of them."""

    reason: str
    first: Record
    count: int = 0

    @property
    def line(self) -> str:
        """The first record on one line, with unprintable characters escaped."""
        return f"{self.first.place}: {shown(self.first.text, WIDTH)}"


class Reading(Decoder):
    """By-products of reading a file: problems, counts, and unused columns.

    A record with a problem is left out and counted. If the reading is strict, it is a problem of
    the
    file. Problems outside of a record are always problems of the file.
    """

    def __init__(self, *, strict: bool = False) -> None:
        """Start without records."""
        super().__init__()
        self.strict = strict
        self.read = 0
        """Number of records so far."""
        self.left: dict[str, LeftOutRecords] = {}
        """Left-out records, by reason."""
        self.unused: dict[str, None] = {}
        """Unused columns, in their order."""
        self.remark_counts: Counter[str] = Counter()
        """Interpretations that users must know, and their number."""
        self.notes: list[str] = []
        """Further notes for users."""
        self._record: Record | None = None
        self._new_remarks: Counter[str] = Counter()
        self._problem: Problem | None = None

    def each(
        self,
        rows: Iterable[tuple[Record, Row | Problem]],
        make: Callable[[Record, Row], Made | None],
    ) -> Iterator[Made]:
        """Yield the conversion of each row without problems."""
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
        """End the current record, and return its first problem."""
        self._record = None
        return self._problem

    def remark(self, what: str, count: int = 1) -> None:
        """Count an interpretation, unless the record has a problem."""
        if len(self.remark_counts) >= MANY_REASONS and what not in self.remark_counts:
            what = "other remarks"
        (self.remark_counts if self._record is None else self._new_remarks)[what] += count

    def names(
        self, option: str, given: Iterable[str], found: Iterable[str], kind: str, without: str
    ) -> None:
        """Note the names in an option that the log does not have. `without` advises if it has none.

        `kind` is the word for what they name.
        """
        known = sorted(found)
        expected = f"a {kind} of the log: {', '.join(known[:12]) or 'it has none'}"
        advice = "name one of them" if known else without
        for name in given:
            if name not in known:
                self.note(unknown(option, name, known, advice, expected))

    def note(self, problem: Problem) -> None:
        """Record a problem of the current record, or of the file."""
        if self._record is None:
            super().note(problem)
            return
        self._problem = self._problem or problem
        if self.strict:
            path = f"{self._record.place}, {problem.path}" if problem.path else self._record.place
            super().note(replace(problem, path=path))

    def optional(self, read: Callable[[str], Made], column: str) -> Made | None:
        """Return a value without which the job is still usable. Count an invalid one."""
        before = self._problem
        found = read(column)
        if self.strict or before is not None or self._problem is None:
            return found
        self.remark(f"values not used: {_reason(self._problem)}")
        self._problem = None
        return None

    def refuse(self, record: Record, problem: Problem, records: int = 1) -> None:
        """Leave out a record for a problem that shows only in comparison with other records."""
        self._record = record
        self.note(problem)
        self._record = None
        if records:
            self.leave(record, _reason(problem), records)

    def leave(self, record: Record, reason: str, records: int = 1) -> None:
        """Leave out the record at a place, or several from there on."""
        if reason not in self.left and len(self.left) >= MANY_REASONS:
            reason = OTHERS
        self.left.setdefault(reason, LeftOutRecords(reason, record)).count += records

    def _unknown(self, known: Iterable[str], value: dict[str, object], _: str) -> set[str]:
        """Record the unused keys; a log may have more data than needed."""
        self.unused |= dict.fromkeys(key for key in value if key not in known)
        return set()

    @property
    def left_out(self) -> tuple[LeftOutRecords, ...]:
        """Left-out records, the most frequent reason first."""
        return tuple(sorted(self.left.values(), key=lambda one: (-one.count, one.reason)))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Interpretations that users must know."""
        return (*self.notes, *(f"{what}: {count:,}" for what, count in self.remark_counts.items()))


def counted(left_out: Iterable[LeftOutRecords]) -> str:
    """Return the numbers of left-out records by reason, as text."""
    return ", ".join(f"{one.count:,} ({one.reason})" for one in left_out) or "none"


@contextmanager
def collecting(name: str, *, strict: bool = True) -> Iterator[Reading]:
    """Yield a collector of problems of a file. Raise `InputError` at the end if there are any."""
    reading = Reading(strict=strict)
    with suppress(TooManyError):
        yield reading
    if reading.problems:
        raise InputError(name, reading.problems, reading.more)


def _reason(problem: Problem) -> str:
    """Return the expectation and its place, without parts that differ between records."""
    expected = re.sub(r"other than in line .*", "other than in earlier lines", problem.expected)
    expected = re.sub(r", for job .*", "", expected)
    where = re.sub(r"\[\d+\]", "", problem.path)
    return f"{where}: expected {expected}" if where else f"expected {expected}"


Exact = int | Fraction
"""An exact number. Most are integers, which are much faster."""


ATTEMPTS = "jobs that ran in several attempts, whose times are added up"
"""The note on jobs that were stopped and resumed."""
PARTS = "jobs with fractions of GPUs, which are rounded up"
"""The note on jobs whose GPUs were rounded up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignJob:
    """A job of an external file. Data that the file lacks are None."""

    record: Record
    """Its place in the file."""
    records: int = 1
    """Number of records of the job."""
    name: str
    arrival: Exact | None
    """Arrival in seconds since any moment."""
    gpus: int | None
    gpu: str | None = None
    """The kind of GPUs on which it ran."""
    duration: Exact | None
    """Seconds of running time."""
    model: str | None = None
    good: bool = True
    """True if it ended successfully, as far as the file shows."""
    unusable: str = ""
    """Reason why it is invalid, whatever its other fields."""
    vc: str | None = None
    """Its virtual cluster."""
    group: str | None = None
    """The tenant that it belongs to."""
    limit: Exact | None = None
    """Seconds of a run that its user expects at most."""
    due: Exact | None = None
    """Seconds from its arrival to its deadline."""
    waited: Exact | None = None
    """Seconds from its arrival to its first start in the log."""
    done: Exact | None = None
    """Seconds that it has already run, if it runs at time 0."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """Other fields of a `TraceJob`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """An external trace: its jobs, and its machines if it names them."""

    jobs: list[ForeignJob]
    servers: tuple[RackServer, ...] = ()
    failures: NodeFailures | None = None
    """How often nodes fail, if the log shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file to read, with additional data for some formats."""

    name: str
    text: str
    throughputs: Path | None = None
    """Measured speeds, for traces with steps."""
    gpu: str = "v100"
    """The GPU type for which durations hold."""
    kinds: tuple[str, ...] = ()
    """The kinds of GPUs of the cluster."""
    across: bool = True
    """True if the speeds across servers are also used."""
    columns: tuple[str, ...] = ()
    """The columns of a table without a header."""
    slice: Fraction | None = None
    """Value of a GPU slice as a fraction of the GPU. None: by its type."""
    group: str = ""
    """The column of the group of a job, unless it is the usual one."""
    qos: Mapping[str, int] = field(default_factory=dict)
    """Priorities of jobs by their QOS."""
    nodes: Path | None = None
    """The nodes of a queue."""
    durations: Path | None = None
    """Expected run times of jobs in a queue."""


NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,9})?", re.ASCII | re.IGNORECASE)
SECONDS = re.compile(r"\d{9,12}(\.\d{1,9})?", re.ASCII)
"""A time in seconds since 1970: too many digits for a date such as 20200609."""
INTEGER = "a nonnegative integer"
NOTHING = ("", "None", "Unknown")
"""Texts for a missing value in tables."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NAME = shape_of(Label)


class Cells:
    """The values of a line by column. Invalid ones are reported and read as None, as empty ones."""

    __slots__ = ("cells", "reading")

    def __init__(self, cells: dict[str, str], reading: Reading) -> None:
        """Store the values, and the collector of problems."""
        self.cells = cells
        self.reading = reading

    def text(self, column: str) -> str:
        """Return the text in a column, empty if it is missing or marked as such."""
        found = self.cells.get(column, "")
        return "" if found in NOTHING else found

    def reject(self, column: str, expected: str, advice: str, found: Any = None) -> None:
        """Record a problem of a value."""
        value = self.text(column) if found is None else found
        self.reading.reject(column, value, expected, advice)

    def number(self, column: str, expected: str = "a nonnegative number") -> Exact | None:
        """Return a nonnegative number."""
        text = self.text(column)
        value = Decimal(text) if NUMBER.fullmatch(text) else None
        if value is not None and value >= 0 and ordinary(value):
            return exactly(value)
        if text:
            known = value is None or value < 0
            self.reject(column, expected if known else ORDINARY, "correct it, or remove the line")
        return None

    def whole(self, column: str) -> int | None:
        """Return a nonnegative integer."""
        value = self.number(column, INTEGER)
        if value is None or value.denominator == 1:
            return None if value is None else value.numerator
        self.reject(column, INTEGER, "correct or round it")
        return None

    def moment(self, column: str) -> Exact | None:
        """Return a date and time as seconds since 1970, as if all clocks showed UTC."""
        text = self.text(column)
        return None if not text else moment(text, column, self.reading)

    def waited(self, since: Exact | None, start: str) -> Exact | None:
        """Return the seconds from an arrival to a start, which is a date."""
        found = self.reading.optional(self.moment, start)
        return span(since, found, start, self.reading)

    def group(self, column: str) -> str | None:
        """Return the name of a group, if there is a valid one."""
        return self.reading.optional(self.name, column) if self.text(column) else None

    def name(self, column: str) -> str | None:
        """Return a name, or None for an empty value; None and Unknown are names here."""
        text = self.cells.get(column, "")
        if not text:
            return None
        self.reading.value(NAME, text, column)
        return text

    def needed(self, column: str) -> str:
        """Return a required name."""
        found = self.name(column)
        if found is None:
            self.reject(column, NAME.expectation(), "write one", Words("an empty cell"))
        return found or ""


def moment(text: str, path: str, reading: Reading) -> Exact | None:
    """Return a date and time as seconds since 1970, as if all clocks showed UTC."""
    if SECONDS.fullmatch(text):
        reading.remark("times in seconds since 1970, read as UTC")
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


def span(since: Exact | None, until: Exact | None, name: str, reading: Reading) -> Exact | None:
    """Return the seconds from an arrival to a later time. An earlier time is only counted."""
    if since is None or until is None:
        return None
    if until < since:
        reading.remark(f"values not used: {name} before the arrival")
        return None
    return until - since


def exactly(value: Decimal) -> Exact:
    """Return the same number as an integer if it is one, or else as a fraction."""
    return int(value) if value == int(value) else Fraction(value)
