"""`ringyard export` and `ringyard import`: the way to any solver and back."""

import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

import highspy
import pytest

from ringyard.instances import load_schedule, save
from ringyard.instances.generate import generate


def solved(path: Path, style: int = 0) -> Path:
    """Solve a file with HiGHS on its own, and return the point that it writes."""
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    assert model.readModel(str(path)) == highspy.HighsStatus.kOk
    model.run()
    point = path.with_suffix(".sol")
    model.writeSolution(str(point), style)
    return point


@pytest.mark.parametrize("format", ["mps", "lp"])
def test_a_file_solved_elsewhere_comes_back_valid_and_optimal(
    ringyard: Callable[..., Any], tmp_path: Path, format: str
) -> None:
    program, plan = tmp_path / f"program.{format}", tmp_path / "plan.json"
    stated = ("--formulation", "linearised", "--horizon", 8)
    row = ringyard(
        "export", "hand-contend", *stated, "--format", format, "--out", program, "--json"
    )
    assert (row.code, row.json["format"]) == (0, format)
    point = solved(program)
    words = ("import", "sol", point, "--instance", "hand-contend", *stated)
    back = ringyard(*words, "--out", plan, "--json")
    assert back.code == 0
    assert (back.json["valid"], back.json["objective"], back.json["value"]) == (True, 7, 7)
    assert back.json["violation"] < 1e-6
    checked = ringyard("check", "hand-contend", plan, "--json")
    assert (checked.code, checked.json["objective"]) == (0, 7)
    assert ringyard(*words).out.splitlines()[1] == "valid"


