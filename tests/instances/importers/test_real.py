"""The public files themselves, where they are at hand."""

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from ringyard.instances import InputError, validate
from ringyard.instances.importers import ImportChoices, Imported, read_trace
from ringyard.instances.importers.batch_sizes import DOUBLINGS, EXAMPLES, LARGEST

TRACES = Path(__file__).parents[4] / "shared" / "traces"
"""They are not part of the repository; their licences differ from its."""

pytestmark = pytest.mark.skipif(not TRACES.is_dir(), reason="no ../shared/traces")


def real(format: str, file: str, **more: Any) -> Imported:
    made = read_trace(format, TRACES / file, ImportChoices(name="x"), **more)
    validate(made.instance)
    assert made.read == len(made.instance.jobs) + made.further + sum(made.dropped.values())
    return made


def column(file: str, name: str) -> list[str]:
    """Read a column in another way than the importers do."""
    with (TRACES / file).open(newline="") as stream:
        return [row[name] for row in csv.DictReader(stream)]


def test_a_published_log_of_tiresias_is_read_whole() -> None:
    file, folder = "tiresias/simulator__60_job.csv", TRACES / "tiresias"
    made = real(
        "tiresias",
        file,
        cluster=folder / "simulator__n32g4.csv",
        law=folder / "simulator__yarn-gput1000.csv",
    )
    jobs = made.instance.jobs
    assert [str(job.duration_s) for job in jobs] == column(file, "duration")
    assert [str(job.arrival_s) for job in jobs] == column(file, "submit_time")
    assert sum(job.gpus for job in jobs) == sum(map(int, column(file, "num_gpu")))
    assert {(s.gpus, s.rack) for s in made.instance.servers} == {(4, "r0")}
    assert (made.instance.gpus, len(made.instance.law)) == (128, 1001)


def test_a_list_with_a_number_twice() -> None:
    made = real("tiresias", "tiresias/simulator__tf_job.csv", servers="15x4")
    assert made.dropped == {"name: expected a name other than in earlier lines": 1}
    with pytest.raises(InputError, match=r"line 3, name: found '10'"):
        real("tiresias", "tiresias/simulator__tf_job.csv", servers="15x4", strict=True)


@pytest.mark.parametrize("name", ["trace1", "trace3_pr", "job_type_4"])
def test_a_published_log_of_muri_is_read_whole(name: str) -> None:
    file = f"muri/simulator__trace-data__{name}.csv"
    made = real("muri", file, cluster=TRACES / "muri/simulator__cluster_spec__n8g8.csv")
    total = sum(job.duration_s for job in made.instance.jobs)
    assert total * 1000 == sum(map(int, column(file, "duration")))
    assert not made.dropped


@pytest.mark.parametrize("name", ["elasticVpollux_e", "philly_103959", "resnet_cifar_trace"])
def test_a_published_log_of_elasticflow_is_read_whole(name: str) -> None:
    file = f"elasticflow/ElasticFlow__traces_for_ElasticFlow__{name}.csv"
    made = real("tiresias", file, servers="16x8")
    total = sum(job.duration_s for job in made.instance.jobs)
    assert total == sum(map(Fraction, column(file, "duration")))


@pytest.mark.slow
def test_a_published_log_of_chronus_is_read_but_for_jobs_without_gpus() -> None:
    file = "chronus/code__data__exp__trace_job_Philly_MIX1.csv"
    made = real("chronus", file, servers="75x8")
    assert made.read == 30_940
    assert made.dropped == {"no GPUs": column(file, "num_gpu").count("0")}


@pytest.mark.parametrize(
    ("file", "jobs"),
    [
        ("gavel/scheduler__traces__msr__seed=0__ed69ec.trace", 951),
        ("gavel/scheduler__traces__msr__seed=0__0e4a51.trace", 984),
        ("gavel/scheduler__traces__physical_cluster__max_min_fairness.trace", 96),
        ("gavel/scheduler__traces__physical_cluster__debug_v2.trace", 14),
    ],
)
def test_a_published_log_of_gavel_is_read_but_for_unmeasured_jobs(file: str, jobs: int) -> None:
    speeds = TRACES / "gavel/scheduler__simulation_throughputs.json"
    made = real("gavel", file, servers="64x8", throughputs=speeds)
    assert len(made.instance.jobs) == jobs
    assert made.dropped.keys() <= {"no measured speed"}
    assert made.rounding_s <= Fraction(1, 2)


def test_durations_of_a_published_log_of_shockwave_are_read() -> None:
    for file in sorted((TRACES / "shockwave").glob("*.trace")):
        made = real("gavel", str(file.relative_to(TRACES)), servers="8x4")
        lines = [line.split("\t") for line in file.read_text().splitlines()]
        assert [int(job.duration_s) for job in made.instance.jobs] == [int(x[10]) for x in lines]


def test_durations_of_shockwave_with_speeds_are_of_all_epochs() -> None:
    """Count epoch by epoch, in floats, for the jobs that keep a batch size or double it once."""
    path = TRACES / "gavel/scheduler__simulation_throughputs.json"
    table = json.loads(path.read_text())["v100"]
    for file in sorted((TRACES / "shockwave").glob("*.trace")):
        made = real("gavel", str(file.relative_to(TRACES)), servers="8x4", throughputs=path)
        seen = 0
        for line, one in zip(file.read_text().splitlines(), made.instance.jobs, strict=True):
            kind, *_, gpus, mode, _, _, _, _ = line.split("\t")
            model, first = kind.split(" ")[0], int(kind.split(" ")[-1][:-1])
            doubles = DOUBLINGS.get((model, first, int(gpus)), ()) if mode == "gns" else ()
            if (mode == "accordion" and model in LARGEST) or len(doubles) > 1:
                continue
            steps, seconds = int(line.split("\t")[5]), 0.0
            for epoch in range(-(-steps // -(-EXAMPLES[model] // first))):
                batch = 2 * first if doubles and epoch >= doubles[0] else first
                speed = table[f"('{model} (batch size {batch})', {gpus})"]["null"]
                seconds += EXAMPLES[model] / batch / speed
            assert float(one.duration_s) == pytest.approx(seconds, abs=0.51)
            seen += 1
        assert seen > len(made.instance.jobs) / 4


def test_alibabas_list_of_run_times_is_a_law() -> None:
    file = "alibaba-gpu-v2020/cluster-trace-gpu-v2020__analysis__philly_runtime.csv"
    made = real("tiresias", "tiresias/simulator__60_job.csv", servers="15x4", law=TRACES / file)
    zeros = column(file, "runtime").count("0.0")
    assert len(made.instance.law) == 83_154 - zeros
    assert made.remarks == (f"past jobs left out of the law: {zeros:,} (0 GPU-seconds)",)


def test_arrivals_without_run_times_are_refused() -> None:
    with pytest.raises(
        InputError, match="a header with the columns job_id, submit_time, num_gpu, duration"
    ):
        real("tiresias", "pollux/simulator__workloads__workload-1.csv", servers="16x4")
