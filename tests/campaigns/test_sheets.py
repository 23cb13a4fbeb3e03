"""Tables of methods on named instances, and how near the default comes; from made-up rows."""

from dataclasses import replace
from typing import Any

import pytest

from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.instances import RingyardError
from ringyard.instances.catalogue import entries
from ringyard.methods import find_method
from ringyard.papers import closing, sheets
from ringyard.papers.study import POLICIES, ours

SETTINGS = Settings(time_limit=10.0)
SHEETS = {sheet.name: sheet for sheet in sheets.SHEETS}


def best_bound(run: Run) -> float:
    return float(max(known.value for known in entries()[run.instance.name].lower))


def made_up(run: Run) -> dict[str, Any]:
    """Return a row at twice the bound; what the default found, it found after a second."""
    bound = 100.0 if run.instance.kind == "reserved" else best_bound(run)
    value = bound + 1 if run.method == ours() else 2 * bound
    steps = [[0.2, value + 5, None], [1.0, value, None], [8.0, value, bound]]
    row = {
        "instance": run.instance.name,
        "valid": True,
        "objective": value,
        "bound": bound,
        "bound_kind": "dual",
        "certificate": "area",
    }
    return {**row, "status": "feasible", "note": "", "trajectory": steps}


def test_methods_are_named_as_runs_name_them() -> None:
    for sheet in sheets.SHEETS:
        for method in sheet.methods.values():
            assert find_method(method, sheet.kind).name == method


def test_settings_are_means_over_their_instances() -> None:
    def answers(run: Run) -> dict[str, Any]:
        row = made_up(run)
        if run.method == "alpha-points" and run.instance.name == "tight-full-s0":
            return {**row, "objective": row["objective"] * 1.5}
        if run.method == "midpoints" and run.instance.name == "hand-contend-floor":
            return {**row, "valid": False, "objective": None}
        return row

    table = sheets.report(SETTINGS, answers).tables["rounded"]
    rows = {row[0]: row[1:] for row in table.rows}
    assert [column.head for column in table.columns[:2]] == ["instances", "count"]
    assert rows["tight-full"][0] == 5
    assert rows["tight-full"][-1] == pytest.approx((4 * 100 + 200) / 5)
    assert rows["hand"][1:] == pytest.approx((100,) * 6)
    assert sum(float(str(row[0])) for row in rows.values()) == 121


def test_the_bound_stands_beside_values() -> None:
    table = sheets.report(SETTINGS, made_up).tables["gains"]
    assert {row[1:] for row in table.rows} == {(100, 200, 200, 200, 200)}
    assert {entries()[str(row[0])].family for row in table.rows} == {"gadget", "gadget-small"}


def test_closing_says_how_near_and_when() -> None:
    tables = closing.report(replace(SETTINGS, points=12), made_up).tables
    row, few = tables["settings"].rows
    assert row[:4] == ("mobihoc-10", "0 of 10", "10 of 10", 1)
    assert few[:2] == ("mobihoc-15", "0 of 2")
    assert row[6:] == pytest.approx((100,) * len(POLICIES))
    names = [row[0] for row in tables["instances"].rows]
    assert names[:2] == ["mobihoc-10-s0", "mobihoc-10-s1"]
    assert {row[5] for row in tables["instances"].rows} == {1.0}


def test_large_instances_get_more_time() -> None:
    large, small = (entries()[name] for name in ("large-2000-s0", "mobihoc-10-s0"))
    assert closing._best(large, SETTINGS).time_limit == 120
    assert closing._best(small, SETTINGS).time_limit == 10


def test_a_run_without_a_schedule_stops_the_report() -> None:
    def crashed(run: Run) -> dict[str, Any]:
        return made_up(run) | {"valid": False, "status": "crashed", "note": "signal 11"}

    with pytest.raises(RingyardError, match=r"no valid answer \(crashed: signal 11\)"):
        closing.report(replace(SETTINGS, points=1), crashed)
