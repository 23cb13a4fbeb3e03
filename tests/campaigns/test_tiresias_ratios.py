"""The search for the testbed's numbers: what is near, what is met together, what runs again."""

from typing import Any

import pytest

from ringyard.analysis.intervals import Interval
from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.methods import find_method
from ringyard.papers.tiresias import options
from ringyard.papers.tiresias.ratios import (
    COLUMNS,
    FRESH,
    GITTINS,
    PAPER,
    SEEDS,
    TIRESIAS,
    YARNS,
    RecheckedPoint,
    met,
    ratios_table,
    report,
    runs,
    sets_table,
    statements,
)

SETTINGS = Settings(seeds=2, points=1)


def made_up(run: Run) -> dict[str, Any]:
    """Return a row with the paper's ratios, and twice its mean unless YARN-CS packs."""
    row: dict[str, Any] = dict.fromkeys((*COLUMNS.values(), "preemptions"), 1000.0)
    if not run.method.startswith("tiresias"):
        row |= {column: 1000 * PAPER[name] for name, column in COLUMNS.items()}
        if run.method != YARNS["YARN packed"]:
            row[COLUMNS["mean"]] *= 2
    known = {"instance": run.instance.name, "method": run.method, "valid": True, "bound": 1}
    return {**row, **known, "certificate": "made up"}


def test_the_nearest_point_is_found_and_looked_at_again_with_other_seeds() -> None:
    found = report(SETTINGS, made_up)
    assert "at 12 of 36 settings" in found.statements[0]
    rows = {row[0]: row for row in found.tables["ratios"].rows}
    assert rows["mean"][4] == 12
    assert rows["median"][4] == 36
    assert str(rows["mean"][-1]).endswith("YARN packed")
    again: Any = found.tables["again"].rows
    assert again[-1][0] == "all four"
    assert [cell.mean for cell in again[-1][1:]] == pytest.approx(list(PAPER.values()))


def test_times_and_counts_are_looked_for_with_each_policy_alone() -> None:
    """Only one version comes to a number on both seeds, and no version of another policy counts."""

    def some(run: Run) -> dict[str, Any]:
        row = made_up(run) | {"preemptions": 9999, "mean_waiting_s": 10}
        if run.method == GITTINS["Tiresias-G, idle offered, threshold 28800, profile"]:
            row["preemptions"] = 297 if run.seed != 1 else 250
        if run.method == YARNS["YARN first-fit"]:
            row |= {"mean_waiting_s": 8146, "preemptions": 297}
        return row

    rows = {row[:2]: row for row in report(SETTINGS, some).tables["seconds"].rows}
    stops, waiting = rows["Tiresias-G", "stops"], rows["YARN-CS", "waiting"]
    assert (stops[2], stops[3].mean, waiting[3].mean) == (297, 297, 8146)
    assert str(stops[4]).endswith("Tiresias-G, idle offered, threshold 28800, profile")
    assert str(waiting[4]).endswith("YARN first-fit")
    assert rows["Tiresias-L", "stops"][3].mean == 9999


def test_points_are_looked_at_again_once_all_others_are_known() -> None:
    first = list(runs(SETTINGS))
    methods = len(TIRESIAS) + len(GITTINS) + len(YARNS)
    assert len({run.key for run in first}) == len(first) == SEEDS * methods
    assert list(runs(SETTINGS, lambda _: None)) == first
    more = list(runs(SETTINGS, made_up))[len(first) :]
    assert {run.seed for run in more} == {FRESH, FRESH + 1}
    assert len({run.key for run in more}) == len(more)
    asked = set()

    def answers(run: Run) -> dict[str, Any]:
        asked.add(run.key)
        return made_up(run)

    report(SETTINGS, answers)
    assert asked == {run.key for run in (*first, *more)}


def test_versions_are_told_apart_by_their_methods() -> None:
    methods = (*TIRESIAS.values(), *YARNS.values())
    names = [find_method(method, "trace").name for method in methods]
    assert len(set(names)) == len(names)


def test_a_number_is_met_within_a_tenth_on_both_sides() -> None:
    paper = {"a": 2.0, "b": 10.0}
    assert met(paper, {"a": 2.19, "b": 8.9}) == {"a"}
    assert met(paper, {"a": 1.79, "b": 10.9}) == {"b"}


def test_sets_count_points_and_say_how_far_the_nearest_is() -> None:
    paper = {"a": 2.0, "b": 10.0}
    every = [{"a": 2.0, "b": 20.0}, {"a": 3.0, "b": 10.0}]
    ((name, count, off),) = sets_table(paper, every).rows
    assert (name, count, off) == ("a and b", 0, pytest.approx(50))
    assert list(statements(paper, every))[1] == "never within 10 % together: a with b"
    sure = Interval(mean=2.0, low=1.9, high=2.1, count=3)
    seen = {name: RecheckedPoint("there", {"a": sure, "b": sure}) for name in paper}
    assert ratios_table(paper, every, seen, 2).rows[1][:5] == ("b", 10.0, 10.0, 20.0, 1)


def test_options_compare_queues_and_thresholds_at_every_place() -> None:
    """Mean completion times as long as the first threshold: the ratio is one of thresholds."""
    asked = list(options.runs(SETTINGS))
    keys = {run.key for run in asked}
    assert len(keys) == len(asked)

    def row(run: Run) -> dict[str, Any]:
        assert run.key in keys
        first = run.method.rpartition("[")[2].partition(",")[0].rstrip("]")
        value = 2.0 if run.method.startswith("tiresias-g") else float(first)
        known = {"instance": run.instance.name, "method": run.method, "valid": True, "bound": 1}
        return {**known, "certificate": "x", "objective": value, "p95_jct_s": value}

    found = options.report(SETTINGS, row).tables
    assert len(found["queues"].rows) == 4
    hours: Any = found["thresholds"].rows[0][3:]
    assert [cell.mean for cell in hours] == pytest.approx([2, 4, 8])
    assert [cell.mean for cell in found["queues"].rows[0][3:]] == pytest.approx([1] * 4)
    tails: Any = [row[2].mean for row in found["tail"].rows if row[1] == "95th percentile"]
    assert tails == pytest.approx([2 / 14_400, 2 / 57_600])
