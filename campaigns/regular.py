"""Files of a folder that others may have put something else into: a pipe, a device, a folder."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO


def opened(path: Path, *, write: bool = False) -> BinaryIO:
    """Open a file that is one; raise `OSError` for all else, without waiting for a pipe.

    To be written, the name has to be that of the file itself, not of a link.
    """
    flags = os.O_RDWR | os.O_NOFOLLOW if write else os.O_RDONLY
    handle = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a file")
    return os.fdopen(handle, "r+b" if write else "rb")


def contents(path: Path) -> bytes:
    """Return what stands in a file."""
    with opened(path) as file:
        return file.read()
