"""Where output goes: results to standard output, all that other code prints to standard error.

A user's `print`, a warning and a solver's C code know the standard streams by name, or as
descriptors 1 and 2. Once `set_apart` was called, all of these lead to standard error. Only
`results()` leads to standard output, and only `messages()` passes escape sequences to a terminal.

A process that merely calls commands, such as a test, does not call it: its streams are its own.
"""

import atexit
import os
import sys
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TextIO

from ...instances.errors import visible
from ...interrupts import report_to

HARMLESS = "\n\t\r"
"""Control characters that other code may print."""


class _Own:
    """The streams of this program; None where they are those of Python."""

    results: TextIO | None = None
    messages: TextIO | None = None


class ForeignText(TextIOWrapper):
    """A standard stream as other code sees it: escape sequences lose their effect."""

    def __init__(self, descriptor: int, encoding: str) -> None:
        """Write lines to a descriptor, which stays open when this is closed."""
        raw = BufferedWriter(FileIO(descriptor, "w", closefd=False))
        super().__init__(raw, encoding, "backslashreplace", line_buffering=True)

    def write(self, text: str) -> int:
        """Write a text with its control characters escaped."""
        super().write(visible(text, but=HARMLESS))
        return len(text)

    def isatty(self) -> bool:
        """Return False: code that writes escape sequences to terminals should not try."""
        return False


def results() -> TextIO:
    """Return the stream for results."""
    return _Own.results or sys.stdout


def messages() -> TextIO:
    """Return the stream for errors, remarks and progress."""
    return _Own.messages or sys.stderr


def set_apart() -> None:
    """Keep standard output for results from now on."""
    usual, errors = sys.stdout, sys.stderr
    kept = os.dup(usual.fileno())
    report_to(kept)
    _Own.results = TextIOWrapper(
        BufferedWriter(FileIO(kept, "w")),
        usual.encoding,
        usual.errors,
        line_buffering=bool(usual.line_buffering or getattr(usual, "write_through", False)),
    )
    _Own.messages = errors
    os.dup2(errors.fileno(), usual.fileno())
    sys.stdout = ForeignText(usual.fileno(), errors.encoding)
    sys.stderr = ForeignText(errors.fileno(), errors.encoding)
    atexit.register(_flush)


def _flush() -> None:
    """Hand on what is left in buffers: of C as well, if other code can have called any."""
    for stream in (results(), sys.__stdout__):
        with suppress(Exception):
            stream.flush()  # type: ignore[union-attr]
    if (ctypes := sys.modules.get("ctypes")) is not None:
        with suppress(Exception):
            ctypes.CDLL(None).fflush(None)
