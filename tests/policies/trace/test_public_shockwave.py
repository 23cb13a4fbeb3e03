"""`benchmarks/public_shockwave.py` on a small checkout: what is there and what is not."""

import json
import pickle
import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[3] / "benchmarks"))
import public_shockwave as script

LINE = "LM (batch size 5)\tmain.py\tlm\t--steps\t1\t{steps}\t1\tstatic\t1\t-1.0\t{took}\t{at}\n"
EPOCH, SPEED = 11_935, 119.35
"""An epoch of LM takes 100 s at this speed."""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three jobs of 100 s, 200 s and 300 s on one GPU, and the results of a policy there."""
    traces, results = (tmp_path / "scheduler" / one for one in ("traces/reproduce", script.RESULTS))
    traces.mkdir(parents=True)
    results.mkdir(parents=True)
    text = "".join(LINE.format(steps=EPOCH * k, took=1, at=0) for k in (1, 2, 3))
    (traces / "three.trace").write_text(text)
    speeds = {"v100": {"('LM (batch size 5)', 1)": {"null": SPEED}}}
    (tmp_path / "scheduler/speeds.json").write_text(json.dumps(speeds))
    there = {
        "makespan": 600.0,
        "avg_jct": (100 + 300 + 600) / 3,
        "jct_list": [100.0, 300.0, 600.0],
        "finish_time_fairness_list": [0.33333, 0.5, 1.06],
    }
    file = results / "max_min_fairness_three_simulation.pickle"
    file.write_bytes(pickle.dumps(there))
    one = script.Workload("three", "speeds.json", 1)
    none = script.Workload("lost", "speeds.json", 1)
    monkeypatch.setattr(script, "WORKLOADS", {"3": one, "4": none})
    return tmp_path


def test_results_stand_beside_ours(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """First come, first served: 100, 300 and 600 s, over three times the time alone."""
    script.main([str(checkout), "--workloads", "3", "4", "--policies", "fifo"])
    out, errors = capsys.readouterr()
    assert "| 3 | `max_min_fairness` | | 600 | 333 | 1.06 | 33.3 |" in out
    assert "| 3 | | `fifo` | 600 | 333 | 0.67 | 0.0 |" in out
    assert re.search(r"skipped: .* lacks the trace of 4 jobs", errors)
    # Of its ratios, the last does not belong to the time alone of a job of 300 s.
    assert "durations agree to 5.9e-01" in out


class Harmful:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("run",)


def test_results_run_no_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.pickle"
    file.write_bytes(pickle.dumps({"makespan": Harmful()}))
    with pytest.raises(pickle.UnpicklingError, match=r"builtins\.print"):
        script.unpickled(file)
    assert capsys.readouterr().out == ""
