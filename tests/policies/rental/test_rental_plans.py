"""Plans of every method are valid to the judge, and cost and take what the method says."""

from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from rental_small import amdahl, by_lot, power, rented, stream, two_types

from ringyard.analysis.check import check
from ringyard.campaigns.rent.budget import UP, written
from ringyard.instances import Limits, Outcome, RentalInstance, RentalPlan, SolutionStatus, digest
from ringyard.instances.generate import generate
from ringyard.methods import find_method
from ringyard.policies.rental.boa import solve_pure
from ringyard.policies.rental.dual import streams_of, use_of
from ringyard.policies.rental.plan import keeps_to_budget, least_use, plan_of, steady, worth_of


def outcome(name: str, instance: RentalInstance) -> Outcome:
    method = find_method(name, "rental")
    assert method.refuses(instance) is None
    found = method.run(instance, Limits(), np.random.default_rng(0))
    if found.schedule is None:
        return found
    return replace(found, value=worth_of(instance, found.schedule).mean_jct)


METHODS = [
    "boa",
    "boa-integer",
    "boa-integer:split=within",
    "boa-pure",
    "boa-resize",
    "equal-width",
    "as-asked",
]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("name", METHODS)
def test_no_plan_overspends_and_each_is_worth_what_is_said(name: str, whole: bool) -> None:
    for seed in range(3):
        instance = by_lot(seed, 4, epochs=1 + seed, whole=whole)
        found = outcome(name, instance)
        verdict = check(instance, found.schedule)
        assert verdict.valid, verdict.violations
        assert verdict.objective == found.value


@pytest.mark.parametrize("name", ["boa", "boa-resize", "equal-width", "as-asked"])
@pytest.mark.parametrize("whole", [False, True])
def test_stalls_are_paid_for(name: str, whole: bool) -> None:
    instance = replace(by_lot(5, 2, epochs=3, whole=whole), rescale_s=Decimal(90))
    found = outcome(name, instance)
    verdict = check(instance, found.schedule)
    assert verdict.valid, verdict.violations
    assert verdict.objective == found.value
    best = outcome("boa", instance).value
    assert best is not None
    assert found.value is not None
    assert float(best) <= float(found.value) * (1 + 1e-12)


def test_better_informed_plans_are_better() -> None:
    for seed in range(4):
        instance = by_lot(seed, 6)
        real, whole, pure, equal = (
            float(outcome(name, instance).value or 0)
            for name in ("boa", "boa-integer", "boa-pure", "equal-width")
        )
        assert real <= whole * (1 + 1e-12)
        assert whole <= pure * (1 + 1e-12)
        assert real <= equal * (1 + 1e-12)


@pytest.mark.parametrize(
    ("budget", "shared", "pure"),
    [
        (1.0, 0.69393, 0.73333),
        (1.5, 0.43323, 0.45000),
        (2.0, 0.33333, 0.33333),
        (3.0, 0.246387, 0.246507),
    ],
)
def test_whole_widths_for_the_example_of_the_paper(
    budget: float, shared: float, pure: float
) -> None:
    digits = 6 if budget == 3 else 5
    for name, expected in (("boa", shared), ("boa-integer", shared), ("boa-pure", pure)):
        value = outcome(name, two_types(budget, whole=True)).value
        assert value is not None
        assert round(float(value), digits) == expected


def test_widths_without_rounding_spend_the_budget_to_the_last_digit() -> None:
    found = outcome("boa", two_types(2, whole=True))
    gpus = [one.choices[0].stretches[0].gpus for one in found.schedule.types]
    assert gpus == [6, 9]
    assert found.value is not None
    assert found.value * 3 == 1


@pytest.mark.parametrize("name", METHODS)
def test_too_small_a_budget_is_proved_to_be_so(name: str) -> None:
    found = outcome(name, two_types(0.79, whole=True))
    assert (found.schedule, found.status) == (None, SolutionStatus.INFEASIBLE)
    assert "at least 0.8 GPUs" in found.note


def test_the_least_budget_is_enough() -> None:
    for name in METHODS:
        assert outcome(name, two_types(0.8)).value == 1


