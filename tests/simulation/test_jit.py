"""Kernels run plain or compiled, whichever is best, and nobody can tell but by the time."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from ringyard import load, solve
from ringyard.instances import Limits, MakespanInstance, load_instance
from ringyard.instances import outcome as clock
from ringyard.instances.outcome import now, set_up_s
from ringyard.search.makespan.bounds import load as load_bound
from ringyard.simulation import compiled as linked
from ringyard.simulation import jit
from ringyard.simulation.jit import MODE, entry, kernel, record

PAIR = record("item", floats="share")
"""`item` is a name that numpy's own records have for something else."""


@kernel
def add(pairs: np.ndarray, i: int, by: float) -> float:
    pairs[i].item += 1
    pairs[i].share += by
    return pairs[i].share


@entry
def count(pairs: np.ndarray, many: int) -> tuple[float, int, bool]:
    total, fresh = 0.0, np.zeros(2, PAIR)
    for i in range(many):
        total += add(pairs, i % pairs.size, 0.5) + add(fresh, 0, 0.0)
    return total, pairs[0].item, pairs[0].item > 3


@pytest.fixture(autouse=True)
def as_in_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODE, raising=False)
    monkeypatch.setattr(jit, "_spent", 0.0)
    for name, value in (("fast", None), ("spent", 0.0)):
        monkeypatch.setattr(count, name, value)
    monkeypatch.setattr(jit._Entry, "_kept", lambda _: False)


def test_both_give_the_same_in_numbers_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {}
    for mode in ("plain", "compiled"):
        monkeypatch.setenv(MODE, mode)
        pairs = np.zeros(3, PAIR)
        answer = count(pairs, 100)
        found[mode] = answer, [type(part) for part in answer], pairs.tolist()
    assert found["plain"] == found["compiled"]
    assert found["plain"][0] == (858.5, 34, True)


