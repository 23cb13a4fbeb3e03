"""`ringyard bench --dask` as a user runs it: a worker is killed, Ctrl-C is pressed, it goes on."""

import csv
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from campaigns.executors.dask_processes import Cluster
from campaigns.executors.doing import LONG_S, eventually

from ringyard.campaigns.store import Store

LP = """Minimize
 obj: x + 3 y
Subject To
 enough: x + 2 y >= {least}
Bounds
 0 <= x <= 9
 0 <= y <= 9
Generals
 x y
End
"""
"""The optimum is `least`, up to 9."""

WAITS = """
import os
import time
from pathlib import Path

from ringyard.formulations.adapters.solver import Solver
from ringyard.formulations.solver_interface.solve import solve

HERE = Path(__file__).parent


def run(program, caps, start, report):
    (HERE / "begun" / str(os.getpid())).touch()
    while not (HERE / "go").exists():
        time.sleep(0.02)
    return solve(program)


SOLVER = Solver(name="waits", module="numpy", install="numpy", can=("ip",), run=run)
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Return a scheduler whose workers begin in another folder than the command."""
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster")
    yield cluster
    cluster.close()


def bench(folder: Path, cluster: Cluster) -> "subprocess.Popen[str]":
    """Start the command in a folder, as a user does."""
    words = ["bench", "programs", "--solvers", "waits.py:SOLVER,highs", "--time-limit", "300"]
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "ringyard", *words, "--dask", cluster.address, "--out", "out"],
        cwd=folder,
        env=cluster.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_a_killed_worker_and_ctrl_c_cost_no_run(cluster: Cluster, tmp_path: Path) -> None:
    for folder in ("programs", "begun"):
        (tmp_path / folder).mkdir()
    (tmp_path / "waits.py").write_text(WAITS)
    for least in (5, 7):
        (tmp_path / f"programs/least-{least}.lp").write_text(LP.format(least=least))
    begun = set[Path]()

    def another() -> bool:
        new = {*(tmp_path / "begun").iterdir()} - begun
        begun.update(new)
        return bool(new)

    cluster.scheduler()
    first = cluster.worker()
    command = bench(tmp_path, cluster)
    eventually(another)
    cluster.worker()
    first.kill()
    eventually(another)
    command.send_signal(signal.SIGINT)
    _, errors = command.communicate(timeout=LONG_S)
    assert command.returncode == 130
    assert "runs are missing. Rerun to resume." in errors
    (tmp_path / "go").touch()
    command = bench(tmp_path, cluster)
    _, errors = command.communicate(timeout=LONG_S)
    assert command.returncode == 0, errors
    rows = Store(tmp_path / "out").rows()
    assert {(row["instance"], row["method"], row["objective"]) for row in rows} == {
        (f"least-{least}", method, least)
        for least in (5, 7)
        for method in ("highs", "waits.py:SOLVER")
    }
    assert len(rows) == 4
    assert len({*(tmp_path / "out/points").iterdir()}) == 2
    with (tmp_path / "out/tables/ip.csv").open() as file:
        assert len(list(csv.reader(file))) > 2
