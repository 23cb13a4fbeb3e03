"""`ringyard reproduce ones`: per cents less, orders, and the point nearest to the paper's."""

from typing import Any

import pytest

from ringyard.analysis.intervals import Interval
from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.papers import ones
from ringyard.papers.study import HOLDS, OPEN, REVERSED

VALUES = {"ones": 50, "tiresias-l": 100, "srsf": 90, "elastic-srtf": 40}
EVERY = {600: 125, 300: 80, 60: 45}


def made_up(run: Run) -> dict[str, Any]:
    """Return a row with times by method; Optimus is better the more often it acts."""
    name, _, options = run.method.partition(":interval_s=")
    value = EVERY[int(options)] if options else VALUES[name]
    columns = ("median_jct_s", "p95_jct_s", "mean_queueing_s", "preemptions", "utilisation")
    row = dict.fromkeys((*columns, "objective"), value)
    known = {"instance": run.instance.name, "method": run.method, "valid": True}
    known |= {"certificate": "made up", "bound": 10, "bound_kind": "combinatorial"}
    return {**row, **known, "mean_waiting_s": 5}


def test_less_is_one_minus_the_ratio_with_its_ends_turned() -> None:
    found = ones.less_percent(Interval(mean=0.6, low=0.5, high=0.8, count=3))
    assert (found.mean, found.low, found.high) == pytest.approx((40, 20, 50))


@pytest.mark.parametrize(
    ("low", "high", "said"), [(1, 2, HOLDS), (-1, 2, OPEN), (-2, -1, REVERSED)]
)
def test_a_direction_is_clear_of_nothing(low: float, high: float, said: str) -> None:
    assert ones.direction(Interval(mean=0, low=low, high=high, count=3)) == said


def test_the_third_number_follows_from_two() -> None:
    """Tiresias takes 1 / 0.544 = 1.838 times as long as ONES, Optimus 1 / 0.583 = 1.715 times."""
    assert ones.paper_less("ONES", "Tiresias") == pytest.approx(45.6)
    assert ones.paper_less("ONES", "Optimus") == pytest.approx(41.7)
    assert ones.paper_less("Optimus", "Tiresias") == pytest.approx(100 * (1 - 0.544 / 0.583))


def test_tables_show_both_experiments_and_points_are_counted() -> None:
    found = ones.report(Settings(seeds=2, points=3), made_up)
    less = {row[0]: row[2].mean for row in found.tables["orders"].rows}
    assert less == pytest.approx(
        {"ONES before Tiresias": 50, "ONES before Optimus": 60, "Optimus before Tiresias": -25}
    )
    again = {row[0]: row[2].mean for row in found.tables["confirmed"].rows}
    assert again["Optimus before Tiresias"] == pytest.approx(20)
    assert {row[0]: row[2] for row in found.tables["policies"].rows}["ONES"] == 45
    assert [row[3:] for row in found.tables["region"].rows] == [
        pytest.approx((50, 60, 37.5, 100 * (1 - 50 / 45)))
    ] * 3
    assert "Optimus every 600 s: ONES beats both at 3 of 3 settings, and Optimus beats " in str(
        found.statements
    )
    ends = {s.partition(" s: ")[0]: s.rpartition(" ")[2] for s in found.statements[4:7]}
    assert ends == {"Optimus every 600": "0", "Optimus every 300": "3", "Optimus every 60": "0"}


def test_a_run_is_asked_for_once_and_jobs_are_the_same_whatever_restarts_cost() -> None:
    runs = list(ones.runs(Settings(seeds=1, points=4)))
    keys = [(run.instance.name, run.method, run.seed) for run in runs]
    assert len(set(keys)) == len(keys)
    jobs = {run.instance.jobs for run in runs if "load 0.5" in run.instance.name}
    assert len({tuple(job.duration_s for job in some) for some in jobs}) == 1
