"""The regenerated figures of SJF-BCO, from made-up rows: what they ask for, show and say."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ringyard.analysis.intervals import Interval, mean_above
from ringyard.campaigns.reproductions import Results, Settings, write_report
from ringyard.campaigns.runs import BOUND, Run
from ringyard.instances import digest
from ringyard.instances.catalogue import entries, load
from ringyard.methods import find_method
from ringyard.papers import mobihoc
from ringyard.papers.mobihoc.figures import FIGURES
from ringyard.papers.mobihoc.figures import PAPER as PAPER
from ringyard.papers.study import POLICIES, ours
from ringyard.run import ContradictionError

FACTOR = {"sjf-bco": 2.0, "list-scheduling": 1.5, "first-fit": 3.0, "random": 4.0, ours(): 1.1}
SETTINGS = Settings(seeds=3, time_limit=0.5)


def made_up(run: Run, bound: int = 100) -> dict[str, Any]:
    """Return a row whose values are a factor of the method over 100, 110, .."""
    level = bound + 10 * int(run.instance.name.rpartition("s")[2])
    if run.method == BOUND:
        return {
            "method": BOUND,
            "bound": level,
            "bound_kind": "dual",
            "certificate": "area",
            "valid": False,
        }
    value = FACTOR[run.method.partition(":")[0]] * level
    row = {"instance": run.instance.name, "method": run.method, "valid": True}
    kinds = {"bound": level - 50, "bound_kind": "combinatorial", "certificate": "area"}
    return {**row, **kinds, "objective": value, "mean_end": value / 2}


def report(
    answers: Callable[[Run], dict[str, Any]] = made_up, figure: int | None = None
) -> Results:
    return mobihoc.report(replace(SETTINGS, figure=figure), answers)


def test_every_point_of_the_paper_is_there_once() -> None:
    for figure in FIGURES:
        labels = [point.labels for point in figure.points]
        assert sorted(labels) == sorted(PAPER[figure.number])
        assert all(len(one) == len(figure.heads) for one in labels)
    assert sum(map(len, PAPER.values())) == 27


@pytest.mark.parametrize("servers", [10, 15, 20])
def test_seeds_are_those_of_the_catalogue(servers: int) -> None:
    points = [p for figure in FIGURES[:3] for p in figure.points if p.servers == servers]
    for seed in (0, 7):
        name = f"mobihoc-{servers}-s{seed}"
        drawn = replace(points[0].instance(seed), horizon_slots=load(name).horizon_slots)
        assert (drawn.name, digest(drawn)) == (name, entries()[name].digest)


def test_search_limits_are_those_of_the_paper() -> None:
    limits = {f.number: {p.instance(0).horizon_slots for p in f.points} for f in FIGURES}
    assert limits == {4: {1200}, 5: {1200}, 6: {1500}, 7: {1200}}


def test_every_method_exists() -> None:
    for run in mobihoc.runs(replace(SETTINGS, seeds=1)):
        if run.method != BOUND:
            assert find_method(run.method, "makespan").kind in ("policy", "search")


def test_what_runs_is_what_the_report_asks_for() -> None:
    asked: set[str] = set()

    def note(run: Run) -> dict[str, Any]:
        asked.add(run.key)
        return made_up(run)

    report(note)
    assert asked == {run.key for run in mobihoc.runs(SETTINGS)}


def test_only_ours_and_the_bound_have_a_time_limit() -> None:
    limits = {(run.method in (BOUND, ours()), run.time_limit) for run in mobihoc.runs(SETTINGS)}
    assert limits == {(True, 0.5), (False, None)}


def test_the_table_of_figure_4() -> None:
    table = report(figure=4).tables["figure-4"]
    heads = [column.head for column in table.columns]
    rows = [dict(zip(heads, row, strict=True)) for row in table.rows]
    assert [row["policy"] for row in rows] == list(POLICIES)
    assert [row["paper"] for row in rows] == [535, 595, 720, 1130]
    assert [row["paper, completion"] for row in rows] == [180, 185, 450, 260]
    assert rows[2]["makespan"] == mean_above([300, 330, 360], 0.0)
    assert rows[2]["mean completion"] == mean_above([150, 165, 180], 0.0)
    for row in rows:
        assert (row["our best"], row["bound"]) == (pytest.approx(121), 110)
    over = rows[1]["over bound, %"]
    assert isinstance(over, Interval)
    assert (over.low, over.mean, over.high) == pytest.approx((50, 50, 50))


def test_one_figure_is_one_table() -> None:
    assert list(report(figure=6).tables) == list(report(figure=6).charts) == ["figure-6"]
    assert list(report().tables) == ["figure-4", "figure-5", "figure-6", "figure-7"]


def test_order_and_agreement_are_computed() -> None:
    said = report(figure=4).statements
    paper, here = "SJF-BCO < LS < FF < RAND", "LS < SJF-BCO < FF < RAND"
    assert f"Figure 4, least makespan first: paper {paper}, here {here}" in said
    assert said[0].startswith("Figure 4: 0 of the paper's 4")

    def agrees(run: Run) -> dict[str, Any]:
        row = made_up(run)
        name = next((name for name, method in POLICIES.items() if method == run.method), None)
        return row if name is None else {**row, "objective": PAPER[4][name,][0]}

    said = report(agrees, figure=4).statements
    assert said[0].startswith("Figure 4: 4 of the paper's 4")
    assert f"Figure 4, least makespan first: paper {paper}, the same order" in said


def test_a_draw_scatters_more_above_a_mean_than_below() -> None:
    """FF ends at 420, 462 and 504. Student's t on their logarithms predicts up to 725, so 720.

    A symmetric interval, 2 times as wide as that of the mean, ends at 462 + 2 * 117 = 696.
    """

    def scattered(run: Run) -> dict[str, Any]:
        row = made_up(run)
        return (
            {**row, "objective": round(1.4 * row["objective"])}
            if run.method == "first-fit"
            else row
        )

    found = report(scattered, figure=4)
    assert found.tables["figure-4"].rows[2][2] == mean_above([420, 462, 504], 0.0)
    assert found.statements[0].startswith("Figure 4: 1 of the paper's 4")


def test_equal_policies_are_not_told_apart() -> None:
    def equal(run: Run) -> dict[str, Any]:
        return {**made_up(run), "objective": 500}

    here = "SJF-BCO ~ LS ~ FF ~ RAND"
    assert any(text.endswith(f"here {here}") for text in report(equal, figure=4).statements)


def test_the_conflict_of_figures_5_and_7_is_named() -> None:
    assert "626 in Figure 5 and 1042 in Figure 7" in report().statements[-1]
    assert not any("1042" in text for text in report(figure=5).statements)


def test_a_value_below_a_bound_is_an_error() -> None:
    with pytest.raises(ContradictionError, match="below a certified bound of 900"):
        report(lambda run: made_up(run) | ({"bound": 900} if run.method == BOUND else {}))


def test_what_a_solver_says_is_no_certified_bound() -> None:
    def boasts(run: Run) -> dict[str, Any]:
        row = made_up(run)
        return (
            row
            if run.method == BOUND
            else {**row, "bound": 10**6, "bound_kind": "solver", "certificate": "claimed"}
        )

    assert report(boasts, figure=4).tables == report(figure=4).tables


def test_a_report_is_written_in_all_notations(tmp_path: Path) -> None:
    written = write_report(report(figure=7), tmp_path)
    assert all(path.stat().st_size > 100 for path in written)
    assert {path.name for path in written} == {path.name for path in tmp_path.iterdir()}
    assert {path.suffix for path in written} == {".tex", ".md", ".csv", ".svg", ".pdf"}
