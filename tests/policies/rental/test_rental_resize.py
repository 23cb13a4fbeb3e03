"""Where a change of width costs time, plans are the best of all over widths by epoch."""

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise, product

import numpy as np
import pytest
from looks import looks
from rental_small import amdahl, by_lot, power, rented, rising, stream
from scipy.optimize import linprog

from ringyard.campaigns.rent.curve import OpenBudget
from ringyard.instances import Limits, RentalInstance
from ringyard.policies.rental.dual import HALVINGS, solve_budget, use_of
from ringyard.policies.rental.resize import Resizer, _Blocks
from ringyard.policies.rental.streams import Floats, streams_of

MOST = 5


def best_of_all(instance: RentalInstance, stall_h: float) -> float:
    """Return the optimum over shares of all vectors of widths up to `MOST`."""
    streams = streams_of(instance)
    h, _ = use_of(streams, np.repeat(np.arange(1.0, MOST + 1)[:, None], len(streams.load), axis=1))
    hours, gpus, owner = [], [], []
    for i, own in enumerate(streams.by_type()):
        for widths in product(range(1, MOST + 1), repeat=len(own)):
            times = [streams.load[c] * h[k - 1, c] for c, k in zip(own, widths, strict=True)]
            stalled = [
                streams.rates[i] * stall_h * (one != other) for one, other in pairwise(widths)
            ]
            times = [time + stall for time, stall in zip(times, [0, *stalled], strict=True)]
            hours.append(streams.weight[own[0]] * sum(times) / streams.worth)
            gpus.append(sum(time * k for time, k in zip(times, widths, strict=True)))
            owner.append(i)
    found = linprog(
        hours,
        A_ub=[gpus],
        b_ub=[float(instance.budget_gpus)],
        A_eq=np.equal.outer(np.arange(len(instance.types)), owner).astype(float),
        b_eq=np.ones(len(instance.types)),
    )
    return float(found.fun)


@pytest.mark.parametrize("stall_h", [0.0, 0.05, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_whole_widths_are_the_best_of_all_vectors(seed: int, stall_h: float) -> None:
    rng = np.random.default_rng(seed)
    types = [
        stream(f"t{i}", 1, *[(float(rng.uniform(0.5, 3)), rising(rng, MOST)) for _ in range(3)])
        for i in range(2)
    ]
    load = sum(float(part.work_h) for one in types for part in one.epochs)
    instance = rented(types, load * rng.uniform(1.1, 1.5), whole=True)
    found = Resizer(streams_of(instance), stall_h).best(float(instance.budget_gpus))
    assert found is not None
    assert found.mean_jct == pytest.approx(best_of_all(instance, stall_h), rel=1e-9)
    assert found.mean_gpus == pytest.approx(float(instance.budget_gpus), rel=1e-9)


@pytest.mark.parametrize("whole", [False, True])
def test_changes_for_nothing_are_those_of_the_dual(whole: bool) -> None:
    streams = streams_of(by_lot(1, 4, epochs=3, whole=whole))
    budget = 1.7 * float(streams.load.sum())
    one, other = Resizer(streams, 0.0).best(budget), solve_budget(streams, budget)
    assert one is not None
    assert other is not None
    # Tables are tried at many widths, but not at all.
    assert one.mean_jct == pytest.approx(other.mean_jct, rel=1e-9)
    assert one.nu == pytest.approx(other.nu, rel=1e-3)


def test_a_change_that_costs_too_much_is_not_made() -> None:
    epochs = [(1.0, power(0.4)), (1.0, power(0.8)), (1.0, amdahl(0.7))]
    instance = rented([stream("a", 1, *epochs)], 5)
    changes = []
    for stall_h in (0.0, 0.001, 0.05, 10):
        found = Resizer(streams_of(instance), stall_h).best(5.0)
        assert found is not None
        widths = [span.gpus for span in found.lots[0][0].spans]
        changes.append(len(set(widths)) - 1)
    assert changes == sorted(changes, reverse=True)
    assert (changes[0], changes[-1]) == (2, 0)


def test_one_width_for_all_epochs_is_best_where_the_slope_of_its_cost_is_flat() -> None:
    instance = rented([stream("a", 1, (2, power(0.5)), (1, amdahl(0.9)))], 6)
    found = Resizer(streams_of(instance), 100).best(6.0)
    assert found is not None
    (width, other) = (span.gpus for span in found.lots[0][0].spans)
    assert width == other
    # What it spends is 2 sqrt(k) + 0.1 k + 0.9, alone.
    assert 2 * width**0.5 + 0.1 * width + 0.9 == pytest.approx(6, rel=1e-9)


def test_too_small_a_budget_has_no_plan() -> None:
    instance = replace(by_lot(1, 3, epochs=2), budget_gpus=Decimal(1))
    assert Resizer(streams_of(instance), 0.1).best(0.01) is None


def test_points_of_a_curve_that_time_is_too_short_for_are_left_out() -> None:
    curved = stream("a", 1, (2, power(0.5)), (1, amdahl(0.9)))
    instance = replace(rented([curved], 6), rescale_s=Decimal(30))
    budgets = np.array([4.0, 5.0, 6.0, 7.0, 8.0])
    every = OpenBudget(instance).along(budgets)
    assert len(every) == 5
    enough = looks(10_000)
    OpenBudget(instance).along(budgets[:3], enough)
    used = 10_000 - len(list(enough.left))
    assert OpenBudget(instance).along(budgets, looks(used)) == every[:3]


def test_plans_of_a_price_are_made_once_for_all_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = streams_of(by_lot(1, 4, epochs=3))
    budget, prices, real = 1.7 * float(streams.load.sum()), list[float](), _Blocks.best

    def best(blocks: _Blocks, nu: float, limits: Limits) -> tuple[Floats, Floats, Floats]:
        prices.append(nu)
        return real(blocks, nu, limits)

    monkeypatch.setattr(_Blocks, "best", best)
    resizer = Resizer(streams, 0.1)
    found = [resizer.best(budget * part) for part in (1, 1 - 1e-13, 0.9)]
    assert len(prices) == len(set(prices)) < 2 * (HALVINGS + 2)
    apart = [Resizer(streams, 0.1).best(budget * part) for part in (1, 1 - 1e-13, 0.9)]
    assert found == apart


def test_plans_cut_short_by_a_limit_are_not_used_without_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here all are, with widths of the first round."""
    streams, real = streams_of(by_lot(1, 4, epochs=3)), _Blocks.best
    budget, resizer = 1.7 * float(streams.load.sum()), Resizer(streams, 0.1)
    with monkeypatch.context() as patch:
        patch.setattr(_Blocks, "best", lambda blocks, nu, _: real(blocks, nu, Limits(time_s=0.0)))
        short = resizer.best(budget, Limits(time_s=60.0))
    found = resizer.best(budget)
    assert short != found
    assert found == Resizer(streams, 0.1).best(budget)
