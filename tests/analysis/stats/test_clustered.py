"""Means with equal weight for families and instances, worked out on paper."""

from math import log, sqrt

import pytest

from ringyard.analysis.stats.clustered import Place, equal_mean, equal_shifted_mean, logs_of, nested

PLACES: list[Place] = [
    ("train", "x", "p"),
    ("train", "x", "p"),
    ("train", "x", "q"),
    ("train", "y", "r"),
    ("rent", "z", "s"),
]


def test_families_instances_and_programs_have_equal_weight() -> None:
    """x: p is (1 + 3) / 2 = 2 and q is 6, so x is 4. train: (4 + 8) / 2 = 6. All: (6 + 10) / 2."""
    found = nested([1, 3, 6, 8, 10], PLACES)
    assert found == {"train": {"x": 4.0, "y": 8.0}, "rent": {"z": 10.0}}
    assert equal_mean(found) == 8.0


def test_more_programs_of_one_instance_change_no_mean() -> None:
    twice = [*PLACES, *(("train", "x", f"{name}again") for _, _, name in PLACES[:3])]
    assert equal_mean(nested([1, 3, 6, 8, 10, 1, 3, 6], twice)) == 8.0


def test_a_shifted_mean_and_its_interval() -> None:
    """Logarithms of 1, 4 and 8: train has ln 2, all have (ln 2 + ln 8) / 2 = ln 4.

    Of two instances, a sample has the first twice with chance 1/4, and so the second: the ends are
    those samples, (ln 1 + ln 8) / 2 and (ln 4 + ln 8) / 2.
    """
    places: list[Place] = [("train", "x", "p"), ("train", "y", "p"), ("rent", "z", "p")]
    mean, low, high = equal_shifted_mean([0.0, 3.0, 7.0], places, 1.0)
    assert mean == pytest.approx(3.0)
    assert low == pytest.approx(sqrt(8) - 1)
    assert high == pytest.approx(sqrt(32) - 1)


def test_one_instance_has_no_spread() -> None:
    mean, low, high = equal_shifted_mean([2.0], [("train", "x", "p")], 1.0)
    assert (mean, low, high) == pytest.approx((2.0, 2.0, 2.0))


def test_logarithms_are_of_shifted_values_of_at_least_1() -> None:
    assert logs_of([0.0, 1.0], 0.5) == [0.0, log(1.5)]
