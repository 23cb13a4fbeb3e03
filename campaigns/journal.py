"""Files of rows: a line each, only ever added to, safe on the disk before anybody counts on it.

Each writer has a file of its own, so that writers never meet. A line is there once its end is:
what stands behind the last line end was never acknowledged, is not read, and is cut off when the
folder is next opened for writing and its writer is gone.
"""

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ..analysis.rows import VERSION, Row
from ..instances.errors import InputError, Problem, brief, reason


class Writer:
    """The one process that adds to a file; the lock on the file says that it is alive."""

    def __init__(self, folder: Path) -> None:
        """Begin a new file; it is made with the first row."""
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.path = folder / f"{self.name}.jsonl"
        self._file: int | None = None

    def add(self, row: Row) -> None:
        """Write a row; on return it is on the disk."""
        if self._file is None:
            self._file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL)
            fcntl.flock(self._file, fcntl.LOCK_EX)
            _sync_folder(self.path.parent)
        line = json.dumps(row, ensure_ascii=True, allow_nan=False).encode() + b"\n"
        size = os.fstat(self._file).st_size
        try:
            while line:
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, size)
            advice = "make room; the same command goes on from here"
            problem = Problem("file", reason(error), "a place with room", advice)
            raise InputError(str(self.path), [problem]) from None

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
        self._read: dict[Path, tuple[int, int]] = {}

    def new(self) -> Iterator[Row]:
        """Yield the rows that were added since the last call."""
        for path in sorted(self.folder.glob("*.jsonl")):
            start, number = self._read.get(path, (0, 0))
            try:
                if path.stat().st_size == start:
                    continue
                with path.open("rb") as file:
                    file.seek(start)
                    text = file.read()
            except OSError as error:
                problem = Problem("file", reason(error), "rows of a campaign", "make it readable")
                raise InputError(str(path), [problem]) from None
            whole = text[: text.rfind(b"\n") + 1]
            for line in whole.splitlines():
                number += 1
                yield _row(line, path, number)
            self._read[path] = (start + len(whole), number)


def cut_torn_ends(folder: Path) -> None:
    """Cut off lines without an end in files whose writers are gone."""
    for path in folder.glob("*.jsonl"):
        with path.open("r+b") as file, suppress(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            text = file.read()
            whole = text.rfind(b"\n") + 1
            if whole < len(text):
                file.truncate(whole)
                os.fsync(file.fileno())


def _row(line: bytes, path: Path, number: int) -> Row:
    try:
        row: Row = json.loads(line)
        version, _ = row["v"], row["key"]
    except (ValueError, KeyError, TypeError):
        found = brief(line.decode("utf-8", "replace"))
        advice = "delete this line; its run is then done again"
        problem = Problem(f"line {number}", found, "a row of a run", advice)
        raise InputError(str(path), [problem]) from None
    if version != VERSION:
        advice = "read it with the version of Ringyard that wrote it, or choose another folder"
        problem = Problem(f"line {number}: v", version, f"{VERSION}", advice)
        raise InputError(str(path), [problem])
    return row


def _sync_folder(folder: Path) -> None:
    """Make a new file's name safe too."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
