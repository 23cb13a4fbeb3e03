"""Long runs against the program: within their intervals of its value, never below their bound."""

from math import sqrt

import pytest

from ringyard.campaigns.rent.budget import BudgetRequest, asked, rented
from ringyard.campaigns.rent.long_run import Drawing, Simulated, drawn_path, planned
from ringyard.instances import RentalInstance
from ringyard.instances.catalogue import load_as

TWO = load_as(RentalInstance, "boa-two-types")


def runs(seeds: int, drawing: dict[str, object]) -> list[Simulated]:
    instance = asked(TWO, BudgetRequest())
    plan = rented(TWO, instance).answer.schedule
    found = []
    for seed in range(seeds):
        path = drawn_path(instance, Drawing(seed=seed, **drawing), as_fleet=False)  # type: ignore[arg-type]
        found.append(planned(instance, path, plan, seed, None)[0])
    return found


@pytest.mark.parametrize("count", [20, pytest.param(80, marks=pytest.mark.slow)])
def test_intervals_hold_the_programs_value_as_often_as_they_say(count: int) -> None:
    """Of all runs, 95 % up to three standard errors: mean JCT 1/3 h, spend 2 an hour."""
    found = runs(count, {"jobs": 2000})
    least = 0.95 - 3 * sqrt(0.95 * 0.05 / len(found))
    times = [one.mean_jct_h for one in found if one.mean_jct_h]
    spends = [one.spend_per_h for one in found if one.spend_per_h]
    assert sum(one.low <= 1 / 3 <= one.high for one in times) / len(found) >= least
    assert sum(one.low <= 2 <= one.high for one in spends) / len(found) >= least


def test_no_path_is_faster_than_its_own_jobs_allow() -> None:
    for laws in ({"arrivals": "bursty"}, {"sizes": "pareto"}, {"sizes": "lognormal"}):
        for one in runs(5, {"jobs": 300, **laws}):
            assert 1 <= one.ratio < 1.01
