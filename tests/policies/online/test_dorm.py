"""Dorm: the limits on fairness loss and on adjustments decide who moves."""

from decimal import Decimal

import pytest
from online_small import amounts, machine, online, run_checked, training_job, workers_by_slot

from ringyard.policies.online.baselines import DORM


@pytest.mark.parametrize(("theta2", "first"), [("0", 3), ("1", 1)])
def test_a_newcomer_gets_its_share_only_where_somebody_may_be_adjusted(
    theta2: str, first: int
) -> None:
    """`a` holds all 4 cpu when `b` arrives in slot 1; it completes its 12 samples after slot 2.

    If it may be adjusted, both hold 2 from slot 1 on, and `b` completes its two at once.
    """
    jobs = [training_job("a", samples=12), training_job("b", samples=2, arrival_slot=1)]
    instance = online([machine("m", cpu=4, port=9)], jobs, 9)
    schedule = run_checked(DORM, instance, theta2=Decimal(theta2))
    assert min(workers_by_slot(schedule)["b"]) == first


@pytest.mark.parametrize(("theta1", "workers"), [("0", 3), ("0.05", 3), ("0.1", 4)])
def test_free_machines_are_used_as_far_as_the_fairness_loss_allows(
    theta1: str, workers: int
) -> None:
    """Three jobs hold 2 of 6 cpu each; two complete, and `d` arrives. Nobody may be adjusted.

    Fair would be 3 and 3, so `a` with its 2 loses 1/6. The newcomer gets its 3; one more would
    add 1/6. The limit on the sum of 2/6 is theta1 times 2 for each of 2 resources.
    """
    jobs = [
        training_job("a", samples=40),
        training_job("b", samples=2),
        training_job("c", samples=2),
        training_job("d", samples=40, arrival_slot=1),
    ]
    instance = online([machine("m", cpu=6, port=100)], jobs, 40)
    schedule = run_checked(DORM, instance, theta1=Decimal(theta1), theta2=Decimal(0))
    held = workers_by_slot(schedule)
    assert {name: held[name][0] for name in "abc"} == {"a": 2, "b": 2, "c": 2}
    assert (held["a"][1], held["d"][1]) == (2, workers)


def test_what_is_left_goes_to_the_job_that_takes_most_of_it() -> None:
    """Eight jobs hold 2 of 16 cpu each; seven complete, and `d` and `e` arrive.

    A worker of `e` takes 2 cpu. Fair would be 5, 5 and 3 workers, of which `a`, not to be
    adjusted, has 2. Of the 3 cpu that are left, a worker of `e` takes 2, then one of `d` 1.
    """
    jobs = [training_job("a", samples=90, batch_samples=9)]
    jobs += [training_job(f"b{i}", samples=2) for i in range(7)]
    late = {"samples": 90, "batch_samples": 9, "arrival_slot": 1}
    jobs += [training_job("d", **late), training_job("e", worker=amounts(cpu=2), **late)]
    instance = online([machine("m", cpu=16, port=100)], jobs, 90)
    held = workers_by_slot(run_checked(DORM, instance, theta1=Decimal(1), theta2=Decimal(0)))
    assert [held[name][1] for name in "ade"] == [2, 6, 4]


def test_nothing_moves_while_nobody_comes_or_goes() -> None:
    jobs = [training_job("a", samples=7), training_job("b", samples=40)]
    instance = online([machine("m", cpu=5, port=9)], jobs, 40)
    held = workers_by_slot(run_checked(DORM, instance))
    assert held["a"] == {0: 3, 1: 3, 2: 3}
    assert [held["b"][slot] for slot in range(4)] == [2, 2, 2, 4]


def test_as_many_jobs_are_adjusted_as_may_be_the_least_fair_first() -> None:
    """Jobs hold 3 and 5 of 8 cpu, their batches, when two more arrive; fair is 2 for each.

    Of two running jobs, theta2 = 1/2 lets one be adjusted: `b`, which is further from fair.
    It gives 5 back, and three jobs share those, each up to 2. Then nobody moves any more.
    """
    jobs = [
        training_job("a", samples=30, batch_samples=3),
        training_job("b", samples=30, batch_samples=5),
        training_job("c", samples=30, arrival_slot=1),
        training_job("d", samples=30, arrival_slot=1),
    ]
    instance = online([machine("m", cpu=8, port=100)], jobs, 60)
    half = Decimal("0.5")
    held = workers_by_slot(run_checked(DORM, instance, theta1=Decimal(0), theta2=half))
    assert [held[name][0] for name in "ab"] == [3, 5]
    for slot in (1, 2, 3):
        assert [held[name][slot] for name in "abcd"] == [3, 2, 2, 1]
