"""What it costs that a run is done apart: in this process, in a worker here, on a Dask cluster."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ringyard.campaigns.executors import Executor
from ringyard.campaigns.executors.dask import DaskExecutor
from ringyard.campaigns.executors.local import LocalExecutor
from ringyard.campaigns.perform import perform
from ringyard.campaigns.runs import Run, Task
from ringyard.instances import MissingError
from ringyard.instances.generate import generate

RUNS = 50


def tasks() -> list[Task]:
    """Return short runs; their keys are new on every call."""
    instance = generate("small", seed=0, jobs=6, servers=3)
    runs = [Run(instance=instance, method="gang-lpt", seed=seed).task() for seed in range(RUNS)]
    return [{**task, "key": f"{task['key']}-{time.monotonic_ns()}"} for task in runs]


def done(executor: Executor) -> int:
    """Do all tasks one after another."""
    count = 0
    for task in tasks():
        executor.submit(task)
        while not (found := executor.finished(10.0)):
            pass
        count += sum(one.columns["valid"] for one in found)
    return count


@pytest.fixture
def local() -> Iterator[Executor]:
    executor = LocalExecutor(1)
    yield executor
    executor.close()


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[Executor]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    with ExitStack() as stack, (tmp_path / "log").open("wb") as log:
        for program, *words in (
            ("scheduler", "--host", "127.0.0.1", "--port", str(port)),
            ("worker", address, "--nthreads", "1", "--no-nanny"),
        ):
            command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *words]
            process = subprocess.Popen(
                [*command, "--no-dashboard"], cwd=tmp_path, stdout=log, stderr=log
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
        executor = _connected(address)
        stack.callback(executor.close)
        yield executor


def _connected(address: str) -> DaskExecutor:
    deadline = time.monotonic() + 60
    while True:
        try:
            executor = DaskExecutor(address)
        except MissingError:
            if time.monotonic() > deadline:
                raise
        else:
            return executor


@pytest.mark.benchmark(group=f"{RUNS} short runs")
def test_here(benchmark: Any) -> None:
    def run() -> int:
        return sum(perform(task)["columns"]["valid"] for task in tasks())

    assert benchmark.pedantic(run, rounds=5, warmup_rounds=1) == RUNS


@pytest.mark.benchmark(group=f"{RUNS} short runs")
@pytest.mark.parametrize("name", ["local", "dask"])
def test_apart(benchmark: Any, name: str, request: pytest.FixtureRequest) -> None:
    executor = request.getfixturevalue(name)
    assert benchmark.pedantic(done, (executor,), rounds=5, warmup_rounds=1) == RUNS
