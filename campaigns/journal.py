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

from ..analysis.rows import COLUMNS, VERSION, Row
from ..instances.errors import InputError, Problem, brief, reason
from ..instances.writing import UnwrittenError, sync_folder


class Writer:
    """The one process that adds to a file; the lock on the file says that it is alive."""

    def __init__(self, folder: Path) -> None:
        """Begin a new file; it is made with the first row."""
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self.path = folder / f"{self.name}.jsonl"
        self._file: int | None = None

    def add(self, row: Row) -> None:
        """Write a row; on return it is on the disk."""
        line = json.dumps(row, ensure_ascii=True, allow_nan=False).encode() + b"\n"
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
        self._read: dict[str, tuple[int, int]] = {}

    def new(self) -> Iterator[Row]:
        """Yield the rows that were added since the last call."""
        path = self.folder
        try:
            for path in self._changed():
                start, number = self._read.get(path.name, (0, 0))
                with path.open("rb") as file:
                    file.seek(start)
                    text = file.read()
                whole = text[: text.rfind(b"\n") + 1]
                for line in whole.splitlines():
                    number += 1
                    yield _row(line, path, number)
                self._read[path.name] = (start + len(whole), number)
        except OSError as error:
            problem = Problem("file", reason(error), "rows of a campaign", "make it readable")
            raise InputError(str(path), [problem]) from None

    def _changed(self) -> list[Path]:
        """Return the files that are longer than what was read of them."""
        with suppress(FileNotFoundError, NotADirectoryError), os.scandir(self.folder) as found:
            return sorted(
                self.folder / one.name
                for one in found
                if one.name.endswith(".jsonl")
                and one.stat().st_size != self._read.get(one.name, (0, 0))[0]
            )
        return []


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
        read = json.loads(line)
        version = read["v"]
    except (ValueError, KeyError, TypeError, RecursionError):
        read, version = {}, VERSION
    if version != VERSION:
        advice = "read it with the version of Ringyard that wrote it, or choose another folder"
        problem = Problem(f"line {number}: v", version, f"{VERSION}", advice)
        raise InputError(str(path), [problem])
    try:
        return {name: read[name] for name in COLUMNS}  # All rows share the names in memory.
    except KeyError:
        found = brief(line.decode("utf-8", "replace"))
        advice = "delete this line; its run is then done again"
        problem = Problem(f"line {number}", found, "a row of a run", advice)
        raise InputError(str(path), [problem]) from None
