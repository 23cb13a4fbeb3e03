"""The one place that reads on after a faulty record, and counts what is left out, by reason."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

from ..errors import InputError, Problem, shown
from ..reading.decode import Decoder, TooManyError

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
    """What the reading of a file brings beside its jobs: faults, counts, and what is not used.

    A record with a fault is left out and counted; if the reading is strict, the fault is one of the
    file. What is noted outside of a record is always one of the file.
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
        self.told: Counter[str] = Counter()
        """What was understood in a way that users have to know, and how often."""
        self.notes: list[str] = []
        """What else users have to know."""
        self._record: Record | None = None
        self._telling: Counter[str] = Counter()
        self._fault: Problem | None = None

    def each(
        self,
        rows: Iterable[tuple[Record, Row | Problem]],
        make: Callable[[Record, Row], Made | None],
    ) -> Iterator[Made]:
        """Yield what is made of each row, unless it has a fault or is one."""
        for record, row in rows:
            self.read += 1
            self._record, self._fault, self._telling = record, None, Counter()
            made = None
            if isinstance(row, Problem):
                self.note(row)
            else:
                made = make(record, row)
            fault = self._closed()
            if fault:
                self.leave(record, _reason(fault))
            elif made is not None:
                self.told.update(self._telling)
                yield made

    def _closed(self) -> Problem | None:
        """End the record that is being read, and return its first fault."""
        self._record = None
        return self._fault

    def tell(self, what: str, count: int = 1) -> None:
        """Count how something was understood; not if the record turns out to have a fault."""
        if len(self.told) >= MANY_REASONS and what not in self.told:
            what = "other remarks"
        (self.told if self._record is None else self._telling)[what] += count

    def note(self, problem: Problem) -> None:
        """Note a fault of the record that is being read, or of the file."""
        if self._record is None:
            super().note(problem)
            return
        self._fault = self._fault or problem
        if self.strict:
            path = f"{self._record.place}, {problem.path}" if problem.path else self._record.place
            super().note(replace(problem, path=path))

    def refuse(self, record: Record, problem: Problem, records: int = 1) -> None:
        """Leave out a record for a fault that shows only beside the others."""
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
        return (*self.notes, *(f"{what}: {count:,}" for what, count in self.told.items()))


def counted(left_out: Iterable[LeftOutRecords]) -> str:
    """Return in words how many records were left out, by reason."""
    return ", ".join(f"{one.count:,} ({one.reason})" for one in left_out) or "none"


@contextmanager
def collecting(name: str, *, strict: bool = True) -> Iterator[Reading]:
    """Hand out a place for the faults of a file; raise `InputError` at the end if there are any."""
    faults = Reading(strict=strict)
    with suppress(TooManyError):
        yield faults
    if faults.problems:
        raise InputError(name, faults.problems, faults.more)


def _reason(problem: Problem) -> str:
    """Return what was expected and where, without what differs from record to record."""
    expected = re.sub(r"that of line .*", "those before", problem.expected)
    expected = re.sub(r", for job .*", "", expected)
    where = re.sub(r"\[\d+\]", "", problem.path)
    return f"{where}: expected {expected}" if where else f"expected {expected}"
