"""What of a folder could not be read, or is no file, counted and named by its reason."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from ..instances.errors import plural, reason, visible
from ..instances.reading.parse import MAX_BYTES, opened


def contents(path: Path) -> bytes:
    """Return what stands in a file; raise `OSError` if it is none, or larger than any we read."""
    with opened(path) as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


MOST = 5
"""The most places that are named for each reason."""


class LeftOutLines:
    """Lines of journals, and files, that are left out; each is reported once."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._reasons: dict[tuple[str, int], str] = {}
        self.unsealed = 0
        """Rows that have no digest, and are read."""
        self.doubled = 0
        """Lines with the row of a run that has one already."""

    def __len__(self) -> int:
        """Count what is left out."""
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
            yield f"{count} without a digest: whether they were changed cannot be seen"
