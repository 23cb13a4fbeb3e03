"""Batch means: what is exact, what Student's t gives, and how often the truth is covered."""

from math import sqrt

import numpy as np
import pytest

from ringyard.analysis.fleet import BatchCut, mean_of_jobs, mean_over_time, ratio_of
from ringyard.analysis.intervals import Interval, student
from ringyard.instances import InputError

WHOLE = BatchCut(warm_up=0.0, batches=25)


def test_a_constant_has_no_spread() -> None:
    found = mean_of_jobs(np.full(1000, 2.5), np.linspace(1, 2, 1000))
    assert (found.mean, found.low, found.high) == pytest.approx((2.5, 2.5, 2.5), abs=1e-12)
    assert found.count == 25


def test_batches_of_one_job_are_students_t() -> None:
    values = np.random.default_rng(1).normal(size=25)
    found, expected = mean_of_jobs(values, cut=WHOLE), student(list(values))
    assert ends(found) == pytest.approx(ends(expected), rel=1e-12)


def test_a_mean_weighs_its_jobs() -> None:
    values, weights = np.arange(50.0), np.tile([1.0, 3.0], 25)
    found = mean_of_jobs(values, weights, WHOLE)
    assert found.mean == pytest.approx(np.average(values, weights=weights))


def test_the_warm_up_is_left_out() -> None:
    values = np.concatenate([np.full(100, 1e9), np.ones(900)])
    assert mean_of_jobs(values, cut=BatchCut(warm_up=0.1)).high == pytest.approx(1.0)
    assert mean_of_jobs(values, cut=BatchCut(warm_up=0.05)).mean > 1e6


def test_levels_are_averaged_over_the_time_they_are_held() -> None:
    """Two GPUs for the first half and one all the time are two on average."""
    levels, since, until = np.array([2.0, 1.0]), np.zeros(2), np.array([5.0, 10.0])
    found = mean_over_time(levels, since, until, np.linspace(0, 10, 3))
    assert found.mean == pytest.approx(2.0)
    assert found.high - found.mean == pytest.approx(student([3.0, 1.0]).high - 2.0)


def test_levels_outside_of_the_edges_do_not_count() -> None:
    levels, since, until = np.array([4.0, 1.0]), np.array([0.0, 2.0]), np.array([2.0, 9.0])
    assert mean_over_time(levels, since, until, np.array([2.0, 3.0, 4.0])).mean == 1.0


def test_a_ratio_knows_that_long_batches_have_more() -> None:
    """Sums in proportion to sizes leave no doubt about their ratio."""
    sizes = np.array([1.0, 5.0, 2.0, 9.0])
    found = ratio_of(3 * sizes, sizes)
    assert (found.mean, found.low, found.high) == pytest.approx((3, 3, 3))


def test_intervals_cover_the_mean_of_what_follows_its_past() -> None:
    """AR(1): each value is 0.8 of the one before plus noise; 95 % of the intervals hold 0."""
    runs, length = 400, 4000
    noise = np.random.default_rng(7).normal(size=(length, runs))
    series = np.empty_like(noise)
    series[0] = noise[0] / sqrt(1 - 0.8**2)
    for i in range(1, length):
        series[i] = 0.8 * series[i - 1] + noise[i]
    held = sum(covers(mean_of_jobs(column), 0.0) for column in series.T)
    assert abs(held / runs - 0.95) < 3 * sqrt(0.95 * 0.05 / runs)
    single = BatchCut(warm_up=0.1, batches=3600)
    naive = sum(covers(mean_of_jobs(column, cut=single), 0.0) for column in series.T)
    assert naive / runs < 0.6


def test_intervals_cover_the_mean_time_in_a_queue() -> None:
    """M/M/1 at half load: a customer stays for 1 / (1 - 0.5) = 2 on average."""
    runs, length, rng = 300, 4000, np.random.default_rng(11)
    gaps, services = rng.exponential(2.0, (length, runs)), rng.exponential(1.0, (length, runs))
    stays = np.empty_like(gaps)
    stays[0] = services[0]
    for i in range(1, length):
        stays[i] = np.maximum(stays[i - 1] - gaps[i], 0.0) + services[i]
    held = sum(covers(mean_of_jobs(column), 2.0) for column in stays.T)
    assert abs(held / runs - 0.95) < 3 * sqrt(0.95 * 0.05 / runs)


@pytest.mark.parametrize(
    ("cut", "said"),
    [((1.0, 25), "a part from 0 to below 1"), ((0.1, 1), "an integer at least 2")],
)
def test_a_cut_leaves_something_to_average(cut: tuple[float, int], said: str) -> None:
    with pytest.raises(InputError, match=said):
        BatchCut(warm_up=cut[0], batches=cut[1])


def test_fewer_jobs_than_batches_are_refused() -> None:
    with pytest.raises(InputError, match="Let more jobs arrive"):
        mean_of_jobs(np.ones(27))
    assert mean_of_jobs(np.ones(28)).mean == 1.0


def ends(interval: Interval) -> tuple[float, float, float]:
    return interval.mean, interval.low, interval.high


def covers(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high
