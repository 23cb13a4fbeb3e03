"""Which conclusions change, and how that is said."""

from itertools import product

import pytest
from figures.painted import notes

from ringyard.analysis.whatif import (
    AxisRow,
    Flip,
    changes,
    comparisons,
    crossings,
    lead,
    orders,
    sentence,
    summaries,
)

USUAL = {"cluster": "own", "load": "1", "contention": "none", "policy": "a", "placement": "usual"}


def case(mean: float | None, **at: str) -> AxisRow:
    row = {"valid": mean is not None, "objective": mean}
    return AxisRow(at={**USUAL, **at}, row=row, bound=None, kind="")


def crossed(means: dict[str, tuple[float | None, ...]]) -> list[AxisRow]:
    """Return the replays of policies with means under `none`, `uplink`, `racks`."""
    models = ("none", "uplink", "racks")
    return [
        case(mean, policy=policy, contention=model)
        for model, place in zip(models, range(3), strict=True)
        for policy, some in means.items()
        for mean in some[place : place + 1]
    ]


def kinds(found: list[Flip]) -> list[tuple[str, str]]:
    return [(one.other, one.kind) for one in found]


def test_a_comparison_is_kept_reversed_or_lost() -> None:
    found = comparisons(crossed({"a": (100, 100, 100), "b": (120, 90, 100.5)}), 0.01)
    assert kinds(found) == [("uplink", "reversed"), ("racks", "vanished")]
    found = comparisons(crossed({"a": (100, 100, 100), "b": (100, 90, 100.5)}), 0.01)
    assert kinds(found) == [("uplink", "appeared"), ("racks", "kept")]


def test_the_margin_itself_counts_as_equal() -> None:
    cases = crossed({"a": (99, 100), "b": (100, 99)})
    assert lead(99, 100) == 0.01
    assert kinds(comparisons(cases, 0.01)) == [("uplink", "kept")]
    assert kinds(comparisons(cases, 0.0099)) == [("uplink", "reversed")]


def test_whoever_is_better_before_is_named_first() -> None:
    (one,) = comparisons(crossed({"a": (120, 90), "b": (100, 100)}), 0.01)
    assert (one.first, one.second, one.before, one.after) == ("b", "a", (100, 120), (100, 90))


def test_runs_without_a_schedule_are_not_compared() -> None:
    found = comparisons(crossed({"a": (100, None, 100), "b": (120, 90, 90)}), 0.01)
    assert kinds(found) == [("racks", "reversed")]


def test_clusters_and_loads_change_conclusions_too() -> None:
    def mean(policy: str, cluster: str, load: str) -> float:
        slow = (cluster, load) == ("2x8", "2")
        return {"a": 100.0, "b": 80.0 if slow else 110.0}[policy]

    cases = [
        case(mean(policy, cluster, load), policy=policy, cluster=cluster, load=load)
        for policy, cluster, load in product("ab", ("4x4", "2x8"), ("1", "2"))
    ]
    found = changes(comparisons(cases, 0.01))
    told = {(one.along, one.across, one.kind) for one in found}
    assert ("policy", "load", "reversed") in told
    assert ("policy", "cluster", "reversed") in told
    text = sentence(next(one for one in found if one.across == "load"), ["cluster", "load"], 0.01)
    assert text == (
        "Cluster 2x8: at load 1, a beats b by 9.09 % (100.0 s, 110.0 s), but "
        "at load 2, b beats a by 20 % (80.0 s, 100.0 s)."
    )


def test_the_gravest_changes_come_first() -> None:
    means = {"a": (100, 100, 100), "b": (101, 150, 100), "c": (150, 90, 99.5), "d": (150, 95, 150)}
    found = changes(comparisons(crossed(means), 0.01))
    ranks = ["reversed", "vanished", "appeared"]
    places = [ranks.index(one.kind) for one in found]
    assert places == sorted(places)
    assert set(places) == {0, 1, 2}
    sizes = [one.size for one in found if one.kind == "reversed"]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ({"a": (100, 100), "b": (120, 140)}, "changed none of 1 policy comparison by mean JCT"),
        ({"a": (100, 100), "b": (120, 90)}, "reversed 1 of 1 policy comparison by mean JCT ("),
    ],
)
def test_counts_are_said(means: dict[str, tuple[float | None, ...]], said: str) -> None:
    (text,) = summaries(comparisons(crossed(means), 0.01), 0.01)
    assert said in text


def test_the_order_shows_ties_and_leaves_out_who_has_no_schedule() -> None:
    cases = crossed({"a": (100, 100), "b": (99.5, 200), "c": (300, None)})
    found = orders(cases, 0.01)
    assert found is not None
    assert found.rows == (("none", "b = a < c"), ("uplink", "a < b"))


def test_a_chart_says_how_many_panels_it_does_not_show() -> None:
    cases = [
        case(100.0 * load, policy=policy, contention=model, load=str(load))
        for load, policy, model in product(range(1, 7), "ab", ("none", "uplink"))
    ]
    draw = crossings(cases)
    assert draw is not None
    figure = draw()
    assert [axes.get_ylabel() for axes in figure.axes] == [
        f"mean JCT, s: load {i}" for i in range(1, 5)
    ]
    assert notes(figure) == "2 more panels not shown: choose fewer clusters or loads"
    (axes,) = crossings(cases[:4])().axes  # type: ignore[misc]
    assert axes.get_ylabel() == "mean JCT, s"