def test_what_a_plain_entry_calls_is_plain_though_it_is_compiled_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Arrays that compiled code creates have records without attributes."""

    @entry
    def made(size: int) -> np.ndarray:
        return np.zeros(size, PAIR)

    @entry
    def filled(size: int) -> float:
        return add(made(size), 0, 0.5)

    monkeypatch.setenv(MODE, "compiled")
    assert made(3).size == 3
    monkeypatch.setenv(MODE, "plain")
    assert made.fast is not None  # type: ignore[attr-defined]
    assert filled(3) == 0.5


@pytest.mark.parametrize("tried", [True, False])
def test_kernels_are_compiled_with_their_entry_where_numba_is_one_that_was_tried(
    tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert any(numba.__version__.startswith(one + ".") for one in linked.TRIED)
    if not tried:
        monkeypatch.setattr(linked, "TRIED", ())

    @kernel
    def inner(pairs: np.ndarray) -> float:
        return add(pairs, 0, 0.5)

    @entry
    def outer(pairs: np.ndarray) -> float:
        return inner(pairs) + inner(pairs)

    monkeypatch.setenv(MODE, "compiled")
    assert outer(np.zeros(2, PAIR)) == 1.5
    (made,) = inner._compiled.overloads.values()  # type: ignore[attr-defined]
    assert isinstance(made.library, linked._Linked) == tried


def test_little_work_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit._Entry, "compiled", property(lambda _: pytest.fail("compiled")))
    assert count(np.zeros(3, PAIR), 10)[1] == 4


@pytest.mark.parametrize("budget", ["LOADING_S", "COMPILING_S"])
def test_a_call_that_takes_too_long_is_undone_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, budget: str
) -> None:
    monkeypatch.setattr(jit, "LOADING_S", 0.0005)
    monkeypatch.setattr(jit, "COMPILING_S", 0.001)
    if budget == "LOADING_S":
        monkeypatch.setattr(jit._Entry, "_kept", lambda _: True)
    pairs, halt = np.zeros(3, PAIR), np.zeros(1, np.bool_)
    answer = count(pairs, 300_000)
    assert count.fast is not None
    assert pairs["item"].tolist() == [100_000] * 3
    assert answer[1:] == (100_000, True)
    assert jit._flag(halt)


def test_what_has_much_ahead_is_compiled_at_once_and_what_has_little_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jit, "_spent", 0.0)
    count(np.zeros(3, PAIR), 10)
    count.spent = 0.5
    jit.expect(count, ahead=1000, done=10)
    assert count.spent == 0.5
    jit.expect(count, ahead=10_000, done=10)
    assert count.spent >= jit.COMPILING_S
    count.spent = 0.0
    jit.expect(count)
    assert count._seconds() <= 0.0


def test_kept_kernels_are_loaded_at_once_where_many_calls_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jit, "_spent", 0.0)
    monkeypatch.setattr(jit._Entry, "_kept", lambda _: True)
    count.spent = 0.0
    assert count._seconds() > 0.0
    jit.load_kept()
    assert count._seconds() <= 0.0


def test_an_interrupt_leaves_nothing_half_done(monkeypatch: pytest.MonkeyPatch) -> None:
    @entry
    def broken(pairs: np.ndarray) -> None:
        add(pairs, 0, 0.5)
        raise KeyboardInterrupt

    pairs = np.zeros(3, PAIR)
    with pytest.raises(KeyboardInterrupt):
        broken(pairs)
    assert not pairs["item"].any()
    assert jit._THREAD.entry is None


def test_what_is_kept_is_found_also_if_another_process_made_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tmp_path.chmod(0o700)
    monkeypatch.setattr(jit, "cache_folder", lambda: tmp_path)

    @entry
    def thrice(x: int) -> int:
        return 3 * x

    assert not jit.kept(thrice)
    monkeypatch.setenv(MODE, "compiled")
    assert thrice(2) == 6
    assert jit.kept(thrice)


def test_what_setting_up_takes_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODE, "plain")
    seconds = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(clock, "_CLOCK", clock._Clock())  # What is left out here is not for all.

    @entry
    def slow() -> None:
        seconds[0] += 5.0

    before, set_up = now(), set_up_s()
    slow()
    seconds[0] += 1.0
    assert (now() - before, set_up_s() - set_up) == (1.0, 5.0)


def test_a_long_loop_without_kernels_is_compiled_before_it_begins() -> None:
    """It could not be broken off, so a time limit would not be heard before its end."""

    @entry
    def fill(flags: np.ndarray) -> int:
        for i in range(flags.size):
            flags[i] = True
        return int(flags.size)

    few, many = np.zeros(10, np.bool_), np.zeros(jit.LARGE, np.bool_)
    assert fill(few) == 10
    assert fill.fast is None  # type: ignore[attr-defined]
    assert fill(many) == jit.LARGE
    assert fill.fast is not None  # type: ignore[attr-defined]
    assert fill.spent < jit.COMPILING_S  # type: ignore[attr-defined]


def test_a_bound_of_jobs_of_very_many_slots_does_not_wait_for_plain_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in (("fast", None), ("spent", 0.0)):
        monkeypatch.setattr(load_bound._fill, name, value)
    instance = load_instance(Path(__file__).parents[1] / "cases" / "jobs-of-very-many-slots.json")
    assert isinstance(instance, MakespanInstance)
    assert load_bound.load_bound(instance, Limits(time_s=1.0)) is not None
    assert load_bound._fill.fast is not None  # type: ignore[attr-defined]
    assert load_bound._fill.spent < jit.COMPILING_S  # type: ignore[attr-defined]


def test_a_kernel_is_compiled_once_whatever_literals_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(MODE, "compiled")
    inner = kernel(lambda x: x + 1)
    outer = entry(lambda: inner(1) + inner(2) + inner(-3))
    assert outer() == 3
    assert len(inner.compiled.signatures) == 1  # type: ignore[attr-defined]


def test_preparing_takes_nothing_of_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call of an entry in plain Python takes a part of a second here, and nothing else any time.

    All calls take longer than the limit, and no longer than the clock stands still for them.
    """
    monkeypatch.setenv(MODE, "plain")
    monkeypatch.setattr(jit._Entry, "fast", property(lambda _: None))  # Compiled before or not.
    instance, seconds, readable = load("small-06x3-fluid"), [100.0], jit._readable
    calm = solve(instance, "sjf-bco").schedule

    def slow(value: Any) -> Any:
        seconds[0] += 2**-8
        return readable(value)

    monkeypatch.setattr(time, "monotonic", lambda: seconds[0])
    monkeypatch.setattr(clock, "_CLOCK", clock._Clock())  # What is left out here is not for all.
    monkeypatch.setattr(jit, "_readable", slow)
    answer = solve(instance, "sjf-bco", time_limit=1.0)
    assert 100.0 + 1.0 < seconds[0] < 100.0 + clock.PLAIN_S
    assert answer.seconds == 0.0
    assert answer.schedule == calm


@pytest.mark.slow
def test_seconds_are_those_of_the_method_whether_its_kernels_are_kept_or_not(
    tmp_path: Path,
) -> None:
    took, counted = [], []
    for _ in range(2):
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-P", "-m", "ringyard", "solve", "small-06x3", "--json"],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), MODE: "compiled"},
            capture_output=True,
            check=True,
        )
        took.append(time.monotonic() - began)
        counted.append(json.loads(done.stdout)["seconds"])
    assert abs(counted[0] - counted[1]) < (took[0] - took[1]) / 4
