"""`ringyard whatif --outages`, and failure rates from a log of Slurm."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from ringyard.instances import Outage, RackServer, TraceInstance, TraceJob, save

Call = Callable[..., Any]
ALONE = ("--policies", "fifo", "--contention", "none", "--workers", "1")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Write a job of two GPUs and 10 s, whose only server fails at 6 s and is back at 8 s."""
    trace = TraceInstance(
        name="small",
        servers=(RackServer(name="a", gpus=2),),
        jobs=(TraceJob(name="x", gpus=2, duration_s=Decimal(10)),),
        outages=(Outage(server="a", from_s=Decimal(6), until_s=Decimal(8)),),
        checkpoint_s=Decimal(4),
    )
    save(trace, tmp_path / "small.json")
    return tmp_path / "small.json"


def test_goodput_is_said_before_and_after(ringyard: Call, small: Path) -> None:
    """The job loses 2 s of 6 s, waits 2 s, and works 6 s more: 10 s of work in 12 s with GPUs."""
    words = ("whatif", small, *ALONE, "--outages", "own", "--out", small.parent / "out")
    found = ringyard(*words, "--json").json
    assert [(row["outages"], row["objective"]) for row in found["rows"]] == [
        ("none", 10),
        ("own", 14),
    ]
    assert [row["goodput"] for row in found["rows"]] == [1, pytest.approx(10 / 12)]
    assert [(row["lost_s"], row["lost_gpu_s"]) for row in found["rows"]] == [(0, 0), (2, 4)]
    (effect,) = found["effects"]
    assert effect["sentence"] == (
        "With the outages of the trace (1 until the last end): mean wait 0 s -> 0 s, p95 0 s -> 0 s"
        ", all time without GPUs 0 s -> 2 s, mean JCT 10 s -> 14 s (+40 %), goodput 100 % -> 83.3 %"
        ", lost work 0 GPU-h -> 0.00111 GPU-h."
    )
    assert (small.parent / "out" / "question.txt").read_text() == (
        "small --policies fifo --outages none,own\n"
    )
    shown = ringyard(*words).out
    assert "goodput, %" in shown
    assert "lost, GPU-h" in shown


def test_a_checkpoint_costs_the_work_since_then(ringyard: Call, small: Path) -> None:
    words = ("whatif", small, *ALONE, "--checkpoint", "7s", "--out", small.parent / "out")
    (row,) = ringyard(*words, "--json").json["rows"]
    assert (row["outages"], row["objective"], row["lost_s"]) == ("own", 18, 6)


def test_draws_are_averaged(ringyard: Call, small: Path) -> None:
    spec = "mtbf=5s,repair=2s,draws=4"
    words = ("whatif", small, *ALONE, "--outages", spec, "--out", small.parent / "out")
    found = ringyard(*words, "--json").json
    before, after = found["rows"]
    assert (before["draws"], len(after["draws"])) == ([], 4)
    assert len({one["key"] for one in after["draws"]}) == 4
    for name in ("objective", "goodput", "lost_gpu_s", "makespan_s"):
        assert after[name] == pytest.approx(fmean(one[name] for one in after["draws"]))
    assert len({one["objective"] for one in after["draws"]}) > 1
    low, high = found["effects"][0]["interval"] or (0, 0)
    assert low <= found["effects"][0]["change"] <= high
    assert "means over 4 draws, with 95 % intervals" in " ".join(ringyard(*words).out.split())


def test_a_goal_is_searched_with_outages(ringyard: Call, small: Path) -> None:
    """With a second server, the job goes on there at 6 s and ends at 12 s."""
    words = ("whatif", small, "--policies", "fifo", "--workers", "1", "--out", small.parent / "out")
    found = ringyard(*words, "--goal", "mean jct 13s", "--json")
    (answer,) = found.json["answers"]
    assert (found.code, answer["change"], answer["value"]) == (0, 1, 12)
    assert [size["value"] for size in answer["tried"]] == [14, 12]
    assert any("added servers never fail" in remark for remark in found.json["remarks"])
    assert ringyard(*words, "--goal", "mean jct 14s", "--json").json["answers"][0]["change"] == 0
    drawn = ringyard(*words, "--goal", "mean jct 10s", "--outages", "mtbf=5s,repair=2s,draws=3")
    assert "with outages mtbf=5s,repair=2s,draws=3: the goal is missed even with" in drawn.out


