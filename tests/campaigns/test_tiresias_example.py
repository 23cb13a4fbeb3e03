"""The worked example of Tiresias: every schedule, step and index, exactly."""

from fractions import Fraction
from functools import cache

import pytest

from ringyard.analysis.tables import Cell
from ringyard.campaigns.reproductions import Results, Settings
from ringyard.papers.tiresias import example as tiresias_example
from ringyard.papers.tiresias.example import STEPS
from ringyard.papers.tiresias.experiments import index_values

ENDS = {
    "SRTF": (2, 16, 8),
    "SRSF": (2, 10, 16),
    "2D-Gittins, index as defined": (2, 10, 16),
    "2D-Gittins, index of the slides": (2, 12, 16),
    "2D-LAS, quantum 2": (2, 14, 16),
    "2D-LAS, quantum 1": (5, 14, 16),
    "2D-LAS, quantum 1/2": (6.5, 14, 16),
    "two queues, threshold 3": (2, 12, 16),
    "two queues, threshold 4": (2, 12, 16),
    "FIFO": (2, 10, 16),
    "optimum": (2, 16, 8),
}

INDICES = {
    "as defined": "1/8 1/7 1/6 1/3 1/6 1/5 1/4 1/2 1/4 1/3 1/2 1",
    "of the slides": "1/4 9/32 3/8 3/4 1/5 4/17 1/3 2/3 1/8 1/6 1/4 1/2",
}


@cache
def report() -> Results:
    return tiresias_example.report(Settings())


def lines(table: str) -> list[tuple[Cell, ...]]:
    return list(report().tables[table].rows)


def test_the_schedules_are_those_of_the_example() -> None:
    found = {line[0]: line[2:6] for line in lines("schedules")}
    assert found == {name: (*ends, pytest.approx(sum(ends) / 3)) for name, ends in ENDS.items()}


def test_who_runs_is_told_for_every_unit_of_time() -> None:
    order = {line[0]: line[1] for line in lines("schedules")}
    assert order["2D-LAS, quantum 1"] == "1 2 3 2 1 2 3 22 3 22 3 2 33"
    assert order["2D-Gittins, index of the slides"] == "11 2222 33 2222 3333"
    assert {name: len(str(text).replace(" ", "")) for name, text in order.items()} == {
        name: 32 if name.endswith("1/2") else 16 for name in ENDS
    }


def test_the_best_schedule_is_proved_best() -> None:
    assert {line[0]: line[7] for line in lines("schedules")}["SRTF"] == 1
    assert "optimum, by state-search: 8.67, optimal" in report().statements


@pytest.mark.parametrize("name", INDICES)
def test_the_index_is_that_of_the_formula(name: str) -> None:
    exact = [float(Fraction(text)) for text in INDICES[name].split()]
    assert index_values(tiresias_example.example(), name) == pytest.approx(exact, abs=1e-12)


def test_the_slides_draw_their_index() -> None:
    apart = [abs(float(line[2]) - float(line[3])) for line in lines("index")]  # type: ignore[arg-type]
    assert max(apart) < 0.0035


def test_at_every_step_the_highest_index_runs() -> None:
    steps = lines("steps")
    assert [step[1] for step in steps if step[0] == "of the slides"] == [
        "0", "2", "6", "8", "12", "14",
    ]  # fmt: skip
    for _, _, _, ranks, runs in steps:
        shown = [-1.0 if text == "-" else float(text) for text in str(ranks).split(", ")]
        assert runs == f"J{shown.index(max(shown)) + 1}"
    assert {step[0] for step in steps} == set(STEPS)


def test_it_is_said_that_the_papers_means_come_out() -> None:
    assert sum(text.endswith(": the same") for text in report().statements) == 3


def test_schedules_are_drawn() -> None:
    charts = report().charts
    assert "2d-las · mean completion time 11.667 s · bound 8.667 s" in charts["las"].about
    assert "mean completion time 10 s" in charts["slides"].about
    assert "mean completion time 9.333 s" in charts["gittins"].about
