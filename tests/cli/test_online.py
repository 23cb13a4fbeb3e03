"""The commands on `online` instances."""

import json
from pathlib import Path

import pytest

from ringyard.cli import main


def out(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(words) == code
    return capsys.readouterr().out


def test_show_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "show", "hand-online-roles")
    assert "machines: 2 (1 for workers only, 1 for parameter servers only)" in text
    assert "gpu: 8, from 4 to 4 per machine" in text
    assert "jobs: 1 (1 linear)" in text
    assert "upper bounds:" in text


def test_solve_check_and_the_stored_schedule(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    row = json.loads(out(capsys, "solve", "hand-online-across", "--out", str(plan), "--json"))
    assert (row["status"], row["objective"], row["bound"], row["gap"]) == ("optimal", 6, 6, 0.0)
    text = out(capsys, "check", "hand-online-across", str(plan))
    assert text == "valid\nutility 6 of 1 completed jobs\n"
    found = json.loads(out(capsys, "check", "hand-online-wait", "--json"))
    assert found["completions"] == {"a": 2, "b": 1}
    assert found["utilities"] == {"a": "4", "b": "9"}


def test_a_gap_is_a_part_of_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    """Worth 3 where 10 is the bound: 70 % are missing."""
    text = out(capsys, "solve", "hand-online-turn", "--method", "pd-ors")
    assert "utility   3\n" in text
    assert "gap       70.00 %" in text


def test_bound_is_an_upper_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "utility at most 10\n" in out(capsys, "bound", "hand-online-turn")


def test_a_schedule_of_another_family_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    out(capsys, "solve", "hand-online-across", "--out", str(plan))
    assert main(["check", "hand-contend", str(plan)]) == 2
    assert "expected the schedule of 'makespan' instances" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["explain", "hand-online-turn", "--horizon", "3"], "found 'online', expected 'makespan'"),
        (
            ["solve", "hand-online-turn", "--horizon", "3"],
            "expected no value for 'online' instances",
        ),
        (["solve", "hand-online-turn", "--method", "gang-lpt"], "solves 'makespan' instances"),
        (["solve", "hand-contend", "--method", "pd-ors"], "solves 'online' instances"),
        (["verify", "hand-online-turn", "--method", "sjf-bco"], "Verify them separately"),
    ],
)
def test_what_does_not_fit_is_refused(
    capsys: pytest.CaptureFixture[str], words: list[str], error: str
) -> None:
    assert main(words) == 2
    assert error in capsys.readouterr().err


def test_verify_counts_roundings(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["verify", "pdors-roomy-s0", "--method", "pd-ors", "--json"]
    found = json.loads(out(capsys, *words))
    (row,) = found["rows"]
    assert (row["guarantee"], row["verdict"]) == ("competitive-printed", "holds")
    stated = {r["statement"]: r for r in found["roundings"] if r["form"] == "printed"}
    assert stated["all"]["draws"] == 10_000
    assert stated["all"]["limit_99"] <= stated["all"]["stated"] == 0.1
    text = out(capsys, *words[:-1])
    assert "Random rounding of slot programs, 10,000 samples each" in text


def test_list_tells_families_apart(capsys: pytest.CaptureFixture[str]) -> None:
    rules = json.loads(out(capsys, "list", "rules", "--kind", "online", "--json"))["rules"]
    assert {row["rule"] for row in rules} >= {"workload", "batch", "capacity", "servers"}
    methods = json.loads(out(capsys, "list", "methods", "--kind", "online", "--json"))["methods"]
    assert [m["name"] for m in methods if m["default"]] == ["order-search"]
    names = json.loads(out(capsys, "list", "instances", "--kind", "online", "--json"))
    assert "pdors-s0" in {row["name"] for row in names["instances"]}


def test_generate_makes_an_online_instance(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["generate", "pdors-small", "--seed", "3", "--set", "jobs=2"]
    made = json.loads(out(capsys, *words))
    assert (made["kind"], len(made["jobs"])) == ("online", 2)
    assert main([*words, "--set", "least_batch=9"]) == 2
    assert "least_batch: found 9, expected at most most_batch (8)" in capsys.readouterr().err
