"""`benchmarks/public_sia.py` on a small checkout, with and without a log of the simulator."""

import json
import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
import public_sia as script

from ringyard.instances import load_instance


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A job of 100 s on one GPU at 0 s, and one at 30 s, which waits for the round at 60 s."""
    application = tmp_path / "sia-simulator/traces/bert"
    workloads = tmp_path / "sia-simulator/workloads/philly"
    for folder in (application, workloads):
        folder.mkdir(parents=True)
    measured = "placement,local_bsz,step_time,sync_time\n1,8,1,0\n"
    for kind in ("aws", "dgx-ext", "rtx"):
        (application / f"placements-{kind}.csv").write_text(measured)
    (application / "validation-8.csv").write_text("progress,grad_sqr,grad_var\n100,1,0\n")
    jobs = "name,time,application,num_replicas,batch_size\nbert-0,0,bert,1,8\nbert-1,30,bert,1,8\n"
    (workloads / "workload-1.csv").write_text(jobs)
    return tmp_path


def log(folder: Path, *ends: int) -> str:
    """Write a log of the simulator, whose last line has the ends of the jobs."""
    arrivals = (0, 30)
    jobs = [
        {"name": f"bert-{k}", "submission_time": arrivals[k], "completion_time": end}
        for k, end in enumerate(ends)
    ]
    unfinished = [{**job, "completion_time": None} for job in jobs]
    path = folder / "x.log"
    lines = ({"submitted_jobs": one} for one in (unfinished, jobs))
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def test_results_stand_beside_those_there(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Here the jobs end at 100 and 160 s: 115 s in the mean. Slower by 1.2: at 120 and 180 s."""
    script.main([str(checkout), "--there", log(checkout, 110, 150)])
    found = capsys.readouterr().out
    assert "| philly/1 | 115 | 115 | +0.0 | 150 | 160 | +6.7 |" in found
    assert "| philly/1 | bert | 2 | 115 | 115 | +0.0 |" in found
    words = ["--workloads", "philly/1", "philly/2", "--save", str(checkout / "made")]
    script.main([str(checkout), "--calibrated", *words])
    found, errors = capsys.readouterr()
    assert "| philly/1 | - | 135 | - | - | 180 | - |" in found
    assert re.search(r"skipped: .* lacks the workload philly/2", errors)
    saved = load_instance(checkout / "made/philly-1.json")
    assert [job.duration_s for job in saved.jobs] == [120, 120]


def test_every_workload_needs_a_log(checkout: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        script.main([str(checkout), "--workloads", "a/1", "a/2", "--there", "x"])
