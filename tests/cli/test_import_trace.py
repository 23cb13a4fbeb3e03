"""`ringyard import` and `ringyard export` for traces: in, out, and what is told."""

import csv
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from foreign_texts import HELIOS, PHILLY, TIRESIAS

from ringyard.instances import (
    Assignment,
    JobRuns,
    Schedule,
    TraceRun,
    TraceSchedule,
    digest,
    load_instance,
    save,
)
from ringyard.instances.importers import FORMATS

Ringyard = Callable[..., Any]


def written(tmp_path: Path, text: str, name: str = "trace.csv") -> Path:
    file = tmp_path / name
    file.write_text(text)
    return file


def test_an_import_says_what_became_of_the_jobs(ringyard: Ringyard, tmp_path: Path) -> None:
    file, out = written(tmp_path, HELIOS), tmp_path / "x.json.gz"
    row = ringyard("import", "helios", file, "--servers", "2x8", "--racks", 2, "--out", out)
    assert row.code == 0
    assert row.err == f"wrote {out}\n"
    assert row.out.splitlines() == [
        "2 jobs on 16 GPUs: 2 servers in 2 racks",
        "read 4 records: 2 jobs, left out 2",
        "  1: never ran",
        "     line 5: 14,u3,vcA,2,1,1,CANCELLED,2020-06-09 18:41:29,None,2020-06-09 18:45:36,0,247",
        "  1: no GPUs",
        "     line 4: 13,u2,vcB,0,16,1,COMPLETED,2020-06-09 18:41:28,2020-06-09 18:41:27,"
        "2020-06-09 18:45:36,249,0",
        "not used: user, cpu_num, node_num, end_time, queue",
        "note: values not used: start_time before the arrival: 1",
        "note: a job that is stopped loses no time when it restarts: set --restart-s",
    ]
    assert (
        "no time when"
        not in ringyard(
            *("import", "helios", file, "--servers", "2x8", "--restart-s", "30", "--out", out)
        ).out
    )
    instance = load_instance(out)
    assert (instance.kind, instance.name, len(instance.jobs)) == ("trace", "trace", 2)


def test_json_counts_what_was_left_out(ringyard: Ringyard, tmp_path: Path) -> None:
    file, out = written(tmp_path, PHILLY), tmp_path / "x.json"
    words = ("--out", out, "--tick", "60", "--name", "p", "--json")
    row = ringyard("import", "philly", file, *words)
    found = row.json
    assert {reason: line.split(":")[0] for reason, line in found.pop("first").items()} == {
        "an attempt without its start or end": "line 17 ([4])",
        "never ran": "line 12 ([2])",
        "not ended yet": "line 14 ([3])",
    }
    assert found == {
        "instance": "p",
        "digest": digest(load_instance(out)),
        "jobs": 2,
        "gpus": 6,
        "read": 5,
        "further_attempts": 0,
        "not_looked_at": ["user"],
        "dropped": {
            "an attempt without its start or end": 1,
            "never ran": 1,
            "not ended yet": 1,
        },
        "rounding_s": 50.0,
        "remarks": [
            "the cluster is the 2 machines named in the trace",
            "jobs that ran in several attempts, whose times are added up: 1",
        ],
        "failures": None,
        "out": str(out),
    }


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("phily", "trace.csv", "--out", "x.json"), "philly"),
        (("csv", "trace.csv", "--out", "x.txt"), "ends in .json"),
        (("csv", "trace.csv", "--out", "no/x.json"), "a writable"),
        (("csv", "tracee.csv", "--servers", "1x4", "--out", "x.json"), "Did you mean"),
        (("tiresias", "trace.csv", "--out", "x.json"), "--servers: found nothing"),
        (
            ("tiresias", "trace.csv", "--servers", "1x4", "--largest", "refuse", "--out", "x.json"),
            "--largest drop",
        ),
        (("csv", "trace.csv", "--tick", "nan", "--out", "x.json"), "not a number of seconds"),
        (("tiresias", "trace.csv"), "--out"),
        (("sacct", "trace.csv", "--quota", "", "--out", "x.json"), "--quota: found ''"),
        (("sacct", "trace.csv", "--most", " ", "--out", "x.json"), "Write nlp=16, or leave it out"),
        (("sacct", "trace.csv", "--qos", "", "--out", "x.json"), "--qos: found ''"),
    ],
)
def test_what_cannot_be_imported_is_refused(
    ringyard: Ringyard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, TIRESIAS)
    row = ringyard("import", *words)
    assert row.code == 2
    assert complaint in row.err
    assert [path.name for path in tmp_path.iterdir()] == ["trace.csv"]


