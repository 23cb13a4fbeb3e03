"""The search over what SJF-BCO's paper leaves open: its points, its orders, what it counts."""

from collections.abc import Callable
from typing import Any

import pytest

from ringyard.analysis.intervals import Interval
from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.methods import find_method
from ringyard.papers.mobihoc import region
from ringyard.papers.mobihoc.conditions import (
    BASE_READINGS,
    CONDITIONS,
    CONFIRMED,
    SJF_READINGS,
    FigureOrder,
    HeldAt,
    RegionPoint,
    figure_methods,
    figure_orders,
    held,
)
from ringyard.papers.mobihoc.figures import FIGURES
from ringyard.papers.mobihoc.figures import PAPER as PAPER
from ringyard.papers.mobihoc.region import distinct, nearest, shown_numbers
from ringyard.papers.study import HOLDS, OPEN, REVERSED

SETTINGS = Settings(seeds=2, points=1)


def made_up(changed: Callable[[Run, float], float] = lambda _, value: value) -> Any:
    """Return answers that have the paper's numbers, but what is changed about the makespans."""
    figures = {
        one: PAPER[place[0]][place[1:]] for place, one in figure_methods("sjf-bco", "").items()
    }

    def row(run: Run) -> dict[str, Any]:
        servers = len(run.instance.cluster.servers)
        options = [one for one in run.method.split(":") if one[:3] in ("kap", "lam")]
        name = ":".join([run.method.partition(":")[0], *options])
        makespan, completion = figures[servers, name]
        known = {"instance": run.instance.name, "method": run.method, "valid": True}
        value = changed(run, makespan)
        return {
            **known,
            "certificate": "made up",
            "bound": 1,
            "bound_kind": "combinatorial",
            "objective": value,
            "mean_end": completion or makespan,
        }

    return row


def test_all_conditions_differ_and_the_first_are_the_papers() -> None:
    instances = {one.run(figure_methods("sjf-bco", "")[4, "LS"], 0).instance for one in CONDITIONS}
    assert len(instances) == len({one.name for one in CONDITIONS}) == len(CONDITIONS)
    paper = next(point for point in FIGURES[0].points if point.labels == ("LS",)).instance(0)
    first = CONDITIONS[0].run(figure_methods("sjf-bco", "")[4, "LS"], 0).instance
    assert (first.jobs, first.cluster, first.contention) == (
        paper.jobs,
        paper.cluster,
        paper.contention,
    )


def test_every_point_is_made_by_methods_that_exist() -> None:
    for sjf in SJF_READINGS.values():
        for base in BASE_READINGS.values():
            for one in figure_methods(sjf, base).values():
                find_method(one.method, "makespan")


def test_the_orders_are_those_that_the_plots_tell_apart() -> None:
    """Worked out by hand: 8 is beside 4, 16 beside 32, and completions of SJF-BCO and LS alike."""
    makespans = {
        "Figure 4: SJF-BCO < LS",
        "Figure 4: LS < FF",
        "Figure 4: FF < RAND",
        "Figure 4: SJF-BCO < RAND, completion",
        "Figure 4: LS < RAND, completion",
        "Figure 4: RAND < FF, completion",
        "Figure 5: 8 <= 4",
        "Figure 5: 8 < 2",
        "Figure 5: 4 < 2",
        "Figure 5: 2 < 1",
        "Figure 5: 1 < 16",
        "Figure 5: 1 < 32",
        "Figure 7: 2 < 1",
        "Figure 7: 4 < 2",
        "Figure 7: 8 < 4",
    }
    servers = {
        f"Figure 6: {n} {a} < {n} {b}"
        for n in (10, 15)
        for a, b in (("SJF-BCO", "LS"), ("LS", "FF"), ("FF", "RAND"))
    }
    assert {one.name for one in figure_orders()} == makespans | servers


