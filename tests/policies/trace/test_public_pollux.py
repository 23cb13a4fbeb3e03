"""`benchmarks/public_pollux.py` on a small checkout."""

import json
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
import public_pollux as script

STEPS = (
    "placement,local_bsz,step_time,sync_time\n1,4,4,0\n1,8,8,0\n1,12,1,0\n2,4,2.5,0.5\n2,8,4,0\n"
)
TRAINED = "progress,iteration,metric,grad_sqr,grad_var\n100,1,0,0,1\n"
JOBS = "name,time,application,num_replicas,batch_size\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A job of ncf and one of yolov3, and published means of 500 s."""
    simulator = tmp_path / "simulator"
    for application in ("ncf", "yolov3"):
        folder = simulator / "traces" / application
        folder.mkdir(parents=True)
        (folder / "placements.csv").write_text(STEPS)
        (folder / "validation-8.csv").write_text(TRAINED)
        (folder / "validation-16.csv").write_text(TRAINED)
    (simulator / "workloads").mkdir()
    (simulator / "workloads/workload-1.csv").write_text(JOBS + "a,0,ncf,1,8\nb,0,yolov3,2,16\n")
    for policy in script.POLICIES:
        folder = simulator / "results-jobload" / f"{policy}-1.0"
        folder.mkdir(parents=True)
        (folder / "summary.json").write_text(json.dumps({"avgs": {"workload-1": 500.0}}))
    return tmp_path


def test_means_stand_beside_each_other(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Job a takes 100 steps of 8 s, b 50 steps of 4 s with 8 examples on each GPU, both 30 s more.

    The line of 12 examples would be faster, but is above the limit of yolov3.
    """
    script.main([str(checkout), "--workloads", "1", "2", "--policies", "tiresias"])
    out, errors = capsys.readouterr()
    assert "| 1 | `tiresias` | 500 | 530 | +6.0 |" in out
    assert "| mean | `tiresias` | 500 | 530 | +6.0 |" in out
    assert "workload-2.csv is not there" in errors


def test_only_one_application_keeps_its_gpu(checkout: Path, tmp_path: Path) -> None:
    profiles = script.limited(checkout / "simulator/traces", tmp_path)
    made = script.imported(profiles, checkout / "simulator/workloads/workload-1.csv", tuned=True)
    widths = {one.name: [w.gpus for w in one.phases[0].speeds] for one in made.types}
    assert widths == {"ncf 1x8": [1], "yolov3 2": [1, 2]}
