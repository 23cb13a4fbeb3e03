"""The dual's widths are those of closed forms, linear programs and the example of the paper."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from rental_small import amdahl, by_lot, power, rented, stream, table, two_types
from scipy.optimize import linprog

from ringyard.instances import RentalInstance, SpeedTable
from ringyard.instances.speedup import MOST_GPUS
from ringyard.policies.rental.dual import (
    PricedPlan,
    Streams,
    curve,
    solve_budget,
    speed,
    streams_of,
    use_of,
    widths_at,
)


def solved(instance: RentalInstance, budget: float | None = None) -> PricedPlan:
    found = solve_budget(streams_of(instance), budget or float(instance.budget_gpus))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("budget", "widths", "mean_jct"),
    [
        (1.0, (2.429, 1.474), 0.6765),
        (1.5, (4.214, 4.440), 0.4322),
        (2.0, (6, 9), 0.3333),
        (2.5, (7.786, 15.154), 0.2798),
        (3.0, (9.571, 22.903), 0.2463),
    ],
)
def test_the_example_of_the_paper_to_all_printed_digits(
    budget: float, widths: tuple[float, float], mean_jct: float
) -> None:
    found = solved(two_types(budget))
    assert tuple(found.widths.round(3)) == widths
    assert round(found.mean_jct, 4) == mean_jct


@pytest.mark.parametrize("budget", [0.81, 1.0, 2.7, 40.0])
def test_the_example_is_its_closed_form(budget: float) -> None:
    root = (budget / 0.4 - 0.8) / 1.4
    found = solved(two_types(budget))
    # Below a price of 1 the square root gets more than one GPU.
    wide = [2 * root, root**2] if root >= 1 else [(budget / 0.4 - 1.8) / 0.2, 1]
    np.testing.assert_allclose(found.widths, wide, rtol=1e-12)
    assert found.mean_gpus == pytest.approx(budget, rel=1e-13)


@pytest.mark.parametrize(
    ("curve_", "width"),
    [
        (power(0.3), 2.5 ** (1 / 0.7)),
        (power(0.9), 2.5**10),
        (amdahl(0.9), (2.5 - 0.9) / 0.1),
        (amdahl(0.5), (2.5 - 0.5) / 0.5),
        (table(1, 1.5, gpus=(1, 4)), 25 / 7),
    ],
)
def test_a_type_alone_takes_the_width_that_spends_the_budget(curve_: object, width: float) -> None:
    instance = rented([stream("a", 0.5, (2, curve_))], 2.5)
    assert solved(instance).widths[0] == pytest.approx(width, rel=1e-12)


def test_where_more_gpus_save_nothing_or_all_the_budget_is_not_the_limit() -> None:
    types = [stream("serial", 1, (1, amdahl(0))), stream("linear", 1, (1, power(1)))]
    found = solved(rented([*types, stream("even", 1, (1, amdahl(1)))], 7))
    assert list(found.widths) == [1, MOST_GPUS, MOST_GPUS]
    assert found.nu == 0
    assert found.mean_gpus == pytest.approx(3, rel=1e-12)


def test_too_small_a_budget_has_no_plan() -> None:
    streams = streams_of(two_types(1))
    assert solve_budget(streams, 0.79) is None
    assert np.isnan(curve(streams, np.array([0.79, 0.8])).mean_jct).tolist() == [True, False]


def all_widths(streams: Streams, budget: float, most: int) -> float:
    """Return the optimum of the linear program over shares of all widths up to some."""
    size = len(streams.load)
    h, z = use_of(streams, np.repeat(np.arange(1.0, most + 1)[:, None], size, axis=1))
    found = linprog(
        (streams.load * streams.weight * h / streams.worth).ravel(),
        A_ub=(streams.load * z).reshape(1, -1),
        b_ub=[budget],
        A_eq=np.tile(np.eye(size), most),
        b_eq=np.ones(size),
    )
    return float(found.fun)


@pytest.mark.parametrize("seed", range(8))
def test_whole_widths_are_the_optimum_over_shares_of_all_widths(seed: int) -> None:
    instance = by_lot(seed, 4, whole=True)
    streams, found = streams_of(instance), solved(instance)
    assert found.high.max() < 150
    least = all_widths(streams, float(instance.budget_gpus), 150)
    assert found.mean_jct == pytest.approx(least, rel=1e-9)
    assert (found.part > 0).sum() <= 1
    assert np.all(found.low % 1 == 0)


@pytest.mark.parametrize("seed", range(4))
def test_real_widths_of_tables_are_the_optimum_over_shares_of_their_points(seed: int) -> None:
    instance = by_lot(seed, 5, tables_only=True)
    streams, found = streams_of(instance), solved(instance)
    least = all_widths(streams, float(instance.budget_gpus), 6)
    assert found.mean_jct == pytest.approx(least, rel=1e-9)


def test_two_widths_are_shared_only_where_a_table_is_not_concave() -> None:
    stepped = rented([stream("a", 1, (1, table(1, 1, 3)))], 2)
    found = solved(stepped, 1.0)
    assert (found.low[0], found.part[0]) == (3, 0)
    dented = rented([stream("a", 1, (1, table(1, 1.5, 1.5, 2.2)))], 1.6)
    found = solved(dented)
    assert (found.low[0], found.high[0]) == (2, 4)
    assert 0 < found.part[0] < 1


@pytest.mark.parametrize("whole", [False, True])
def test_the_curve_is_the_plans_one_by_one(whole: bool) -> None:
    streams = streams_of(by_lot(3, 6, epochs=2, whole=whole))
    budgets = float(streams.load.sum()) * np.geomspace(1.01, 30, 20)
    found = curve(streams, budgets)
    for i, budget in enumerate(budgets):
        priced = solve_budget(streams, float(budget))
        assert priced is not None
        assert found.mean_jct[i] == pytest.approx(priced.mean_jct, rel=1e-12)
        assert found.nu[i] == pytest.approx(priced.nu, rel=1e-12)
    assert np.all(np.diff(found.mean_jct) < 0)
    assert np.all(np.diff(found.nu) <= 0)


def test_spend_falls_as_gpus_get_dearer() -> None:
    for seed in range(5):
        streams = streams_of(by_lot(seed, 6, whole=bool(seed % 2)))
        z = use_of(streams, widths_at(streams, np.geomspace(1e-6, 10, 200)))[1]
        assert np.all(np.diff(z @ streams.load) <= 1e-12)


def test_twice_the_jobs_with_twice_the_budget_get_the_same_widths() -> None:
    instance = by_lot(7, 5)
    twice = tuple(replace(one, rate_per_h=2 * one.rate_per_h) for one in instance.types)
    both = replace(instance, types=twice, budget_gpus=2 * instance.budget_gpus)
    np.testing.assert_allclose(solved(both).widths, solved(instance).widths, rtol=1e-9)
    assert solved(both).mean_jct == pytest.approx(solved(instance).mean_jct, rel=1e-12)


def test_the_price_is_the_slope_of_the_curve() -> None:
    instance = by_lot(2, 6)
    budget, step = float(instance.budget_gpus), 1e-4
    fall = solved(instance, budget - step).mean_jct - solved(instance, budget + step).mean_jct
    assert solved(instance).gain_h == pytest.approx(fall / (2 * step), rel=1e-4)


def test_speeds_of_tables_are_straight_between_points_and_level_behind() -> None:
    curve_ = table(1, 2, 2.5, gpus=(1, 3, 4))
    assert isinstance(curve_, SpeedTable)
    streams = streams_of(rented([stream("a", 1, (1, curve_))], Decimal(3)))
    tried = np.array([[1.0], [2.0], [3.5], [9.0]])
    assert speed(streams, tried).ravel().tolist() == [1, 1.5, 2.25, 2.5]
