"""Which process is about to do a run: a lock on one byte of one file, gone with its process.

The byte is that of the run's key, so that nothing has to be made, named or cleaned up, and the
system itself frees what a killed process had claimed. Works between machines where the file
system has POSIX locks.
"""

import fcntl
import os
from pathlib import Path

from ..instances.errors import InputError, Problem, reason

BITS = 62
"""Offsets of a file go as far as 2^63; two keys on one byte would only wait for each other."""


class Claims:
    """The claims of this process on the runs of a campaign."""

    def __init__(self, path: Path) -> None:
        """Open the file; it stays empty."""
        # Closing any handle of the file would free all claims of the process: this is the only one.
        self._path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise self._unusable(error) from None

    def take(self, key: str) -> bool:
        """Claim a run unless another process has."""
        try:
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _byte(key))
        except (BlockingIOError, PermissionError):
            return False
        except OSError as error:
            raise self._unusable(error) from None
        return True

    def drop(self, key: str) -> None:
        """Free a run."""
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, _byte(key))

    def close(self) -> None:
        """Free all runs."""
        os.close(self._file)

    def _unusable(self, error: OSError) -> InputError:
        expected = "a writable file on a file system with POSIX locks"
        problem = Problem("file", reason(error), expected, "choose another folder")
        return InputError(str(self._path), [problem])


def _byte(key: str) -> int:
    return int(key[:16], 16) >> (64 - BITS)