def test_a_point_of_scip_comes_back_through_nl(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    scip = pytest.importorskip("pyscipopt")
    program = tmp_path / "program.nl"
    stated = ("--formulation", "linearised", "--horizon", 7)
    assert ringyard("export", "hand-contend", *stated, "--format", "nl", "--out", program).code == 0
    model = scip.Model()
    model.hideOutput()
    model.readProblem(str(program))
    model.optimize()
    model.writeBestSol(str(tmp_path / "scip.sol"))
    words = (
        "import",
        "sol",
        tmp_path / "scip.sol",
        "--instance",
        "hand-contend",
        *stated,
        "--json",
    )
    assert ringyard(*words).json["objective"] == 7


@pytest.mark.parametrize("formulation", ["nonconvex", "disjunctive", "linearised", "occupancy"])
def test_a_schedule_becomes_a_point_and_a_schedule_again(
    ringyard: Callable[..., Any], tmp_path: Path, formulation: str
) -> None:
    plan, point, again = (tmp_path / name for name in ("plan.json", "plan.sol", "again.json"))
    ringyard("solve", "hand-contend", "--method", "enumeration", "--out", plan)
    stated = ("--formulation", formulation, "--horizon", 9)
    words = ("--schedule", plan, "--format", "sol", "--out", point, "--json")
    row = ringyard("export", "hand-contend", *stated, *words)
    assert row.json["violation"] < 1e-6
    assert row.json["objective"] == (4 if formulation == "occupancy" else 7)
    assert point.read_text().startswith(f"=obj= {row.json['objective']:g}\n")
    words = ("--instance", "hand-contend", *stated, "--out", again)
    assert ringyard("import", "sol", point, *words).code == 0
    first, second = load_schedule(plan), load_schedule(again)
    assert first.assignments == second.assignments


def test_a_schedule_past_the_horizon_is_remarked_on(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    plan, point = tmp_path / "plan.json", tmp_path / "plan.sol"
    ringyard("solve", "hand-contend", "--method", "enumeration", "--out", plan)
    words = ("--horizon", 3, "--format", "sol", "--schedule", plan, "--out", point)
    row = ringyard("export", "hand-contend", "--formulation", "occupancy", *words)
    assert row.code == 0
    assert "violates the program by" in row.err


def test_a_point_that_breaks_rules_is_judged(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    point = tmp_path / "wrong.sol"
    point.write_text("start(a,0) 1\nstart(b,0) 1\ngpus(a,s0,0) 1\ngpus(b,s0,0) 4\n")
    words = ("--instance", "hand-contend", "--formulation", "occupancy", "--horizon", 8)
    row = ringyard("import", "sol", point, *words, "--json")
    assert row.code == 1
    assert not row.json["valid"]
    assert row.json["violation"] > 0.1
    assert "gang" in {fault["rule"] for fault in row.json["violations"]}


def test_a_relaxed_program_has_no_integers(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "program.lp"
    words = ("export", "hand-contend", "--formulation", "occupancy", "--out", path)
    ringyard(*words, "--format", "lp")
    assert "General\nEnd" not in path.read_text()
    ringyard(*words, "--format", "lp", "--relax")
    assert "General\nEnd" in path.read_text()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--formulation", "ocupancy", "--format", "lp", "--out", "x.lp"), "'occupancy'"),
        (("--formulation", "occupancy", "--format", "lp", "--out", "x.mps"), "ends in .lp"),
        (("--formulation", "occupancy", "--format", "lp", "--out", "no/x.lp"), "a writable"),
        (("--formulation", "occupancy", "--format", "sol", "--out", "x.sol"), "--schedule"),
        (("--formulation", "occupancy", "--format", "pdf", "--out", "x.pdf"), "--format"),
        (("--formulation", "nonconvex", "--format", "lp", "--out", "x.lp"), "not linear"),
        (("--formulation", "occupancy", "--format", "lp"), "--out"),
        (
            ("--formulation", "occupancy", "--format", "lp", "--out", "x.lp", "--horizon", "0"),
            "--horizon: found 0",
        ),
        (
            ("--formulation", "occupancy", "--format", "lp", "--out", "x.lp", "--horizon", 10**9),
            "give a shorter horizon",
        ),
        (
            ("--formulation", "occupancy", "--format", "lp", "--out", "x.lp", "--schedule", "x"),
            "--schedule",
        ),
    ],
)
def test_what_cannot_be_exported_is_refused(
    ringyard: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[Any, ...],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    row = ringyard("export", "hand-contend", *words)
    assert row.code == 2
    assert complaint in row.err
    assert list(tmp_path.iterdir()) == []


def test_an_invalid_schedule_is_no_point(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    ringyard("solve", "hand-contend", "--out", plan)
    words = ("--formulation", "occupancy", "--format", "sol", "--out", tmp_path / "x.sol")
    row = ringyard("export", "hand-theorem5", *words, "--schedule", plan)
    assert row.code == 2
    assert "a valid schedule" in row.err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("start(zzz,0) 1\n", "line 1: found 'start(zzz,0)'"),
        ("=infeas=\n", "no point"),
        (None, "an existing file"),
    ],
)
def test_what_cannot_be_imported_is_refused(
    ringyard: Callable[..., Any], tmp_path: Path, text: str | None, complaint: str
) -> None:
    point = tmp_path / "x.sol"
    if text is not None:
        point.write_text(text)
    words = ("--instance", "hand-contend", "--formulation", "occupancy")
    row = ringyard("import", "sol", point, *words)
    assert row.code == 2
    assert complaint in row.err


def test_continuous_time_has_no_program(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    save(generate("small", seed=0, progress="continuous"), file)
    words = ("--formulation", "occupancy", "--format", "lp", "--out", tmp_path / "x.lp")
    row = ringyard("export", file, *words)
    assert row.code == 2
    assert "continuous time" in row.err


@pytest.mark.skipif(which("minizinc") is None, reason="minizinc is not on the PATH")
def test_a_model_goes_to_minizinc_and_comes_back(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    file, sol = tmp_path / "rings.mzn", tmp_path / "rings.sol"
    stated = ("hand-contend", "--formulation", "rings", "--horizon", "7")
    assert ringyard("export", *stated, "--out", file).code == 0
    command = ["minizinc", "--solver", "gecode", file]
    written = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    sol.write_text(written, encoding="ascii")
    back = ("import", "sol", sol, "--instance", *stated)
    found = ringyard(*back)
    assert found.code == 0
    assert "the values satisfy the model\nvalid\nmakespan 7 slots" in found.out
    lines = written.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("start("))
    lines[start] = lines[start].replace(" 0", " 9")
    sol.write_text("\n".join(lines), encoding="ascii")
    found = ringyard(*back)
    assert re.search(r"the values break start\[.*\] is 9, outside", found.out)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("start(a) 1.5\n", "start[a]: found 1.5, expected a whole number"),
        ("=====UNSATISFIABLE=====\n", "no point"),
    ],
)
def test_what_is_no_point_of_a_constraint_model_is_refused(
    text: str, told: str, ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    sol = tmp_path / "found.sol"
    sol.write_text(text, encoding="ascii")
    stated = ("--instance", "hand-contend", "--formulation", "rings", "--horizon", "7")
    found = ringyard("import", "sol", sol, *stated)
    assert found.code == 2
    assert told in found.err


@pytest.mark.parametrize(
    ("program", "format", "words"),
    [
        ("linearised", "mzn", "a constraint model: pool or rings"),
        ("rings", "mps", "a program with rows for --format mps"),
    ],
)
def test_a_format_that_cannot_hold_a_program_is_refused(
    ringyard: Callable[..., Any], program: str, format: str, words: str, tmp_path: Path
) -> None:
    stated = ("hand-contend", "--formulation", program, "--horizon", "7", "--format", format)
    found = ringyard("export", *stated, "--out", tmp_path / f"x.{format}")
    assert found.code == 2
    assert words in found.err


def test_a_plan_goes_out_as_runs_and_comes_back(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    plan, runs, again = (tmp_path / name for name in ("plan.json", "runs.csv", "again.json"))
    epoch = ("--epoch", "2024-03-01T08:00+01:00")
    for name in ("hand-contend", "tiny-trace-03x1"):
        ringyard("solve", name, "--out", plan)
        row = ringyard(
            "export", name, "--schedule", plan, "--runs", *epoch, "--out", runs, "--json"
        )
        assert row.json["runs"] == len(runs.read_text().splitlines()) - 1
        value = ringyard("check", name, plan, "--json").json["objective"]
        for words in ((), epoch):
            assert ringyard("check", name, runs, *words, "--json").json["objective"] == value
            row = ringyard("import", "runs", runs, "--instance", name, *words, "--out", again)
            assert row.code == 0
            first, second = load_schedule(plan), load_schedule(again)
            assert replace(first, method="", seed=None, digest=second.digest) == second
        assert ringyard("check", name, plan, *epoch).code == 2


def test_runs_that_break_rules_are_judged(ringyard: Callable[..., Any], tmp_path: Path) -> None:
    runs = tmp_path / "runs.csv"
    runs.write_text("job,start_s,servers\na,0,s0=3;s2=1\nb,0,s0=3;s2=1\n")
    for words in (("check", "hand-contend", runs), ("import", "runs", runs)):
        instance = () if words[0] == "check" else ("--instance", "hand-contend")
        row = ringyard(*words, *instance)
        assert row.code == 1
        assert "  capacity at " in row.out
    runs.write_text("job,start_s\na,0\n")
    row = ringyard("check", "hand-contend", runs)
    assert row.code == 2
    assert "line 1: found nothing, expected a column servers" in row.err


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--runs", "--out", "x.csv"), "--schedule: found nothing, expected a schedule, whose"),
        (("--runs", "--out", "x.txt"), "--runs: found given, expected no --runs, except for"),
        (("--format", "slurm", "--out", "x.csv"), "--out: found"),
        (("--out", "x.sh"), "--epoch: found nothing, expected the date and time of time 0"),
        (("--out", "x.csv", "--epoch", "noon"), "--epoch: found 'noon', expected no value without"),
        (("--out", "x.csv", "--job-ids", "x"), "--job-ids: found 'x', expected no value, except"),
    ],
)
def test_options_of_runs_that_do_not_fit_are_refused(
    ringyard: Callable[..., Any], tmp_path: Path, words: tuple[str, ...], complaint: str
) -> None:
    words = tuple(str(tmp_path / word) if word[:2] == "x." else word for word in words)
    row = ringyard("export", "tiny-trace-03x1", *words)
    assert row.code == 2
    assert complaint in row.err


def test_a_family_without_runs_on_servers_is_refused(
    ringyard: Callable[..., Any], tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    ringyard("solve", "transfers-s0", "--out", plan)
    words = ("--schedule", plan, "--runs", "--out", tmp_path / "x.csv")
    row = ringyard("export", "transfers-s0", *words)
    assert row.code == 2
    assert "kind: found 'transfers', expected a family whose schedules have runs on servers: " in (
        row.err
    )
