"""Means over draws of random outages, and how effects of outages are said."""

from dataclasses import replace
from statistics import fmean, stdev

import numpy as np
import pytest

from ringyard.analysis.intervals import Interval
from ringyard.analysis.rows import Row, whole_row
from ringyard.analysis.trace.parts import PartMetrics
from ringyard.analysis.whatif.cases import AxisRow, ReplayTimes, place_text
from ringyard.analysis.whatif.draws import cases_of, drawn_cell, drawn_change, mean_row, mean_times
from ringyard.analysis.whatif.effects import effects
from ringyard.analysis.whatif.flips import comparisons, sentence, summaries
from ringyard.analysis.whatif.tables import comparison_table

AT = {
    **{"cluster": "own", "load": "1", "contention": "none", "outages": "none"},
    **{"jobs": "all", "policy": "srtf", "placement": "usual"},
}


def row(
    mean: float, goodput: float = 1.0, lost: float = 0.0, key: str = "k", **more: object
) -> Row:
    usual = {
        "objective": mean,
        "mean_queueing_s": mean / 10,
        "mean_waiting_s": mean / 10,
        "goodput": goodput,
        "digest": key,
    }
    found = {"lost_s": lost, "lost_gpu_s": 2 * lost, "valid": True, "key": key, **usual, **more}
    return whole_row(
        {"instance": key, "method": "srtf", "preemptions": 1, "violations": 0, **found}
    )


def times(mean: float, outages: float = 0) -> ReplayTimes:
    part = PartMetrics(
        by="all",
        name="all jobs",
        jobs=2,
        **dict.fromkeys(("mean_wait_s", "median_wait_s", "p95_wait_s", "p99_wait_s"), mean / 10),
        logged_mean_wait_s=None,
        logged_p95_wait_s=3.0,
        **dict.fromkeys(("mean_slowdown", "worst_unfairness", "unfair_share"), mean),
    )
    waits, jcts = np.array([0.0, mean / 5]), np.array([mean - 1, mean + 1])
    few = ReplayTimes(arrivals=np.zeros(1), waits=waits[:1], jcts=jcts[:1], parts=(part,))
    found = ReplayTimes(arrivals=np.zeros(2), waits=waits, jcts=jcts, parts=(part,), gpus=4)
    return replace(found, outages=outages, among={"without group=g": few})


def test_a_row_of_several_draws_has_their_means() -> None:
    found = mean_row([row(100, 0.9, 0, "a"), row(110, 0.8, 60, "b", preemptions=4)])
    names = ("objective", "goodput", "lost_gpu_s", "preemptions", "key")
    assert [found[name] for name in names] == [105, pytest.approx(0.85), 60, 2.5, "a"]
    assert mean_row([row(100), row(100, goodput=None)])["goodput"] is None  # type: ignore[arg-type]
    failed = row(100) | {"valid": False, "note": "why"}
    assert mean_row([row(100), failed, row(100)]) is failed
    assert mean_row([failed]) is failed


def test_times_of_several_draws_are_means_of_each_job() -> None:
    found = mean_times([times(100, 3), times(130, 4)])
    assert found is not None
    assert list(found.jcts) == [114, 116]
    assert list(found.waits) == [0, 23]
    assert (found.parts[0].p95_wait_s, found.parts[0].logged_p95_wait_s) == (11.5, 3)
    assert (found.parts[0].jobs, found.parts[0].logged_mean_wait_s) == (2, None)
    assert (found.outages, list(found.among["without group=g"].jcts)) == (3.5, [114])
    assert mean_times([times(100), None]) is None
    assert mean_times([None]) is None


def test_draws_of_a_question_are_one_case() -> None:
    """The least of the bounds of its draws holds for the mean. One without a bound leaves none."""
    out = AT | {"outages": "mtbf=1d,draws=2"}
    bounded = {"bound_kind": "combinatorial", "sense": "min", "family": "trace"}
    rows = [row(100, key="n", bound=50, **bounded)]
    rows += [row(100 + i, key=f"o{i}", bound=60 - i, **bounded) for i in (0, 20)]
    known = {"n": times(100), "o0": times(100, 1), "o20": times(120, 3)}
    one, two = cases_of(zip((AT, out, out), rows, strict=True), rows, known)
    assert (one.drawn, one.mean, one.bound, one.kind) == ((), 100, 50, "combinatorial")
    assert (len(two.drawn), two.mean, two.bound) == (2, 110, 40)
    assert two.times is not None
    assert two.times.outages == 2
    unknown = [*rows[:2], rows[2] | {"bound": None}]
    assert cases_of(zip((AT, out, out), unknown, strict=True), unknown, known)[1].bound is None


def test_intervals_are_over_draws() -> None:
    values = [100.0, 110.0, 105.0, 125.0]
    drawn = [row(value, 0.9 + value / 10_000) for value in values]
    cell = drawn_cell(drawn, "objective")
    assert isinstance(cell, Interval)
    assert cell.mean == 110
    assert 0 < cell.low < 110 < cell.high
    part = drawn_cell(drawn, "goodput")
    assert isinstance(part, Interval)
    assert part.high < 1
    assert drawn_cell(drawn[:2], "objective") == 105
    change = drawn_change([row(100)], drawn, "objective")
    assert change is not None
    assert change.mean == pytest.approx(0.1)
    # Relative to a fixed mean, it is Student's interval with 3 degrees of freedom on logarithms.
    half = 3.182446 * stdev(values) / 2 / fmean(values)
    assert (change.low, change.high) == pytest.approx(
        (1.1 * np.exp(-half) - 1, 1.1 * np.exp(half) - 1)
    )
    same = drawn_change(drawn, [row(2 * value) for value in values], "objective")
    assert same is not None
    assert (same.low, same.mean, same.high) == pytest.approx((1, 1, 1))


