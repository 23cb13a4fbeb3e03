"""Where a change of width costs time, plans are the best of all over widths by epoch."""

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from family_draws import drawn
from little import few
from looks import looks
from rental_small import amdahl, beaten, by_lot, power, rented, rising, stream, table
from scipy.optimize import linprog

from ringyard.campaigns.rent.budget import OpenBudget, least_budget
from ringyard.instances import Epoch, JobType, Limits, RentalInstance, load_instance
from ringyard.policies.rental.dual import HALVINGS, Floats, solve_budget, streams_of, use_of
from ringyard.policies.rental.resize import Resizer, _Blocks
from ringyard.run import solve
from ringyard.testing.family import asked
from ringyard.testing.family import problems as family_problems

CASES = Path(__file__).parents[2] / "cases"
STALLS = sorted(CASES.glob("rental-stalls-*.json"))

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


@pytest.mark.parametrize("stall_h", [0.001, 0.05, 0.4])
def test_stalls_change_widths_at_prices_at_which_no_epoch_alone_would(stall_h: float) -> None:
    """Alone, the first takes one GPU at any price, and the second all."""
    linear = table(*range(1, MOST + 1))
    types = [stream("a", 1, (1, table(1)), (1, linear)), stream("b", 1, (1, linear), (1, table(1)))]
    for budget in (4.0, 4.1, 5.5, 20.0):
        instance = rented(types, budget, whole=True)
        found = Resizer(streams_of(instance), stall_h).best(budget)
        assert found is not None
        assert found.mean_jct == pytest.approx(best_of_all(instance, stall_h), rel=1e-9)
        assert found.mean_gpus <= budget * (1 + 1e-9)


def test_there_are_cases() -> None:
    assert STALLS


@pytest.mark.parametrize("case", STALLS, ids=lambda case: case.stem)
def test_where_jobs_stall_no_static_plan_is_better(case: Path) -> None:
    instance = load_instance(case)
    found = asked(instance)
    assert found.answers["default"].valid
    assert [*family_problems(instance, found, None), *beaten(instance, found)] == []


DRAWS = few(3, range(20))
"""`python benchmarks/family_agreement.py --family rental` asks about more."""


@pytest.mark.parametrize("index", DRAWS)
def test_where_jobs_of_drawn_streams_stall_no_static_plan_is_better(index: int) -> None:
    instance = drawn("rental", 11, index)
    found = asked(instance)
    assert [*family_problems(instance, found, None), *beaten(instance, found)] == []


def test_the_budget_of_one_gpu_for_every_job_is_enough_for_that() -> None:
    """A width of 1 and a bit, by floating point, would overspend in exact numbers."""
    epochs = (Decimal("1e-6"), power(0.001)), (Decimal(1), amdahl(1))
    parts = tuple(Epoch(work_h=work, speedup=curve) for work, curve in epochs)
    one = JobType(name="a", rate_per_h=Decimal("1e-6"), epochs=parts)
    budget = Decimal("0.000001000001")
    instance = RentalInstance(name="just", types=(one,), budget_gpus=budget, rescale_s=Decimal(300))
    for method in (None, "equal-width"):
        assert solve(instance, method).valid


def test_where_epochs_are_too_many_to_plan_for_the_best_static_plan_is_left() -> None:
    instance = rented([stream("a", 1, *[(1, power(0.5))] * 120)], 200, rescale_s=60)
    answer, equal = solve(instance), solve(instance, "equal-width")
    assert answer.valid
    assert answer.objective == equal.objective
    assert "Merge epochs" in answer.row()["note"]


def far_apart() -> RentalInstance:
    """Return epochs that are cheap on 2 and on 2,000 GPUs only, and a stall that costs more."""
    one = table(1, 1000, gpus=[1, 2])
    other = table(1, 1, 1_000_000, gpus=[1, 1999, 2000])
    epochs = (1, one), (1, other)
    return rented([stream("a", 1, *epochs)], 3, whole=True, rescale_s=3_600_000)


def test_the_least_budget_has_the_stalls_in_it() -> None:
    instance = far_apart()
    least = float(OpenBudget(instance).least)
    assert least == pytest.approx(2, rel=1e-9)
    assert solve(replace(instance, budget_gpus=Decimal("1.99"))).schedule is None
    assert float(least_budget(instance, Decimal(2))) == pytest.approx(2, rel=1e-6)


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
        widths = [span.gpus for span in found.shares[0][0].spans]
        changes.append(len(set(widths)) - 1)
    assert changes == sorted(changes, reverse=True)
    assert (changes[0], changes[-1]) == (2, 0)


def test_one_width_for_all_epochs_is_best_where_the_slope_of_its_cost_is_flat() -> None:
    instance = rented([stream("a", 1, (2, power(0.5)), (1, amdahl(0.9)))], 6)
    found = Resizer(streams_of(instance), 100).best(6.0)
    assert found is not None
    (width, other) = (span.gpus for span in found.shares[0][0].spans)
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
