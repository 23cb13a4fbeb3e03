"""What is exported comes back as it was."""

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.instances import (
    InputError,
    LossCurve,
    RackServer,
    TraceInstance,
    TraceJob,
    Width,
    digest,
    validate,
)
from ringyard.instances.generate import generate
from ringyard.instances.importers import ImportChoices, job_lists, read_trace
from ringyard.instances.importers.job_lists import simulator_lines
from ringyard.instances.importers.reading import Reading, Source
from ringyard.instances.importers.sacct import sacct_lines

TENTHS = st.decimals(0, 10, places=1)
ABOVE = st.decimals("0.1", 10, places=1)
PARTS = st.decimals("0.001", 1, places=3)
LABELS = st.sampled_from(["None", "Unknown", "0", "a,b;c=1", 'say "x"', "é机", "-", "=1+1"])


def begun(*, first: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Draw the fields of a job that may have begun. Only the first one goes on."""
    zero = {"arrival_s": Decimal(0), "done_s": Decimal("0.05")}
    gone = {**zero, "held": (), "stopped": True}
    spread = {**gone, "held": (("s0", 1), ("s1", 1))}
    half = {**spread, "held_share": "half", "packed_speed": Decimal("0.5")}
    on = {**zero, "held": (("s1", 2),), "held_s": Decimal("0.3")}
    return st.sampled_from([{}, {}, zero, gone, spread, half, on if first else {}])


@st.composite
def traces(draw: st.DrawFn) -> TraceInstance:
    """Draw a trace in which every field of a job may stand."""
    widths = st.lists(st.sampled_from([1, 4, 8]), unique=True, max_size=2)
    jobs = tuple(
        replace(
            TraceJob(
                name=f"{draw(LABELS)} {i}",
                arrival_s=draw(TENTHS),
                gpus=2,
                duration_s=draw(ABOVE),
                model=draw(st.none() | LABELS),
                skew=draw(st.none() | PARTS),
                communication=draw(TENTHS),
                packed_speed=draw(st.none() | PARTS),
                speeds=tuple(Width(gpus=w, speed=draw(ABOVE)) for w in draw(widths)),
                curve=draw(
                    st.none() | st.builds(LossCurve, epochs=st.integers(1, 99), decay=ABOVE)
                ),
                predicted_s=draw(st.none() | ABOVE),
                group=draw(st.none() | LABELS),
                priority=draw(st.sampled_from([0, 0, 3, -(10**9)])),
                limit_s=draw(st.none() | ABOVE),
                due_s=draw(st.none() | ABOVE),
                waited_s=draw(st.none() | TENTHS),
            ),
            **draw(begun(first=i == 0)),
        )
        for i in range(draw(st.integers(1, 4)))
    )
    servers = (RackServer(name="s0", gpus=4), RackServer(name="s1", gpus=4))
    return TraceInstance(name="x", servers=servers, jobs=jobs, tick_s=Decimal("0.1"))


@given(instance=traces())
def test_our_own_csv_keeps_every_field(
    instance: TraceInstance, tmp_path_factory: pytest.TempPathFactory
) -> None:
    validate(instance)
    file = tmp_path_factory.mktemp("csv") / "jobs.csv"
    file.write_text(job_lists.job_lines(instance), encoding="utf-8")
    choices = ImportChoices(name="x", tick_s=instance.tick_s, keep_arrivals=True)
    made = read_trace("csv", file, choices, servers="2x4")
    assert made.instance.jobs == instance.jobs
    assert digest(made.instance) == digest(instance)
    assert made.rounding_s == 0


def test_a_job_list_for_the_simulator_comes_back(tmp_path: Path) -> None:
    jobs = (
        TraceJob(name="b", arrival_s=Decimal(40), gpus=2, duration_s=Decimal(60), model="VGG-16"),
        TraceJob(name="a", gpus=4, duration_s=Decimal("1e2"), model="ResNet-50 (batch size 64)"),
        TraceJob(name="c", arrival_s=Decimal(45), gpus=1, duration_s=Decimal(1)),
    )
    instance = TraceInstance(name="x", servers=(RackServer(name="s0", gpus=4),), jobs=jobs)
    text = simulator_lines(instance)
    assert text.splitlines() == [
        "job_id,num_gpu,submit_time,iterations,model_name,duration,interval",
        "a,4,0,100,resnet50,100,40",
        "b,2,40,60,vgg16,60,5",
        "c,1,45,1,,1,0",
    ]
    file = tmp_path / "jobs.csv"
    file.write_text(text)
    back = read_trace("tiresias", file, ImportChoices(name="x"), servers="1x4").instance
    assert [(j.name, j.gpus, j.arrival_s, j.duration_s) for j in back.jobs] == [
        ("a", 4, 0, 100),
        ("b", 2, 40, 60),
        ("c", 1, 45, 1),
    ]


@pytest.mark.parametrize("seed", range(3))
def test_a_generated_workload_written_as_a_log_of_slurm_comes_back(
    seed: int, tmp_path: Path
) -> None:
    options = {"groups": 3, "priorities": 2, "overestimate": Decimal(2), "jobs": 60}
    made = generate("philly", seed=seed, **options)
    jobs = tuple(
        replace(job, model=None, communication=Decimal(0), waited_s=[None, Decimal(i * i)][i % 2])
        for i, job in enumerate(made.jobs)
    )
    instance = replace(made, jobs=jobs)
    file = tmp_path / "slurm.txt"
    file.write_text(sacct_lines(instance, {j.name: (j.waited_s, j.duration_s) for j in jobs}))
    back = read_trace("sacct", file, ImportChoices(name="x"), servers="8x8", qos="priority1=1")
    assert back.instance.jobs == jobs
    assert not back.dropped


def test_a_log_of_slurm_has_no_dots_and_bars_in_names() -> None:
    jobs = (TraceJob(name="a.b", group="x|y", gpus=1, duration_s=Decimal("1.5")),)
    servers = (RackServer(name="s0", gpus=4),)
    instance = TraceInstance(name="x", servers=servers, jobs=jobs, tick_s=Decimal("0.5"))
    with pytest.raises(InputError) as caught:
        sacct_lines(instance, {"a.b": (None, Decimal(1))})
    assert [problem.path for problem in caught.value.problems] == [
        "jobs[0].duration_s",
        "jobs[0].name",
        "jobs[0].group",
    ]


def test_the_simulator_takes_whole_seconds() -> None:
    jobs = (TraceJob(name="a", gpus=1, duration_s=Decimal("1.5")),)
    servers = (RackServer(name="s0", gpus=4),)
    instance = TraceInstance(name="x", servers=servers, jobs=jobs, tick_s=Decimal("0.5"))
    with pytest.raises(InputError, match=r"jobs\[0\].duration_s: found 1.5, expected whole"):
        simulator_lines(instance)


def test_a_gzip_file_is_unpacked(tmp_path: Path) -> None:
    import gzip

    file = tmp_path / "jobs.csv.gz"
    file.write_bytes(gzip.compress(b"job_id,arrival_s,gpus,duration_s\na,0,1,5\n"))
    assert len(read_trace("csv", file, ImportChoices(name="x"), servers="1x4").instance.jobs) == 1


def test_reading_needs_no_file() -> None:
    faults = Reading()
    text = "job_id,arrival_s,gpus,duration_s\na,0,1,5\n"
    (job,) = job_lists.read_csv(Source(name="x", text=text), faults).jobs
    assert (job.name, job.duration, faults.problems) == ("a", 5, [])