@pytest.mark.parametrize(
    ("before", "after"),
    [([100], [100, 110]), ([100], [100]), ([100] * 4, [110] * 3), ([0], [1, 2, 3])],
)
def test_few_or_unequal_draws_have_no_interval(before: list[float], after: list[float]) -> None:
    first, second = ([row(value) for value in values] for values in (before, after))
    assert drawn_change(first, second, "objective") is None


def case(mean: float, outages: str, row_: Row, count: float, **at: str) -> AxisRow:
    where = AT | {"outages": outages} | at
    return AxisRow(at=where, row=row_, bound=None, kind="", times=times(mean, count))


def test_an_effect_of_outages_has_goodput_and_lost_work_before_and_after() -> None:
    before = case(3600, "none", row(3600), 0)
    after = case(7200, "mtbf=1d", row(7200, 0.75, 3600), 4)
    (one,) = effects([before, after], ["outages"])
    assert one.sentence == (
        "With outages mtbf=1d (4 until the last end): mean wait 6 min -> 12 min (+100 %), p95 6 min"
        " -> 12 min, all time without GPUs 6 min -> 12 min, mean JCT 1 h -> 2 h (+100 %), goodput "
        "100 % -> 75 %, lost work 0 GPU-h -> 2 GPU-h."
    )
    (back,) = effects([after, before], ["outages"])
    assert back.sentence.startswith("Without outages instead of mtbf=1d: mean wait 12 min -> 6 min")
    (other,) = effects([after, case(7200, "own", row(7200, 0.75), 4)], ["outages"])
    assert other.sentence.startswith("With the outages of the trace instead of mtbf=1d (4 until")


def test_random_outages_that_spare_a_replay_are_told_as_well() -> None:
    spared = case(3600, "mtbf=9d", row(3600), 0)
    (one,) = effects([case(3600, "none", row(3600), 0), spared], ["outages"])
    assert one.sentence.startswith("With outages mtbf=9d (0 until the last end): mean wait")
    assert one.sentence.endswith("goodput 100 % -> 100 %.")
    table = comparison_table([spared], "c")
    assert "goodput, %" in {column.head for column in table.columns}


def test_effects_without_outages_say_nothing_of_goodput() -> None:
    two = case(7200, "none", row(7200), 0, policy="fifo")
    (one,) = effects([case(3600, "none", row(3600), 0), two], ["policy"])
    assert "goodput" not in one.sentence
    struck = [case(3600, "own", row(3600), 2), case(3600, "own", row(3600), 2, policy="fifo")]
    (one,) = effects(struck, ["policy"])
    assert one.sentence.endswith("goodput 100 % -> 100 %.")
    older = [replace(one, row=one.row | {"goodput": None}) for one in struck]
    assert "goodput" not in effects(older, ["policy"])[0].sentence


def test_outages_may_reverse_a_comparison() -> None:
    means = {("srtf", "none"): 100.0, ("fifo", "none"): 120.0}
    means |= {("srtf", "mtbf=1d"): 150.0, ("fifo", "mtbf=1d"): 130.0}
    cases = [
        case(mean, outages, row(mean), outages != "none", policy=policy)
        for (policy, outages), mean in means.items()
    ]
    found = comparisons(cases, 0.01)
    assert summaries(found, 0.01) == [
        "Adding outages reversed 1 of 1 policy comparison by mean JCT (ties: within 1 %)."
    ]
    assert sentence(found[0], ["policy", "outages"]) == (
        "Without outages, srtf beats fifo by 16.7 % (1.67 min, 2 min), but with outages mtbf=1d, "
        "fifo beats srtf by 13.3 % (2.17 min, 2.5 min)."
    )


def test_the_table_has_goodput_where_servers_fail() -> None:
    plain = comparison_table([case(100, "none", row(100), 0)], "c")
    assert not {"goodput, %", "lost, GPU-h"} & {column.head for column in plain.columns}
    drawn = [row(100 + 10 * i, 0.9, 3600 * i) for i in range(3)]
    struck = replace(case(110, "mtbf=1d", mean_row(drawn), 2), drawn=tuple(drawn))
    table = comparison_table([case(100, "none", row(100), 0), struck], "c")
    heads = [column.head for column in table.columns]
    good, lost, mean = (heads.index(head) for head in ("goodput, %", "lost, GPU-h", "mean"))
    assert [table.rows[0][i] for i in (good, lost, mean)] == [100, 0, 100]
    assert [
        cell.mean for i in (good, lost, mean) if isinstance(cell := table.rows[1][i], Interval)
    ] == [
        pytest.approx(90),
        pytest.approx(2),
        110,
    ]
    assert any("means over 3 draws, with 95 % intervals" in note for note in table.notes)


def test_outages_in_words() -> None:
    words = [place_text("outages", value) for value in ("none", "own", "mtbf=1d")]
    assert words == ["without outages", "with the outages of the trace", "with outages mtbf=1d"]
