"""Schedules go over the edges of a graph: a node begins with the best one that others found."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns.graph.graphs_at_hand import DRAW, HEAD, QUICK, does, node, plan_of, run, states
from campaigns.runs_at_hand import Here

from ringyard.campaigns.runs import Task
from ringyard.campaigns.store import existing
from ringyard.instances import InputError
from ringyard.instances.reading.files import SCHEDULES, parse

CHAIN = HEAD + DRAW + QUICK
BETTER = node("better", "solve", "draw", "quick", starts=["quick"], methods=["enumeration"])


class Keeping(Here):
    """Does what is asked, and keeps the tasks."""

    def __init__(self, does_: Any = does) -> None:
        self.tasks: list[Task] = []
        super().__init__(does_)

    def submit(self, task: Task) -> None:
        self.tasks.append(task)
        super().submit(task)


def begun(tasks: list[Task]) -> dict[str, Any]:
    """Return the schedules that runs of `enumeration` begin with, by digest of the instance."""
    return {
        task["digest"]: parse(task["start"], SCHEDULES) if "start" in task else None
        for task in tasks
        if task.get("method") == "enumeration"
    }


def test_a_run_begins_with_the_best_schedule_of_its_instance(tmp_path: Path) -> None:
    here = Keeping()
    _, agenda = run(tmp_path, CHAIN + BETTER, here)
    assert set(states(agenda).values()) == {"done"}
    store, found = existing(tmp_path / "out"), begun(here.tasks)
    assert len(found) == 2
    for digest, start in found.items():
        rows = [row for row in store.rows() if row["digest"] == digest]
        before = [row for row in rows if row["method"] != "enumeration"]
        best = min(row["objective"] for row in before)
        assert start in [store.schedule(row) for row in before if row["objective"] == best]
        (after,) = (row for row in rows if row["method"] == "enumeration")
        assert after["objective"] <= best
        assert after["status"] == "optimal"


def test_nothing_is_done_twice_and_another_source_is_another_run(tmp_path: Path) -> None:
    run(tmp_path, CHAIN + BETTER)
    again = Keeping()
    run(tmp_path, CHAIN + BETTER, again)
    assert again.tasks == []
    other = Keeping()
    run(tmp_path, (CHAIN + BETTER).replace("['gang-lpt', 'random']", "['gang-lpt']"), other)
    assert [task["method"] for task in other.tasks] == ["enumeration"] * 2


def test_a_run_that_begins_with_nothing_has_the_key_that_it_always_had(tmp_path: Path) -> None:
    runs = {one.method: one for one in plan_of(tmp_path, CHAIN + BETTER).runs}
    assert runs["gang-lpt"].begins == ()
    assert len(runs["enumeration"].begins) == 3, "gang-lpt once, random with two seeds"
    bare = plan_of(tmp_path, CHAIN + BETTER.replace("starts = ['quick']\n", ""))
    keys = {one.key for one in bare.runs}
    assert runs["enumeration"].key not in keys
    assert replace(runs["enumeration"], begins=()).key in keys


def test_without_a_valid_schedule_there_is_no_start(tmp_path: Path) -> None:
    def failing(task: Task) -> dict[str, Any]:
        found = does(task)
        if task.get("method") in ("gang-lpt", "random"):
            nothing = {"status": "crashed", "note": "SIGSEGV", "valid": False, "objective": None}
            found = {"columns": found["columns"] | nothing, "schedule": None}
        return found

    here = Keeping(failing)
    allowed = (CHAIN + BETTER).replace("'quick'\n", "'quick'\nmay_fail = 6\n", 1)
    _, agenda = run(tmp_path, allowed, here)
    assert states(agenda)["better"] == "done"
    assert list(begun(here.tasks).values()) == [None, None]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BETTER.replace(", 'quick']\nstarts", "]\nstarts"), "add 'quick' to needs"),
        (BETTER.replace("starts = ['quick']", "starts = ['draw']"), "a node of type 'solve'"),
        (BETTER.replace("enumeration", "first-fit"), "a method that can begin with a schedule"),
        (BETTER.replace("'enumeration'", "'enumeration']\ninstances = ['hand-lpt'"), "hand-lpt"),
    ],
)
def test_what_cannot_be_handed_over_is_refused_at_launch(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        plan_of(tmp_path, CHAIN + text)
    assert said in str(caught.value)
    assert "starts" in str(caught.value)
