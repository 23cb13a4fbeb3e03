"""Foreign traces: how long a large file takes until it is an instance."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.instances.importers import ImportChoices, read_trace

LINES = 100_000


@pytest.fixture
def log(tmp_path: Path, size: Callable[[int], int]) -> Path:
    """Write a job log as Helios has them."""
    file = tmp_path / "cluster_log.csv"
    with file.open("w") as stream:
        stream.write("job_id,user,vc,gpu_num,state,submit_time,duration\n")
        for i in range(size(LINES)):
            when = f"2020-06-{1 + i // 5000:02d} {i % 24:02d}:{i % 60:02d}:01"
            stream.write(f"{i},u,v,{2 ** (i % 4)},COMPLETED,{when},{1 + i * 7919 % 90_000}\n")
    return file


@pytest.mark.benchmark(group="import a log of 100,000 lines")
def test_import(benchmark: Any, log: Path, size: Callable[[int], int]) -> None:
    made = benchmark.pedantic(
        read_trace,
        ("helios", log, ImportChoices(name="x")),
        {"servers": "100x8"},
        rounds=3,
    )
    assert len(made.instance.jobs) == size(LINES)
