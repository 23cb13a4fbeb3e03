"""Python code that knows no clock is ended, and nothing of that is left behind."""

import itertools

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


@pytest.mark.parametrize("left_s", [None, 1e6])
def test_what_ends_in_time_is_handed_on(left_s: float | None) -> None:
    assert in_time(lambda: 42, left_s) == 42
    with pytest.raises(ZeroDivisionError):
        in_time(lambda: 1 // 0, left_s)


def test_nothing_is_begun_in_no_time() -> None:
    begun = list[int]()
    assert in_time(lambda: begun.append(1), Limits(time_s=0.0).left_s()) is None
    assert begun == []
