"""Atomic writing of files, and early refusal of files that cannot be written."""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ..interrupts import undoing
from .errors import InputError, Problem, Words, quoted, reason

ROOM = 2**16
"""Free bytes that a written file's folder must have."""

PLACE = "a file in a writable folder"

KINDS = {
    stat.S_IFDIR: ("a folder", "name a file in it"),
    stat.S_IFIFO: ("a FIFO", "name a file"),
    stat.S_IFCHR: ("a device", "name a file"),
    stat.S_IFBLK: ("a device", "name a file"),
    stat.S_IFSOCK: ("a socket", "name a file"),
}
"""Files that must not be replaced, and the remedy."""


class UnwrittenError(InputError):
    """A file that could not be written, with its intended content if known."""

    def __init__(
        self,
        target: Path,
        error: Exception,
        data: bytes = b"",
        expected: str = "a writable place",
        advice: str = "choose another path",
    ) -> None:
        """Store the data."""
        problem = Problem("file", reason(error), expected, advice)
        super().__init__(str(target), [problem])
        self.target, self.data = target, data


def place_problem(option: str, path: Path) -> Problem | None:
    """Return the reason why a file cannot be written, before the work begins."""
    try:
        mode = _mode(path)
        if stat.S_IFMT(mode) in KINDS:
            what, advice = KINDS[stat.S_IFMT(mode)]
            return Problem(option, Words(f"{quoted(str(path))}, {what}"), "a file", advice)
        folder = resolved(path).parent
        if not folder.is_dir() or not os.access(folder, os.W_OK):
            return Problem(option, str(path), PLACE, "choose another path")
        if mode and not os.access(path, os.W_OK):
            found = Words(f"{quoted(str(path))}, which is protected")
            return Problem(option, found, "a writable file", "choose another path")
        reserve(folder)
    except (OSError, ValueError) as error:
        found = Words(f"{quoted(str(path))}: {reason(error)}")
        return Problem(option, found, PLACE, "choose another path, or free some space there")
    return None


def _mode(path: Path) -> int:
    """Return the kind and the permissions of a file, or 0 if there is none."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return 0


def reserve(folder: Path) -> None:
    """Raise an `OSError` if a folder has no room for a file of `ROOM` bytes."""
    with _draft_in(folder) as draft:
        draft.write_bytes(bytes(ROOM))


def resolved(path: Path) -> Path:
    """Return the file of a name. A link stays a link, and its target is written."""
    return Path(os.path.realpath(path))


def write_whole(target: Path, data: bytes, *, own: bool = False) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    With `own`, as for files in a campaign's folder, it also survives a power failure, and replaces
    a
    link, which may point to another of these files.

    Raises:
        UnwrittenError: If it cannot be written.
    """
    try:
        real = target if own else resolved(target)
        with _draft_in(real.parent) as draft:
            draft.write_bytes(data)
            if real.exists():
                draft.chmod(stat.S_IMODE(real.stat().st_mode))
            if own:
                with draft.open("rb") as file:
                    os.fsync(file.fileno())
            draft.replace(real)
        if own:
            sync_folder(real.parent)
    except (OSError, ValueError) as error:
        raise UnwrittenError(target, error, data) from None


@contextmanager
def _draft_in(folder: Path) -> Iterator[Path]:
    """Yield a temporary name, which is removed at the end."""
    draft = folder / f".ringyard-{os.urandom(4).hex()}.draft"
    with undoing(draft.unlink):
        try:
            yield draft
        finally:
            with suppress(OSError):
                draft.unlink()


def sync_folder(folder: Path) -> None:
    """Flush the folder so that names of new files survive a power failure."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def keep_elsewhere(target: Path, data: bytes, folders: Sequence[Path]) -> Path | None:
    """Write unwritten content to another name, in the first writable folder."""
    stem, dot, ending = target.name.partition(".")
    for folder in folders:
        path = folder / f"{stem[:100] or 'kept'}-{os.urandom(4).hex()}{dot}{ending[-40:]}"
        with suppress(UnwrittenError):
            write_whole(path, data)
            return path
    return None
