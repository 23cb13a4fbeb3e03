"""A graph on a Dask cluster: runs and steps are submitted as soon as they can begin."""

from pathlib import Path

import pytest
from campaigns.executors.dask_processes import Cluster
from campaigns.executors.doing import eventually
from campaigns.graph.graphs_at_hand import WHOLE, run, states

from ringyard.campaigns.executors.dask_executor import DaskExecutor
from ringyard.instances import MissingError


@pytest.mark.slow
def test_a_graph_runs_on_a_cluster(tmp_path: Path) -> None:
    cluster = Cluster(tmp_path)
    try:
        cluster.scheduler()
        cluster.worker(threads=2)
        executor = eventually(lambda: _connected(cluster.address))
        try:
            state, agenda = run(tmp_path, WHOLE, executor)
        finally:
            executor.close()
    finally:
        cluster.close()
    assert set(states(agenda).values()) == {"done"}
    assert (state.done, state.failed) == (10, 0)
    assert (tmp_path / "out/nodes/best.csv").read_text(encoding="utf-8").count("enumeration") == 2


def _connected(address: str) -> DaskExecutor | None:
    try:
        return DaskExecutor(address)
    except MissingError:
        return None
