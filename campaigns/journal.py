"""Append-only files of rows, one per line, durable on disk before anything depends on them.

Each writer has its own file, so writers never conflict. A line is complete once it has its end.
Text after the last line end was never acknowledged. Readers ignore it, and the next writer of the
folder removes it if its writer is gone. After later damage, every intact row is still read, and
damaged ones are left out and reported.

A row's digest is over its line up to the digest, so that a check rewrites nothing. It is not a
signature, because anyone who changes a row can recompute it.
"""

import errno
import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any

from ..analysis.rows import (
    ANSWERED,
    COLUMNS,
    FAILED,
    FORMER,
    LATER,
    NEEDED,
    PROGRAM,
    UNKNOWN,
    VERSION,
    Row,
)
from ..families.registry import FAMILIES
from ..instances import BoundKind
from ..instances.errors import plural, reason, shorten, visible
from ..instances.reading.decode import MAX_BYTES, opened
from ..instances.writing import UnwrittenError, sync_folder

TORN = "truncated because its writer was stopped"
BARE = "without a digest, unlike other rows of its file"


class Writer:
    """The only process that appends to a file. The lock on the file shows that it is alive."""

    def __init__(self, folder: Path) -> None:
        """Prepare a new file, which is created with the first row."""
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.path = folder / f"{self.name}.jsonl"
        self._file: int | None = None

    def add(self, row: Row) -> None:
        """Write a row, which is on disk on return."""
        line = to_line(row)
        try:
            if self._file is None:
                self._file = self._begun()
            self._append(self._file, line)
        except OSError as error:
            advice = "free space, then resume with the same command"
            raise UnwrittenError(self.path, error, line, "a place with room", advice) from None

    def _begun(self) -> int:
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644)
        fcntl.flock(file, fcntl.LOCK_EX)
        sync_folder(self.path.parent)
        return file

    def _append(self, file: int, line: bytes) -> None:
        size = os.fstat(file).st_size
        try:
            while line:
                line = line[os.write(file, line) :]
            os.fsync(file)
        except OSError:
            os.ftruncate(file, size)
            raise

    def close(self) -> None:
        """Close the file and release its lock."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Reader:
    """All files of a folder, each read from the last position on."""

    def __init__(self, folder: Path) -> None:
        """Remember the folder without reading it."""
        self.folder = folder
        self.left_out = LeftOutLines()
        self._read: dict[str, tuple[int, int]] = {}
        self._torn = set[str]()
        self._sealed = set[str]()
        """Files whose rows have digests."""

    def new(self) -> Iterator[Row]:
        """Yield the rows that were added since the last call."""
        for name in self._changed():
            try:
                yield from self._lines(name)
            except OSError as error:
                self.left_out.add_unread(f"{self.folder.name}/{name}", error)

    def look_for_torn_ends(self) -> None:
        """Leave out incomplete lines whose writers have ended."""
        for name in self._torn:
            if not _alive(self.folder / name):
                self._leave_out(name, self._read[name][1] + 1, TORN)

    def _lines(self, name: str) -> list[Row]:
        start, number = self._read.get(name, (0, 0))
        rows = list[tuple[int, Row]]()
        self._torn.discard(name)
        with opened(self.folder / name) as file:
            file.seek(start)
            while line := file.readline(MAX_BYTES):
                if not line.endswith(b"\n"):
                    self._torn.add(name)
                    break
                start, number = start + len(line), number + 1
                try:
                    rows.append((number, from_line(line[:-1])))
                except UnreadableError as error:
                    self._leave_out(name, number, str(error))
        self._read[name] = start, number
        return self._alike(name, rows)

    def _alike(self, name: str, rows: list[tuple[int, Row]]) -> list[Row]:
        """Leave out rows that lost their digest. All rows of a writer have one, or no row does."""
        bare = [number for number, row in rows if row[DIGEST] is None]
        if len(bare) < len(rows):
            self._sealed.add(name)
        if name not in self._sealed:
            self.left_out.unsealed += len(bare)
            return [row for _, row in rows]
        for number in bare:
            self._leave_out(name, number, BARE)
        return [row for _, row in rows if row[DIGEST] is not None]

    def _leave_out(self, name: str, number: int, why: str) -> None:
        self.left_out.add(f"{self.folder.name}/{name}", number, why)

    def _changed(self) -> list[str]:
        """Return the names of files that have grown since they were read."""
        try:
            with os.scandir(self.folder) as found:
                return sorted(one.name for one in found if self._is_news(one))
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            self.left_out.add_unread(self.folder.name, error)
            return []

    def _is_news(self, found: os.DirEntry[str]) -> bool:
        if not found.name.endswith(".jsonl"):
            return False
        try:
            known = self._read.get(found.name, (0, 0))[0]
            return not found.is_file() or found.stat().st_size != known
        except OSError:
            return True  # Reading it says why that fails.


def _alive(path: Path) -> bool:
    """Return True if a process holds the lock on a file."""
    with opened(path) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def cut_torn_ends(folder: Path) -> None:
    """Cut off lines without an end in files whose writers are gone."""
    for path in folder.glob("*.jsonl"):
        with suppress(OSError), opened(path, write=True) as file:  # Else reading it says why.
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - MAX_BYTES))
            text = file.read(MAX_BYTES)
            torn = len(text) - text.rfind(b"\n") - 1
            if 0 < torn < MAX_BYTES:
                file.truncate(size - torn)
                os.fsync(file.fileno())


Types = tuple[type, ...]

_TYPES: dict[str, Types] = {
    "text": (str,),
    "integer": (int,),
    "number": (float, int),
    "boolean": (bool,),
    "list": (list,),
}

_MOST = {"integer": 2**63, "number": 1e300}
"""Larger numbers have no place in a column of other programs, or in a sum."""

_NAMES = ("key", "instance", "digest", "method", "schedule")
"""Texts that people read and files are named after."""

_CHOICES: dict[str, frozenset[Any]] = {
    "sense": frozenset(("min", "max")),
    "status": frozenset((*ANSWERED, *FAILED, UNKNOWN)),
    "bound_kind": frozenset((None, *BoundKind)),
}

_COUNTED = [(kind, [n for n, (k, _) in COLUMNS.items() if k == kind]) for kind in _MOST]
_NUMBERS = [(names, itemgetter(*names), _MOST[kind]) for kind, names in _COUNTED]

_right: set[Types] = set()
"""Types of whole rows that were found to be right: few rows of a journal differ in them."""


def wrong_cell(row: Row, *, escaped: bool) -> str | None:
    """Return the name of a column with an invalid value, or None.

    Texts have unwritable characters only if some value of the row is `escaped`.
    """
    types = tuple(map(type, row.values()))
    if types not in _right:
        for (name, (kind, _)), found in zip(COLUMNS.items(), types, strict=True):
            if found not in _TYPES[kind] and (name in NEEDED or found is not type(None)):
                return name
        _right.add(types)
    return (
        _wrong_number(row)
        or _wrong_choice(row)
        or _wrong_name(row)
        or (_unwritable(row) if escaped else None)
        or _wrong_step(row["trajectory"])
    )


def _wrong_number(row: Row) -> str | None:
    for names, cells, most in _NUMBERS:
        for value in cells(row):
            if value is not None and not -most < value < most:
                return next(name for name in names if row[name] is value)
    return None


def _wrong_choice(row: Row) -> str | None:
    if row["family"] not in FAMILIES and row["family"] != PROGRAM:
        return "family"
    for name, choices in _CHOICES.items():
        if row[name] not in choices:
            return name
    if row["valid"] and row["objective"] is None:
        return "objective"
    if row["bound"] is not None and row["bound_kind"] is None:
        return "bound_kind"
    return "violations" if row["violations"] < 0 else None


def _wrong_name(row: Row) -> str | None:
    for name in _NAMES:
        text = row[name]
        if text is not None and not (text and text.isprintable()):
            return name
    if "/" in row["digest"]:
        return "digest"
    place = row["schedule"]
    if place is not None and (not place.startswith("schedules/") or place.count("/") != 1):
        return "schedule"
    return None


def _unwritable(row: Row) -> str | None:
    """Return an unpaired surrogate, which no file can hold."""
    for name, value in row.items():
        if type(value) is str:
            try:
                value.encode()
            except UnicodeEncodeError:
                return name
    return None


def _wrong_step(trajectory: list[Any] | None) -> str | None:
    """Return the first step that is not seconds, an objective, and a bound or None."""
    most = _MOST["number"]
    for step in trajectory or ():
        if type(step) is not list or len(step) != 3:
            return "trajectory"
        for value in step if step[2] is not None else step[:2]:
            if type(value) not in _TYPES["number"] or not -most < value < most:
                return "trajectory"
    return None


DIGEST = "row_digest"

_MARK = f', "{DIGEST}": "'.encode()


def _refuse(token: str) -> None:
    """Refuse NaN and the infinities, which JSON does not have."""
    raise ValueError(token)


_DECODER = json.JSONDecoder(parse_constant=_refuse)

CHANGED, OTHER_VERSION, NO_ROW = (
    "changed since written",
    "of another version",
    "with no row of a run",
)


class UnreadableError(ValueError):
    """A line that is not an intact row, with the reason."""


def seal(data: bytes) -> str:
    """Return the digest of a row's text."""
    return sha256(data).hexdigest()[:32]


