"""The clock of time limits, which stands still while kernels are compiled.

What a compiler takes on first use says nothing of a method, and is gone when it runs again.
"""

import time
from collections.abc import Callable

_HELD: list[Callable[[], float]] = []


def now() -> float:
    """Return the seconds that count, since some moment."""
    return time.monotonic() - sum(held() for held in _HELD)


def leave_out(seconds: Callable[[], float]) -> None:
    """Leave out the seconds that are counted elsewhere, none so far."""
    _HELD.append(seconds)
