"""This machine as executor: every run comes back once, and nothing it does harms another."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from campaigns.executors.conftest import Marked, Waiting
from campaigns.executors.doing import LONG_S, eventually, gather, task, until

from ringyard.campaigns.executors.local import LocalExecutor
from ringyard.campaigns.perform import perform
from ringyard.instances import RefusedError

ME = os.getpid()
ENDS = {
    "hangs": ("timed out", "killed", "it ignored its time limit"),
    "spins": ("timed out", "time_limit", "it used 0.5 s of processor time"),
    "hoards": ("out of memory", "memory_limit", "it grew beyond 500 MB"),
    "exhausts": ("out of memory", "memory_limit", "MemoryError"),
    "aborts": ("crashed", "crashed", "its process died (SIGABRT) a last word"),
    "segfaults": ("crashed", "crashed", "its process died (SIGSEGV)"),
    "exits": ("crashed", "crashed", "its process died (exit code 0)"),
    "quits": ("crashed", "crashed", "its process died (exit code 3)"),
    "hangs-up": ("crashed", "crashed", "it closed its line"),
    "always-dies": ("killed", "killed", "its process was terminated from outside (SIGKILL)"),
    "raises": ("error", "failed", "ZeroDivisionError: nothing to share"),
}
LIMITS: dict[str, dict[str, Any]] = {
    "hangs": {"time_limit": 0.1},
    "spins": {"cpu_limit": 0.5},
    "hoards": {"memory_limit": 500},
}
SLOW = {"spins", "segfaults", "exhausts", "exits", "quits", "hangs-up", "always-dies"}


@pytest.fixture
def executor() -> Iterator[LocalExecutor]:
    executor = LocalExecutor(2, grace_s=0.5)
    yield executor
    executor.close()


def test_runs_come_back_as_if_done_here(executor: LocalExecutor) -> None:
    tasks = [{**task("gang-lpt", seed=seed), "key": str(seed)} for seed in range(20)]
    found = gather(executor, *tasks)
    here = perform(tasks[3])
    assert found["3"].schedule == here["schedule"]
    own = {"seconds", "seconds_bound", "seconds_check", "cpu_seconds", "memory_mb", "phases"}
    own |= {"started", "trajectory", "code"}
    there = found["3"].columns
    assert {k: v for k, v in there.items() if k not in own} == {
        k: v for k, v in here["columns"].items() if k not in own
    }
    assert there.keys() - here["columns"].keys() == {"memory_mb"}
    assert 20 < there["memory_mb"] < 500
    assert 0 < there["cpu_seconds"] < 20
    assert executor.notices() == []


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "methods", [ENDS.keys() - SLOW, pytest.param(SLOW, marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_a_hostile_method_is_a_row_with_a_reason(
    executor: LocalExecutor, methods: set[str]
) -> None:
    hostile = [task(method, **LIMITS.get(method, {})) for method in sorted(methods)]
    found = gather(executor, *hostile, task("gang-lpt"))
    ends = {key: one.columns for key, one in found.items()}
    assert ends.pop("gang-lpt")["status"] == "feasible"
    assert {
        key: (columns["status"], columns["termination"], columns["note"])
        for key, columns in ends.items()
    } == {method: ENDS[method] for method in methods}
    for key, columns in ends.items():
        assert found[key].schedule is None
        assert (columns["valid"], columns["violations"]) == (False, 0)
        assert columns["solution_status"] == "nothing"
        assert columns["host"]
        assert columns["started"]
        assert columns["cpu_seconds"] >= 0


@pytest.mark.slow
@pytest.mark.usefixtures("hostile")
def test_rubbish_and_orphans_do_no_harm(executor: LocalExecutor, processes: Marked) -> None:
    found = gather(executor, task("chatters"), task("scatters"))
    assert {one.columns["status"] for one in found.values()} == {"feasible"}
    eventually(lambda: not processes.found("sleep"))


@pytest.mark.slow
@pytest.mark.usefixtures("hostile")
def test_a_worker_that_has_grown_is_replaced() -> None:
    executor = LocalExecutor(1)
    found = gather(executor, task("grows"), task("gang-lpt"))
    executor.close()
    assert found["grows"].columns["memory_mb"] > 1100
    assert found["gang-lpt"].columns["memory_mb"] < 500


@pytest.mark.usefixtures("hostile")
def test_a_run_ended_from_outside_begins_anew(
    executor: LocalExecutor, processes: Marked, waiting: Waiting
) -> None:
    executor.submit(task("waits"))
    os.kill(until(executor, waiting.new), signal.SIGKILL)
    until(executor, waiting.new)
    [keeper] = processes.found("keeper")
    os.kill(keeper, signal.SIGKILL)
    until(executor, waiting.new)
    waiting.end()
    [finished] = eventually(lambda: executor.finished(1.0))
    assert finished.columns["status"] == "feasible"
    assert executor.notices() == ["a run was terminated from outside and restarts"] * 2
    assert executor.finished(0.0) == []


@pytest.mark.slow
def test_an_idle_worker_that_is_ended_is_replaced(
    executor: LocalExecutor, processes: Marked
) -> None:
    for role in ("worker", "keeper"):
        gather(executor, task("gang-lpt"))
        [one] = processes.found(role)
        os.kill(one, signal.SIGKILL)
    assert gather(executor, task("gang-lpt"))["gang-lpt"].columns["status"] == "feasible"


@pytest.mark.usefixtures("hostile")
def test_an_interrupt_ends_everything(executor: LocalExecutor, processes: Marked) -> None:
    executor.submit(task("hangs"))
    eventually(lambda: processes.found("worker"))

    def interrupted() -> None:
        Thread(target=os.kill, args=(ME, signal.SIGINT)).start()
        executor.finished(LONG_S)

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    executor.close()
    assert processes.found() == []


@pytest.mark.usefixtures("hostile")
def test_nothing_outlives_a_parent_that_is_killed(processes: Marked, waiting: Waiting) -> None:
    code = (
        "from campaigns.executors.doing import task\n"
        "from ringyard.campaigns.executors.local import LocalExecutor\n"
        "executor = LocalExecutor(2)\n"
        "executor.submit(task('waits'))\n"
        "executor.submit(task('hoards'))\n"
        "executor.finished(600)\n"
    )
    path = os.pathsep.join(filter(None, sys.path))
    parent = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": path})
    eventually(waiting.new)
    parent.kill()
    parent.wait()
    eventually(lambda: not processes.found())


def test_workers_that_cannot_start_stop_the_campaign(
    executor: LocalExecutor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import os, sys\n"
        "if sys.orig_argv[-2].endswith('worker'):\n"
        "    os.write(2, b'no room\\n')\n"
        "    os._exit(1)\n"
    )
    (tmp_path / "sitecustomize.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    executor.submit(task("gang-lpt"))
    with pytest.raises(RefusedError, match=r"no worker process starts: .*exit code 1.* no room"):
        eventually(lambda: executor.finished(1.0))


def test_too_many_workers_stop_the_campaign(
    executor: LocalExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(subprocess, "Popen", full)
    with pytest.raises(RefusedError, match="no worker process starts: Too many open files"):
        executor.submit(task("gang-lpt"))
