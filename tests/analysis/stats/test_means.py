"""Means by hand, between least and greatest, and never over what is no number."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringyard.analysis.stats.means import (
    ShiftedMean,
    geometric_mean,
    scaled,
    shifted_geometric_mean,
)
from ringyard.instances.errors import InputError

TIMES = st.lists(st.floats(0, 1e6), min_size=1, max_size=20)
SHIFTS = st.floats(0, 100)


def test_by_hand() -> None:
    # (10 + 10) (30 + 10) (70 + 10) = 64000 = 40^3.
    found = shifted_geometric_mean([10, 30, 70])
    assert found == ShiftedMean(value=pytest.approx(30), shift=10, count=3)


def test_with_little_shift_small_values_count_as_one() -> None:
    # max(1, 0 + 0) = 1 and max(1, 4 + 0) = 4; exp(mean(0, ln 4)) = 2.
    assert shifted_geometric_mean([0, 4], shift=0).value == pytest.approx(2)
    # With a shift of 1 or more the clip has nothing to do: (0 + 1) (8 + 1) = 3^2.
    assert shifted_geometric_mean([0, 8], shift=1).value == pytest.approx(2)


@given(TIMES, SHIFTS)
def test_it_lies_between_the_least_and_the_greatest(values: list[float], shift: float) -> None:
    mean = shifted_geometric_mean(values, shift).value
    raised = [max(value, 1 - shift) for value in values]
    slack = 1e-9 * (max(raised) + shift)
    assert min(raised) - slack <= mean <= max(raised) + slack


@given(TIMES, st.floats(1, 100), st.floats(1, 100))
def test_a_larger_shift_comes_nearer_to_the_arithmetic_mean(
    values: list[float], shift: float, more: float
) -> None:
    little, much = (shifted_geometric_mean(values, s).value for s in (shift, shift + more))
    assert little <= much * (1 + 1e-9) + 1e-6
    assert much <= sum(values) / len(values) * (1 + 1e-9) + 1e-6


@given(TIMES, st.floats(1, 50), st.floats(1, 100))
def test_in_other_units_it_is_the_same(values: list[float], shift: float, factor: float) -> None:
    one = shifted_geometric_mean(values, shift).value
    other = shifted_geometric_mean([factor * value for value in values], factor * shift).value
    assert other == pytest.approx(factor * one, rel=1e-6, abs=1e-6 * factor)


@pytest.mark.parametrize("value", [inf, nan, -1.0])
def test_nothing_averages_over_an_infinity(value: float) -> None:
    with pytest.raises(InputError, match=r"values\[1\]: .* a failed run"):
        shifted_geometric_mean([1, value])
    with pytest.raises(InputError, match=r"values\[0\]"):
        geometric_mean([value])


def test_nothing_averages_over_nothing() -> None:
    with pytest.raises(InputError, match="at least one"):
        shifted_geometric_mean([])


def test_a_geometric_mean_of_zero_is_refused() -> None:
    assert geometric_mean([1, 4, 16]) == pytest.approx(4)
    with pytest.raises(InputError, match="Use a shifted mean"):
        geometric_mean([0, 1])


def test_means_are_scaled_by_the_least() -> None:
    means = {"a": shifted_geometric_mean([10]), "b": shifted_geometric_mean([30])}
    assert scaled(means) == pytest.approx({"a": 1, "b": 3})


@pytest.mark.parametrize(
    "other", [shifted_geometric_mean([30, 30]), shifted_geometric_mean([30], 1)]
)
def test_means_over_different_sets_or_shifts_are_not_scaled(other: ShiftedMean) -> None:
    with pytest.raises(InputError, match="over the same cases"):
        scaled({"a": shifted_geometric_mean([10]), "b": other})


def test_nothing_is_scaled_by_zero() -> None:
    with pytest.raises(InputError, match="without a scale"):
        scaled({"a": shifted_geometric_mean([0])})
