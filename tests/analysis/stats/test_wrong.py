"""Answers that cannot be right are found, and nothing is concluded from them."""

import pytest
from stats_rows import failed, run

from ringyard.analysis.rows import is_rejected
from ringyard.analysis.stats.references import best_bounds, best_values, mark_wrong


def statuses(*rows: dict[str, object]) -> list[object]:
    return [row["status"] for row in mark_wrong(rows)]


def test_right_answers_stay_as_they_are() -> None:
    rows = [run("a"), run("b", status="feasible", objective=11, bound=9), failed("c")]
    assert mark_wrong(rows) == rows


def test_a_bound_beyond_a_valid_value_is_wrong_also_where_much_is_better() -> None:
    assert statuses(run("a", objective=9, bound=9), run("b", bound=9.5)) == ["optimal", "wrong"]
    most = {"sense": "max", "objective": 9}
    assert statuses(run("a", **most, bound=9), run("b", **most, bound=8)) == ["optimal", "wrong"]
    assert statuses(run("a", **most, bound=9), run("b", **most, bound=9.5)) == ["optimal"] * 2


def test_without_a_certificate_nothing_is_concluded() -> None:
    assert statuses(run("a", objective=9, bound=9), run("b", bound_kind="none")) == ["optimal"] * 2


def test_other_instances_and_horizons_are_other_problems() -> None:
    better = {"objective": 9, "bound": 9}
    assert statuses(run("a", **better), run("b", "j"), run("b", horizon=20)) == ["optimal"] * 3


def test_an_invalid_schedule_is_neither_a_value_nor_a_bound() -> None:
    invalid = run("a", objective=3, bound=20, valid=False, violations=1, violation="gang: job 1")
    marked = mark_wrong([invalid, run("b")])
    assert marked[0]["note"] == "invalid schedule: gang: job 1"
    assert best_values(marked) == best_bounds(marked) == {("digest of i", None): 10}
    assert invalid["objective"] == 3


def test_a_method_that_ends_worse_than_it_told_is_wrong_whatever_is_handed_on() -> None:
    fault = (
        "its own schedule is invalid (gang). The returned one was reported earlier, with value 10"
    )
    faulty = run("a", rejection=fault)
    marked = mark_wrong([faulty, run("b", objective=11, status="feasible")])
    assert (marked[0]["status"], marked[0]["note"]) == ("wrong", fault)
    assert [row["objective"] for row in marked] == [None, 11]
    assert [is_rejected(row) for row in (faulty, run(), run(violations=1))] == [True, False, True]


def test_the_run_that_contradicted_itself_is_wrong() -> None:
    own = failed(status="error", note="ContradictionError: a valid makespan of 9, below 10")
    other = failed(status="error", note="ValueError: 9")
    assert statuses(own, other) == ["wrong", "error"]


def test_the_reason_names_both_sides() -> None:
    marked = mark_wrong([run("a", objective=9, bound=9), run("b", bound=9.5, bound_kind="solver")])
    assert marked[1]["note"] == "solver bound 9.5, but a schedule has 9"


@pytest.mark.parametrize(("kind", "found"), [("solver", "optimal"), ("searched", "wrong")])
def test_only_solvers_search_within_a_tolerance(kind: str, found: str) -> None:
    better = run("a", objective=10 - 5e-6, bound=9)
    assert statuses(better, run("b", bound_kind=kind)) == ["optimal", found]
    much = run("a", objective=10 - 2e-5, bound=9)
    assert statuses(much, run("b", bound_kind=kind)) == ["optimal", "wrong"]
