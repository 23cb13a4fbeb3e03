"""The clock of time limits, which stands still while kernels are being prepared.

What a compiler takes on first use says nothing of a method, and is gone when it runs again.
"""

import time
from threading import RLock


class _Clock:
    """Seconds of set-up so far; intervals that overlap, in several threads, count once."""

    def __init__(self) -> None:
        self.lock, self.under_way, self.since, self.spent = RLock(), 0, 0.0, 0.0
        self.words = ""

    def read(self) -> tuple[float, float]:
        """Return the seconds that count, since some moment, and those that do not."""
        with self.lock:
            time_now = time.monotonic()
            left_out = self.spent + (time_now - self.since if self.under_way else 0.0)
            return time_now - left_out, left_out


_CLOCK = _Clock()


def now() -> float:
    """Return the seconds that count, since some moment."""
    return _CLOCK.read()[0]


def set_up_s() -> float:
    """Return the seconds so far that do not count."""
    return _CLOCK.read()[1]


def set_up_words() -> str:
    """Say what is being prepared, if anything is."""
    return _CLOCK.words if _CLOCK.under_way else ""


def stop_clock(words: str | None = None) -> None:
    """Let no second count until `start_clock` has been called as often.

    `words` say what goes on, now and as long as nobody has others.
    """
    with _CLOCK.lock:
        _CLOCK.words = _CLOCK.words if words is None else words
        if not _CLOCK.under_way:
            _CLOCK.since = time.monotonic()
        _CLOCK.under_way += 1


def start_clock() -> None:
    """Let the seconds count again."""
    with _CLOCK.lock:
        _CLOCK.under_way -= 1
        if not _CLOCK.under_way:
            _CLOCK.spent += time.monotonic() - _CLOCK.since