def to_line(row: Row) -> bytes:
    """Write a row with its digest."""
    cells = {name: row[name] for name in COLUMNS if name != DIGEST}
    text = json.dumps(cells, ensure_ascii=True, allow_nan=False)[:-1].encode()
    return text + _MARK + seal(text).encode() + b'"}\n'


def from_line(line: bytes) -> Row:
    """Return a row from its line. Raise `UnreadableError` if it is invalid or was changed."""
    line = line.removesuffix(b"\r")
    text, mark, digest = line.rpartition(_MARK)
    if mark and digest != seal(text).encode() + b'"}':
        raise UnreadableError(CHANGED)
    try:
        read = _DECODER.decode(str(line, "utf-8"))
    except (ValueError, RecursionError):
        raise UnreadableError(NO_ROW) from None
    if type(read) is not dict or "v" not in read:
        raise UnreadableError(NO_ROW)
    if read["v"] != VERSION:
        raise UnreadableError(OTHER_VERSION)
    if read.keys() != COLUMNS.keys():
        read = {FORMER.get(name, name): value for name, value in read.items()}
        read = dict.fromkeys(LATER) | read
        if read.keys() != COLUMNS.keys():
            raise UnreadableError(NO_ROW)
    row = {name: read[name] for name in COLUMNS}  # All rows share the names in memory.
    with suppress(ValueError):  # What is no kind is found below.
        row["bound_kind"] = read["bound_kind"] and BoundKind(read["bound_kind"]).value
    wrong = wrong_cell(row, escaped=b"\\u" in line)
    if wrong == "family" and type(row[wrong]) is str:
        load = "load it: ringyard --plugin FILE.py COMMAND .."
        raise UnreadableError(f"of an unknown family, {shorten(row[wrong])} ({load})")
    if wrong is not None:
        raise UnreadableError(f"with a wrong value of `{wrong}`")
    return row


