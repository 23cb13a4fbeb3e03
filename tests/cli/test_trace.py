"""The commands on `trace` instances."""

import re
from pathlib import Path

import pytest

from ringyard.cli import main


def out(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(words) == code
    return capsys.readouterr().out


def test_show_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "show", "tiny-trace-05x2-racks")
    assert "cluster: 2 servers, 4 GPUs (2 x 2), 2 racks" in text
    assert "contention racks: oversubscription 2" in text
    assert "lower bounds:" in text


def test_show_says_how_much_work_arrives(capsys: pytest.CaptureFixture[str]) -> None:
    """Jobs of 1 and 2 GPUs that take 8 s and 2 + 6 s, all at once: there is no time in between."""
    text = out(capsys, "show", "tiresias-example")
    assert "jobs: 3, GPUs (1 x 1, 2 x 2)" in text
    assert "arrive from 0 s to 0 s and need 24 GPU-seconds\n" in text
    assert "durations in s, at 0, 25, 50, 75, 95, 100 %: 2, 2, 6, 6, 6, 8" in text


def test_show_says_which_kinds_of_gpus_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = tmp_path / "mixed.json"
    sizes = ("--set", "kinds=2", "--set", "jobs=20", "--set", "picky=0.5", "--seed", "0")
    out(capsys, "generate", "tiresias", *sizes, "--out", str(made))
    text = out(capsys, "show", str(made), "--jobs", "20")
    assert "kinds of GPUs: 32 v100 on 8 servers, 28 p100 on 7 servers" in text
    assert "run on one kind of GPUs only" in text
    assert "v100, p100" in text


def test_show_says_what_jobs_may_do(capsys: pytest.CaptureFixture[str]) -> None:
    text = out(capsys, "show", "elastic-100-s0", "--jobs", "0")
    assert "100 may use other numbers of GPUs" in text
    assert "100 have a loss curve" in text
    assert "may share" not in text


def test_the_stored_schedule_is_valid(capsys: pytest.CaptureFixture[str]) -> None:
    assert out(capsys, "check", "tiresias-example").startswith("valid\n")


def test_a_generated_instance_is_solved_and_drawn(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    instance, chart = tmp_path / "yard.json", tmp_path / "chart.svg"
    out(capsys, "generate", "tiny-trace", "--seed", "1", "--set", "jobs=3", "--out", str(instance))
    text = out(capsys, "solve", str(instance), "--method", "fifo", "--gantt", str(chart))
    assert "valid" in text
    assert chart.read_text().startswith("<svg")


def test_a_wrong_option_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "philly", "--seed", "0", "--set", "width=4"]) == 2
    assert "Did you mean 'widths'" in capsys.readouterr().err


def test_solve_shows_waits_and_their_parts_for_the_jobs_of_groups(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """J1 waits 0 s, J2 2 s and J3 10 s under fifo on the example's GPUs."""
    text = out(capsys, "solve", "tiresias-example", "--method", "fifo")
    assert "wait      mean 4 s, median 2 s, p95 10 s, p99 10 s" in text
    assert "unfair" not in text
    made = tmp_path / "groups.json"
    options = ("--set", "jobs=9", "--set", "groups=2", "--set", "slack=1", "--set", "priorities=2")
    out(capsys, "generate", "tiny-trace", "--seed", "1", *options, "--out", str(made))
    text = out(capsys, "solve", str(made), "--method", "fifo")
    assert re.search(r"^all jobs +9 ", text, re.MULTILINE)
    assert "group group0" in text
    assert re.search(r"^Group group\d waits longest: p95 .* against .* overall\.$", text, re.M)
    shown = out(capsys, "show", str(made), "--jobs", "0")
    assert "9 have a deadline" in shown
    assert "largest groups: group0" in shown
    assert "time limit" not in shown
