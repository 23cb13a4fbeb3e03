"""Graphs that run: who waits for whom, what fails with what, and what is done again."""

import json
from pathlib import Path
from typing import Any

import pytest
from campaigns.graph.graphs_at_hand import (
    CHECK,
    DRAW,
    HEAD,
    LIMITS,
    QUICK,
    WHOLE,
    does,
    node,
    plan_of,
    run,
    states,
)
from campaigns.runs_at_hand import Here, made_up

from ringyard.campaigns.drive import drive
from ringyard.campaigns.runs import Task
from ringyard.campaigns.store import Store, existing, prepared

SLOW = node("slow", "solve", "draw", methods=["list-scheduling"])
AFTER = node("after", "table", "quick", kind="runs")
LAST = node("last", "table", "slow", kind="runs")
STABLE = ("instance", "method", "seed", "status", "objective", "bound", "bound_kind", "valid")


class Noting(Here):
    """Writes down what it did, in order."""

    def __init__(self, does: Any = does) -> None:
        self.did: list[str] = []

        def noted(task: Task) -> dict[str, Any]:
            found: dict[str, Any] = does(task)
            self.did.append(task["node"] if "step" in task else task["method"])
            return found

        super().__init__(noted)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the place of a graph that has run."""
    folder = tmp_path_factory.mktemp("graph")
    _, agenda = run(folder, WHOLE)
    assert set(states(agenda).values()) == {"done"}
    return folder


def test_each_node_runs_once_all_that_it_needs_is_there(tmp_path: Path) -> None:
    here = Noting()
    run(tmp_path, WHOLE, here)
    first = {name: here.did.index(name) for name in here.did}
    last = {name: i for i, name in enumerate(here.did)}
    assert max(last[name] for name in ("gang-lpt", "random", "bound")) < first["check"]
    assert first["check"] < first["enumeration"] < last["enumeration"] < first["best"]


def test_a_branch_does_not_wait_for_another(tmp_path: Path) -> None:
    """The runs of one branch end only when all of the other is done."""
    held: list[Task] = []

    class Holding(Noting):
        def submit(self, task: Task) -> None:
            (held if task.get("method") == "list-scheduling" else self._tasks).append(task)

        def finished(self, timeout: float) -> list[Any]:
            if not self._tasks:
                assert "after" in self.did
                self._tasks, held[:] = held[:], []
            return super().finished(timeout)

    here = Holding()
    here.slots = 100
    _, agenda = run(tmp_path, HEAD + DRAW + SLOW + QUICK + LAST + AFTER, here)
    assert set(states(agenda).values()) == {"done"}
    assert here.did[-3:] == ["list-scheduling", "list-scheduling", "last"]


def test_a_graph_gives_the_rows_of_the_plain_campaign(done: Path, tmp_path: Path) -> None:
    runs = plan_of(tmp_path, WHOLE).runs
    drive(prepared(tmp_path / "plain"), runs, Here(), lambda _: None)
    seen = [
        [[row[name] for name in STABLE] for row in existing(place).rows()]
        for place in (done / "out", tmp_path / "plain")
    ]
    assert seen[0] == seen[1]


def test_nothing_is_done_twice(done: Path) -> None:
    here = Noting()
    _, agenda = run(done, WHOLE, here)
    assert (here.did, set(states(agenda).values())) == ([], {"done"})


def test_whatever_changes_is_done_again_with_all_behind_it(done: Path) -> None:
    here = Noting()
    changed = WHOLE.replace("['gang-lpt', 'random']", "['gang-lpt', 'random', 'first-fit']")
    run(done, changed, here)
    assert here.did == ["first-fit", "first-fit", "check", "best"]
    (done / "out/nodes/best.csv").unlink()
    again = Noting()
    run(done, changed, again)
    assert again.did == ["best"]


def test_behind_a_failure_nothing_runs_and_all_else_does(tmp_path: Path) -> None:
    def failing(task: Task) -> dict[str, Any]:
        found = does(task)
        if task.get("seed") == 1:
            nothing = {"status": "crashed", "note": "SIGSEGV", "valid": False, "objective": None}
            found = {"columns": found["columns"] | nothing, "schedule": None}
        return found

    news: list[str] = []
    text = WHOLE + SLOW + LAST
    _, agenda = run(tmp_path, text, Noting(failing), news)
    ended = states(agenda)
    assert ended["quick"] == "failed"
    assert {ended[name] for name in ("check", "exact", "best")} == {"not run"}
    assert {ended[name] for name in ("limits", "slow", "last")} == {"done"}
    assert "node quick: failed: 2 of 6 runs failed" in news
    assert "node best: not run, because quick failed" in news
    assert not list((tmp_path / "out/nodes").glob("best*"))
    allowed = text.replace("'quick'\n", "'quick'\nmay_fail = 2\n", 1)
    _, agenda = run(tmp_path, allowed, Noting())
    assert set(states(agenda).values()) == {"done"}


def test_a_step_that_raises_fails_its_node_alone(tmp_path: Path) -> None:
    def odd(task: Task) -> dict[str, Any]:
        return does({**task, "kind": "none"} if task.get("node") == "after" else task)

    _, agenda = run(tmp_path, HEAD + DRAW + QUICK + AFTER + SLOW + LAST, Noting(odd))
    assert states(agenda)["after"] == "failed"
    assert agenda.nodes["after"].note == "KeyError: 'none'"
    assert states(agenda)["last"] == "done"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"objective": 1.0}, "the judge says "),
        ({"bound": 1e6, "bound_kind": "combinatorial"}, "below the combinatorial bound 1000000.0"),
    ],
)
def test_verify_fails_where_row_and_judge_disagree(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    def lying(task: Task) -> dict[str, Any]:
        found = does(task)
        if task.get("method") == "gang-lpt":
            found["columns"] |= change
        return found

    _, agenda = run(tmp_path, HEAD + DRAW + QUICK + LIMITS + CHECK, Noting(lying))
    assert states(agenda)["check"] == "failed"
    record = json.loads((tmp_path / "out/nodes/check.json").read_text(encoding="utf-8"))
    assert any(said in sentence for sentence in record["broken"])


def test_verify_fails_where_a_schedule_breaks_a_rule(tmp_path: Path) -> None:
    def lying(task: Task) -> dict[str, Any]:
        found = does(task)
        if task.get("method") == "gang-lpt":
            plan = json.loads(found["schedule"])
            plan["assignments"] = plan["assignments"][1:]
            found["schedule"] = json.dumps(plan)
        return found

    _, agenda = run(tmp_path, HEAD + DRAW + QUICK + LIMITS + CHECK, Noting(lying))
    assert "the judge rejects it" in agenda.nodes["check"].note


def test_an_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    def stopped(task: Task) -> dict[str, Any]:
        if task.get("node") == "check":
            raise KeyboardInterrupt
        return does(task)

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, WHOLE, Noting(stopped))
    assert len(Store(tmp_path / "out")) == 8
    here = Noting()
    run(tmp_path, WHOLE, here)
    assert here.did == ["check", "enumeration", "enumeration", "best"]


def test_a_record_that_is_torn_or_of_other_rows_does_not_count(done: Path) -> None:
    path = done / "out/nodes/check.json"
    run(done, WHOLE)
    record = path.read_text(encoding="utf-8")
    for text in (record[:20], record.replace('"key": "', '"key": "0'), "[]"):
        path.write_text(text, encoding="utf-8")
        here = Noting()
        run(done, WHOLE, here)
        assert here.did == ["check"]


def test_a_run_of_two_nodes_is_done_once(tmp_path: Path) -> None:
    again = QUICK.replace("'quick'", "'again'")
    here = Noting(lambda task: does(task) if "step" in task else made_up(task))
    _, agenda = run(tmp_path, HEAD + DRAW + QUICK + again, here)
    assert len(here.did) == 6
    assert set(states(agenda).values()) == {"done"}


def test_files_that_were_made_links_to_one_another_become_files_again(done: Path) -> None:
    """Else each is written over the other, and the node is never done."""
    run(done, WHOLE)
    first, second = (done / "out/nodes" / name for name in ("best.md", "best.tex"))
    kept = second.read_bytes()
    second.unlink()
    second.symlink_to(first)

    def once(task: Task) -> dict[str, Any]:
        if here.did:
            raise RuntimeError("the node is done again")
        return does(task)

    here = Noting(once)
    run(done, WHOLE, here)
    assert here.did == ["best"]
    assert (second.is_symlink(), second.read_bytes()) == (False, kept)
