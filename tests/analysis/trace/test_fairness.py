"""Finish-time fairness against a count tick by tick, and in cases that are clear."""

from random import Random

import pytest

from ringyard.analysis.trace.fairness import fair_ratios


def test_a_job_alone_has_its_slowdown() -> None:
    assert fair_ratios([(5, 15, 8, 4)], 4) == [10 / 8]


def test_jobs_that_take_turns_on_an_equal_part_are_treated_fairly() -> None:
    """Two jobs of all GPUs, present all the time, would each have half of it."""
    assert fair_ratios([(0, 20, 10, 4), (0, 20, 10, 4)], 4) == [1, 1]


def test_an_equal_part_that_is_large_enough_costs_nothing() -> None:
    """Three jobs of one GPU on four: each has more than it wants."""
    assert fair_ratios([(0, 9, 3, 1)] * 3, 4) == [3, 3, 3]


@pytest.mark.parametrize("seed", range(15))
def test_ratios_are_those_of_a_count_tick_by_tick(seed: int) -> None:
    rng = Random(seed)
    lives = []
    for _ in range(rng.randint(1, 8)):
        arrival = rng.randrange(20)
        lives.append((arrival, arrival + rng.randint(1, 20), rng.randint(1, 9), rng.randint(1, 6)))
    for (arrival, end, duration, width), found in zip(lives, fair_ratios(lives, 6), strict=True):
        ticks = range(arrival, end)
        present = sum(a <= tick < e for tick in ticks for a, e, _, _ in lives) / len(ticks)
        assert found == pytest.approx((end - arrival) / (duration * max(1, present * width / 6)))
