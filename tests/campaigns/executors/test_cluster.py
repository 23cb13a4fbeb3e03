"""A Dask cluster as executor: real schedulers and workers, which come and go."""

import subprocess
import sys
from collections.abc import Iterator
from logging import getLogger
from pathlib import Path

import pytest
from campaigns.executors.conftest import Marked, Waiting
from campaigns.executors.dask_processes import Cluster
from campaigns.executors.doing import eventually, gather, task, until

from ringyard.campaigns.executors.dask import DaskExecutor
from ringyard.instances import InputError, MissingError, RefusedError


@pytest.fixture
def cluster(tmp_path: Path, hostile: None) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.close()


@pytest.fixture
def executor(cluster: Cluster) -> Iterator[DaskExecutor]:
    cluster.scheduler()
    executor = eventually(lambda: _connected(cluster.address))
    yield executor
    executor.close()


def _connected(address: str) -> DaskExecutor | None:
    try:
        return DaskExecutor(address, grace_s=1.0)
    except MissingError:
        return None


def _at_work(
    cluster: Cluster, executor: DaskExecutor, waiting: Waiting
) -> "subprocess.Popen[bytes]":
    """Start a worker, and return it with a run under way that goes on until it is told to end."""
    worker = cluster.worker()
    eventually(lambda: executor.slots == 1)
    executor.submit(task("waits"))
    until(executor, waiting.new)
    return worker


@pytest.mark.slow
def test_a_cluster_does_runs_and_survives_them(
    cluster: Cluster, executor: DaskExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert executor.slots == 0
    [lonely] = executor.notices()
    assert lonely == (
        f"the scheduler at {cluster.address} has no workers. "
        f"Start some with `dask worker {cluster.address} --host 127.0.0.1 "
        "--dashboard-address 127.0.0.1:0`."
    )
    worker = cluster.worker(threads=2)
    eventually(lambda: executor.slots == 2)
    usual = [{**task("gang-lpt", seed=seed), "key": str(seed)} for seed in range(5)]
    hostile = [task("aborts"), task("hoards", memory_limit=500), task("hangs", time_limit=0.1)]
    found = {key: one.columns for key, one in gather(executor, *hostile, *usual).items()}
    assert {key: columns["status"] for key, columns in found.items()} == {
        **dict.fromkeys("01234", "feasible"),
        "aborts": "crashed",
        "hoards": "out of memory",
        "hangs": "timed out",
    }
    assert worker.poll() is None
    assert executor.notices() == []
    large = {**task("gang-lpt"), "ballast": "x" * 12_000_000}
    assert gather(executor, large)["gang-lpt"].columns["status"] == "feasible"
    with monkeypatch.context() as other:
        other.setattr("ringyard.campaigns.executors.dask.__version__", "0.0.1")
        with pytest.raises(RefusedError, match=r"scheduler has ringyard .* installed, not 0\.0\.1"):
            DaskExecutor(cluster.address)
    executor.submit({**task("gang-lpt"), "version": "0.0.1"})
    with pytest.raises(RefusedError, match=r"has ringyard .* and this process 0\.0\.1\. Install"):
        until(executor, lambda: False)


@pytest.mark.slow
def test_a_run_whose_worker_is_killed_is_done_by_another(
    cluster: Cluster, executor: DaskExecutor, waiting: Waiting
) -> None:
    first = _at_work(cluster, executor, waiting)
    cluster.worker()
    first.kill()
    until(executor, waiting.new)
    waiting.end()
    [finished] = eventually(lambda: executor.finished(1.0))
    assert finished.columns["status"] == "feasible"
    assert executor.finished(0.5) == []


@pytest.mark.slow
def test_a_run_that_loses_too_many_workers_is_a_row(
    cluster: Cluster, waiting: Waiting, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    cluster.scheduler()
    executor = eventually(lambda: _connected(cluster.address))
    worker = _at_work(cluster, executor, waiting)
    worker.kill()
    [finished] = eventually(lambda: executor.finished(1.0))
    executor.close()
    assert (finished.columns["status"], finished.columns["termination"]) == ("killed", "killed")
    assert finished.columns["note"] == "all 1 Dask workers that ran it were terminated"
    assert finished.schedule is None


@pytest.mark.slow
def test_a_scheduler_may_go_and_come_back(
    cluster: Cluster, executor: DaskExecutor, waiting: Waiting
) -> None:
    _at_work(cluster, executor, waiting)
    executor.notices()
    cluster.processes[0].kill()
    gone = until(executor, executor.notices)
    assert gone == [f"lost the scheduler at {cluster.address}, waiting for a new one"]
    assert executor.slots == 0
    cluster.scheduler()
    back = until(executor, executor.notices)
    assert back[0] == f"connected to a new scheduler at {cluster.address}"
    cluster.worker()
    until(executor, waiting.new)
    waiting.end()
    [finished] = eventually(lambda: executor.finished(1.0))
    assert finished.columns["status"] == "feasible"
    assert executor.finished(0.5) == []


@pytest.mark.slow
def test_a_scheduler_that_is_ended_leaves_no_traceback(
    cluster: Cluster, executor: DaskExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    """The connection closes while a message waits to be sent, which Dask logs at length."""
    client, [scheduler] = executor._client, cluster.processes
    assert client is not None
    line = client.scheduler_comm

    def end() -> None:
        scheduler.terminate()
        scheduler.wait()
        line.send({"op": "heartbeat-client"})
        line.comm.abort()

    getLogger("distributed").addHandler(caplog.handler)
    client.loop.add_callback(end)
    eventually(line.stopped.is_set)
    getLogger("distributed").removeHandler(caplog.handler)
    assert caplog.text == ""
    eventually(lambda: not executor.slots and "lost the scheduler" in "".join(executor.notices()))


@pytest.mark.slow
def test_workers_end_what_nobody_waits_for(
    cluster: Cluster, executor: DaskExecutor, processes: Marked
) -> None:
    cluster.worker()
    eventually(lambda: executor.slots == 1)
    executor.submit(task("hangs"))
    until(executor, lambda: processes.found("executors.worker"))
    executor.close()
    eventually(lambda: not processes.found("executors."))


def test_nobody_at_an_address_is_said(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringyard.campaigns.executors.dask.CONNECT_S", 0.5)
    with pytest.raises(MissingError, match=f"answers at {cluster.address}. Start one there with"):
        DaskExecutor(cluster.address)


@pytest.mark.parametrize("address", ["", "here", "tcp://", "tcp://h", "tcp://h:x", "ws://h:1"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(InputError, match=r"expected tcp://HOST:PORT\. Copy the address that"):
        DaskExecutor(address)


def test_without_dask_the_command_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingError, match=r"pip install 'ringyard\[dask\]'"):
        DaskExecutor("tcp://127.0.0.1:1")
