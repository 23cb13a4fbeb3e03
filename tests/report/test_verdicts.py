"""Theorems held against rows: a ratio stands beside its factor and a verdict."""

from typing import Any

from ringyard.analysis.guarantees import guarantees_of
from ringyard.analysis.report.tables import verdicts
from ringyard.analysis.sources import Sources

from .made import make_instance, never, row


def lines(rows: list[dict[str, Any]], unmet: Any = lambda *_: None) -> list[dict[str, Any]]:
    """Return the lines of the table."""
    grid, _ = verdicts(rows, Sources(instance=lambda _: make_instance(), unmet=unmet))
    assert grid is not None
    return [{column.name: column.values[i] for column in grid.columns} for i in range(grid.count)]


def exact(**columns: Any) -> dict[str, Any]:
    """Make the row of a method that is said to be optimal."""
    return row(method="branch-and-bound", status="optimal", bound_kind="searched", **columns)


def test_every_theorem_about_a_method_has_a_line() -> None:
    found = lines([row(method="sjf-bco")])
    assert {line["theorem"] for line in found} == {g.name for g in guarantees_of("sjf-bco")}


def test_an_optimum_at_its_bound_holds() -> None:
    (line,) = lines([exact(objective=12, bound=12)])
    assert (line["factor"], line["ratio"], line["verdict"]) == (1, 1, "holds")


def test_a_better_schedule_of_another_method_violates() -> None:
    rows = [exact(objective=20, bound=12), row(objective=15, method="random", bound=12)]
    line = next(one for one in lines(rows) if one["method"] == "branch-and-bound")
    assert (line["factor"], line["verdict"]) == (1, "violated")
    assert line["ratio"] == 20 / 12


def test_violated_ones_come_first() -> None:
    rows = [row(objective=15, bound=12), exact(objective=20, bound=12)]
    assert lines(rows)[0]["verdict"] == "violated"


def test_between_bound_and_best_nothing_is_decided() -> None:
    (line,) = lines([exact(objective=20, bound=12)])
    assert line["verdict"] == "inconclusive"


def test_a_hypothesis_that_is_not_met_is_the_remark_and_leaves_no_factor() -> None:
    (line,) = lines([exact(objective=12, bound=12)], lambda *_: "needs more")
    assert (line["factor"], line["verdict"], line["remark"]) == (None, "inconclusive", "needs more")


def test_a_run_that_was_stopped_is_not_held_against_a_theorem() -> None:
    (line,) = lines([exact(objective=20, bound=12, termination="time_limit")])
    assert line["remark"] == "needs the whole run: time limit"


def test_without_a_certified_bound_there_is_no_ratio() -> None:
    rows = [row(method="branch-and-bound", bound=20, bound_kind="solver")]
    (line,) = lines(rows)
    assert line["ratio"] is None
    assert "no proved bound" in line["remark"]


def test_of_several_runs_the_worst_counts() -> None:
    rows = [exact(objective=12, bound=12), exact(objective=15, bound=12, seed=1)]
    (line,) = lines(rows)
    assert line["verdict"] == "violated"


def test_methods_without_theorems_have_no_table_and_read_nothing() -> None:
    nothing = Sources(instance=never, unmet=never)
    assert verdicts([row(method="local-search")], nothing) == (None, "")
