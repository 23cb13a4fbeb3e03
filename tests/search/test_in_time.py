"""Python code that knows no clock is ended, and nothing of that is left behind."""

import gc
import itertools
import time

import pytest

from ringyard.instances import Limits
from ringyard.search.built import in_time


def test_what_would_never_end_is_ended() -> None:
    steps = itertools.count()

    def work() -> None:
        while True:
            try:
                next(steps)
            except Exception:  # As Pyomo does around what it calls.
                raise

    assert in_time(work, 0.01) is None


class _Slow:
    """Takes its time where the interpreter drops what is raised."""

    def __del__(self) -> None:
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            pass


@pytest.mark.filterwarnings("error")
def test_what_is_dropped_is_raised_again(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        _Slow()
        while True:
            pass

    assert in_time(work, 0.05) is None
    gc.collect()
    assert capfd.readouterr().err == ""


def test_nothing_is_raised_after_the_end() -> None:
    for _ in range(200):
        in_time(lambda: sum(range(2000)), 1e-4)
    until = time.monotonic() + 0.3
    while time.monotonic() < until:
        pass


@pytest.mark.parametrize("left_s", [None, 1e6])
def test_what_ends_in_time_is_handed_on(left_s: float | None) -> None:
    assert in_time(lambda: 42, left_s) == 42
    with pytest.raises(ZeroDivisionError):
        in_time(lambda: 1 // 0, left_s)


def test_nothing_is_begun_in_no_time() -> None:
    begun = list[int]()
    assert in_time(lambda: begun.append(1), Limits(time_s=0.0).left_s()) is None
    assert begun == []
