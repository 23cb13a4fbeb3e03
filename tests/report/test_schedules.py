"""Which schedules are on the page, and that it says what is not."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

import ringyard
from ringyard.analysis.report import schedules as module
from ringyard.analysis.report.schedules import shown_schedules
from ringyard.analysis.timeline.makespan import MakespanTimeline
from ringyard.instances import Assignment, Schedule

from .made import TOGETHER, make_instance, row


def shown(rows: list[dict[str, Any]], most: int = 10) -> tuple[list[str], str]:
    """Return instance and title of what is shown, and what is said to be left out."""
    found, words = shown_schedules(rows, lambda _: (make_instance(), TOGETHER), most)
    return [f"{one['instance']}: {one['title']}" for one in found], words


def run(method: str, objective: float, **columns: Any) -> dict[str, Any]:
    """Make a row with a schedule."""
    return row(method=method, objective=objective, schedule="a.json.gz", **columns)


def test_of_each_method_the_best_run_is_shown_the_best_method_first() -> None:
    rows = [run("a", 20), run("a", 10, seed=1), run("b", 5), run("c", 30)]
    assert shown(rows)[0] == [
        "yard: b · makespan 5", "yard: a · makespan 10", "yard: c · makespan 30",
    ]  # fmt: skip


def test_bars_that_touch_have_different_hues() -> None:
    instance = ringyard.load("tight-half-s0")
    schedule = ringyard.solve(instance, "gang-lpt").schedule
    timeline = MakespanTimeline(instance, schedule, ringyard.check(instance, schedule))
    page = module.plain(timeline.lives())
    pairs = 0
    for one, other in combinations(page["bars"], 2):
        times = min(one["end"], other["end"]) - max(one["start"], other["start"])
        lanes = min(one["lanes"][1], other["lanes"][1]) - max(one["lanes"][0], other["lanes"][0])
        touch = one["band"] == other["band"] and min(times, lanes) == 0 < max(times, lanes)
        if touch and one["job"] != other["job"]:
            pairs += 1
            assert len({page["jobs"][bar["job"]]["hue"] for bar in (one, other)}) == 2
    assert pairs > 50


def test_much_is_best_where_the_sense_says_so() -> None:
    rows = [run("a", 20, sense="max"), run("b", 30, sense="max")]
    assert shown(rows)[0][0] == "yard: b · makespan 30"


def test_every_instance_gets_its_best_before_any_gets_a_second() -> None:
    other = {"digest": "e" * 64, "instance": "other"}
    rows = [run("a", 1), run("b", 2), run("c", 3), run("a", 9, **other), run("b", 8, **other)]
    titles, words = shown(rows, most=3)
    assert titles == ["yard: a · makespan 1", "yard: b · makespan 2", "other: b · makespan 8"]
    assert words.startswith("3 of 5 schedules are on this page")


def test_nothing_is_said_where_nothing_is_left_out() -> None:
    assert shown([run("a", 1), run("b", 2), row(method="c")])[1] == ""


def test_invalid_schedules_are_not_shown() -> None:
    titles, words = shown([run("a", 1, valid=False, status="error")])
    assert titles == []
    assert words.startswith("0 of 1 schedule")


def test_a_schedule_with_too_many_bars_is_left_out_and_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_BARS", 4)
    titles, words = shown([run("a", 24)])
    assert titles == []
    assert "Left out with more than 4 bars: 1" in words


def test_the_certified_bound_is_a_line_and_stated_with_the_gap() -> None:
    rows = [run("a", 24), row(method="bound", valid=False, objective=None, bound=18)]
    (one,), _ = shown_schedules(rows, lambda _: (make_instance(), TOGETHER), 5)
    assert one["bound"] == 18
    assert one["line"] == 24
    assert "proved bound 18, gap 25.0 %" in one["about"]


def test_a_schedule_with_one_job_is_enough() -> None:
    alone = Schedule(
        instance="yard",
        assignments=(Assignment(job="gamma", start_slot=TOGETHER.assignments[2].start_slot,
                                gpus=(("s0", 1),)),),
    )  # fmt: skip
    small = replace(make_instance(), jobs=make_instance().jobs[2:3])
    (one,), _ = shown_schedules([run("a", 7)], lambda _: (small, alone), 5)
    assert [job["name"] for job in one["jobs"]] == ["gamma"]
    assert one["line"] == 7  # Five iterations of a second each, from slot 2 on.
