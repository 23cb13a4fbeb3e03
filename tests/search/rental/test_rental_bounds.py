"""Bounds on the mean completion time of rented GPUs: never above a value, and met by the best."""

from dataclasses import replace
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from check.fleet.logs import fleet, job
from check.fleet.naive import drawn_fleet, drawn_log, spend
from check.rental.plans import (
    all_on,
    amdahl,
    market,
    number,
    on,
    plan,
    power,
    some,
    stream,
    table,
    two_types,
)
from little import few

from ringyard.analysis.check import check
from ringyard.instances import (
    Bound,
    BoundKind,
    Choice,
    FleetInstance,
    JobType,
    RentalInstance,
    RentalPlan,
    Speedup,
    TypePlan,
)
from ringyard.instances.speedup import MOST_GPUS, MostGpus
from ringyard.search.rental.bounds import (
    TypeStream,
    combinatorial_bounds,
    corners_of,
    least_cost,
    least_price,
    power_above,
    root_below,
    rounding_of,
    streams_of,
)

TINY = Fraction(1, 10**9)
FALLING = table((1.5, 0.9), (3, 2.4), (4, 1.1), (6.5, 4), (9, 3.5))
"""Not concave, and falling in places."""


def best(instance: RentalInstance | FleetInstance) -> Bound:
    found = combinatorial_bounds(instance)
    assert found == sorted(found, key=lambda bound: bound.value, reverse=True)
    return found[0]


def drawn_types(rng: Random) -> list[JobType]:
    laws = [power(0.37), power(0.9), power(1), amdahl(0), amdahl(0.71), amdahl(1), FALLING]
    return [
        stream(
            f"t{i}",
            rng.choice([0.1, 0.7, 3]),
            *((rng.choice([0.4, 1, 2.5]), rng.choice(laws)) for _ in range(rng.randint(1, 3))),
            weight=rng.choice([1, 1, 0.2, 5]),
        )
        for i in range(rng.randint(1, 4))
    ]


def drawn_plan(rng: Random, instance: RentalInstance) -> RentalPlan:
    grain = Decimal(1) if instance.widths == "whole" else Decimal("0.001")
    least = rng.choice([1, 1, 20])

    def choice(one: JobType, share: object) -> Choice:
        return some(
            share,
            *(
                on(Decimal(rng.uniform(least, least + 9)).quantize(grain), part, e)
                for e in range(len(one.epochs))
                for part in rng.choice([[1], [0.3, 0.7]])
            ),
        )

    return plan(
        *(
            TypePlan(
                type=one.name,
                choices=tuple(choice(one, s) for s in rng.choice([[1], [0.25, 0.75]])),
            )
            for one in instance.types
        )
    )


@pytest.mark.parametrize("seed", range(20))
def test_no_plan_is_better(seed: int) -> None:
    rng = Random(seed)
    wide = market(
        10**9,
        *drawn_types(rng),
        widths=rng.choice(["any", "whole"]),
        rescale_s=rng.choice([0, 0, 60]),
    )
    made = drawn_plan(rng, wide)
    used = check(wide, made).mean_gpus
    digits = Decimal(used.numerator) / Decimal(used.denominator)
    just = replace(wide, budget_gpus=digits.quantize(Decimal("1e-9"), ROUND_CEILING))
    verdict = check(just, made)
    assert verdict.valid
    assert verdict.objective is not None
    bounds = combinatorial_bounds(just)
    assert all(0 < bound.value <= verdict.objective for bound in bounds)


@pytest.mark.parametrize("seed", range(20))
def test_no_log_is_better(seed: int) -> None:
    rng = Random(seed)
    wide = drawn_fleet(rng)
    made = drawn_log(rng, wide)
    paid = spend(wide, made) / Fraction(wide.span_s)
    digits = Decimal(paid.numerator) / Decimal(paid.denominator)
    just = replace(wide, budget_gpus=digits.quantize(Decimal("1e-9"), ROUND_CEILING))
    verdict = check(just, made)
    assert verdict.valid
    assert verdict.objective is not None
    bounds = combinatorial_bounds(just)
    assert all(0 < bound.value <= verdict.objective for bound in bounds)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("budget", [0.86, 1, 1.05, 1.4, 1.625, 1.7, 2.1, 2.4])
