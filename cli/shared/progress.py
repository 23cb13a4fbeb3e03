"""Standard output for results, and standard error for messages and the progress line.

A user's `print`, a warning and a solver's C code know the standard streams by name, or as
descriptors 1 and 2. After `set_apart` is called, all of these lead to standard error. Only
`results()` leads to standard output, and only `messages()` passes escape sequences to a terminal.
A process that merely calls commands, such as a test, does not call it and keeps its streams.

Every command has a progress line after two seconds: task, progress, best result, delays and
remaining time. It is redrawn on a terminal. Otherwise lines are printed from time to time.
`ringyard --quiet COMMAND` prints no progress.
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
    """The streams of this program, or None for Python's own."""

    results: TextIO | None = None
    messages: TextIO | None = None


class ForeignText(TextIOWrapper):
    """A standard stream for other code, with escape sequences made harmless."""

    def __init__(self, descriptor: int, encoding: str) -> None:
        """Write lines to a descriptor, which stays open when this object is closed."""
        raw = BufferedWriter(FileIO(descriptor, "w", closefd=False))
        super().__init__(raw, encoding, "backslashreplace", line_buffering=True)

    def write(self, text: str) -> int:
        """Write a text with its control characters escaped."""
        super().write(visible(text, but=HARMLESS))
        return len(text)

    def isatty(self) -> bool:
        """Return False, because other code should not write escape sequences to terminals."""
        return False


def results() -> TextIO:
    """Return the stream for results."""
    return _Own.results or sys.stdout


def messages() -> TextIO:
    """Return the stream for errors, notes and progress."""
    return _Own.messages or sys.stderr


def set_apart() -> None:
    """Reserve standard output for results from now on."""
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
    """Flush buffers, including those of C if other code can have called any."""
    for stream in (results(), sys.__stdout__):
        with suppress(Exception):
            stream.flush()  # type: ignore[union-attr]
    if (ctypes := sys.modules.get("ctypes")) is not None:
        with suppress(Exception):
            ctypes.CDLL(None).fflush(None)


QUIET = "RINGYARD_QUIET"
"""Environment variable that turns progress off."""

FIRST_S, LATER, EVERY_S = 2.0, 2.0, 60.0
"""Without a terminal: seconds before the first line, factor between lines, most seconds
between lines."""

SOON_S, GLANCE_S = 1.0, 0.2
"""On a terminal: seconds before the first line, and between redraws."""

BAR = 24
"""Width of a bar."""

AWAY = "\r\x1b[K"
"""Sequence that clears the line."""

CURSOR = b"\r\x1b[K\x1b[?25h"
"""Sequence that clears the line and shows the cursor, which some bars hide."""


def tidy() -> undoing:
    """Restore the terminal if the process ends within the context."""
    return undoing(lambda: os.write(2, CURSOR))


class Work:
    """A task: its name, its progress, and its best result."""

    def __init__(self, title: str, total: int = 0) -> None:
        """Start the task."""
        self.title, self.total, self.found = title, total, ""
        self.steps: list[tuple[float, int]] = [(time.monotonic(), 0)]

    def count(self, done: int) -> None:
        """Record the progress. Drop every other moment if there are too many."""
        self.steps.append((time.monotonic(), done))
        if len(self.steps) > 2 * MOMENTS:
            self.steps = self.steps[::2] + self.steps[-1:]

    def saw(self, incumbent: Incumbent) -> None:
        """Record a better schedule."""
        self.found = f"best {incumbent.value:g}"
        if incumbent.bound:
            larger = max(incumbent.value, incumbent.bound)
            gap = 100 * abs(incumbent.value - incumbent.bound) / larger
            self.found += f", bound {incumbent.bound:g}, gap {gap:.2f} %"

    def words(self, moment: float, bar: bool) -> str:
        """Return the task's state as one line."""
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
"""Least number of past moments that are kept."""


def seconds_left(steps: list[tuple[float, int]], total: int, moment: float) -> float | None:
    """Return the remaining time at the pace of the later half of the work, if known.

    The estimate counts down from the last step. Once it reaches 0, the remaining time is unknown.
    """
    at, done = steps[-1]
    since, before = next(((t, n) for t, n in reversed(steps) if 2 * n <= done), steps[0])
    if done <= before or at <= since:
        return None
    left = (total - done) * (at - since) / (done - before) - (moment - at)
    return left if left >= 0 else None


def span(seconds: float) -> str:
    """Format a time in a suitable unit."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class _Line:
    """The line on standard error."""

    works: ClassVar[list[Work]] = []
    lock = threading.RLock()
    drawn = False
    held = 0
    """Number of other progress displays."""


def _put(text: str) -> None:
    """Write to standard error in its encoding. Ignore a closed stream."""
    with suppress(OSError, ValueError):
        coding = messages().encoding or "ascii"
        messages().write(text.encode(coding, "backslashreplace").decode(coding))
        messages().flush()


def clear() -> None:
    """Clear the line before other output."""
    with _Line.lock:
        if _Line.drawn:
            _Line.drawn = False
            _put(AWAY)


def _draw(terminal: bool) -> None:
    with _Line.lock:
        if _Line.held or not _Line.works:
            return
        work, moment = _Line.works[-1], time.monotonic()
        if moment - work.steps[0][0] < SOON_S and not work.found and len(work.steps) == 1:
            return  # There is nothing to report yet.
        text = work.words(moment, terminal)
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
    """Print the progress of a command within the context."""
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
                text = (
                    f"compiling kernels took {span(prepared)}. `ringyard warm` compiles them "
                    "ahead of time."
                )
                _put(f"note: {text}\n")


@contextmanager
def elsewhere() -> Iterator[None]:
    """Pause progress within the context, while other code displays its own."""
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
    """Report this task. Call the yielded function with every better schedule."""
    with _at(Work(title)) as work:
        yield work.saw


@contextmanager
def counting(title: str, total: int) -> Iterator[Callable[[int], None]]:
    """Report this task. Call the yielded function with the amount of work done."""
    with _at(Work(title, total)) as work:
        yield work.count
