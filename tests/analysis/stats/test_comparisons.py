"""Pairs of methods: by hand, instance by instance, and never over different sets."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stats_rows import failed, run

from ringyard.analysis.rows import answered
from ringyard.analysis.stats.cases import common_set
from ringyard.analysis.stats.comparisons import (
    compare_times,
    compare_values,
    holm,
    log_ratio,
    signed_gap,
)
from ringyard.instances.errors import InputError


def test_times_by_hand() -> None:
    # With shift 10: (10 + 10) / (70 + 10) = 1/4, and (30 + 10) / (30 + 10) = 1.
    rows = [
        run("a", "i", seconds=10), run("b", "i", seconds=70),
        run("a", "j", seconds=30), run("b", "j", seconds=30),
    ]  # fmt: skip
    (found,) = compare_times(common_set(rows))
    assert (found.method, found.other) == ("a", "b")
    assert (found.wins, found.ties, found.losses) == (1, 1, 0)
    assert found.ratio is not None
    assert found.ratio.mean == pytest.approx(0.5)
    assert (found.effect, found.shift, found.excluded) == (1, 10, 0)
    # One difference beside a tie: either sign is as likely.
    assert found.holm == 1


def test_failures_are_charged_the_limit() -> None:
    rows = [run("a", seconds=10), failed("b", seconds=1)]
    (found,) = compare_times(common_set(rows))
    assert found.ratio is not None
    assert found.ratio.mean == pytest.approx(20 / 110)
    (both,) = compare_times(common_set([failed("a", seconds=1), failed("b", seconds=2)]))
    assert both.ties == 1


def test_seeds_of_an_instance_are_one_observation() -> None:
    rows = [
        run(method, instance, seed=seed, seconds=seconds + seed)
        for method, seconds in (("a", 1), ("b", 20))
        for instance in "ij"
        for seed in range(10)
    ]
    (found,) = compare_times(common_set(rows))
    assert (found.instances, found.cases, found.wins) == (2, 20, 2)
    # Two instances cannot show more than p = 1/2, however many seeds there are.
    assert found.holm == 0.5


def test_one_instance_has_no_interval() -> None:
    (found,) = compare_times(common_set([run("a", seconds=1), run("b", seconds=2)]))
    assert found.ratio is not None
    assert not found.ratio.bounded


def test_values_are_compared_where_both_answered_and_the_rest_is_counted() -> None:
    rows = [run("a", "i", objective=10), run("b", "i", objective=20, bound=9), run("a", "j")]
    (found,) = compare_values(common_set([*rows, failed("b", "j")]))
    assert (found.instances, found.excluded, found.wins) == (1, 1, 1)
    assert found.ratio is not None
    assert found.ratio.mean == pytest.approx(0.5)


def test_without_a_common_answer_nothing_is_said() -> None:
    (found,) = compare_values(common_set([run("a"), failed("b")]))
    assert (found.ratio, found.test, found.instances, found.excluded, found.holm) == (
        None, None, 0, 1, 1,
    )  # fmt: skip


def test_where_much_is_better_more_wins() -> None:
    rows = [run(m, sense="max", objective=o, bound=40) for m, o in (("a", 30), ("b", 15))]
    (found,) = compare_values(common_set(rows))
    assert found.ratio is not None
    assert (found.wins, found.ratio.mean) == (1, pytest.approx(0.5))


def test_success_can_be_a_valid_answer() -> None:
    rows = [run("a", status="feasible", bound=5), run("b", seconds=30)]
    (proofs,), (answers,) = (
        compare_times(common_set(rows), success=one)
        for one in (lambda r: r["status"] == "optimal", answered)
    )
    assert (proofs.losses, answers.wins) == (1, 1)


def test_all_pairs_are_corrected_together() -> None:
    rng = Random(3)
    rows = [
        run(method, f"i{k}", seconds=rng.uniform(1, 30) + 5 * n)
        for n, method in enumerate("abcd")
        for k in range(12)
    ]
    found = compare_times(common_set(rows))
    assert [(one.method, one.other) for one in found] == [
        ("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d"),
    ]  # fmt: skip
    raw = [one.test.p for one in found if one.test is not None]
    assert [one.holm for one in found] == holm(raw)
    assert found == compare_times(common_set(rng.sample(rows, len(rows))))


def test_different_sets_are_not_compared() -> None:
    with pytest.raises(InputError, match="are incomplete"):
        compare_times(common_set([run("a", "i"), run("b", "i"), run("b", "j")]))


def test_a_ratio_to_zero_is_none_and_its_instance_still_counts() -> None:
    most = {"sense": "max", "status": "feasible", "bound": 40}
    rows = [run("a", **most, objective=30), run("b", **most, objective=0)]
    ties = [run(m, "j", **most, objective=0) for m in "ab"]
    (found,) = compare_values(common_set(rows + ties))
    assert (found.ratio, found.wins, found.ties) == (None, 1, 1)
    assert found.effect == 1


@given(st.lists(st.tuples(*[st.floats(1e-3, 1e3)] * 2), min_size=1, max_size=12))
def test_gaps_rank_like_logarithms(pairs: list[tuple[float, float]]) -> None:
    gaps, logs = ([of(*pair) for pair in pairs] for of in (signed_gap, log_ratio))
    assert [gap > 0 for gap in gaps] == [one > 0 for one in logs]
    order = sorted(range(len(pairs)), key=lambda i: abs(logs[i]))
    sizes = [abs(gaps[i]) for i in order]
    assert sizes == pytest.approx(sorted(sizes))


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), -1.0])
def test_no_time_may_be_infinite(seconds: float) -> None:
    with pytest.raises(InputError, match="a finite number of at least 0"):
        compare_times(common_set([run("a", time_limit=None, seconds=seconds), run("b")]))
