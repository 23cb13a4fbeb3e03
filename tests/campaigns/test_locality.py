"""The price of locality: limits from values and bounds, and what problems tell each other."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import ringyard
from ringyard.campaigns.locality import (
    BestKnown,
    OptimumSearch,
    RegionPrice,
    free_of_regions,
    freer,
    price_text,
    priced,
    shared,
)
from ringyard.instances import digest
from ringyard.instances.catalogue import load
from ringyard.instances.regions import with_regions

SHORTEST = load("tiny-trace-05x2")
MOST = ringyard.generate("pdors-small", seed=5, jobs=4, machines=3, slots=4)


def side(instance: Any, value: int | None, bound: int, schedule: Any = None) -> BestKnown:
    return BestKnown(
        instance=instance,
        value=None if value is None else Fraction(value),
        bound=Fraction(bound),
        method="by hand",
        schedule=schedule,
        valid=True,
    )


def price(instance: Any, bound: tuple[Any, int], free: tuple[Any, int]) -> str:
    return price_text(*RegionPrice(bound=side(instance, *bound), free=side(instance, *free)).price)


def test_the_price_is_the_ratio_of_proved_optima() -> None:
    assert price(SHORTEST, (6, 6), (4, 4)) == "1.500"
    assert price(MOST, (4, 4), (6, 6)) == "1.500"


def test_limits_on_the_price_come_from_values_and_bounds() -> None:
    """Times: between 6 and 8 against between 3 and 4, so between 6 / 4 and 8 / 3."""
    assert price(SHORTEST, (8, 6), (4, 3)) == "1.500 to 2.667"
    assert price(MOST, (3, 4), (6, 8)) == "1.500 to 2.667"
    assert price(SHORTEST, (8, 3), (4, 3)) == "1.000 to 2.667", "nobody gains by being bound"


def test_without_a_value_there_is_no_upper_limit() -> None:
    assert price(SHORTEST, (None, 6), (4, 4)) == "at least 1.500"
    assert price(SHORTEST, (8, 6), (None, 4)) == "1.000 to 2.000"
    assert price(MOST, (None, 4), (6, 6)) == "at least 1.500"


def test_a_price_may_be_endless_and_nothing_costs_nothing() -> None:
    assert price(MOST, (0, 0), (6, 6)) == "infinite"
    assert price(MOST, (0, 4), (2, 6)) == "at least 1.000"
    assert price(MOST, (0, 0), (0, 0)) == "1.000"


def test_freer_looks_at_every_job() -> None:
    some, all_of_them = (with_regions(MOST, 2, Decimal(share), 3) for share in ("0.5", "1"))
    assert digest(some) not in (digest(free_of_regions(some)), digest(all_of_them))
    assert freer(some, all_of_them)
    assert freer(free_of_regions(some), some)
    assert not freer(all_of_them, some)
    wide = replace(some, jobs=tuple(replace(j, allowed_regions=("r0", "r1")) for j in some.jobs))
    assert freer(wide, all_of_them)
    assert not freer(wide, free_of_regions(some))


@pytest.mark.parametrize("instance", [SHORTEST, MOST])
def test_a_schedule_serves_where_jobs_are_freer_and_a_bound_where_they_are_less_free(
    instance: Any,
) -> None:
    bound = with_regions(instance, 2, Decimal(1), 0)
    free = free_of_regions(bound)
    answer = ringyard.solve(bound, "fifo")
    sign = 1 if instance is MOST else -1
    known = replace(side(bound, None, 0, answer.schedule), value=answer.objective)
    known = replace(known, bound=answer.objective + 9 * sign)
    worse = replace(side(free, None, 0), value=answer.objective - 2 * sign)
    worse = replace(worse, bound=answer.objective + 3 * sign)
    tied, better = shared([known, worse])
    assert better.value == answer.objective
    assert ringyard.check(free, better.schedule).objective == answer.objective
    assert tied.bound == answer.objective + 3 * sign
    assert shared([worse, known]) == [better, tied]


def test_the_price_does_not_fall_as_more_jobs_are_bound() -> None:
    for instance, seed in ((SHORTEST, 3), (MOST, 1)):
        drawn = [with_regions(instance, 2, Decimal(part) / 4, seed) for part in range(5)]
        prices = [one.price for one in priced(drawn, OptimumSearch(time_limit=3600))]
        assert all(low == high for low, high in prices)
        assert prices == sorted(prices)
        assert prices[0] == (1, 1) < prices[-1]


def test_a_method_that_proves_nothing_gives_limits_around_the_price() -> None:
    drawn = [with_regions(MOST, 2, Decimal(1), 1)]
    (exact,) = priced(drawn, OptimumSearch(time_limit=3600))
    (rough,) = priced(drawn, OptimumSearch(method="fifo", time_limit=1e-9))
    low, high = rough.price
    assert low < exact.price[0]
    assert high is None or high > exact.price[0]
