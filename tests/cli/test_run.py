"""`ringyard run`: a campaign from its file to its rows, again, and from another terminal."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns.executors.doing import LONG_S, eventually

from ringyard.campaigns.store import existing
from ringyard.cli import main

Call = Callable[..., Any]

TEXT = """format = "ringyard-campaign/1"
name = "two-policies"
instances = ["hand-lpt", "hand-area"]
methods = ["gang-lpt", "random", "bound"]
seeds = 2
"""
RUNS = 8
PROGRAM = "import sys; from ringyard.cli import main; sys.exit(main())"
HOSTILE = Path(__file__).parents[1] / "campaigns/executors/hostile"
"""Where the method `waits` is, which waits for ever."""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    path = tmp_path / "two-policies.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a campaign that has run."""
    folder = tmp_path_factory.mktemp("done")
    file = folder / "two-policies.toml"
    file.write_text(TEXT, encoding="utf-8")
    assert main(["run", str(file), "--out", str(folder / "out"), "--workers", "1"]) == 0
    return folder / "out"


def test_a_campaign_runs_once(ringyard: Call, campaign: Path, done: Path) -> None:
    rows = existing(done).rows()
    assert len(rows) == RUNS
    again = ringyard("run", campaign, "--out", done)
    assert f"two-policies: {RUNS} of {RUNS} runs: 2 bound, 6 feasible" in again.out
    told = ringyard("run", campaign, "--out", done, "--json").json
    assert told["by_status"] == {"bound": 2, "feasible": 6}
    assert (told["done"], told["runs"], told["contradictions"]) == (RUNS, RUNS, [])
    assert existing(done).rows() == rows
    assert (done / "campaign.toml").read_text(encoding="utf-8") == TEXT


def test_a_plan_says_what_is_missing(ringyard: Call, campaign: Path, tmp_path: Path) -> None:
    shown = ringyard("run", campaign, "--out", tmp_path / "out", "--plan")
    assert shown.out.count("missing") == RUNS
    assert "missing  random on hand-lpt, seed 1" in shown.out
    assert f"0 of {RUNS} runs are done" in shown.out
    assert not (tmp_path / "out").exists()
    told = ringyard("run", campaign, "--out", tmp_path / "out", "--plan", "--json").json
    assert [row["done"] for row in told["runs"]] == [False] * RUNS


def test_watching_a_campaign_that_is_done_says_how_it_went(
    ringyard: Call, campaign: Path, done: Path
) -> None:
    assert f"{RUNS} of {RUNS} runs" in ringyard("run", campaign, "--out", done, "--watch").out


def test_another_terminal_follows(campaign: Path, tmp_path: Path, ringyard: Call) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", PROGRAM, "run", str(campaign), "--out", str(out)]
    watching = subprocess.Popen([*command, "--watch", "--json"], stdout=subprocess.PIPE, text=True)
    ringyard("run", campaign, "--out", out, "--workers", 1)
    told, _ = watching.communicate(timeout=LONG_S)
    assert json.loads(told)["done"] == RUNS


def test_ctrl_c_keeps_rows_and_leaves_no_process(campaign: Path, tmp_path: Path) -> None:
    campaign.write_text(TEXT.replace('"bound"', '"waits"'), encoding="utf-8")
    (waiting := tmp_path / "waiting").mkdir()
    known = {"WAITS": str(waiting), "PYTHONPATH": str(HOSTILE)}
    out = tmp_path / "out"
    command = [sys.executable, "-c", PROGRAM, "run", str(campaign), "--out", str(out)]
    with subprocess.Popen(
        [*command, "--workers", "1"],
        env={**os.environ, **known},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        eventually(lambda: [*waiting.iterdir()])
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=LONG_S)
    assert process.returncode == 130
    assert "Rerun the command to resume." in said
    assert existing(out).rows()
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.slow
def test_rows_of_a_former_limit_stay_and_are_left_out_of_tables(
    ringyard: Call, campaign: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    ringyard("run", campaign, "--out", out, "--workers", 1)
    campaign.write_text(TEXT + "time_limit = 5\n", encoding="utf-8")
    assert ringyard("run", campaign, "--out", out, "--plan").out.count("missing") == RUNS
    ringyard("run", campaign, "--out", out, "--workers", 1)
    assert len(existing(out).rows()) == 2 * RUNS
    assert {row["time_limit"] for row in existing(out).wanted()} == {5.0}
    table = ringyard("table", out, "--kind", "runs", "--format", "csv")
    assert table.out.count("hand-lpt,random") == 2
    assert f"{RUNS} rows are left out: the campaign now has other runs" in table.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--workers", "0"], "--workers: found 0"),
        (["--out", "/dev/null/x"], "expected a writable folder"),
    ],
)
def test_what_cannot_be_is_refused(
    words: list[str], said: str, ringyard: Call, campaign: Path
) -> None:
    done = ringyard("run", campaign, *words)
    assert done.code == 2
    assert said in done.err


def test_a_missing_file_is_refused(ringyard: Call, tmp_path: Path) -> None:
    done = ringyard("run", tmp_path / "none.toml")
    assert done.code == 2
    assert "none.toml: 1 problem" in done.err
    assert "expected an existing file" in done.err


def test_rows_are_handed_over(ringyard: Call, done: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in ringyard("journal", done).out.splitlines()]
    assert lines == existing(done).rows()
    told = ringyard("journal", done, "--out", tmp_path / "rows.csv")
    assert told.code == 0
    assert f"wrote {RUNS} rows" in told.err
    assert ringyard("journal", tmp_path / "none").code == 2
