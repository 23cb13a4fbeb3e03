"""Runs that name earlier runs by their keys begin with the best schedule that these found."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns.runs_at_hand import Here

from ringyard.campaigns.drive import drive
from ringyard.campaigns.perform import perform
from ringyard.campaigns.plan import read_plan
from ringyard.campaigns.runs import Run, Task
from ringyard.campaigns.store import Store, prepared
from ringyard.instances.reading.files import SCHEDULES, parse

CHAIN = """format = "ringyard-campaign/1"
name = "chain"
methods = ["gang-lpt", "random", "enumeration"]
seeds = 2
[[generate]]
family = "small"
seeds = 2
set = ["jobs=4", "servers=2"]
"""


class Keeping(Here):
    """Does what is asked, and keeps the tasks."""

    def __init__(self, does: Any = perform) -> None:
        self.tasks: list[Task] = []
        super().__init__(does)

    def submit(self, task: Task) -> None:
        self.tasks.append(task)
        super().submit(task)


def steps(folder: Path, text: str = CHAIN) -> tuple[list[Run], list[Run]]:
    """Return the runs of quick methods, and exact ones that begin with what these find."""
    path = folder / "chain.toml"
    path.write_text(text, encoding="utf-8")
    runs = read_plan(path).runs
    quick = [run for run in runs if run.method != "enumeration"]
    exact = [
        replace(run, begins=tuple(sorted(one.key for one in quick if one.instance == run.instance)))
        for run in runs
        if run.method == "enumeration"
    ]
    return quick, exact


def run(folder: Path, here: Here, text: str = CHAIN) -> Store:
    """Run both steps in this process."""
    store = prepared(folder / "out")
    for step in steps(folder, text):
        drive(store, step, here, lambda _: None)
    return store


def begun(tasks: list[Task]) -> dict[str, Any]:
    """Return the schedules that runs of `enumeration` begin with, by digest of the instance."""
    return {
        task["digest"]: parse(task["start"], SCHEDULES) if "start" in task else None
        for task in tasks
        if task["method"] == "enumeration"
    }


def test_a_run_begins_with_the_best_schedule_of_its_instance(tmp_path: Path) -> None:
    here = Keeping()
    store = run(tmp_path, here)
    found = begun(here.tasks)
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
    run(tmp_path, Keeping())
    again = Keeping()
    run(tmp_path, again)
    assert again.tasks == []
    other = Keeping()
    run(tmp_path, other, CHAIN.replace('"gang-lpt", "random"', '"gang-lpt"'))
    assert [task["method"] for task in other.tasks] == ["enumeration"] * 2


def test_a_run_that_begins_with_nothing_has_the_key_that_it_always_had(tmp_path: Path) -> None:
    _, exact = steps(tmp_path)
    keys = {one.key for one in read_plan(tmp_path / "chain.toml").runs}
    for one in exact:
        assert len(one.begins) == 3, "gang-lpt once, random with two seeds"
        assert one.key not in keys
        assert replace(one, begins=()).key in keys


def test_without_a_valid_schedule_there_is_no_start(tmp_path: Path) -> None:
    def failing(task: Task) -> dict[str, Any]:
        found = perform(task)
        if task["method"] != "enumeration":
            nothing = {"status": "crashed", "note": "SIGSEGV", "valid": False, "objective": None}
            found = {"columns": found["columns"] | nothing, "schedule": None}
        return found

    here = Keeping(failing)
    store = run(tmp_path, here)
    assert list(begun(here.tasks).values()) == [None, None]
    solved = [row for row in store.rows() if row["method"] == "enumeration"]
    assert [row["status"] for row in solved] == ["optimal"] * 2


@pytest.mark.parametrize("method", ["first-fit", "sjf-bco"])
def test_a_method_that_cannot_begin_with_a_schedule_says_so_in_its_row(
    method: str, tmp_path: Path
) -> None:
    quick, exact = steps(tmp_path)
    unable = [replace(one, method=method) for one in exact]
    store = prepared(tmp_path / "out")
    for step in (quick, unable):
        drive(store, step, Keeping(), lambda _: None)
    for one in unable:
        row = store.row(one)
        assert (row["valid"], "cannot use a start" in row["note"]) == (False, True)
