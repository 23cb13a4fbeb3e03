"""The experiments of Tiresias: tables and sentences that follow the rows."""

from typing import Any

import pytest

from ringyard.analysis.intervals import Interval
from ringyard.campaigns.reproductions import Results, Settings
from ringyard.campaigns.runs import Run
from ringyard.instances import ServerUplink
from ringyard.methods import find_method
from ringyard.papers import tiresias
from ringyard.papers.study import HOLDS, OPEN, REVERSED
from ringyard.papers.tiresias import OTHER, Direction
from ringyard.papers.tiresias.experiments import CHANGES, METHODS, OPTIONS, TESTBED, TRACE, instance
from ringyard.run import ContradictionError

SETTINGS = Settings(seeds=3, points=1)

TIMES = {
    "tiresias-l": 100,
    "tiresias-g": 97,
    "yarn-cs": 300,
    "best-effort": 80,
    "gandiva": 200,
    "srtf": 101,
    "srsf": 96,
}


def made_up(run: Run) -> dict[str, Any]:
    """Return a row with so much for a method, a little more with each seed."""
    value = TIMES[run.method.partition(":")[0]] * (1 + run.seed / 100)
    row = dict.fromkeys(("median_jct_s", "p95_jct_s", "makespan_s", "mean_waiting_s"), value)
    known = {"instance": run.instance.name, "method": run.method, "valid": True}
    known |= {"objective": value, "bound": 50, "bound_kind": "combinatorial", "certificate": "area"}
    return {**row, **known, "mean_queueing_s": 7, "preemptions": 3, "utilisation": 0.75}


@pytest.fixture(scope="module")
def report() -> Results:
    return tiresias.report(SETTINGS, made_up)


def test_methods_and_options_are_known() -> None:
    for name in (*METHODS.values(), *OPTIONS.values()):
        assert find_method(name, "trace").name == name


def direction(paper: float, low: float, high: float) -> str:
    here = Interval(mean=(low + high) / 2, low=low, high=high, count=3)
    made = Direction(mix=TRACE, name="x", measure="mean", paper=paper, here=here)
    return made.verdict


@pytest.mark.parametrize(
    ("paper", "low", "high", "verdict"),
    [
        (1.5, 1.1, 9, HOLDS),
        (1.5, 0.9, 1.1, OPEN),
        (1.5, 0.5, 0.9, REVERSED),
        (0.85, 0.5, 0.9, HOLDS),
        (0.85, 1.1, 1.2, REVERSED),
        (1.0, 0.96, 1.04, HOLDS),
        (0.97, 0.8, 0.96, OPEN),
        (1.0, 0.96, 1.06, OPEN),
        (1.0, 0.9, 1.1, OPEN),
        (0.97, 0.8, 0.94, OTHER),
        (1.0, 1.06, 1.2, OTHER),
    ],
)
def test_directions_are_told(paper: float, low: float, high: float, verdict: str) -> None:
    """Near 1, equality holds only if the whole interval is within the margin of 0.05."""
    assert direction(paper, low, high) == verdict


def test_directions_follow_the_rows(report: Results) -> None:
    rows = {row[:3]: row[3:] for row in report.tables["directions"].rows}
    paper, here, verdict = rows[TESTBED, "YARN-CS", "mean"]
    assert (paper, here.mean, verdict) == (5.5, pytest.approx(3), HOLDS)
    assert rows[TRACE, "Best-effort", "median"][2] == REVERSED
    assert rows[TRACE, "SRTF", "mean"][2] == HOLDS
    assert rows[TESTBED, "YARN-CS", "waiting"][0] == pytest.approx(8146 / 963)
    assert "testbed: 4 of the paper's 4 directions hold" in report.statements


def test_the_papers_numbers_stand_only_beside_the_testbed(report: Results) -> None:
    heads = {name: [c.head for c in report.tables[name].columns] for name in (TESTBED, TRACE)}
    assert [head for head in heads[TESTBED] if "paper" in head] == [
        "paper, waiting",
        "paper, makespan",
        "paper, stops",
    ]
    assert [head for head in heads[TRACE] if "paper" in head] == []
    rows = {row[0]: row for row in report.tables[TESTBED].rows}
    assert rows["Tiresias-G"][heads[TESTBED].index("paper, stops")] == 297
    assert rows["YARN-CS"][-2].mean == pytest.approx(6, rel=0.02), "over the bound"


def test_means_over_those_of_srsf_are_paired(report: Results) -> None:
    rows = {row[0]: row for row in report.tables[TRACE].rows}
    assert rows["SRSF"][-1] is None
    for name in ("SRTF", "YARN-CS"):
        over = rows[name][-1]
        assert over.mean == pytest.approx(rows[name][1].mean / rows["SRSF"][1].mean, rel=0.02)
        assert over.low <= over.mean <= over.high


def test_orders_are_told_seed_by_seed(report: Results) -> None:
    order = next(text for text in report.statements if text.startswith("trace, least mean"))
    assert order.startswith("trace, least mean first: Best-effort < SRSF < Tiresias-G <")
    assert "Tiresias-L ~ Tiresias-L, packed" in order
    assert "testbed, restarts cost nothing: the same order" in report.statements


def test_a_mean_below_its_bound_stops_the_report() -> None:
    def crossed(run: Run) -> dict[str, Any]:
        return made_up(run) | ({"bound": 90} if run.method == "srsf" else {})

    with pytest.raises(ContradictionError, match="best-effort gave a valid 80"):
        tiresias.report(SETTINGS, crossed)


def test_changes_leave_the_same_jobs() -> None:
    plain = instance(TESTBED, 2, SETTINGS)
    for change, (mix, _) in CHANGES.items():
        other = instance(mix, 2, SETTINGS, change)
        if mix == TESTBED and change != "uniform durations":
            assert [(j.gpus, j.duration_s) for j in other.jobs] == [
                (j.gpus, j.duration_s) for j in plain.jobs
            ]
        assert other != instance(mix, 2, SETTINGS), change
    assert isinstance(
        instance(TESTBED, 2, SETTINGS, "rings share uplinks").contention, ServerUplink
    )
