"""Finish-time fairness against a count tick by tick, and in cases that are clear."""

from fractions import Fraction
from random import Random

import pytest
from check.trace.small import job, make_instance, plan, run, schedule

from ringyard.analysis.check import check
from ringyard.analysis.trace import columns
from ringyard.analysis.trace.fairness import fair_ratios, static_ratios
from ringyard.run import solve


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


def test_ratios_of_shockwave_have_one_contention_factor_for_all_jobs() -> None:
    """Six jobs on four GPUs: an equal part takes 1.5 times as long as a job alone."""
    assert static_ratios([(9, 6), (9, 3)], 6, 4) == [1, 2]
    assert static_ratios([(9, 6), (9, 3)], 4, 8) == [Fraction(3, 2), 3]


def rounded_ftf(took: float, duration: float, jobs: int, gpus: int) -> float:
    """Return a ratio in the words of Shockwave's simulator: in floats, to five decimals."""
    return round(took / (duration * max(1.0, jobs / gpus)), 5)


@pytest.mark.parametrize("seed", range(5))
def test_metrics_of_shockwave_are_those_of_a_plain_count(seed: int) -> None:
    rng = Random(seed)
    jobs = [
        job(f"j{k}", rng.choice([1, 1, 2, 4]), rng.randint(50, 400), arrival=9 * k)
        for k in range(rng.randint(3, 14))
    ]
    instance = make_instance({"a0": 4}, *jobs)
    for method in ("fifo", "srtf", "las"):
        verdict = check(instance, solve(instance, method).schedule)
        ratios = [
            rounded_ftf(float(verdict.ends[one.name]) - 9 * k, float(one.duration_s), len(jobs), 4)
            for k, one in enumerate(jobs)
        ]
        row = columns(instance, verdict)
        assert row["worst_ftf"] == pytest.approx(max(ratios), abs=1e-5)
        unfair = sum(one > 1.05 for one in ratios) / len(jobs)
        assert row["unfair_fraction"] == pytest.approx(unfair)


@pytest.mark.parametrize(("start", "unfair"), [(1, 0), (2, 1)])
def test_a_ratio_at_the_threshold_is_fair(start: int, unfair: int) -> None:
    """A job of 20 s that waits for 1 s has the ratio 1.05."""
    instance = make_instance({"a0": 1}, job("x", 1, 20))
    row = columns(instance, check(instance, schedule(plan("x", run(start, None, a0=1)))))
    assert row["unfair_fraction"] == unfair