@pytest.mark.parametrize(
    ("ratio", "alike", "holds"), [(0.98, False, True), (0.995, False, False), (1.005, True, True)]
)
def test_an_order_has_to_be_clear(ratio: float, alike: bool, holds: bool) -> None:
    one = FigureOrder(figure=5, better=("8",), worse=("4",), measure="makespan", alike=alike)
    assert one.holds(ratio) == holds


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(0.9, 1.01, HOLDS), (0.99, 1.02, OPEN), (1.011, 1.02, REVERSED), (1.0, 2.0, OPEN)],
)
def test_equal_values_have_to_be_shown(low: float, high: float, verdict: str) -> None:
    one = FigureOrder(figure=5, better=("8",), worse=("4",), measure="makespan", alike=True)
    assert one.verdict(Interval(mean=1.0, low=low, high=high, count=9)) == verdict


def test_the_papers_numbers_have_the_papers_orders_and_are_nearest_to_themselves() -> None:
    """But for Figure 5 beside Figure 7: kappa 1 is one run, and the plots have two numbers."""
    point = RegionPoint(CONDITIONS[0], "as published", "idle, fewest first")
    rows = region.looked(point, range(2), made_up())
    lost = {one.name for one in figure_orders()} - held(rows, figure_orders())
    assert lost == {"Figure 5: 1 < 16", "Figure 5: 1 < 32"}
    best, factor = nearest({point: rows})
    assert best == point
    missed = [key for key, _, paper in shown_numbers() if rows[key][0]["objective"] != paper]
    assert {key[:2] for key in missed} >= {(5, "1")}
    assert 0 < factor < 0.2


def test_seeds_are_also_looked_at_alone() -> None:
    """On seed 1 alone First-Fit is behind Random, so it is on average."""

    def late(run: Run, value: float) -> float:
        return value * 20 if run.method.startswith("first-fit") and run.seed else value

    report = region.report(SETTINGS, made_up(late))
    rows = {row[0]: row[2:6] for row in report.tables["figures"].rows}
    assert rows["7"] == (1, 1, 2, 2)
    assert rows["4"] == (0, 1, 1, 2)
    assert any("single draws: at most" in text for text in report.statements)


def test_what_is_confirmed_is_a_point_of_the_search_and_has_other_seeds() -> None:
    assert CONFIRMED in region.points(Settings())
    runs = list(region.runs(Settings(seeds=4, points=1)))
    assert len({(run.instance.name, run.method, run.seed) for run in runs}) == len(runs)
    for conditions, seeds in ((CONDITIONS[0], range(3)), (CONFIRMED.conditions, range(10, 14))):
        own = {run.seed for run in runs if run.instance.name.endswith(f" {conditions.name}")}
        assert own == {*seeds}


def test_the_setting_nearest_to_each_number_is_run_again_with_other_seeds() -> None:
    """Random has its number with jobs as listed, and the others with the fewest GPUs first."""
    settings = Settings(seeds=4, points=2)

    def far(run: Run, value: float) -> float:
        return value * (1 if ("listed" in run.method) == run.method.startswith("random") else 3)

    first = list(region.runs(settings))
    assert len(list(region.runs(settings, lambda _: None))) == len(first)
    again = list(region.runs(settings, made_up(far)))[len(first) :]
    assert {run.seed for run in again} == {*range(10, 14)}
    listed = {run.method.partition(":")[0] for run in again if "listed" in run.method}
    assert listed == {"random"}
    asked = set()

    def answers(run: Run) -> Any:
        asked.add(run.key)
        return made_up(far)(run)

    rows = region.report(settings, answers).tables["numbers"].rows
    assert asked == {run.key for run in (*first, *again)}
    for _, at, measure, paper, _, here, setting in rows:
        if measure == "makespan" and at in ("RAND", "10 RAND", "LS", "15 FF"):
            assert here.mean == paper
            assert str(setting).endswith("as listed" if "RAND" in at else "idle, fewest first")


def test_figures_without_baselines_are_not_counted_for_each_reading_of_these() -> None:
    """Two readings of the baselines are two points for Figure 4, and one for Figures 5 and 7."""
    held_there = HeldAt(frozenset(), (frozenset(),))
    two = [RegionPoint(CONDITIONS[0], "packing", base) for base in list(BASE_READINGS)[:2]]
    found = dict.fromkeys(two, held_there)
    assert len(distinct(found, (4,))) == len(distinct(found, (5, 7, 4))) == 2
    assert len(distinct(found, (5,))) == len(distinct(found, (5, 7))) == 1
