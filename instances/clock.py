"""The clock of time limits, which stands still while kernels are being prepared.

What a compiler takes on first use says nothing of a method, and is gone when it runs again. The
same holds for kernels that run as plain Python until they are compiled, but for a fixed time only.
"""

import time
from threading import RLock

PLAIN_S = 10.0
"""Seconds of a process for which the clock stands still while kernels run as plain Python.

Kernels that are kept are loaded after a fraction of a second of plain Python, and others are
compiled after three seconds each, of which a command rarely has more than two or three. What runs
as plain Python for longer is not being prepared: its seconds count.
"""


class _Clock:
    """Seconds of set-up so far; intervals that overlap, in several threads, count once."""

    def __init__(self) -> None:
        self.lock, self.spent, self.last = RLock(), 0.0, time.monotonic()
        self.preparing = self.plain = 0
        """Calls under way."""
        self.plain_left = PLAIN_S
        self.words = ""

    def settle(self) -> float:
        """Count the seconds since the last look, and return what time it is."""
        passed, self.last = -self.last, time.monotonic()
        passed += self.last
        if self.preparing:
            self.spent += passed
        elif self.plain:
            left_out = min(passed, self.plain_left)
            self.plain_left -= left_out
            self.spent += left_out
        return self.last

    def read(self) -> tuple[float, float]:
        """Return the seconds that count, since some moment, and those that do not."""
        with self.lock:
            return self.settle() - self.spent, self.spent


_CLOCK = _Clock()


def now() -> float:
    """Return the seconds that count, since some moment."""
    return _CLOCK.read()[0]


def set_up_s() -> float:
    """Return the seconds so far that do not count."""
    return _CLOCK.read()[1]


def set_up_words() -> str:
    """Say what is being prepared, if anything is."""
    return _CLOCK.words if _CLOCK.preparing or _CLOCK.plain else ""


def stop_clock(words: str | None = None, *, plain: bool = False) -> None:
    """Let no second count until `start_clock` has been called as often.

    `words` say what goes on, now and as long as nobody has others. For what is `plain` Python the
    clock stands still for `PLAIN_S` seconds in all.
    """
    with _CLOCK.lock:
        _CLOCK.settle()
        _CLOCK.words = _CLOCK.words if words is None else words
        _CLOCK.plain += plain
        _CLOCK.preparing += not plain


def start_clock(*, plain: bool = False) -> None:
    """Let the seconds count again."""
    with _CLOCK.lock:
        _CLOCK.settle()
        _CLOCK.plain -= plain
        _CLOCK.preparing -= not plain
