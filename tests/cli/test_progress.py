"""What is under way is said once it takes long, on a terminal and elsewhere."""

import io
import os
import threading
from collections.abc import Callable

import pytest

from ringyard.cli.shared import progress
from ringyard.cli.shared.progress import QUIET, Work, counting, elsewhere, seconds_left, shown, span
from ringyard.instances import Incumbent, Schedule
from ringyard.instances import outcome as clock
from ringyard.instances.outcome import start_clock, stop_clock
from ringyard.simulation import jit


class Terminal(io.StringIO):
    """Standard error, seen."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal, self.written = terminal, threading.Event()

    def isatty(self) -> bool:
        return self.terminal

    def write(self, text: str) -> int:
        count = super().write(text)
        if "10 of 40" in text:
            self.written.set()
        return count


@pytest.fixture
def listen(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], Terminal]:
    """Let lines come at once; return what stands in for standard error."""
    monkeypatch.delenv(QUIET)
    for name in ("FIRST_S", "SOON_S", "GLANCE_S"):
        monkeypatch.setattr(progress, name, 0.001)
    monkeypatch.setattr(progress, "set_up_s", lambda: 0.0)

    def made(terminal: bool) -> Terminal:
        stream = Terminal(terminal)
        monkeypatch.setattr("sys.stderr", stream)
        return stream

    return made


@pytest.mark.parametrize("terminal", [True, False])
def test_a_command_says_what_it_is_at(
    listen: Callable[[bool], Terminal], terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((100, 24)))
    stream = listen(terminal)
    with shown("report"), counting("schedules judged", 40) as told:
        told(10)
        assert stream.written.wait(60), (stream.getvalue(), progress._Line.held)
    said = stream.getvalue()
    assert "schedules judged: " in said
    assert "10 of 40" in said
    assert ("\r\x1b[K" in said) == terminal
    assert said.endswith("\r\x1b[K" if terminal else "so far\n")


@pytest.mark.parametrize("reason", ["quiet", "elsewhere", "no command"])
def test_nothing_is_said_where_nobody_wants_it(
    listen: Callable[[bool], Terminal], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream, drawn = listen(False), threading.Event()
    monkeypatch.setattr(progress._Line, "lock", threading.RLock())
    if reason == "quiet":
        monkeypatch.setenv(QUIET, "yes")
    with shown("" if reason == "no command" else "report"):
        if reason == "elsewhere":
            with elsewhere():
                progress._draw(False)
        drawn.wait(0.05)
        assert reason == "elsewhere" or not progress._Line.works
    assert reason == "elsewhere" or stream.getvalue() == ""


def test_a_stream_that_takes_nothing_costs_nothing(
    listen: Callable[[bool], Terminal], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = listen(False)

    def full(_: str) -> int:
        stream.written.set()
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(stream, "write", full)
    monkeypatch.setattr(progress, "set_up_s", lambda: 5.0)
    with shown("report"):
        assert stream.written.wait(60), (stream.getvalue(), progress._Line.held)


def test_the_line_has_what_is_found_and_what_holds_it_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_CLOCK", clock._Clock())
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    work = Work("solving x\x1b[31m")
    work.saw(Incumbent(schedule=Schedule, value=10.0, bound=8.0))
    stop_clock("compiling")
    assert work.words(103.0, bar=False) == (
        "solving x\\x1b[31m: best 10, bound 8, gap 20.00 %, compiling, 3 s so far"
    )
    start_clock()
    assert "compiling" not in work.words(103.0, bar=False)


def test_time_left_follows_the_pace_of_the_later_half() -> None:
    """Slow at first, as long as kernels are compiled, then a hundred a second."""
    steps = [(0.0, 0), (60.0, 1), (61.0, 100), (62.0, 200), (63.0, 300)]
    assert seconds_left(steps, 1300, 63.0) == pytest.approx(10.0)
    assert seconds_left([(0.0, 0)], 10, 0.0) is None
    assert seconds_left([(0.0, 0), (5.0, 0)], 10, 5.0) is None
    assert [span(s) for s in (9.4, 600.0, 7200.0)] == ["9 s", "10 min", "2.0 h"]


def test_time_left_does_not_stand_still_between_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """4 of 40 in 4 s: 36 s are left, then fewer, then nobody knows."""
    monkeypatch.setattr(clock, "_CLOCK", clock._Clock())
    at = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: at[0])
    work = Work("random instances", 40)
    for done in range(1, 5):
        at[0] = float(done)
        work.count(done)
    assert ", 36 s left, " in work.words(4.0, bar=False)
    assert ", 30 s left, " in work.words(10.0, bar=False)
    assert "left" not in work.words(60.0, bar=False)


def test_while_kernels_compile_the_line_says_so_and_no_time_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clock, "_CLOCK", clock._Clock())
    work, said = Work("random instances", 40), list[str]()
    work.steps = [(0.0, 0), (4.0, 4)]
    monkeypatch.setattr(jit, "stop_clock", lambda words=None: (stop_clock(words), hear())[0])

    def hear() -> None:
        said.append(work.words(4.0, bar=False))

    @jit.entry
    def twice(x: int) -> int:
        return 2 * x

    monkeypatch.setenv(jit.MODE, "compiled")
    monkeypatch.setattr(jit._Entry, "_kept", lambda _: False)
    assert twice(4) == 8
    assert said[-1] == "random instances: 4 of 40, compiling kernels (twice), 4 s so far"


def test_moments_are_forgotten_evenly(monkeypatch: pytest.MonkeyPatch) -> None:
    at = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: at[0])
    work = Work("counting", 100_000)
    for done in range(1, 5_001):
        at[0] = done / 10
        work.count(done)
    assert len(work.steps) <= 2 * progress.MOMENTS + 1
    left = seconds_left(work.steps, 100_000, at[0])
    assert left == pytest.approx(9_500, rel=0.05)
