"""Files of rows: a line each, only ever added to, safe on the disk before anything relies on it.

Each writer has a file of its own, so that writers never meet. A line is there once its end is:
what stands behind the last line end was never acknowledged, is not read, and is cut off when the
folder is next opened for writing and its writer is gone. Of what was damaged later, every row is
read that is as it was written; the others are left out and named.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..analysis.rows import Row
from ..instances.reading.parse import MAX_BYTES, opened
from ..instances.writing import UnwrittenError, sync_folder
from .left_out import LeftOutLines
from .line import DIGEST, UnreadableError, from_line, to_line

TORN = "without its end, as its writer was stopped"
BARE = "without a digest, unlike other rows of its file"


class Writer:
    """The one process that adds to a file; the lock on the file says that it is alive."""

    def __init__(self, folder: Path) -> None:
        """Begin a new file; it is made with the first row."""
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.path = folder / f"{self.name}.jsonl"
        self._file: int | None = None

    def add(self, row: Row) -> None:
        """Write a row; on return it is on the disk."""
        line = to_line(row)
        try:
            if self._file is None:
                self._file = self._begun()
            self._append(self._file, line)
        except OSError as error:
            advice = "make room; the same command goes on from here"
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
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Reader:
    """All files of a folder, each read on from where it was read last."""

    def __init__(self, folder: Path) -> None:
        """Remember the folder; nothing is read yet."""
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
        """Leave out lines without an end of writers that are gone."""
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
        """Leave out rows that lost their digest: a writer gives one to all or to none."""
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
        """Return the names of files that are longer than what was read of them."""
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
    """Say whether a process holds the lock on a file."""
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