@pytest.mark.parametrize("more", [(), ("--goal", "p95 wait 1h")])
@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--outages", "mtbf=1h", "--outages mtbf: found '1h', expected at least the mean time"),
        ("--outages", "mtbf=1s,repair=0s", "--outages repair: found '0s'"),
        ("--policies", "gavel", "policies that follow outages, for --outages"),
        ("--checkpoint", "x", "--checkpoint: found 'x', expected a time such as 30d"),
        ("--clusters", "2x2", "because the outages of the trace are those of its servers"),
    ],
)
def test_what_cannot_be_meant_is_refused_before_any_replay(
    ringyard: Call, small: Path, option: str, value: str, said: str, more: tuple[str, ...]
) -> None:
    out = small.parent / "out"
    found = ringyard("whatif", small, option, value, *more, "--out", out)
    assert (found.code, out.exists()) == (2, False)
    assert said in found.err


def test_a_policy_of_a_user_that_does_not_follow_outages_is_told_of_the_option(
    ringyard: Call, small: Path
) -> None:
    own = small.parent / "own.py"
    own.write_text(
        "from ringyard.simulation.trace import TraceDecider\n\n\n"
        "class Own(TraceDecider):\n    def decide(self, jobs, cluster):\n        return {}\n"
    )
    words = ("whatif", small, "--policies", f"fifo,{own}:Own", "--workers", "1")
    found = ringyard(*words, "--out", small.parent / "out")
    text = " ".join(found.out.split())
    assert "server 'a' has an outage, which the method does not expect." in text
    assert "Give --outages none for a replay without them." in text


LOG = """JobID|Submit|Start|Elapsed|State|AllocTRES|NodeList
1|2024-03-01T00:00:00|2024-03-01T00:00:00|10-00:00:00|NODE_FAIL|gres/gpu=8|n[1-2]
2|2024-03-01T00:00:00|2024-03-01T12:00:00|9-12:00:00|NODE_FAIL|gres/gpu=1|n2
3|2024-03-01T00:00:00|2024-03-02T00:00:00|29-00:00:00|COMPLETED|gres/gpu=1|n3
4|2024-03-01T00:00:00|2024-03-01T12:00:00|00:01:00|COMPLETED|gres/gpu=1|None assigned
5|2024-03-01T00:00:00|2024-03-01T12:00:00|01:00:00|CANCELLED by 0|gres/gpu=1|n[3
6|2024-03-01T00:00:00|2024-03-01T12:00:00|8-12:00:00|NODE_FAIL|gres/gpu=1|n4
7|2024-03-01T00:00:00|2024-03-01T12:00:00|8-12:00:00|NODE_FAIL|cpu=1|n5
"""


def test_a_log_has_the_rate_of_failures(ringyard: Call, tmp_path: Path) -> None:
    """Two jobs end on n2 at once, one on n4: two failures of 4 nodes with GPUs in 30 days.

    The option is one that `whatif` reads.
    """
    log, trace = tmp_path / "log.txt", tmp_path / "trace.json"
    log.write_text(LOG)
    words = ("import", "sacct", log, "--servers", "4x8", "--out", trace)
    found = ringyard(*words, "--json").json
    assert found["failures"] == {
        **{"failures": 2, "nodes": 4, "span_s": 30 * 86_400, "mtbf_s": 60 * 86_400},
        "outages": "mtbf=60d,repair=4h",
    }
    said = "NODE_FAIL: 2 failures of 4 nodes in 30d. To replay such failures: ringyard whatif"
    assert f"note: {said} --outages mtbf=60d,repair=4h." in ringyard(*words).out
    option = ("--outages", found["failures"]["outages"])
    done = ringyard("whatif", trace, *ALONE, *option, "--first", "2", "--out", tmp_path / "out")
    assert done.code == 0


def test_a_log_without_nodes_says_what_is_missing(ringyard: Call, tmp_path: Path) -> None:
    log, trace = tmp_path / "log.txt", tmp_path / "trace.json"
    log.write_text("\n".join(line.rpartition("|")[0] for line in LOG.splitlines()))
    words = ("import", "sacct", log, "--servers", "4x8", "--out", trace)
    said = "NODE_FAIL: 3 attempts in 30d. For the rate of a node, add the column NodeList to the"
    assert said in ringyard(*words).out
    found = ringyard(*words, "--json").json["failures"]
    assert (found["failures"], found["nodes"], found["mtbf_s"], found["outages"]) == (
        *(3, 0, None),
        None,
    )
    log.write_text(LOG.replace("NODE_FAIL", "FAILED"))
    assert ringyard(*words, "--json").json["failures"] is None