def test_what_users_ask_for_may_be_too_dear() -> None:
    types = [stream("a", 1, (1, amdahl(0.5)), asks=9)]
    found = outcome("as-asked", rented(types, 3))
    assert (found.schedule, found.status) == (None, SolutionStatus.NOTHING)
    assert found.note == "its plan pays for 5 GPUs on average, but the budget is for 3.0"
    assert outcome("as-asked", rented(types, 5)).value is not None


def test_a_width_may_be_given() -> None:
    found = outcome("equal-width:gpus=4", two_types(3))
    assert found.value is not None
    assert float(found.value) == pytest.approx((0.2 + 0.8 / 4 + 0.5) / 2)
    method = find_method("equal-width:gpus=2.5", "rental")
    assert "not whole" in str(method.refuses(two_types(3, whole=True)))


def test_stalls_are_left_to_the_method_for_them() -> None:
    several = replace(by_lot(1, 2, epochs=2), rescale_s=Decimal(30))
    one = replace(by_lot(1, 2), rescale_s=Decimal(30))
    for name in ("boa-integer", "boa-pure"):
        assert "boa-resize" in str(find_method(name, "rental").refuses(several))
        assert find_method(name, "rental").refuses(one) is None
    within = find_method("boa-integer:split=within", "rental")
    assert "split=random" in str(within.refuses(one))


def test_pure_widths_are_near_the_best_of_all() -> None:
    for seed in range(8):
        instance = by_lot(seed, 4, whole=True, tables_only=True)
        streams, budget = streams_of(instance), float(instance.budget_gpus)
        every = np.array(list(product(range(1, 7), repeat=4)), dtype=float)
        h, z = use_of(streams, every)
        values = (h @ (streams.load * streams.weight))[z @ streams.load <= budget]
        found = solve_pure(streams, budget)
        assert found is not None
        h, z = use_of(streams, found)
        assert z @ streams.load <= budget * (1 + 1e-12)
        value = float(h @ (streams.load * streams.weight))
        assert values.min() * (1 - 1e-12) <= value <= values.min() * 1.01


@pytest.mark.parametrize("more", [0, 1e-15, 1e-11])
@pytest.mark.parametrize("name", ["boa", "boa-resize", "boa-integer", "boa-pure"])
def test_a_budget_at_the_least_or_just_above_is_enough(name: str, more: float) -> None:
    """There is a plan that pays for the least: jobs hold what takes the fewest GPU-hours."""
    for seed in range(2):
        instance = generate("rental-large", seed=seed, types=3)
        least = least_use(instance) * (1 + Fraction(more))
        instance = replace(instance, budget_gpus=written(least, UP))
        found = outcome(name, instance)
        verdict = check(instance, found.schedule)
        assert verdict.valid, verdict.violations
        assert verdict.objective == found.value


def test_shares_add_up_to_one_however_small_one_is() -> None:
    instance = rented([stream("root", 1, (1, power(0.5)))], 3)
    plan = plan_of(instance, [[steady(1, [1.0]), steady(3.0612345678901e-17, [2.0])]], "by hand")
    verdict = check(instance, replace(plan, digest=digest(instance)))
    assert verdict.valid, verdict.violations


def test_the_least_budget_gives_what_scales_linearly_the_most_gpus() -> None:
    """A GPU of each is paid for, however many a job holds: so it holds a million."""
    types = [stream("linear", 1, (1, amdahl(1))), stream("root", 1, (1, power(0.5)))]
    found = outcome("boa", rented(types, 2))
    assert found.value == (Fraction(1, 10**6) + 1) / 2


FINE = Context(prec=40)


def test_whether_a_plan_keeps_to_its_budget_is_known_to_the_last_digit() -> None:
    """Sums in whole numbers tell what is clear, and exact ones what is not."""
    for seed in range(3):
        instance = replace(by_lot(seed, 4, epochs=2), rescale_s=Decimal(seed))
        plan = method_plan(instance)
        paid = worth_of(instance, plan).mean_gpus
        for part in (Fraction(1, 10**3), Fraction(1, 10**17), Fraction(1, 10**26)):
            for budget in (paid * (1 - part), paid * (1 + part)):
                given = replace(instance, budget_gpus=written(budget, FINE))
                assert keeps_to_budget(given, plan) == (paid <= Fraction(given.budget_gpus))


def method_plan(instance: RentalInstance) -> RentalPlan:
    plan = outcome("boa", instance).schedule
    assert isinstance(plan, RentalPlan)
    return plan
