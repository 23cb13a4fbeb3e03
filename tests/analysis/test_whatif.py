"""Which conclusions change, and how that is said."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ringyard.analysis.intervals import Interval
from ringyard.analysis.stats.paired import paired_change
from ringyard.analysis.trace.parts import PartMetrics
from ringyard.analysis.whatif.cases import AxisRow, ReplayTimes, ahead, has_intervals, lead
from ringyard.analysis.whatif.effects import (
    cluster_text,
    contests,
    effects,
    logged,
    waiting_groups,
)
from ringyard.analysis.whatif.flips import Flip, changes, comparisons, sentence, summaries
from ringyard.analysis.whatif.panels import panels
from ringyard.analysis.whatif.tables import orders, parts_table

USUAL = {
    **{"cluster": "own", "load": "1", "contention": "none", "outages": "own"},
    **{"jobs": "all", "policy": "a", "placement": "usual"},
}


def case(mean: float | None, wait: float | None = None, **at: str) -> AxisRow:
    row = {"valid": mean is not None, "objective": mean, "p95_queueing_s": wait}
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
    text = sentence(next(one for one in found if one.across == "load"), ["cluster", "load"])
    assert text == (
        "Cluster 2x8: at load 1, a beats b by 9.09 % (100 s, 110 s), but "
        "at load 2, b beats a by 20 % (80 s, 100 s)."
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


def test_a_figure_of_replays_without_some_jobs_says_which_jobs_count() -> None:
    draw = panels([case(7.0), case(8.0, jobs="without group=red")])
    assert draw is not None
    assert [axes.get_xlabel() for axes in draw().axes] == ["jobs: only these count"]


def test_a_figure_has_a_panel_for_each_question() -> None:
    """Replays that differ from the first ones in two axes are in no panel."""
    cases = [
        case(
            3600.0 * load * (1 + (model == "uplink")),
            60.0 * load,
            policy=policy,
            contention=model,
            load=str(load),
        )
        for load, policy, model in product(range(2, 5), "ab", ("none", "uplink"))
    ]
    draw = panels(cases)
    assert draw is not None
    loads, models, waits, _ = draw().axes
    assert (loads.get_xlabel(), models.get_xlabel()) == ("load", "contention")
    assert (loads.get_ylabel(), waits.get_ylabel()) == ("mean JCT, h", "p95 wait, min")
    for axes in (loads, waits):
        lines = {tuple(line.get_ydata()) for line in axes.get_lines()}
        assert {line for line in lines if len(line) == 3} == {(2, 3, 4)}
    policies = panels([case(7.0), case(8.0, policy="b")])
    assert policies is not None
    (axes,) = policies().axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("policy", "mean JCT, s")
    assert panels([case(None)]) is None


def part(name: str, wait: float, by: str = "group", log: float | None = None) -> PartMetrics:
    return PartMetrics(
        by=by,
        name=name,
        jobs=5,
        mean_wait_s=wait,
        median_wait_s=wait,
        p95_wait_s=2 * wait,
        p99_wait_s=2 * wait,
        logged_mean_wait_s=log,
        logged_p95_wait_s=log,
        mean_slowdown=1.0,
        worst_unfairness=1.0,
        unfair_share=0.0,
    )


DAY = 86_400


def timed(jcts: list[float], red: float, blue: float, **at: str) -> AxisRow:
    """Return a replay of a job a day."""
    every = part("all jobs", (red + blue) / 2, "all", 7200.0)
    times = ReplayTimes(
        arrivals=np.arange(len(jcts)) * float(DAY),
        waits=np.full(len(jcts), every.mean_wait_s),
        jcts=np.array(jcts),
        parts=(every, part("red", red), part("blue", blue)),
        gpus={"own": 32, "own+2x8": 48}.get(at.get("cluster", "own"), 16),
    )
    found = case(sum(jcts) / len(jcts), **at)
    return replace(found, times=times)


def test_an_answer_is_about_the_change_that_was_asked_for() -> None:
    before = timed([4000.0] * 8, 3 * 3600, 3600, cluster="own")
    after = timed([3000.0] * 8, 3600, 3600, cluster="own+2x8")
    (one,) = effects([before, after], ["cluster"])
    assert (one.group, one.change, one.mean_wait_s) == ("red", -0.5, (7200, 3600))
    assert one.sentence == (
        "2 more servers of 8 GPUs: mean wait 2 h -> 1 h (-50 %), p95 4 h -> 2 h, "
        "mean JCT 1.11 h -> 0.833 h (-25 %). Group red gains most: mean wait 3 h -> 1 h."
    )
    (back,) = effects([after, before], ["cluster"])
    assert "Group red loses most" in back.sentence
    assert (one.against, back.against) == (None, None)


def test_a_group_that_loses_while_all_gain_is_named() -> None:
    """Red waits 1 h less. Blue waits 20 min more, or so little more that it is not told."""
    before, after = timed([4000.0] * 8, 7200, 3600), timed([4000.0] * 8, 3600, 4800, policy="b")
    (one,) = effects([before, after], ["policy"])
    assert (one.group, one.against) == ("red", "blue")
    assert one.sentence.endswith(
        "Group red gains most: mean wait 2 h -> 1 h. Group blue loses most: mean wait 1 h -> 1.33 "
        "h."
    )
    (little,) = effects([before, timed([4000.0] * 8, 3600, 3636, policy="b")], ["policy"])
    assert little.against is None


def test_the_group_that_waits_longest_is_named() -> None:
    one, two = timed([9.0] * 8, 3600, 7200), timed([9.0] * 8, 3600, 1800, policy="b")
    same = timed([9.0] * 8, 3600, 5400, policy="c")
    other = timed([9.0] * 8, 9999, 1, cluster="2x8")
    assert waiting_groups([one, two, same, other]) == (
        "Group blue waits longest under a (p95 4 h, against 3 h overall) and c (p95 3 h, against "
        "2.5 h overall). Group red waits longest under b (p95 2 h, against 1.5 h overall)."
    )
    assert waiting_groups([timed([9.0] * 8, 0, 0), case(3.0)]) is None


def test_each_change_is_compared_with_the_first_value_under_equal_conditions() -> None:
    cases = [
        timed([4000.0] * 8, 100, 100 + 50 * (cluster != "own"), cluster=cluster, policy=policy)
        for cluster, policy in product(("own", "2x8", "4x8"), "ab")
    ]
    found = effects(cases, ["cluster", "policy"])
    assert [(one.axis, one.base, one.other) for one in found] == [
        *[("cluster", "own", other) for other in ("2x8", "2x8", "4x8", "4x8")],
        *[("policy", "a", "b")] * 3,
    ]
    assert "(cluster 2x8)" in found[5].sentence


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ("own+1x8", "1 more server of 8 GPUs"),
        ("own-2x4+1x1", "2 fewer servers of 4 GPUs and 1 more server of 1 GPU"),
        ("own-s3", "without server s3"),
        ("own-a-1x8", "without server a-1x8"),
        ("8x8", "cluster 8x8 instead of own"),
    ],
)
def test_a_cluster_is_said_by_its_change(other: str, words: str) -> None:
    assert cluster_text("own", other) == words


def test_the_log_stands_beside_the_replays_on_its_own_cluster() -> None:
    other = timed([4000.0] * 8, 1800, 1800, cluster="2x8")
    one, two = timed([4000.0] * 8, 3600, 3600), timed([4000.0] * 8, 5400, 5400, policy="b")
    told = logged([other, one])
    assert told == (
        "In the log, jobs waited 2 h on average (p95 2 h). Replayed on cluster own, they wait 1 h "
        "(p95 2 h) under a."
    )
    assert logged([other, one, two]) == (
        "In the log, jobs waited 2 h on average (p95 2 h). Replayed on cluster own, they wait 1 h "
        "(p95 2 h) under a and 1.5 h (p95 3 h) under b. The mean wait of the log is closest to "
        "that under b."
    )
    busy = timed([4000.0] * 8, 1800, 1800, cluster="2x8", load="2")
    assert "Replayed on cluster 2x8 at load 2, they wait 0.5 h (p95 1 h)" in (logged([busy]) or "")
    assert logged([case(4.0)]) is None


@pytest.mark.parametrize(
    ("mean", "said"),
    [
        (3000, "Policy b on own (32 GPUs) beats policy a on own+2x8 (48 GPUs): mean JCT 50 min"),
        (4000, "Policy a on own+2x8 (48 GPUs) beats policy b on own (32 GPUs): mean JCT 0.972 h"),
        (3501, "Policy b on own (32 GPUs) and policy a on own+2x8 (48 GPUs) tie: mean JCT 58.4"),
    ],
)
def test_a_policy_competes_with_servers(mean: float, said: str) -> None:
    base, more = timed([5000.0] * 3, 9, 9), timed([3500.0] * 3, 9, 9, cluster="own+2x8")
    better = timed([mean] * 3, 9, 9, policy="b")
    both = timed([mean] * 3, 9, 9, cluster="own+2x8", policy="b")
    (text,) = contests([base, more, better, both], 0.01)
    assert text.startswith(said)
    assert contests([base, more], 0.01) == contests([base, better], 0.01) == []


def test_a_policy_on_fewer_servers_competes_with_the_first_one_on_its_own() -> None:
    base, fewer = timed([3500.0] * 3, 9, 9), timed([9000.0] * 3, 9, 9, cluster="own-1x8")
    better = timed([3000.0] * 3, 9, 9, cluster="own-1x8", policy="b")
    (text,) = contests([base, fewer, timed([2000.0] * 3, 9, 9, policy="b"), better], 0.01)
    assert text.startswith("Policy b on own-1x8 (16 GPUs) beats policy a on own (32 GPUs)")


def test_what_if_some_jobs_were_not_there_is_about_the_others() -> None:
    """All wait 2 h on average. Without red, the blue jobs wait 1 h instead of 3 h."""
    base = timed([9000.0] * 8, 3600, 3 * 3600)
    rest = timed([9000.0] * 5, 3600, 3600, jobs="without group=red")
    blue = timed([9000.0] * 5, 3 * 3600, 3 * 3600)
    assert base.times
    assert rest.times
    assert blue.times
    among = {"without group=red": replace(blue.times, parts=blue.times.parts[::2])}
    base = replace(base, times=replace(base.times, among=among))
    rest = replace(rest, times=replace(rest.times, parts=rest.times.parts[::2]))
    (one,) = effects([base, rest], ["jobs"])
    assert one.mean_wait_s == (3 * 3600, 3600)
    assert one.sentence.startswith(
        "Without group=red (3 of 8 jobs), counting only the others: mean wait 3 h -> 1 h (-67 %)"
    )
    table = parts_table([base, rest])
    assert table is not None
    assert [row[-2] for row in table.rows] == [1, None, 1]


def test_a_table_of_parts_has_all_replays_or_the_first_ones_side_by_side() -> None:
    cases = [timed([9.0] * 8, 7200, 3600 * k, policy=f"p{k}") for k in range(6)]
    table, few = parts_table(cases), parts_table(cases, 4)
    assert table is not None
    assert few is not None
    assert few.rows[2] == ("group blue", 5, None, None, 0, 0, 1, 2, 2, 4, 3, 6)
    assert table.rows[2] == (*few.rows[2], 4, 8, 5, 10)
    assert few.notes == ("Only the first 4 replays: parts.csv and --json have all.",)
    assert table.notes == ()
    assert parts_table([case(3.0)]) is None


def test_intervals_decide_ties_where_there_are_days_enough() -> None:
    """Half of the days gain 30 % and the others lose 20 %, or all gain 5 %."""
    base = timed([100.0] * 8, 1, 1)
    mixed = timed([70.0, 120.0] * 4, 1, 1, policy="b")
    small = timed([95.0, 94.9] * 4, 1, 1, policy="c")
    assert has_intervals([base, mixed])
    assert (ahead(base, mixed, None), ahead(base, small, None)) == (0, -1)
    assert (ahead(base, mixed, 0.01), ahead(small, base, 0.1)) == (-1, 0)
    few = timed([100.0] * 4, 1, 1), timed([70.0, 120.0] * 2, 1, 1, policy="b")
    assert not has_intervals(few)
    assert ahead(*few, None) == -1


@pytest.mark.parametrize("seed", range(3))
def test_an_interval_covers_the_change_of_a_known_law_as_often_as_it_says(seed: int) -> None:
    """Days have common factors. Of 60 intervals at 95 %, 47 or more hold but once in 10,000."""
    rng = np.random.default_rng(seed)
    held = 0
    for _ in range(60):
        days = np.repeat(np.arange(25), 8)
        before = rng.exponential(size=25)[days] + rng.exponential(size=200)
        after = before * (0.8 + rng.normal(0, 0.2, size=25)[days])
        found = paired_change(before, after, days * float(DAY))
        assert isinstance(found, Interval)
        held += found.low <= -0.2 <= found.high
    assert held >= 47


def test_an_interval_needs_days_and_something_that_changes() -> None:
    days = np.arange(6) * float(DAY)
    ones = np.ones(6)
    assert paired_change(ones[:4], ones[:4], days[:4]) is None
    assert paired_change(np.eye(6)[0], ones, days) is None
    same = paired_change(ones, ones * 3, days)
    assert same is not None
    assert (same.low, same.mean, same.high, same.count) == (2, 2, 2, 6)
