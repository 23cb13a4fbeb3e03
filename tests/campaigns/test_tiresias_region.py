"""The search over conditions counts directions, and names what never holds together."""

from typing import Any

import pytest

from ringyard.analysis.intervals import Interval
from ringyard.campaigns.reproductions import Settings
from ringyard.campaigns.runs import Run
from ringyard.methods import find_method
from ringyard.papers.study import smallest_clashes
from ringyard.papers.tiresias import Direction, region
from ringyard.papers.tiresias.experiments import BASE

PAPER = {"tiresias-l": 100, "tiresias-g": 98, "yarn-cs": 300, "best-effort": 150, "gandiva": 200}
"""Times that agree with the paper, but for the 95th percentile of SRTF and Tiresias-G."""


def made_up(run: Run) -> dict[str, Any]:
    """Return a row in which offered GPUs make all directions hold, and kept ones all but three."""
    name = run.method.partition(":")[0]
    value = PAPER.get(name, 100)
    if name == "tiresias-l" and "idle=kept" in run.method:
        value = 160
    low = 0.9 if name in ("srtf", "tiresias-g") else 1
    row = dict.fromkeys(("median_jct_s", "makespan_s", "mean_waiting_s", "objective"), value)
    known = {"instance": run.instance.name, "method": run.method, "valid": True}
    known["certificate"] = "made up"
    return {**row, **known, "p95_jct_s": low * value, "bound": 1, "bound_kind": "combinatorial"}


def test_versions_are_told_apart_by_their_methods() -> None:
    for mix in region.OWN:
        found = {find_method(v.methods(mix)[BASE], "trace").name for v in region.VERSIONS}
        assert len(found) == len(region.VERSIONS)


def test_directions_are_counted_by_what_becomes_of_idle_gpus() -> None:
    found = region.report(Settings(seeds=1, points=1), made_up)
    kept, offered = (
        [row[3:] for row in found.tables["region"].rows if row[0] == idle]
        for idle in ("kept", "offered")
    )
    assert offered == [(4, 15)] * 3
    assert all(one == 4 and other < 15 for one, other in kept)
    assert "idle GPUs offered: all 19 directions hold at 3 of 3 settings" in found.statements
    assert any("kept, never together: trace: Best-effort, mean" in s for s in found.statements)


def test_the_smallest_clashes_are_found() -> None:
    sets = [frozenset("ab"), frozenset("bc"), frozenset("ac")]
    assert smallest_clashes(sets, "abc") == [set("abc")]
    assert smallest_clashes(sets, "abcd") == [{"d"}]
    assert smallest_clashes([*sets, frozenset("abc")], "abc") == []


def test_the_rechecked_point_has_seeds_that_the_search_did_not_have() -> None:
    settings = Settings(seeds=4, points=1)
    fresh = range(region.FRESH, region.FRESH + 4)
    assert {run.seed for run in region.runs(settings)} == {*range(region.SEEDS), *fresh}


def test_the_setting_nearest_to_each_ratio_is_run_again_with_other_seeds() -> None:
    """YARN-CS comes to 2.41 times with a threshold of 14400 that is offered, and to 3 elsewhere."""

    def some(run: Run) -> dict[str, Any]:
        row = made_up(run)
        if "tiresias-l:idle=offered:thresholds=[14400]" in run.method:
            row["objective"] = 300 / 2.41
        return row

    settings = Settings(seeds=4, points=1)
    first = list(region.runs(settings))
    assert len(list(region.runs(settings, lambda _: None))) == len(first)
    again = list(region.runs(settings, some))[len(first) :]
    asked = set()

    def answers(run: Run) -> dict[str, Any]:
        asked.add(run.key)
        return some(run)

    rows = {row[:3]: row for row in region.report(settings, answers).tables["nearest"].rows}
    assert asked == {run.key for run in (*first, *again)}
    yarn = rows["trace", "YARN-CS", "mean"]
    assert yarn[4].mean == pytest.approx(2.41)
    assert str(yarn[5]).startswith("idle GPUs offered, threshold 14400, restarts 60 s")
    assert len(rows) == 19


def test_the_setting_with_the_nearest_draw_is_run_again_too() -> None:
    """The nearest mean is 1.2, and the draws of 1 come to 1.45."""
    at = (region.VERSIONS[0], "restarts 60 s", "trace", "load 0.9")
    wide = (*at[:3], "load 1.5")

    def seen(*draws: float) -> region.SeenDirection:
        mean = sum(draws) / len(draws)
        here = Interval(mean=mean, low=0.1, high=9.0, count=3)
        over = Direction(mix="trace", name="x", measure="mean", paper=1.5, here=here)
        return region.SeenDirection(over, draws)

    sure, spread = seen(1.2, 1.2, 1.2), seen(0.55, 1.0, 1.45)
    both = [(sure.over, at), (spread.over, wide)]
    assert region._nearest({at: [sure], wide: [spread]}) == both
    assert region._nearest({at: [sure]}) == both[:1]


@pytest.mark.parametrize(
    ("paper", "here", "held"),
    [
        (1.5, 1.02, True),
        (1.5, 1.005, False),
        (0.84, 0.98, True),
        (0.84, 0.995, False),
        (0.97, 1.04, True),
        (1.0, 0.94, False),
    ],
)
def test_a_direction_holds_on_the_papers_side_of_one(paper: float, here: float, held: bool) -> None:
    sure = Interval(mean=here, low=here, high=here, count=3)
    one = Direction(mix="trace", name="x", measure="mean", paper=paper, here=sure)
    assert region.agrees(one) == held
