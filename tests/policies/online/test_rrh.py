"""The risk-reward heuristic: who starts first, and who is refused, by hand."""

from decimal import Decimal

import pytest
from online_small import amounts, machine, online, run_checked, training_job, workers_by_slot

from ringyard.instances import Deadline, OnlineInstance, TrainingJob
from ringyard.policies.online import rrh

ONE = [machine("m", cpu=1, port=1)]
"""Room for one worker and its server."""


def job(name: str, slots: int, value: int, latest: int, arrival: int = 0) -> TrainingJob:
    """Return a job of so many slots with one worker, worth nothing if it starts after `latest`."""
    return training_job(
        name,
        samples=slots,
        worker=amounts(cpu=1),
        arrival_slot=arrival,
        utility=Deadline(value=Decimal(value), slots=latest - arrival + slots - 1),
    )


RIVALS = online(ONE, [job("large", 2, 10, 9), job("urgent", 2, 4, 0)], 9)


@pytest.mark.parametrize(
    ("alpha", "first", "done"), [("0", "urgent", 2), ("0.5", "large", 1), ("1", "large", 1)]
)
def test_the_weight_decides_between_value_and_cost(alpha: str, first: str, done: int) -> None:
    """`large` costs `urgent` its 4, which is worth nothing later; `urgent` costs `large` nothing.

    Rewards at 1/2: (10/1.02 - 4) / 4 = 1.45, and (4/1.02) / 4 = 0.98.
    """
    plans = workers_by_slot(run_checked(rrh, RIVALS, workers=1, alpha=Decimal(alpha)))
    assert min(plans[first]) == 0
    assert len(plans) == done


def test_a_value_counts_less_the_further_away_it_is() -> None:
    """Per slot 4 and 5 if time is free. If it is not, 4 / 2 = 2 and 10 / 3 / 2 = 1.67."""
    jobs = [job("near", 1, 4, 8), job("far", 2, 10, 8)]
    for discount, first in (("0", "far"), ("1", "near")):
        found = run_checked(rrh, online(ONE, jobs, 9), workers=1, discount=Decimal(discount))
        assert min(workers_by_slot(found)[first]) == 0


def held_up(value: int) -> OnlineInstance:
    """Return `now` in slot 0, `next` waiting for slot 1, and `late`, which arrives there."""
    jobs = [job("now", 1, 5, 0), job("next", 2, 10, 1), job("late", 4, value, 9, arrival=1)]
    return online(ONE, jobs, 12)


@pytest.mark.parametrize(("value", "admitted"), [(9, False), (11, True)])
def test_a_job_that_costs_more_than_it_is_worth_is_refused(value: int, admitted: bool) -> None:
    """If `late` started first, `next` would lose 10. Afterwards there would be room for it."""
    plans = workers_by_slot(run_checked(rrh, held_up(value), workers=1))
    assert min(plans["now"]) == 0
    assert min(plans["next"]) == 1
    assert ("late" in plans) == admitted
