"""What plans are worth: the published example to its digits, and speeds worked out by hand."""

from decimal import ROUND_FLOOR, Decimal
from fractions import Fraction
from itertools import product
from math import sqrt

import pytest
from check.rental.plans import all_on, amdahl, market, on, plan, some, stream, table, two_types

from ringyard.analysis.check import check
from ringyard.instances import RentalPlan, TypePlan
from ringyard.search.rental.bounds import combinatorial_bounds

ORACLE = {  # of Figure 1 of BOA: budget, widths, mean completion time
    "1.0": (2.429, 1.474, 0.6765),
    "1.5": (4.214, 4.440, 0.4322),
    "2.0": (6, 9, 0.3333),
    "2.5": (7.786, 15.154, 0.2798),
    "3.0": (9.571, 22.903, 0.2463),
}


def down(value: float) -> Decimal:
    return Decimal(value).quantize(Decimal("1e-12"), ROUND_FLOOR)


def best_widths(budget: str) -> tuple[Decimal, Decimal]:
    """At price 1 / r^2 of a GPU the widths are 2 r and r^2, and 0.4 (1.4 r + 0.8) is spent."""
    r = (Decimal(budget) / Decimal("0.4") - Decimal("0.8")) / Decimal("1.4")
    return down(2 * r), down(r * r)


def fixed(one: object, other: object) -> RentalPlan:
    return plan(all_on("amdahl", on(one)), all_on("root", on(other)))


@pytest.mark.parametrize("budget", ORACLE)
def test_the_best_real_widths_are_worth_what_is_published_and_no_more_than_the_bound(
    budget: str,
) -> None:
    instance = two_types(budget)
    widths = best_widths(budget)
    verdict = check(instance, fixed(*widths))
    assert verdict.valid
    assert verdict.objective is not None
    # Published widths are rounded or cut off.
    assert [float(k) for k in widths] == pytest.approx(ORACLE[budget][:2], abs=1e-3)
    assert round(float(verdict.objective), 4) == ORACLE[budget][2]
    bound = combinatorial_bounds(instance)[0].value
    assert bound <= verdict.objective <= bound * (1 + Fraction(1, 10**9))


SPLITS = {  # budget: (type, smaller width, of the other type, optimum, best of one width each)
    "1.0": ("root", 1, 2, 0.69393, 0.73333),
    "1.5": ("root", 4, 4, 0.43323, 0.45000),
    "3.0": ("amdahl", 9, 23, 0.246387, 0.246507),
}


def split(budget: str, name: str, small: int, other: int) -> tuple[Decimal, RentalPlan]:
    """Return the part of jobs on one GPU more that uses up the budget, and the plan."""
    use = {"amdahl": lambda k: 0.2 * k + 0.8, "root": sqrt}
    (second,) = use.keys() - {name}
    spare = float(budget) / 0.4 - use[second](other) - use[name](small)
    part = down(spare / (use[name](small + 1) - use[name](small)))
    mixed = TypePlan(type=name, choices=(some(part, on(small + 1)), some(1 - part, on(small))))
    return part, plan(mixed, all_on(second, on(other)))


@pytest.mark.parametrize("budget", SPLITS)
def test_the_best_mix_of_whole_widths_splits_one_type(budget: str) -> None:
    name, small, other, optimum, _ = SPLITS[budget]
    instance = two_types(budget, widths="whole")
    part, mixed = split(budget, name, small, other)
    verdict = check(instance, mixed)
    assert verdict.valid
    assert verdict.objective is not None
    assert float(verdict.objective) == pytest.approx(optimum, abs=6e-6)
    bound = combinatorial_bounds(instance)[0].value
    assert bound <= verdict.objective <= bound * (1 + Fraction(1, 10**9))
    # Every job may as well switch.
    (second,) = (entry for entry in mixed.types if entry.type != name)
    within = plan(all_on(name, on(small + 1, part), on(small, 1 - part)), second)
    assert check(instance, within).objective == verdict.objective


@pytest.mark.parametrize("budget", SPLITS)
def test_the_best_plan_of_one_whole_width_for_each_type(budget: str) -> None:
    instance = two_types(budget, widths="whole")
    verdicts = [check(instance, fixed(*pair)) for pair in product(range(1, 12), range(1, 26))]
    found = min(v.objective for v in verdicts if v.valid and v.objective is not None)
    assert float(found) == pytest.approx(SPLITS[budget][4], abs=6e-6)
    assert combinatorial_bounds(instance)[0].value <= found


def test_where_the_best_widths_are_whole_the_bound_is_the_optimum() -> None:
    instance = two_types(2)
    assert check(instance, fixed(6, 9)).objective == Fraction(1, 3)
    assert combinatorial_bounds(instance)[0].value == Fraction(1, 3)


@pytest.mark.parametrize(
    ("gpus", "speed"),
    [("1", 1), ("1.5", "1.25"), ("2", "1.5"), ("3", "1.75"), ("4", 2), ("4.5", "1.5"), ("9", 1)],
)
def test_a_table_is_linear_between_points_and_level_behind(gpus: str, speed: object) -> None:
    instance = market(99, stream("x", 1, (1, table((2, 1.5), (4, 2), (5, 1)))))
    verdict = check(instance, plan(all_on("x", on(Decimal(gpus)))))
    assert verdict.times == {"x": 1 / Fraction(str(speed))}


def test_powers_have_fifty_digits_and_no_fewer() -> None:
    verdict = check(two_types(9), fixed(1, 2))
    assert abs((1 / verdict.times["root"]) ** 2 - 2) < Fraction(1, 10**48)


def test_weights_and_rates_count_both() -> None:
    types = stream("x", 2, (1, amdahl(0)), weight=3), stream("y", 4, (5, amdahl(0)))
    verdict = check(market(99, *types), plan(all_on("x", on(1)), all_on("y", on(1))))
    assert verdict.mean_jct == Fraction(2 * 3 * 1 + 4 * 1 * 5, 2 * 3 + 4)
    assert verdict.mean_gpus == 2 * 1 + 4 * 5


def test_a_job_stalls_when_its_gpus_change_and_not_when_it_goes_on_with_them() -> None:
    works = [(1, amdahl(1)), (1, amdahl(1)), (1, amdahl(1))]
    instance = market(99, stream("x", 1, *works), rescale_s=1800)
    verdict = check(instance, plan(all_on("x", on(2), on(2, epoch=1), on(4, epoch=2))))
    assert verdict.times == {"x": Fraction(1, 2) * 3 + Fraction(1, 4)}
    assert verdict.mean_gpus == 3 + 4 * Fraction(1, 2)
