"""The frontier: who climbs how far, and what a cell says; from made-up rows."""

from collections.abc import Callable
from typing import Any

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.papers import frontier
from ringyard.run import ContradictionError

SETTINGS = Settings(seeds=2, time_limit=9.0, points=4)
FIRST, SECOND = frontier.methods()[:2]


def proved(run: Run) -> dict[str, Any]:
    return {
        "instance": run.instance.name,
        "digest": run.instance.name,
        "method": run.method,
        "status": "optimal",
        "valid": True,
        "objective": 9 + int(run.instance.name[-1] == "1"),
        "bound": 9,
        "bound_kind": "searched",
        "seconds": 0.5,
    }


def only(jobs: int) -> Callable[[Run], dict[str, Any]]:
    """Let the first method prove what has at most so many jobs."""

    def answers(run: Run) -> dict[str, Any]:
        row = proved(run)
        if run.method == FIRST and len(run.instance.jobs) > jobs:
            return {**row, "status": "feasible", "bound": 1, "seconds": 9.0}
        return row

    return answers


def sizes(method: str, known: Callable[[Run], Any]) -> list[str]:
    """Return the sizes on which a method is wanted."""
    names = [
        run.instance.name
        for run in frontier.runs(SETTINGS, known)
        if run.method == method and run.time_limit == 9.0
    ]
    return list(dict.fromkeys(name.split("-")[1] for name in names if name.endswith("-s0")))


def test_a_size_is_wanted_once_the_one_before_is_known() -> None:
    assert sizes(FIRST, lambda _: None) == ["4x2"]
    assert sizes(FIRST, lambda run: proved(run) if "4x2" in run.instance.name else None) == [
        "4x2",
        "5x3",
    ]


def test_who_proves_none_of_a_size_is_not_tried_on_larger_ones() -> None:
    assert sizes(SECOND, only(4)) == ["4x2", "5x3", "6x3", "7x3"]
    assert sizes(FIRST, only(4)) == ["4x2", "5x3"]
    assert sizes(FIRST, only(6)) == ["4x2", "5x3", "6x3", "7x3"]


def test_larger_is_larger_in_both() -> None:
    assert frontier._within("10x5", "12x5")
    assert not frontier._within("10x5", "12x4")


def test_a_cell_says_how_many_and_how_fast() -> None:
    table = frontier.report(SETTINGS, only(4)).tables["sizes"]
    heads = [column.head for column in table.columns]
    rows = [dict(zip(heads, row, strict=True)) for row in table.rows]
    assert [(row["instances"], row["jobs"], row["servers"]) for row in rows] == [
        ("4x2", 4, 2),
        ("5x3", 5, 3),
        ("6x3", 6, 3),
        ("7x3", 7, 3),
    ]
    assert [row[FIRST] for row in rows] == ["2/2 0.5 s", "0/2", "", ""]
    assert {row[SECOND] for row in rows} == {"2/2 0.5 s"}
    assert {row["slots"] for row in rows} == {"9-10"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "0.5 s"),
        ({"seconds": 0.001}, "< 0.01 s"),
        ({"status": "feasible"}, "0/1"),
        ({"status": "crashed", "valid": False, "objective": None, "bound": None}, "0/1"),
        ({"status": "refused", "valid": False, "objective": None, "bound": None}, "refused"),
    ],
)
def test_a_named_instance_is_one_run(changes: dict[str, Any], said: str) -> None:
    def answers(run: Run) -> dict[str, Any]:
        return {**proved(run), **(changes if run.method == FIRST else {})}

    table = frontier.report(SETTINGS, answers).tables["named"]
    at = [column.head for column in table.columns].index(FIRST)
    assert {row[at] for row in table.rows} == {said}


def test_what_no_method_proves_is_marked() -> None:
    def answers(run: Run) -> dict[str, Any]:
        return {**proved(run), "status": "feasible", "bound": 1}

    table = frontier.report(SETTINGS, answers).tables["named"]
    assert all(str(row[3]).endswith(" ?") for row in table.rows)


def test_answers_that_cannot_both_be_right_are_an_error() -> None:
    def answers(run: Run) -> dict[str, Any]:
        return {**proved(run), **({"bound": 99} if run.method == FIRST else {})}

    with pytest.raises(ContradictionError, match="below the searched bound 99"):
        frontier.report(SETTINGS, answers)
