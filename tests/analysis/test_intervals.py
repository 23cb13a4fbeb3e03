"""Intervals: by hand, by coverage, and what a ratio must not depend on."""

from math import exp, inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.analysis.intervals import (
    Interval,
    mean_above,
    mean_share,
    next_draw,
    paired_ratio,
    student,
)

POSITIVE = st.floats(0.1, 1e4)
PAIRS = st.lists(st.tuples(POSITIVE, POSITIVE), min_size=2, max_size=12)


def test_by_hand() -> None:
    # Mean 2, standard deviation 1; t for 97.5 % and 2 degrees of freedom is 4.30265 in any table.
    found = student([1, 2, 3])
    half = 4.30265 / 3**0.5
    assert (found.mean, found.count) == (2, 3)
    assert (found.low, found.high) == (pytest.approx(2 - half, 1e-5), pytest.approx(2 + half, 1e-5))


def test_more_confidence_is_wider() -> None:
    # For 99.5 % and 2 degrees of freedom a table says 9.92484.
    assert student([1, 2, 3], 0.99).high == pytest.approx(2 + 9.92484 / 3**0.5, 1e-5)


def test_one_value_says_nothing_about_the_spread() -> None:
    found = student([7.0])
    assert (found.mean, found.low, found.high, found.bounded) == (7, -inf, inf, False)
    assert not paired_ratio([3.0], [2.0]).bounded


def test_equal_values_leave_no_doubt() -> None:
    found = student([5.0] * 4)
    assert (found.low, found.mean, found.high) == (5, 5, 5)


def test_the_mean_is_covered_as_often_as_promised() -> None:
    rng = np.random.default_rng(0)
    found = [student(list(rng.normal(3, 2, size=5)), 0.8) for _ in range(2000)]
    covered = sum(one.low <= 3 <= one.high for one in found)
    # Binomial with 2000 draws at 0.8: four standard deviations are 72.
    assert abs(covered - 1600) < 72


DRAWN = {
    "exponential": lambda rng: rng.exponential(1, 5),
    "half are nothing": lambda rng: 2 * rng.exponential(1, 10) * (rng.random(10) < 0.5),
    "lognormal": lambda rng: rng.lognormal(-0.125, 0.5, 3),
    "far from the least": lambda rng: rng.normal(1, 0.1, 5),
}
"""What no value can be below 0 of, with mean 1; in samples of the sizes that campaigns have."""


@pytest.mark.parametrize("name", DRAWN)
def test_means_of_what_cannot_be_below_something_are_covered_and_no_end_is_below(name: str) -> None:
    rng = np.random.default_rng(1)
    samples = [list(map(float, 1 + DRAWN[name](rng))) for _ in range(2000)]
    found = [mean_above(one, 1) for one in samples]
    assert min(one.low for one in found) >= 1
    covered = sum(one.low <= 2 <= one.high for one in found)
    plain = sum(one.low <= 2 <= one.high for one in map(student, samples))
    # Of 0.95 promised, skew costs something at such sizes; Student's own interval loses more. For
    # equal chances of 0.95 the difference of both counts has a deviation below 14.
    assert covered > 0.92 * 2000 - 4 * 12
    assert covered > plain - 4 * 14


def test_by_hand_above_a_least() -> None:
    # Student's half width of 1, 2, 3 is 2.4842; over the room of 2 above 0 the factor is e^1.2421.
    found = mean_above([1, 2, 3], 0)
    factor = 3.4629
    assert (found.low, found.high) == (
        pytest.approx(2 / factor, 1e-4),
        pytest.approx(2 * factor, 1e-4),
    )


def test_far_above_the_least_it_is_students() -> None:
    values = [1e6 + one for one in (1.0, 2.0, 3.0)]
    found, plain = mean_above(values, 0), student(values)
    assert (found.low, found.high) == (
        pytest.approx(plain.low, 1e-9),
        pytest.approx(plain.high, 1e-9),
    )


def test_two_values_say_too_little_and_equal_ones_leave_no_doubt() -> None:
    assert not mean_above([1.0, 2.0], 0).bounded
    assert not mean_above([1.0, 1.0], 0).bounded
    equal = mean_above([1.0] * 3, 1)
    assert (equal.low, equal.high) == (1, 1)


def test_below_what_was_called_the_least_it_is_students() -> None:
    assert mean_above([-1.0, 0.0, 4.0], 0) == student([-1.0, 0.0, 4.0])


def test_a_constant_factor_is_found_exactly() -> None:
    found = paired_ratio([2, 20, 200], [1, 10, 100])
    assert (found.low, found.mean, found.high) == pytest.approx((2, 2, 2))


@given(PAIRS)
def test_the_other_way_round_it_is_the_inverse(pairs: list[tuple[float, float]]) -> None:
    left, right = zip(*pairs, strict=True)
    there, back = paired_ratio(left, right), paired_ratio(right, left)
    assert there.mean * back.mean == pytest.approx(1)
    if there.low > 1e-100 and there.high < 1e100:
        assert there.low * back.high == pytest.approx(1)


def test_pairs_must_be_pairs() -> None:
    with pytest.raises(ValueError, match="shorter"):
        paired_ratio([1.0, 2.0], [1.0])


def test_shares_have_intervals_between_0_and_1() -> None:
    """At the middle it is Student's but for the ends; mirrored shares have mirrored intervals."""
    low, high = mean_share([0.01, 0.02, 0.3]), mean_share([0.99, 0.98, 0.7])
    assert 0 < low.low < low.mean < low.high < 1
    assert (1 - high.high, 1 - high.low) == pytest.approx((low.low, low.high))
    near, plain = mean_share([0.499, 0.5, 0.501]), student([0.499, 0.5, 0.501])
    assert (near.low, near.high) == pytest.approx((plain.low, plain.high), abs=1e-7)
    assert mean_share([1.0, 1.0, 1.0]).high == 1
    assert not mean_share([0.2, 0.3]).bounded


def test_one_more_value_of_a_lognormal_law() -> None:
    """Mean and deviation of exp(N(2, 0.3)), of which n = 4 values tell t = 3.18245 in any table.

    So one more is exp(2 -+ 3.18245 * 0.3 * sqrt(5 / 4)), wherever the interval of the mean ends.
    """
    mean = exp(2 + 0.3**2 / 2)
    factor = exp(3.18245 * sqrt(exp(0.3**2) - 1) / 2)
    found = next_draw(Interval(mean=mean, low=mean / factor, high=mean * factor, count=4))
    half = 3.18245 * 0.3 * sqrt(5 / 4)
    assert (found.low, found.high) == pytest.approx((exp(2 - half), exp(2 + half)), rel=1e-5)


@pytest.mark.parametrize("deviation", [0.1, 0.3, 0.5])
def test_one_more_value_is_in_its_interval_as_often_as_promised(deviation: float) -> None:
    draws = np.random.default_rng(5).lognormal(3, deviation, size=(2000, 11))
    found = [next_draw(mean_above(some[:10].tolist(), 0.0)) for some in draws]
    inside = [one.low <= some[10] <= one.high for one, some in zip(found, draws, strict=True)]
    assert np.mean(inside) == pytest.approx(0.95, abs=0.015)


def test_without_an_interval_of_the_mean_one_more_value_may_be_anything() -> None:
    few = mean_above([1.0, 2.0], 0.0)
    assert next_draw(few) == few