def test_the_formats_are_listed_and_offered(ringyard: Ringyard) -> None:
    shown = ringyard("list", "formats", "--json").json["formats"]
    assert [row["name"] for row in shown] == list(FORMATS)
    offered = "".join(ringyard("import", "--help").out.split())
    assert all(f"{name}," in offered or f"{name}]" in offered for name in FORMATS)


def test_jobs_go_out_and_come_back(ringyard: Ringyard, tmp_path: Path) -> None:
    first, again = tmp_path / "first.json", tmp_path / "again.json"
    jobs = tmp_path / "jobs.csv"
    file = written(tmp_path, TIRESIAS)
    made = ringyard("import", "tiresias", file, "--servers", "2x8", "--out", first, "--json")
    for format, back in (("csv", "csv"), ("tiresias", "tiresias")):
        row = ringyard("export", first, "--format", format, "--out", jobs, "--json")
        assert (row.json["jobs"], row.json["digest"]) == (2, made.json["digest"])
        words = ("--servers", "2x8", "--out", again, "--json")
        assert ringyard("import", back, jobs, *words).json["digest"] == made.json["digest"]


def scheduled(ringyard: Ringyard, tmp_path: Path, stop: int) -> tuple[Path, Path]:
    """Write a trace of two jobs on 8 GPUs, and a schedule that stops the first."""
    text = "job_id,arrival_s,gpus,duration_s\na,0,4,10\nb,2,8,5\n"
    instance, plan = tmp_path / "instance.json", tmp_path / "plan.json"
    words = ("--servers", "2x4", "--out", instance)
    assert ringyard("import", "csv", written(tmp_path, text), *words).code == 0
    left, right = (("s0", 4),), (("s1", 4),)
    runs = (
        TraceRun(start_s=Decimal(0), stop_s=Decimal(stop), gpus=left),
        TraceRun(start_s=Decimal(9), gpus=right),
    )
    both = (TraceRun(start_s=Decimal(4), gpus=(*left, *right)),)
    jobs = (JobRuns(job="b", runs=both), JobRuns(job="a", runs=runs))
    save(TraceSchedule(instance="instance", jobs=jobs), plan)
    return instance, plan


def test_a_schedule_becomes_a_line_for_each_job(ringyard: Ringyard, tmp_path: Path) -> None:
    instance, plan = scheduled(ringyard, tmp_path, stop=4)
    out = tmp_path / "jobs.csv"
    row = ringyard("export", instance, "--format", "csv", "--schedule", plan, "--out", out)
    assert row.code == 0
    assert list(csv.reader(out.read_text().splitlines())) == [
        [
            *("job", "gpus", "arrival_s", "start_s", "end_s", "jct_s"),
            *("waiting_s", "preemptions", "moves"),
        ],
        ["a", "4", "0", "0", "15", "15", "5", "1", "1"],
        ["b", "8", "2", "4", "9", "7", "2", "0", "0"],
    ]


def test_a_schedule_that_breaks_rules_is_refused(ringyard: Ringyard, tmp_path: Path) -> None:
    instance, plan = scheduled(ringyard, tmp_path, stop=5)
    words = ("--format", "csv", "--out", tmp_path / "jobs.csv", "--schedule")
    assert "a valid schedule" in ringyard("export", instance, *words, plan).err
    other = tmp_path / "other.json"
    piece = Assignment(job="a", start_slot=Decimal(0), gpus=(("s0", 1),))
    save(Schedule(instance="hand-contend", assignments=(piece,)), other)
    row = ringyard("export", instance, *words, other)
    assert (row.code, "'trace-schedule'" in row.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--format", "csv", "--out", "x.csv"), "kind: found 'makespan', expected 'trace'"),
        (("--format", "csv", "--out", "x.json"), "ends in .csv"),
        (("--format", "tiresias", "--out", "x.tiresias"), "ends in .csv"),
        (("--format", "lp", "--out", "x.lp"), "--formulation: found nothing"),
        (
            ("--format", "csv", "--formulation", "occupancy", "--out", "x.csv"),
            "--formulation: found 'occupancy', expected no value",
        ),
        (("--format", "tiresias", "--schedule", "x", "--out", "x.csv"), "--schedule: found 'x'"),
    ],
)
def test_what_cannot_be_exported_as_a_list_is_refused(
    ringyard: Ringyard,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    row = ringyard("export", "hand-contend", *words)
    assert (row.code, complaint in row.err) == (2, True), row.err
    assert list(tmp_path.iterdir()) == []
