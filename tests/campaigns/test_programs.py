"""The program of several steps that a page shows, killed and run again."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from campaigns.executors.doing import eventually
from house.test_commands import ROOT, File, steps

from ringyard.campaigns.plan import read_plan
from ringyard.campaigns.store import Store

PAGE = ROOT / "docs/howto/campaign-graphs.md"


WORDS = [sys.executable, "gate.py", "--workers", "1"]


def program() -> str:
    """Return the program."""
    files = [one for one in steps(PAGE.read_text(encoding="utf-8")) if isinstance(one, File)]
    return next(one.content for one in files if one.name == "gate.py")


@pytest.mark.slow
def test_a_killed_program_goes_on_and_ends_with_the_runs_of_one_campaign(tmp_path: Path) -> None:
    out = tmp_path / "out/gate"
    (tmp_path / "gate.py").write_text(program(), encoding="utf-8")
    killed = subprocess.Popen(WORDS, cwd=tmp_path, start_new_session=True)
    eventually(lambda: len(Store(out)))
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    known = {row["key"]: row for row in Store(out).rows()}
    subprocess.run(WORDS, cwd=tmp_path, check=True)
    rows = {row["key"]: row for row in Store(out).rows()}
    assert known.items() <= rows.items()
    assert rows.keys() == {run.key for run in read_plan(tmp_path / "gate.toml").runs}
    assert "branch-and-bound" in (tmp_path / "best.tex").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_program_ends_where_a_run_has_no_schedule(tmp_path: Path) -> None:
    text = program().replace("time_limit = 5", "memory_limit = 1")
    (tmp_path / "gate.py").write_text(text, encoding="utf-8")
    done = subprocess.run(WORDS, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "out of memory" in done.stderr) == (1, True)
    methods = {row["method"] for row in Store(tmp_path / "out/gate").rows()}
    assert methods == {"sjf-bco", "random", "bound"}
