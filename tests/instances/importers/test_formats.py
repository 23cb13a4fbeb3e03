"""What stands in a foreign file becomes the jobs it means."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from foreign_texts import (
    CHRONUS,
    CSV,
    ELASTICFLOW,
    GAVEL,
    GAVEL_PHILLY,
    HELIOS,
    MURI,
    PAI,
    PHILLY,
    SACCT,
    SCONTROL,
    SHOCKWAVE,
    TEXTS,
    THROUGHPUTS,
    TIRESIAS,
)

from ringyard.instances import LossCurve, RackServer, TraceInstance, Width
from ringyard.instances.importers import FORMATS


def rows(instance: TraceInstance) -> list[tuple[Any, ...]]:
    """Return name, arrival, GPUs, duration and model of each job."""
    return [(j.name, j.arrival_s, j.gpus, j.duration_s, j.model) for j in instance.jobs]


TWO = [("0", 0, 1, 164, "vgg19"), ("1", 30, 8, 147, "resnet50")]


@pytest.mark.parametrize(
    ("format", "text", "jobs", "dropped"),
    [
        ("tiresias", TIRESIAS, TWO, {}),
        ("tiresias", ELASTICFLOW, TWO, {}),
        ("muri", MURI, TWO, {}),
        (
            "chronus",
            CHRONUS,
            [("0", 0, 1, 120, "vgg19"), ("1", 60, 8, 180, "resnet50")],
            {},
        ),
        (
            "helios",
            HELIOS,
            [("11", 0, 1, 600, None), ("12", 26, 4, 249, None)],
            {"no GPUs": 1, "never ran": 1},
        ),
        ("pai", PAI, [("7", 0, 2, 30, None), ("8", 60, 1, 10, None)], {"no GPUs": 1}),
        (
            "sacct",
            SACCT,
            [("100", 0, 8, 93605, None), ("101", 30, 3, 90, None), ("103_4", 70, 1, 330, None)],
            {"job step": 2, "never ran": 1, "no GPUs": 1, "not ended yet": 1},
        ),
        (
            "gavel",
            SHOCKWAVE,
            [("0", 0, 1, 1418, "LM (batch size 5)"), ("1", 2, 2, 10, "LM (batch size 5)")],
            {},
        ),
    ],
    ids=["tiresias", "elasticflow", "muri", "chronus", "helios", "pai", "sacct", "shockwave"],
)
def test_the_jobs_of_a_text(
    bring: Any, format: str, text: str, jobs: list[Any], dropped: dict[str, int]
) -> None:
    made = bring(format, text)
    assert rows(made.instance) == jobs
    assert made.dropped == dropped
    assert made.read == len(jobs) + sum(dropped.values())


@pytest.mark.parametrize("format", TEXTS)
def test_bytes_that_editors_add_change_nothing(bring: Any, tmp_path: Path, format: str) -> None:
    more: dict[str, Any] = {}
    if format == "gavel":
        (tmp_path / "speeds").write_text(THROUGHPUTS)
        more["throughputs"] = tmp_path / "speeds"
    if format == "squeue":
        (tmp_path / "nodes").write_text(SCONTROL.replace("\n", "\r\n"))
        more |= {"nodes": tmp_path / "nodes", "servers": None}
    plain = bring(format, TEXTS[format], **more)
    windows = "\ufeff" + TEXTS[format].replace("\n", "\r\n") + "\r\n\r\n"
    made = bring(format, windows, **more)
    assert (made.instance, made.dropped) == (plain.instance, plain.dropped)


def test_there_is_a_text_for_every_format() -> None:
    assert TEXTS.keys() == FORMATS.keys()


def test_philly_adds_up_attempts_and_tells_its_machines(bring: Any) -> None:
    made = bring("philly", PHILLY, servers=None)
    assert rows(made.instance) == [("a1", 0, 2, 90, None), ("a2", 5, 2, 10, None)]
    assert made.instance.servers == (
        RackServer(name="m2", gpus=3),
        RackServer(name="m10", gpus=3),
    )
    assert made.remarks == (
        "the cluster is the 2 machines named in the trace",
        "jobs that ran in several attempts, whose times are added up: 1",
    )
    assert made.dropped == {
        "an attempt without its start or end": 1,
        "never ran": 1,
        "not ended yet": 1,
    }


def test_gavel_turns_steps_into_time(bring: Any, tmp_path: Path) -> None:
    speeds = tmp_path / "speeds.json"
    speeds.write_text(THROUGHPUTS)
    made = bring("gavel", GAVEL, throughputs=speeds)
    assert rows(made.instance) == [
        ("0", 0, 1, 50, "LM (batch size 5)"),
        ("1", 40, 2, 25, "LM (batch size 5)"),
    ]
    assert [job.communication for job in made.instance.jobs] == [0, Decimal("0.25")]
    assert made.dropped == {"no measured speed": 1}
    assert made.remarks == ("durations are steps / steps per second, measured on v100",)
    assert rows(bring("gavel", GAVEL_PHILLY, throughputs=speeds).instance) == rows(made.instance)
    alike = bring("gavel", GAVEL, throughputs=speeds, across="none").instance
    assert rows(alike) == rows(made.instance)
    assert {job.communication for job in alike.jobs} == {0}
    (slow,) = bring("gavel", GAVEL, throughputs=speeds, gpu="k80").instance.jobs
    assert slow.duration_s == 500


def test_gavel_brings_speeds_on_the_kinds_of_the_cluster(bring: Any, tmp_path: Path) -> None:
    """On a K80, 2 steps a second instead of 20. No speed there was measured for 2 GPUs."""
    speeds = tmp_path / "speeds.json"
    speeds.write_text(THROUGHPUTS)
    mixed = {"throughputs": speeds, "servers": "1x2:v100,1x1:k80"}
    one, two = bring("gavel", GAVEL, **mixed).instance.jobs
    assert (one.gpu, one.duration_s) == ("v100", 50)
    assert one.speeds == (Width(gpus=1, gpu="k80", speed=Decimal("0.1")),)
    assert (two.gpu, two.duration_s, two.speeds) == ("v100", 25, ())
    made = bring("gavel", GAVEL, gpu="k80", **mixed)
    (slow,) = made.instance.jobs
    assert (slow.gpu, slow.duration_s) == ("k80", 500)
    assert slow.speeds == (Width(gpus=1, gpu="v100", speed=Decimal(10)),)
    assert made.dropped == {"no measured speed": 2}


def test_parts_of_gpus_become_whole_ones_and_are_told(bring: Any) -> None:
    made = bring("pai", PAI)
    assert made.remarks == ("jobs with fractions of GPUs, which are rounded up: 1",)


def test_our_own_csv_has_every_field(bring: Any) -> None:
    first, second = bring("csv", CSV).instance.jobs
    assert (first.model, first.skew) == ("VGG19", Decimal("0.7"))
    assert first.speeds == (
        Width(gpus=1, speed=Decimal("0.6")),
        Width(gpus=4, speed=Decimal("1.5")),
    )
    assert first.curve == LossCurve(
        epochs=10, decay=Decimal("0.5"), start=Decimal(1), floor=Decimal("0.1")
    )
    assert (second.name, second.arrival_s, second.speeds) == ("second, and last", 30, ())
