"""`ringyard replan`: its options, its files, and its messages."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.check import check
from ringyard.instances import load_instance, load_schedule


@pytest.fixture
def plan(tmp_path: Path, ringyard: Callable[..., Any]) -> tuple[str, str]:
    instance, made = tmp_path / "day.json", tmp_path / "plan.json"
    options = ("jobs=8", "servers=3", "restart_s=60", "gap_s=60")
    sets = [word for option in options for word in ("--set", option)]
    assert ringyard("generate", "tiresias", "--seed", "2", *sets, "--out", str(instance)).code == 0
    assert ringyard("solve", str(instance), "--out", str(made)).code == 0
    return str(instance), str(made)


def test_the_files_fit_together(
    plan: tuple[str, str], tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    rest, new, chart = (tmp_path / name for name in ("rest.json", "new.json", "both.svg"))
    files = ["--out", str(new), "--instance-out", str(rest), "--gantt", str(chart)]
    done = ringyard("replan", *plan, "--now", "5m", "--lost", "s1=+1h", "--json", *files)
    found = done.json
    verdict = check(load_instance(rest), load_schedule(new))
    assert verdict.valid
    assert float(verdict.objective) == pytest.approx(found["objective"])
    assert found["objective"] == min(found["plans"].values()) >= found["bound"]
    assert {"waiting", "repaired"} <= found["plans"].keys()
    assert chart.read_text().count("arrivals") == 2


def test_nothing_lost_keeps_the_plan(plan: tuple[str, str], ringyard: Callable[..., Any]) -> None:
    done = ringyard("replan", *plan, "--now", "300", "--json")
    found = done.json
    assert found["plans"]["kept"] == found["plans"]["waiting"] == found["planned"]
    text = ringyard("replan", *plan, "--now", "300").out
    assert "  kept      " in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--now", "soon"], "--now: found 'soon', expected a time such as 5h, 20m or 300"),
        (["--now", "5m", "--lost", "s9"], "--lost: found 's9', expected one of s0, s1, s2"),
        (["--now", "5m", "--lost", "s1=1m"], "--lost s1: found 60, expected a moment after 300"),
        (["--now", "5m", "--late", "j1"], "--late: found 'j1', expected a job and its delay"),
        (["--now", "5m", "--late", "j1=+0"], "--late j1: found 0, expected a time above 0"),
        (
            ["--now", "0", "--lost", "s1", "--lost", "s2"],
            "Say when it is back, as in --lost s1=+4h",
        ),
        (["--now", "5m", "--out", "new.txt"], "expected a name that ends in .json"),
    ],
)
def test_wrong_options_are_refused(
    plan: tuple[str, str], ringyard: Callable[..., Any], words: list[str], said: str
) -> None:
    done = ringyard("replan", *plan, *words)
    assert done.code == 2
    assert said in done.err


def test_other_families_are_refused(tmp_path: Path, ringyard: Callable[..., Any]) -> None:
    instance, made = tmp_path / "messages.json", tmp_path / "plan.json"
    assert ringyard("generate", "shuffle", "--seed", "0", "--out", str(instance)).code == 0
    assert ringyard("solve", str(instance), "--out", str(made)).code == 0
    done = ringyard("replan", str(instance), str(made), "--now", "0")
    assert done.code == 2
    assert "plans of 'shuffle' cannot be repaired" in done.err


def test_rings_start_again_where_a_server_is_lost(
    tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    """Times are slots, and `--redo` limits the work that is done again."""
    made, rest, new = (str(tmp_path / name) for name in ("plan.json", "rest.json", "new.json"))
    solved = ringyard("solve", "small-06x3", "--method", "gang-lpt", "--out", made)
    assert solved.code == 0
    words = ["small-06x3", made, "--now", "3", "--lost", "s1=+4", "--method", "gang-lpt"]
    files = ["--out", new, "--instance-out", rest, "--gantt", str(tmp_path / "both.svg")]
    whole = ringyard("replan", *words, "--json").json
    some = ringyard("replan", *words, "--redo", "2", "--json", *files).json
    assert some["plans"]["waiting"] < whole["plans"]["waiting"]
    assert {"waiting", "repaired", "gang-lpt"} <= some["plans"].keys()
    verdict = check(load_instance(rest), load_schedule(new))
    assert verdict.valid
    assert verdict.objective == some["objective"] <= some["plans"]["waiting"]
    assert ringyard("show", rest).out.count("s1:4") == 1
    wrong = ringyard("replan", "small-06x3", made, "--now", "3m")
    assert (wrong.code, "found '3m', expected a number of slots" in wrong.err) == (2, True)


def test_a_queue_of_slurm_is_planned_anew_when_a_node_is_lost(
    tmp_path: Path, ringyard: Callable[..., Any]
) -> None:
    nodes, queue = tmp_path / "nodes.txt", tmp_path / "queue.txt"
    nodes.write_text(
        "".join(f"NodeName=n{k} Gres=gpu:8 State=MIXED CfgTRES=cpu=1\n" for k in (1, 2))
    )
    queue.write_text(
        "JOBID|STATE|TIME|TIME_LIMIT|TRES_ALLOC|NODELIST\n"
        "71|RUNNING|1:00:00|4:00:00|gres/gpu=6|n1\n"
        "72|PENDING|0:00|2:00:00|gres/gpu=8|\n"
    )
    now, rest, new, script = (
        str(tmp_path / one) for one in ("now.json", "rest.json", "new.json", "new.sh")
    )
    words = ["squeue", str(queue), "--nodes", str(nodes), "--restart-s", "60", "--out", now]
    assert ringyard("import", *words).code == 0
    files = ["--out", new, "--instance-out", rest]
    done = ringyard("replan", now, "--lost", "n1=+8h", *files)
    assert "1 job without a run in the plan waited behind it" in done.out
    assert ringyard("check", rest, new).code == 0
    words = [rest, "--schedule", new, "--format", "slurm", "--epoch", "2024-03-01T08:00"]
    assert ringyard("export", *words, "--out", script).code == 0
    assert "ReqNodeList=n2" in Path(script).read_text()


def test_a_plan_needs_a_moment(plan: tuple[str, str], ringyard: Callable[..., Any]) -> None:
    done = ringyard("replan", *plan)
    assert done.code == 2
    assert "--now: found none, expected the moment of the change in the plan's own time" in done.err