def contents(path: Path) -> bytes:
    """Return the content of a file. Raise `OSError` if it is irregular or too large."""
    with opened(path) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


MOST = 5
"""Maximum number of places named for each reason."""


class LeftOutLines:
    """Lines of journals, and files, that are left out, each reported once."""

    def __init__(self) -> None:
        """Start without any line."""
        self._reasons: dict[tuple[str, int], str] = {}
        self.unsealed = 0
        """Rows that have no digest, and are read."""
        self.doubled = 0
        """Lines with the row of a run that has one already."""

    def __len__(self) -> int:
        """Return the number of lines left out."""
        return len(self._reasons)

    def add(self, file: str, line: int, why: str) -> None:
        """Leave out a line, or with 0 a whole file."""
        self._reasons[file, line] = why

    def add_unread(self, file: str, error: Exception) -> None:
        """Leave out a file that the system does not let read."""
        self.add(file, 0, f"that cannot be read ({reason(error)})")

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each reason, and one for rows without a digest."""
        by_reason: dict[tuple[bool, str], list[tuple[str, int]]] = {}
        for (file, line), why in sorted(self._reasons.items()):
            by_reason.setdefault((line > 0, why), []).append((file, line))
        for (is_line, why), places in by_reason.items():
            count = plural(len(places), "line" if is_line else "file")
            named = ", ".join(f"{file} line {n}" if n else file for file, n in places[:MOST])
            more = f" and {len(places) - MOST:,} more" if len(places) > MOST else ""
            yield visible(f"left out: {count} {why}: {named}{more}")
        if self.doubled:
            yield f"left out: {plural(self.doubled, 'line')} with another row of the same run"
        if self.unsealed:
            count = plural(self.unsealed, "row")
            yield f"{count} without a digest: changes to them cannot be detected"
