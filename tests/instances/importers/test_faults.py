"""Faulty foreign files: every fault with its place, the value and the next step."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from foreign_texts import CHRONUS, GAVEL, HELIOS, MURI, PHILLY, SACCT, THROUGHPUTS, TIRESIAS

from ringyard.instances import InputError
from ringyard.instances.importers import ImportChoices, read_trace
from ringyard.instances.reading.decode import MAX_PROBLEMS

HEAD = "job_id,arrival_s,gpus,duration_s\n"


def test_all_faults_of_a_file_are_told_at_once(faults: Any) -> None:
    text = HEAD + "a,-1,1,10\n,2,1.5,1\nb,3,1\nc,x,1,inf\n" + "d" * 101 + ",1,1,NaN\ne,1e99,1,1\n"
    assert [line.split(", expected")[0] for line in faults("csv", text)] == [
        "line 2, arrival_s: found '-1'",
        "line 3, job_id: found an empty cell",
        "line 3, gpus: found '1.5'",
        "line 4: found 3 cells",
        "line 5, arrival_s: found 'x'",
        "line 5, duration_s: found 'inf'",
        f"line 6, job_id: found '{'d' * 60}'... (101 characters)",
        "line 6, duration_s: found 'NaN'",
        "line 7, arrival_s: found '1e99'",
    ]


@pytest.mark.parametrize(
    ("format", "text", "complaint"),
    [
        ("csv", "", "file: found an empty file"),
        ("csv", " \n\n", "file: found an empty file"),
        ("gavel", "", "file: found an empty file"),
        ("philly", "", "found an empty file"),
        ("csv", HEAD, "file: found 0 records, left out: none"),
        (
            "csv",
            HEAD + "a,0,0,1\nb,0,1,0\n",
            "found 2 records, left out: 1 (never ran), 1 (no GPUs)",
        ),
        ("csv", HEAD.replace(",", ";") + "a;0;1;1\n", "found semicolons"),
        ("csv", HEAD.replace("gpus", "gpu"), "expected a column gpus. Rename column 'gpu'"),
        ("csv", HEAD.replace("gpus", "x"), "The columns are 'job_id, arrival_s, x, duration_s'"),
        ("csv", HEAD.replace("gpus", "gpus,gpus"), "found column gpus 2 times"),
        ("csv", HEAD + 'a,"0"1,2,3\n', "line 2: found a line that cannot be split"),
        ("csv", HEAD + 'a,"0,2,3\n', "found a line that cannot be split"),
        ("csv", HEAD + "a" * 200_000 + ",1,1,1\n", "line 2, job_id: found"),
        (
            "csv",
            HEAD + "a,0,1,1\nb,0,1,1\na,5,1,1\n",
            "line 4, name: found 'a', expected a name other than in line 2. Rename one",
        ),
        (
            "csv",
            HEAD + "a,0,1,1\nb,2e9,1,1\n",
            "line 3, arrival: found 2,000,000,000 s, expected at",
        ),
        ("csv", HEAD[:-1] + ",speeds\na,0,2,1,4\n", "line 2, speeds[0].speed: found nothing"),
        ("csv", HEAD[:-1] + ",speeds\na,0,2,1,2=3\n", "line 2, speeds[0].speed: found 3"),
        ("csv", HEAD[:-1] + ",skew\na,0,2,1,1.5\n", "line 2, skew: found 1.5"),
        ("csv", HEAD[:-1] + ",curve\na,0,2,1,x;1\n", "line 2, curve.epochs: found 'x'"),
        ("helios", HELIOS.replace("18:41:27,2020", "25:41:27,2020"), "line 3, submit_time: found"),
        (
            "helios",
            TIRESIAS,
            "expected a column gpu_num. Check the format, or name it: --columns gpu_num=",
        ),
        ("tiresias", MURI, "line 1: found column resource_time_0"),
        ("tiresias", CHRONUS, "Use `ringyard import chronus`"),
        ("muri", TIRESIAS, "expected a column resource_time_0"),
        ("sacct", SACCT.replace("05:30|", "5 min|"), "line 7, Elapsed: found '5 min'"),
        (
            "sacct",
            SACCT.replace("|", ","),
            "separated by bars (|). Use this separator, or check the format (found",
        ),
        ("gavel", GAVEL, "--throughputs: found nothing"),
        ("gavel", TIRESIAS, "line 1: found 1 cells, expected 7, 10 or 12, separated by tabs"),
        ("philly", "{}", "file: found an empty object, expected a list of jobs"),
        (
            "philly",
            PHILLY.replace("01:01:10", "00:01:10"),
            "line 2 ([0]), attempts[0].end_time: found",
        ),
        ("philly", PHILLY.replace('"jobid": "a1"', '"jobid": 1'), "line 2 ([0]), jobid: found 1"),
        (
            "philly",
            PHILLY.replace('"ip": "m2"', '"pi": "m2"'),
            "line 2 ([0]), attempts[0].detail[0].ip: found nothing",
        ),
        ("philly", PHILLY.replace("01:02:30", "1h"), "found '2017-10-07 1h', expected a time such"),
        ("philly", PHILLY[:-3], "expected a comma or the closing bracket"),
    ],
)
def test_a_fault_of_a_log_is_told(faults: Any, format: str, text: str, complaint: str) -> None:
    assert complaint in "\n".join(faults(format, text))


def test_many_faults_are_capped(faults: Any) -> None:
    lines = faults("csv", HEAD + "a,b,c,d\n" * 5000)
    assert len(lines) == MAX_PROBLEMS + 1
    assert "more problems are hidden" in lines[-1]


def test_a_trace_that_names_no_cluster_needs_one(faults: Any) -> None:
    (line,) = faults("tiresias", TIRESIAS, servers=None)
    assert line.startswith("--servers: found nothing, expected the cluster")
    assert "the widest job has 8 GPUs" in line


@pytest.mark.parametrize(
    ("choices", "complaint"),
    [
        ({"tick_s": Decimal(0)}, "--tick: found 0"),
        ({"tick_s": Decimal("1.0000000001")}, "at most 9 digits"),
        ({"first": 0}, "--first: found 0"),
        ({"from_s": Decimal(-1)}, "--from-s: found -1"),
        ({"restart_s": Decimal("0.5")}, "restart_s: found 0.5, expected a multiple of tick_s"),
        ({"racks": 3}, "--racks: found 3, expected from 1 to 2"),
        ({"vc": "none"}, "left out: 2 (of another virtual cluster)"),
        ({"until_s": Decimal(0)}, "left out: 2 (outside the window)"),
        ({"largest": "refuse", "servers": "1x4"}, "line 3: found 8, expected at most 4 GPUs"),
        ({"columns": "job_id"}, "--columns: found nothing, expected a column submit_time"),
        ({"slice": "1/4"}, "--slice: found '1/4', expected no value, except for sacct"),
        ({"cluster": Path("x"), "servers": "2x8"}, "--cluster: found 'x'"),
        (
            {"throughputs": Path("x")},
            "--throughputs: found 'x', expected no value, except for gavel",
        ),
    ],
)
def test_choices_that_cannot_be(faults: Any, choices: dict[str, Any], complaint: str) -> None:
    assert complaint in "\n".join(faults("tiresias", TIRESIAS, **choices))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "an empty file"),
        ("duration\n0\n", "an empty file"),
        ("1\n2,3\n", "line 2: found 2 cells"),
        ("duration\n5\nx\n", "line 3, duration: found 'x'"),
    ],
)
def test_a_faulty_law(faults: Any, tmp_path: Path, text: str, complaint: str) -> None:
    law = tmp_path / "law"
    law.write_text(text)
    assert complaint in "\n".join(faults("tiresias", TIRESIAS, law=law))


@pytest.mark.parametrize(
    ("text", "gpu", "complaint"),
    [
        (THROUGHPUTS, "v10", "Did you mean --gpu v100?"),
        ("[]", "v100", "v100: found nothing"),
        (THROUGHPUTS.replace("20.0", '"fast"'), "v100", "v100['('LM (batch size 5)', 1)']"),
    ],
)
def test_a_fault_of_measured_speeds_is_told(
    faults: Any, tmp_path: Path, text: str, gpu: str, complaint: str
) -> None:
    speeds = tmp_path / "speeds"
    speeds.write_text(text)
    lines = faults("gavel", GAVEL, throughputs=speeds, gpu=gpu)
    assert complaint in "\n".join(lines)


@pytest.mark.parametrize(
    ("servers", "complaint"),
    [
        ("1x2:p100", "--gpu: found 'v100', expected a kind of the cluster: p100"),
        ("1x2:v100,1x2:k8", "Did you mean k80 in --servers?"),
        ("1x2:v100,1x2:zzz", "zzz: found nothing"),
    ],
)
def test_a_cluster_of_kinds_without_speeds(
    faults: Any, tmp_path: Path, servers: str, complaint: str
) -> None:
    (tmp_path / "speeds").write_text(THROUGHPUTS)
    lines = faults("gavel", GAVEL, throughputs=tmp_path / "speeds", servers=servers)
    assert complaint in "\n".join(lines)


def test_an_unknown_format_and_a_missing_file() -> None:
    with pytest.raises(InputError, match="Did you mean 'philly'"):
        read_trace("phily", Path("x"), ImportChoices(name="x"), servers="1x1")
    with pytest.raises(InputError, match="an existing file"):
        read_trace("philly", Path("no-such-file"), ImportChoices(name="x"))


def test_columns_may_be_called_otherwise(faults: Any, tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("job_id,submit,gpus,runtime\na,1,2,100\nb,submit,2,1\n")

    def read(columns: str) -> Any:
        return read_trace(
            "csv", tmp_path / "log.csv", ImportChoices(name="log"), servers="2x4", columns=columns
        )

    found = read("arrival_s=submit, duration_s=runtime").instance
    assert [(job.name, job.arrival_s, job.duration_s) for job in found.jobs] == [("a", 0, 100)]
    with pytest.raises(InputError, match=r"expected a column duration_s. .*--columns duration_s="):
        read("arrival_s=submit")
    with pytest.raises(InputError, match=r"found 'modl', expected one of job_id, .*'model'"):
        read("arrival_s=submit, duration_s=runtime, modl=gpus")
    for word in ("arrival_s=submit, model=gpu", "arrival_s=sumbit"):
        with pytest.raises(InputError, match="a column of the log: job_id, submit, gpus, runtime"):
            read(f"{word}, duration_s=runtime")