def test_one_table_is_bounded_by_the_best_mix_of_two_widths(budget: float, whole: bool) -> None:
    """With load 1, hours by GPU-hours are a point for each width; the best lie on their hull."""
    instance = market(budget, stream("x", 1, (1, FALLING)), widths="whole" if whole else "any")
    widths = range(1, 10) if whole else [point.gpus for point in FALLING.points]
    hours = [check(instance, plan(all_on("x", on(k)))).times["x"] for k in widths]
    points = [(Fraction(k) * h, h) for k, h in zip(widths, hours, strict=True)]
    limit = Fraction(number(budget))
    optimum = min(
        (
            h + (limit - z) / (more - z) * (less - h) if more > limit else min(h, less)
            for z, h in points
            for more, less in points
            if z <= limit and more >= z and (more > limit or more == z)
        ),
        default=None,
    )
    if optimum is None:
        assert best(instance).argument.startswith("no plan")
    else:
        assert best(instance).value <= optimum <= best(instance).value * (1 + TINY)


def test_a_larger_budget_and_fractions_of_gpus_never_raise_the_bound() -> None:
    budgets = ["0.9", "1.1", "1.7", "2.6", "4", "9", "90", "2000000"]
    values = [best(two_types(budget)).value for budget in budgets]
    whole = [best(two_types(budget, widths="whole")).value for budget in budgets]
    assert all(one > other for one, other in pairwise(values))
    assert all(one <= other for one, other in zip(values, whole, strict=True))


def test_with_money_for_all_gpus_jobs_are_as_fast_as_they_can_be() -> None:
    first, second = combinatorial_bounds(two_types(10**9))
    least = (Fraction(2, 10) + Fraction(8, 10**7) + Fraction(1, 1000)) / 2
    assert first.value == second.value == least
    assert (first.kind, second.kind) == (BoundKind.DUAL, BoundKind.COMBINATORIAL)


def test_the_least_budget_leaves_no_choice_and_less_is_no_budget() -> None:
    assert best(two_types("0.8")).value == 1
    under = best(two_types("0.799999"))
    assert (
        under.argument
        == "no plan fits the budget, because even the smallest use of GPUs exceeds it"
    )
    assert under.value > 10**5


def test_a_tiny_price_of_gpus_is_a_price() -> None:
    """On 100,000 GPUs, GPU-hours are 20,000.8 for an hour of work."""
    bound = best(market(8000.32, stream("x", 0.4, (1, amdahl(0.8))))).value
    optimum = Fraction(2, 10) + Fraction(8, 10**6)
    assert bound <= optimum <= bound * (1 + TINY)


def test_long_sums_are_rounded_down_and_by_next_to_nothing() -> None:
    streams = [
        TypeStream(load=Fraction(1, n), weight=Fraction(1), speedup=amdahl(0.5))
        for n in range(1, 400)
    ]
    exact = sum(s.load * least_price(s.speedup, s.weight, Fraction(1), True) for s in streams)
    assert 0 < exact - least_cost(streams, Fraction(1), whole=True) < Fraction(1, 10**100)


def test_heavier_jobs_count_for_more() -> None:
    """Twice the weight on a load of half is as good as twice the weight of all."""
    types = [stream("x", 1, (1, amdahl(0.8)), weight=6), stream("y", 1, (1, power(0.5)), weight=2)]
    plain = [stream("x", 1, (1, amdahl(0.8)), weight=3), stream("y", 1, (1, power(0.5)))]
    assert abs(best(market(5, *types)).value / best(market(5, *plain)).value - 1) < TINY
    other = [stream("x", 1, (1, amdahl(0.8))), stream("y", 1, (1, power(0.5)))]
    assert best(market(5, *plain)).value != best(market(5, *other)).value


def test_epochs_are_streams_of_their_own() -> None:
    apart = stream("x", 2, (1, amdahl(0.8))), stream("y", 2, (3, power(0.5)))
    together = stream("x", 2, (1, amdahl(0.8)), (3, power(0.5)))
    one, both = best(market(20, *apart)).value, best(market(20, together)).value
    assert abs(2 * one / both - 1) < TINY


