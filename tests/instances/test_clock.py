"""The clock of time limits: it stands still for what somebody leaves out, such as compiling."""

import time

import numba
import pytest

from ringyard.instances import Limits, clock
from ringyard.simulation import jit


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What time it is, and what somebody left out so far."""
    at = [100.0, 0.0]
    monkeypatch.setattr(time, "monotonic", lambda: at[0])
    monkeypatch.setattr(clock, "_HELD", [lambda: at[1]])
    return at


def test_what_is_left_out_does_not_count(moment: list[float]) -> None:
    limits = Limits(time_s=5.0)
    moment[:] = 107.0, 3.0
    assert not limits.over()
    assert limits.left_s() == 1.0
    moment[0] = 108.0
    assert limits.over()
    assert limits.left_s() == 0.0


def test_without_a_limit_it_is_never_over(moment: list[float]) -> None:
    limits = Limits()
    moment[0] = 1e9
    assert not limits.over()
    assert limits.left_s() is None


def test_seconds_of_the_compiler_are_left_out() -> None:
    """Only numba knows when it compiles: what has been left out grows when it does."""
    twice = numba.njit(lambda x: 2 * x)
    before = sum(held() for held in clock._HELD)
    assert twice(21) == 42
    after = sum(held() for held in clock._HELD)
    assert jit._compiling.done
    assert before < after == float(jit._compiling.duration)
    assert twice(4) == 8
    assert sum(held() for held in clock._HELD) == after
