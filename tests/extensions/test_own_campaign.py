"""Two schedulers of a file outside beside ours in a campaign: killed, resumed, edited, shown."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

PROGRAM = "from ringyard.__main__ import main; main()"

SCHEDULERS = '''"""Two schedulers."""

from ringyard import policy


@policy("makespan")
def widest(waiting, idle):
    """The widest ring first, where it fits best."""
    for job in sorted(waiting, key=lambda job: -job.gpus):
        pieces = idle.fit(job)
        if pieces:
            yield job, pieces


@policy("trace")
def patient(job, now, setting, patience_s: float = 60.0):
    """The least service first; but who has waited for too long comes before all others."""
    if not job.running and (now - job.waiting_since) * setting.tick_s > patience_s:
        return 0, job.waiting_since
    return 1, job.attained
'''

CAMPAIGN = """
format = "ringyard-campaign/1"
name = "mine"
time_limit = 20

[[parts]]
instances = ["small-06x3", "hand-contend"]
methods = ["../schedulers.py:widest", "gang-lpt", "first-fit", "list-scheduling", "bound"]

[[parts]]
instances = ["tiny-trace-03x1", "tiresias-example"]
methods = [
    "../schedulers.py:patient", "../schedulers.py:patient:patience_s=0", "fifo", "las", "srtf",
]
"""


def asked(folder: Path, *words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-P", "-c", PROGRAM, *words]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def said(folder: Path, *words: str) -> str:
    process = asked(folder, *words)
    text = process.communicate()[0]
    assert process.returncode == 0, text
    return text


def journal(folder: Path) -> list[dict[str, Any]]:
    """Return all that was written, whole lines only."""
    rows = []
    for file in sorted((folder / "rows/journal").glob("*.jsonl")):
        for line in file.read_text().splitlines():
            try:
                rows.append(json.loads(line))
            except ValueError:
                continue
    return rows


SLOW = """
import time


def f(instance):
    time.sleep(0.7)
    step, left = STEP, {}
    for server in instance.cluster.servers:
        left[server.name] = server.gpus
    plan = {}
    for i, job in enumerate(instance.jobs):
        free, pieces = job.gpus, {}
        for name, room in left.items():
            pieces[name] = min(room, free)
            free -= pieces[name]
        plan[job.name] = (int(job.release_slot) + step * i, pieces)
    return plan


STEP = 100
"""


def test_a_method_edited_while_its_campaign_runs_leaves_no_row_of_the_wrong_code(
    tmp_path: Path,
) -> None:
    (tmp_path / "s.py").write_text(SLOW)
    (tmp_path / "e.toml").write_text(
        'format = "ringyard-campaign/1"\nname = "e"\nmethods = ["s.py:f"]\n'
        'instances = ["hand-spread", "hand-contend", "hand-contend-half", "hand-area"]\n'
    )
    process = asked(tmp_path, "run", "e.toml", "--out", "rows", "--workers", "1")
    while process.poll() is None and not journal(tmp_path):
        time.sleep(0.02)
    (tmp_path / "s.py").write_text(SLOW.replace("STEP = 100", "STEP = 900"))
    text = process.communicate()[0]
    first = journal(tmp_path)
    assert len(first) < 4
    assert "Rerun the command" in text
    (tmp_path / "s.py").write_text(SLOW)
    said(tmp_path, "run", "e.toml", "--out", "rows", "--workers", "1")
    rows = journal(tmp_path)
    assert len(rows) == 4
    assert len({row["source"] for row in rows}) == 1
    assert max(row["objective"] for row in rows) < 900


@pytest.mark.slow
def test_own_schedulers_in_a_campaign(tmp_path: Path) -> None:
    (tmp_path / "schedulers.py").write_text(SCHEDULERS)
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "mine.toml").write_text(CAMPAIGN)

    process = asked(folder, "run", "mine.toml", "--out", "rows", "--workers", "2")
    while process.poll() is None and len(journal(folder)) < 3:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    before = {row["key"] for row in journal(folder) if row.get("status")}
    text = said(folder, "run", "mine.toml", "--out", "rows", "--workers", "2")
    assert "error" not in text
    rows = [row for row in journal(folder) if row.get("status")]
    assert before <= {row["key"] for row in rows}
    assert max(Counter(row["key"] for row in rows).values()) == 1
    own = {row["method"] for row in rows if row["source"]}
    names = {"schedulers.py:widest", "schedulers.py:patient", "schedulers.py:patient:patience_s=0"}
    assert own == names
    assert all(row["valid"] for row in rows if row["method"] in own)

    file = tmp_path / "schedulers.py"
    file.write_text(SCHEDULERS.replace("-job.gpus", "-job.gpus * job.iterations"))
    said(folder, "run", "mine.toml", "--out", "rows")
    again = [row for row in journal(folder) if row["key"] not in {one["key"] for one in rows}]
    assert {row["method"] for row in again} == {"schedulers.py:widest"}
    assert len(again) == sum(row["method"] == "schedulers.py:widest" for row in rows)

    said(folder, "table", "rows", "--kind", "ratios", "--format", "latex", "--out", "table.tex")
    table = (folder / "table.tex").read_text()
    assert "widest" in table
    assert "gang-lpt" in table