def test_a_fleet_is_bounded_by_its_own_jobs_and_not_by_what_was_expected() -> None:
    types = [stream("x", 9, (5, power(0.5))), stream("never", 1, (1, amdahl(0)))]
    path = fleet(types, job("a", "x", 900), job("b", "x", 180), span_s=1800, budget_gpus=2)
    expected = market(2, stream("x", 4, (0.15, power(0.5))))
    lower = best(path).value
    assert lower < best(expected).value < lower * (1 + Fraction(1, 10**5))


def test_rounded_speeds_are_allowed_for() -> None:
    """The least speed decides: 1 by laws, and that of the slowest point of a table."""
    half = Fraction(1, 2 * 10**6)
    assert rounding_of(power(0.5)) == rounding_of(amdahl(0.5)) == 1 + half
    assert rounding_of(table((2, 1.5), (3, 0.25))) == 1 + 4 * half
    assert rounding_of(table((2, "0.0000001"))) == 10
    path = fleet([stream("x", 1, (1, power(0.5)))], job("a", "x", 3600))
    assert [one.load for one in streams_of(path)] == [1 / (1 + half)]
    assert [one.load for one in streams_of(two_types(2))] == [Fraction(2, 5)] * 2


LAWS = [power(0.37), power(0.93), power(1), amdahl(0.71), amdahl(1), FALLING]


@pytest.mark.parametrize("seed", few(4, range(12)))
@pytest.mark.parametrize("law", LAWS)
def test_no_width_has_a_lower_price(law: Speedup, seed: int) -> None:
    rng = Random(seed)
    weight = Fraction(rng.randint(1, 30), 7)
    nu = Fraction(rng.randint(0, 10**6), 10 ** rng.randint(5, 12))
    for whole in (False, True):
        least = least_price(law, weight, nu, whole)
        grain = Decimal(1) if whole else Decimal("0.001")
        widths = {Decimal(10 ** rng.uniform(0, 6)).quantize(grain) for _ in range(40)}
        widths |= {Decimal(k) for k in range(1, 12)} | {Decimal(10**6)}
        probe = market(10**9, stream("x", 1, (1, law)))
        hours = {k: check(probe, plan(all_on("x", on(k)))).times["x"] for k in widths}
        assert all(least <= (weight + nu * Fraction(k)) * h for k, h in hours.items())


@pytest.mark.parametrize("nu", ["0.3", "0.03", "0.01", "7"])
@pytest.mark.parametrize("law", [power(0.37), amdahl(0.71)])
def test_whole_widths_next_to_the_best_one_are_tried(law: Speedup, nu: str) -> None:
    probe = market(10**9, stream("x", 1, (1, law)))
    widths = range(1, 100)
    hours = [check(probe, plan(all_on("x", on(k)))).times["x"] for k in widths]
    found = min((1 + Fraction(nu) * k) * h for k, h in zip(widths, hours, strict=True))
    least = least_price(law, Fraction(1), Fraction(nu), whole=True)
    assert least <= found <= least * (1 + Fraction(1, 10**30))


def test_roots_and_powers_are_rounded_to_the_safe_side() -> None:
    assert root_below(Fraction(9, 4)) == Fraction(3, 2)
    two = root_below(Fraction(2))
    assert two**2 < 2 < two**2 * (1 + Fraction(1, 10**30))
    above = power_above(Fraction(2), Decimal("0.5"))
    assert above**2 > 2 > above**2 * (1 - Fraction(1, 10**30))
    assert power_above(Fraction(10**6), Decimal("0.25")) > 31
    assert power_above(Fraction(16), Decimal("0.75")) == 8
    assert power_above(Fraction(5, 3), Decimal(1)) == Fraction(5, 3)
    third = power_above(Fraction(7, 3), Decimal("0.5"))
    assert third**2 > Fraction(7, 3)


def test_whole_widths_of_a_table_are_next_to_its_points() -> None:
    assert corners_of(FALLING, whole=True) == [
        (1, 1),
        (2, Fraction(9, 10) + Fraction(1, 2)),
        (3, Fraction(24, 10)),
        (4, Fraction(11, 10)),
        (6, Fraction(11, 10) + Fraction(29, 10) * Fraction(4, 5)),
        (7, 4 - Fraction(1, 10)),
        (9, Fraction(7, 2)),
    ]


def test_no_file_may_give_a_job_more_gpus_than_the_bounds_allow_for() -> None:
    (limits,) = MostGpus.__metadata__
    assert limits.high == MOST_GPUS
