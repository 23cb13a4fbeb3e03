"""The PD-ORS experiments: which runs they ask for, and tables that follow the rows."""

from typing import Any

import pytest

from ringyard.analysis.figures.canvas import write_figure
from ringyard.analysis.tables import to_latex
from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import BOUND, Run
from ringyard.methods import find_method
from ringyard.papers import pdors
from ringyard.run import ContradictionError

SETTINGS = Settings(seeds=3, time_limit=1.0)
WORTH = {
    "pd-ors": 50,
    "pd-ors-corrected": 60,
    "oasis": 40,
    "fifo": 0,
    "drf": 20,
    "dorm": 25,
    "order-search": 75,
}


def made_up(run: Run) -> dict[str, Any]:
    """Return a row worth so much for a method, under a bound of 100; the optimum is 80."""
    common = {"instance": run.instance.name, "method": run.method}
    if run.method == BOUND:
        return {**common, "bound": 100, "bound_kind": "dual", "certificate": "area", "valid": False}
    value = 80 if run.method == pdors.OPTIMUM else WORTH[run.method.partition(":")[0]]
    if "repair=none" in run.method:
        value = 10
    return {
        **common,
        "valid": True,
        "objective": value,
        "bound": 200,
        "bound_kind": "combinatorial",
        "certificate": "area",
        "status": "optimal" if run.seed != 2 else "feasible",
        "median_slots": 4 if value else None,
    }


def test_every_run_of_the_report_is_asked_for_once() -> None:
    asked = {run.key for run in pdors.runs(SETTINGS)}
    needed: set[str] = set()

    def answers(run: Run) -> dict[str, Any]:
        needed.add(run.key)
        return made_up(run)

    pdors.report(SETTINGS, answers)
    assert needed == asked


def test_methods_are_known_and_named_as_runs_name_them() -> None:
    names = {run.method for run in pdors.runs(SETTINGS)} - {BOUND}
    for name in names:
        assert find_method(name, "online").name == name


def test_tables_follow_the_rows() -> None:
    report = pdors.report(SETTINGS, made_up)
    utility = {(row[0], row[1]): row for row in report.tables["utility"].rows}
    row = utility[100.0, "PD-ORS corrected"]
    assert (row[2].mean, row[3].mean, row[4]) == (60, pytest.approx(0.6), 4)
    assert utility[25.0, "FIFO"][4] is None, "no job completes, so there is no median"
    gains = {row[0]: (row[1].mean, row[2].mean) for row in report.tables["gain"].rows}
    assert gains["1"] == (10, 50)
    ratios = {row[0]: row[1:] for row in report.tables["ratio"].rows}
    assert ratios["OASiS"] == (0, 2, 2)
    assert ratios["FIFO"] == (3, None, None)
    assert "on 2 of them" in report.tables["ratio"].notes[0]


def test_a_value_above_its_bound_stops_the_report() -> None:
    def crossed(run: Run) -> dict[str, Any]:
        return made_up(run) | ({"bound": 45} if run.method == BOUND else {})

    with pytest.raises(ContradictionError, match="above a certified bound of 45"):
        pdors.report(SETTINGS, crossed)


def test_tables_and_charts_are_written(tmp_path: Any) -> None:
    report = pdors.report(SETTINGS, made_up)
    for name, table in report.tables.items():
        assert r"\toprule" in to_latex(table, f"tab:{name}")
    for name, chart in report.charts.items():
        write_figure(chart(), tmp_path / f"{name}.svg")
        assert "PD-ORS" in (tmp_path / f"{name}.svg").read_text() or name == "gain"
