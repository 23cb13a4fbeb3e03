"""The clock of time limits: it stands still while kernels are prepared."""

import time

import numba
import pytest

from ringyard.instances import Limits
from ringyard.instances import outcome as clock
from ringyard.simulation import compiled  # noqa: F401


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is."""
    at = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: at[0])
    monkeypatch.setattr(clock, "_CLOCK", clock._Clock())
    return at


def test_what_is_left_out_does_not_count(moment: list[float]) -> None:
    limits = Limits(time_s=5.0)
    moment[0] = 101.0
    clock.stop_clock()
    moment[0] = 103.0
    assert clock.set_up_s() == 2.0
    clock.start_clock()
    moment[0] = 106.0
    assert not limits.over()
    assert limits.left_s() == 1.0
    moment[0] = 107.0
    assert limits.over()
    assert limits.left_s() == 0.0


def test_what_two_threads_leave_out_at_once_is_left_out_once(moment: list[float]) -> None:
    start = clock.now()
    for second, change in enumerate(
        (clock.stop_clock, clock.stop_clock, clock.start_clock, clock.start_clock)
    ):
        moment[0] = 101.0 + second
        change()
        assert clock.now() - start == 1.0
    moment[0] = 105.0
    assert clock.now() - start == 2.0
    assert clock.set_up_s() == 3.0


def test_without_a_limit_it_is_never_over(moment: list[float]) -> None:
    limits = Limits()
    moment[0] = 1e9
    assert not limits.over()
    assert limits.left_s() is None


def test_seconds_of_the_compiler_are_left_out() -> None:
    """Only numba knows when it compiles: what has been left out grows when it does."""
    twice = numba.njit(lambda x: 2 * x)
    twice(1.5)
    before = clock.set_up_s()
    assert twice(21) == 42
    after = clock.set_up_s()
    assert before < after
    assert twice(4) == 8
    assert clock.set_up_s() == after


def test_plain_python_is_left_out_for_a_fixed_time_only(moment: list[float]) -> None:
    """Ten seconds in all, whether in one call or in several; compiling never counts."""
    limits = Limits(time_s=5.0)
    for _ in range(2):
        clock.stop_clock(plain=True)
        moment[0] += clock.PLAIN_S / 2
        clock.start_clock(plain=True)
    assert limits.left_s() == 5.0
    clock.stop_clock(plain=True)
    moment[0] += 2.0
    assert limits.left_s() == 3.0
    clock.stop_clock("compiling")
    moment[0] += 100.0
    clock.start_clock()
    assert limits.left_s() == 3.0
    moment[0] += 3.0
    assert limits.over()
    clock.start_clock(plain=True)
    assert clock.set_up_s() == clock.PLAIN_S + 100.0


def test_a_limit_is_heard_within_a_call_of_plain_python_that_never_ends(
    moment: list[float],
) -> None:
    limits = Limits(time_s=1.0)
    clock.stop_clock(plain=True)
    moment[0] += clock.PLAIN_S + 0.5
    assert not limits.over()
    moment[0] += 0.5
    assert limits.over()
