"""The loads of a fleet's own jobs, and the least budget for a time."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import pytest
import rental_small as small
from rental_small import power, table

from ringyard.campaigns.rent.budget import (
    BudgetRequest,
    OpenBudget,
    asked,
    least_budget,
    own_rental,
    rental_of,
    rented,
)
from ringyard.instances import FleetInstance, RefusedError, RentalInstance, validate
from ringyard.instances.catalogue import load_as
from ringyard.instances.errors import InputError

TWO = load_as(RentalInstance, "boa-two-types")


def test_the_published_budget_is_found_from_its_time() -> None:
    """Two GPUs give 1/3 h; the search goes to nine digits."""
    budget = least_budget(TWO, Decimal("0.3333333333333"))
    assert abs(budget - 2) <= Decimal("2e-8")


@pytest.mark.parametrize("rate", ["1e-9", "0.1", "1e9"])
def test_the_least_budget_is_found_to_nine_digits(rate: str) -> None:
    """Jobs with a square root take half as long on four GPUs, for twice the GPU-hours."""
    (one,) = (one for one in TWO.types if one.name == "root")
    streams = replace(TWO, types=(replace(one, rate_per_h=Decimal(rate)),))
    budget = least_budget(streams, Decimal("0.5"))
    assert 0 <= budget / (2 * Decimal(rate)) - 1 <= Decimal("2e-8")


def test_a_huge_load_is_refused_in_full_digits() -> None:
    huge = replace(TWO, types=(replace(TWO.types[0], rate_per_h=Decimal("2e29")),))
    with pytest.raises(InputError, match="at least 200000000000000000000000000000 GPUs"):
        asked(huge, BudgetRequest())


def test_a_fleet_has_the_loads_of_its_own_jobs() -> None:
    fleet = load_as(FleetInstance, "boa-two-types-fleet")
    own = rental_of(fleet)
    validate(own)
    for ours, theirs in zip(own.loads, fleet.loads, strict=True):
        assert sum(ours) <= sum(theirs)
        assert float(sum(ours)) == pytest.approx(float(sum(theirs)), rel=1e-20)


def test_types_without_jobs_are_left_out() -> None:
    rates, loads = [Fraction(1, 3), Fraction(0)], [[Fraction(1, 7)], [Fraction(0)]]
    own = own_rental(TWO, rates, loads)
    assert [one.name for one in own.types] == [TWO.types[0].name]
    assert own.loads[0][0] <= Fraction(1, 7)


def test_shares_and_gpu_hours_add_up_to_what_the_judge_says() -> None:
    instance = asked(TWO, BudgetRequest(gpus=Decimal("1.7"), whole=True))
    found = rented(TWO, instance)
    verdict = found.answer.verdict
    assert sum(one.share for one in found.facts) == pytest.approx(1)
    paid = sum(one.rate_per_h * one.gpu_h for one in found.facts)
    assert paid == pytest.approx(float(found.worth.mean_gpus))
    assert verdict is not None
    assert verdict.objective == found.worth.mean_jct


def test_a_budget_that_is_too_small_buys_nothing() -> None:
    program = OpenBudget(TWO)
    assert program.at(0.5).mean_jct_h == float("inf")
    assert program.at(0.8).mean_jct_h == pytest.approx(1)


def test_no_plan_is_said() -> None:
    """At the least budget each epoch wants another width, and to change costs more than that."""
    epochs = ((1, table(1, 3)), (1, power(0.5)))
    instance = small.rented([small.stream("a", 1, *epochs)], 5 / 3 + 1e-6, rescale_s=60)
    with pytest.raises(RefusedError, match="small: no plan found: it"):
        rented(instance, instance)
