"""Standard output for results, standard error for all else, and the progress line there.

A user's `print`, a warning and a solver's C code know the standard streams by name, or as
descriptors 1 and 2. Once `set_apart` was called, all of these lead to standard error. Only
`results()` leads to standard output, and only `messages()` passes escape sequences to a terminal.
A process that merely calls commands, such as a test, does not call it: its streams are its own.

Every command has a progress line once it takes two seconds: what it does, how far it is, what it
has found, what holds it up, how long yet. It moves on a terminal; else there is one now and then.
`ringyard --quiet COMMAND` has none.
"""

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import ClassVar, TextIO

from ...instances.errors import visible
from ...instances.outcome import Incumbent, set_up_s, set_up_words
from ...interrupts import report_to, undoing

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


QUIET = "RINGYARD_QUIET"
"""Set where nobody wants to see what is under way."""

FIRST_S, LATER, EVERY_S = 2.0, 2.0, 60.0
"""Without a terminal there is a line after this time, then after as much more times `LATER`, at
last every minute."""

SOON_S, GLANCE_S = 1.0, 0.2
"""On a terminal there is a line from this time on, drawn anew this often."""

BAR = 24
"""Width of a bar."""

AWAY = "\r\x1b[K"
"""Clears the line."""

CURSOR = b"\r\x1b[K\x1b[?25h"
"""Clears the line and shows the cursor, which some bars hide."""


def tidy() -> undoing:
    """Within this, an end of the process leaves the terminal as it was."""
    return undoing(lambda: os.write(2, CURSOR))


class Work:
    """A piece of work: what it is, how far it is, and what it has found."""

    def __init__(self, title: str, total: int = 0) -> None:
        """Begin it."""
        self.title, self.total, self.found = title, total, ""
        self.steps: list[tuple[float, int]] = [(time.monotonic(), 0)]

    def count(self, done: int) -> None:
        """Note how far it is, and forget every other moment when there are too many."""
        self.steps.append((time.monotonic(), done))
        if len(self.steps) > 2 * MOMENTS:
            self.steps = self.steps[::2] + self.steps[-1:]

    def saw(self, incumbent: Incumbent) -> None:
        """Note a better schedule."""
        self.found = f"best {incumbent.value:g}"
        if incumbent.bound:
            larger = max(incumbent.value, incumbent.bound)
            gap = 100 * abs(incumbent.value - incumbent.bound) / larger
            self.found += f", bound {incumbent.bound:g}, gap {gap:.2f} %"

    def words(self, moment: float, bar: bool) -> str:
        """Describe all of it in a line."""
        begun, done = self.steps[0][0], self.steps[-1][1]
        parts = [self.found, preparing := set_up_words()]
        if self.total:
            filled = BAR * done // self.total
            drawn = f"[{'#' * filled}{'.' * (BAR - filled)}] " if bar else ""
            parts.insert(0, f"{drawn}{done:,} of {self.total:,}")
            left = None if preparing else seconds_left(self.steps, self.total, moment)
            parts.append(f"{span(left)} left" if left is not None else "")
        parts.append(f"{span(moment - begun)} so far")
        return visible(f"{self.title}: {', '.join(filter(None, parts))}")


MOMENTS = 64
"""Moments of the way that are remembered, at least."""


def seconds_left(steps: list[tuple[float, int]], total: int, moment: float) -> float | None:
    """Return what the rest takes at the pace of the later half of what was done, if known.

    The estimate runs down from the last step. Once it is over, nothing is known.
    """
    at, done = steps[-1]
    since, before = next(((t, n) for t, n in reversed(steps) if 2 * n <= done), steps[0])
    if done <= before or at <= since:
        return None
    left = (total - done) * (at - since) / (done - before) - (moment - at)
    return left if left >= 0 else None


def span(seconds: float) -> str:
    """Describe a time in the unit that fits."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class _Line:
    """The line on standard error."""

    works: ClassVar[list[Work]] = []
    lock = threading.RLock()
    drawn = False
    held = 0
    """How many others draw there now."""


def _put(text: str) -> None:
    """Write to standard error, as far as it can say it; nothing if it is not read."""
    with suppress(OSError, ValueError):
        coding = messages().encoding or "ascii"
        messages().write(text.encode(coding, "backslashreplace").decode(coding))
        messages().flush()


def clear() -> None:
    """Take the line away before something else is written."""
    with _Line.lock:
        if _Line.drawn:
            _Line.drawn = False
            _put(AWAY)


def _draw(terminal: bool) -> None:
    with _Line.lock:
        if _Line.held or not _Line.works:
            return
        text = _Line.works[-1].words(time.monotonic(), terminal)
        if terminal:
            with suppress(OSError):
                width = os.get_terminal_size(2).columns or 80
                _put(f"{AWAY}{text[: width - 1]}")
                _Line.drawn = True
        else:
            _put(f"{text}\n")


def _watch(over: threading.Event, terminal: bool) -> None:
    pause = SOON_S if terminal else FIRST_S
    while not over.wait(pause):
        _draw(terminal)
        pause = GLANCE_S if terminal else min(EVERY_S, LATER * pause)


@contextmanager
def shown(command: str) -> Iterator[None]:
    """Within this, say now and then what a command is at."""
    if os.environ.get(QUIET) or not command or command.startswith("-"):
        yield
        return
    terminal, over = messages().isatty(), threading.Event()
    _Line.works, _Line.held = [Work(f"ringyard {command}")], 0
    with tidy() if terminal else nullcontext():
        threading.Thread(target=_watch, args=(over, terminal), daemon=True).start()
        try:
            yield
        finally:
            over.set()
            _Line.works = []
            clear()
            if (prepared := set_up_s()) >= FIRST_S:
                text = f"{span(prepared)} went into kernels; `ringyard warm` compiles them ahead"
                _put(f"note: {text}\n")


@contextmanager
def elsewhere() -> Iterator[None]:
    """Within this, something else says what is under way."""
    try:
        _Line.held += 1
        clear()
        yield
    finally:
        _Line.held -= 1


@contextmanager
def _at(work: Work) -> Iterator[Work]:
    _Line.works.append(work)
    try:
        yield work
    finally:
        with _Line.lock:
            if work in _Line.works:
                _Line.works.remove(work)
            clear()


@contextmanager
def progress(title: str) -> Iterator[Callable[[Incumbent], None]]:
    """Report that this is under way; the yielded function is to see every better schedule."""
    with _at(Work(title)) as work:
        yield work.saw


@contextmanager
def counting(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Report that this is under way; the yielded function is told how much is done."""
    with _at(Work(title, total)) as work:
        yield work.count
