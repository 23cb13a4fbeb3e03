"""The files of an index of the corpus, as they are now, and additions to them.

A folder named by the user gets a copy of each file of this package that changes.
"""

import gzip
import json
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import numpy as np

from ...instances.errors import InputError, Problem, reason
from ...instances.writing import reserve, write_whole
from ..program import Floats
from .history import HISTORY, HistoryLine, history_of, line_text
from .index import HERE, INDICES, POINTS, CorpusEntry, read_index, row_of, with_history

MOST_VALUES = 1_000
"""Points with more values that are not 0 are not stored."""

HISTORICAL = ("value", "miss", "source", "bound", "certificate", "proofs", "tier")
"""Facts that follow from the history or the tier."""


class IndexFiles:
    """The index in a folder. Files that it lacks are read from this package."""

    def __init__(self, folder: Path = HERE) -> None:
        """Take the folder, which need not exist before something is written."""
        self.folder = folder

    def require_writable(self) -> None:
        """Raise `InputError` if files cannot be written there. It creates the folder."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            reserve(self.folder)
        except OSError as error:
            advice = "name another one, as in `--index mine`: it gets the changed files"
            problem = Problem("index", reason(error), "a writable folder", advice)
            raise InputError(str(self.folder), [problem]) from None

    def lines(self) -> dict[str, list[HistoryLine]]:
        """Return the history by program."""
        return history_of(self._text(HISTORY.name))

    def entries(self) -> dict[str, CorpusEntry]:
        """Return the programs of all tiers by name."""
        lines, found = self.lines(), dict[str, CorpusEntry]()
        for tier, path in INDICES.items():
            found |= read_index(self._text(path.name), tier, lines)
        return found

    def point(self, name: str) -> dict[int, float] | None:
        """Return the stored point of a program, by column and without zeros."""
        stored = self._points().get(name)
        return None if stored is None else dict(zip(*stored, strict=True))

    def append(self, lines: Iterable[HistoryLine]) -> None:
        """Append lines to the history."""
        new = "".join(f"{line_text(line)}\n" for line in lines)
        if new:
            self._write(HISTORY.name, (self._text(HISTORY.name) + new).encode())

    def put(self, entry: CorpusEntry) -> None:
        """Write the index of a program's tier with this entry."""
        path = INDICES[entry.tier]
        rows = {row["name"]: row for row in json.loads(self._text(path.name))["programs"]}
        known = {field.name for field in fields(CorpusEntry)} - set(HISTORICAL)
        by_history = row_of(with_history(entry, ()))
        rows[entry.name] = {name: value for name, value in by_history.items() if name in known}
        lines = [json.dumps(row, separators=(",", ":")) for row in rows.values()]
        text = '{"programs": [\n' + ",\n".join(lines) + "\n]}\n"
        self._write(path.name, text.encode())

    def store(self, name: str, point: Floats) -> None:
        """Store the point of a program in place of the last one, if it is short."""
        points, places = self._points(), np.flatnonzero(point)
        points.pop(name, None)
        if len(places) <= MOST_VALUES:
            points[name] = (places.tolist(), point[places].tolist())
        data = json.dumps(points, separators=(",", ":")).encode()
        self._write(POINTS.name, gzip.compress(data, 9, mtime=0))

    def _points(self) -> dict[str, tuple[list[int], list[float]]]:
        found: dict[str, tuple[list[int], list[float]]] = json.loads(
            gzip.decompress(self._file(POINTS.name).read_bytes())
        )
        return found

    def _text(self, name: str) -> str:
        return self._file(name).read_text(encoding="utf-8")

    def _file(self, name: str) -> Path:
        own = self.folder / name
        return own if own.is_file() else HERE / name

    def _write(self, name: str, data: bytes) -> None:
        write_whole(self.folder / name, data)
