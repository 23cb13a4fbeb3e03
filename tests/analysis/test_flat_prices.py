"""Prices that are flat first: what jobs pay, the plans that are found, and the factor."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, log

import numpy as np
import pytest
from little import few
from online_small import amounts, machine, online, training_job

import ringyard
from ringyard.analysis.guarantees import FactorVerdict, find_guarantee
from ringyard.campaigns.verifying.theorems import verify
from ringyard.instances import Linear, OnlineInstance, RefusedError
from ringyard.policies.online.pd_ors import FlatOptions, JobPlanner
from ringyard.simulation.online import Tariff, flat_first, flat_growth, online_model, outlook

THEOREM = find_guarantee("flat-first")


def crowd(seed: int, jobs: int, cpus: int, slots: int = 3, machines: int = 2) -> OnlineInstance:
    """Return many jobs of 1 to 3 workers, which one slot completes, on machines with one resource.

    A job takes 2 to 4 of the resource. Its utility falls by the slot, but not below 1.
    """
    rng = np.random.default_rng(seed)
    arrivals = sorted(rng.integers(slots, size=jobs).tolist())
    made = [
        training_job(
            f"j{i}",
            arrival_slot=arrival,
            samples=int(rng.integers(1, 4)),
            batch_samples=3,
            workers_per_server=Decimal(3),
            worker=amounts(cpu=1),
            server=amounts(cpu=1),
            utility=Linear(
                value=Decimal(int(4 ** rng.uniform(0, 3))),
                loss_per_slot=Decimal(int(rng.integers(3))),
                least=Decimal(1),
            ),
        )
        for i, arrival in enumerate(arrivals)
    ]
    return online([machine(f"m{h}", cpu=cpus + h) for h in range(machines)], made, slots)


def tariff_of(instance: OnlineInstance, share: float) -> Tariff:
    model = online_model(instance)
    return flat_first(model, outlook(instance, model), 1.0, share)


def test_tiny_jobs_have_the_factor_of_the_online_knapsack() -> None:
    for ratio in (2.0, 20.0, 1e6):
        assert flat_growth(log(ratio), 1e-6) == pytest.approx(1 + log(ratio), rel=1e-4)


def test_the_range_is_of_utilities_per_amount() -> None:
    """Jobs that work once take 2 to 4, for at least 1 each, and at most their first utility."""
    instance = crowd(1, 40, 50)
    once = [job.samples + 1 for job in instance.jobs]
    tariff = tariff_of(instance, 0.1)
    least = min(1 / amount for amount in once)
    most = max(float(j.utility.at(0)) / x for j, x in zip(instance.jobs, once, strict=True))
    assert tariff.low == pytest.approx(least, rel=1e-5)
    assert tariff.high == pytest.approx(most, rel=1e-5)


@pytest.mark.parametrize("seed", few(5, range(50)))
@pytest.mark.parametrize("share", [0.01, 0.1, 0.3])
def test_payments_for_a_heavy_machine_are_its_last_price_over_the_growth(
    share: float, seed: int
) -> None:
    """Jobs of random parts fill a machine until nothing more needs to fit."""
    tariff, rng = tariff_of(crowd(seed, 30, 50), share), np.random.default_rng(seed)
    growth = flat_growth(log(float(tariff.high[0] / tariff.low[0])), share)
    taken, paid = np.zeros(1), 0.0
    while taken[0] <= 1 - share:
        part = share * (1.0 if seed % 2 else rng.uniform(0.05, 1))
        paid += float(tariff.prices(taken)[0]) * part
        taken = taken + part
        price = float(tariff.prices(taken)[0])
        if taken[0] > tariff.flat:
            assert price <= growth * paid * (1 + 1e-9)
    assert price >= float(tariff.high[0]) * (1 - 1e-9)


@pytest.mark.parametrize("seed", few(6, range(60)))
def test_the_plan_found_pays_as_much_as_any_whole_job_on_one_machine(seed: int) -> None:
    """Prices are those after the jobs before. Machines of 20 hold 5 of the largest jobs."""
    instance = crowd(seed, 25, 20)
    planner = JobPlanner(instance, FlatOptions(share=Decimal("0.2")), seed)
    for i, job in enumerate(instance.jobs):
        free, price = planner.state()
        planner.best_plan(i)
        amount = job.samples + ceil(job.samples / 3)
        payoffs = [
            float(job.worth(slot)) - price[slot, h, 0] * amount
            for slot in range(job.arrival_slot, instance.horizon_slots)
            for h in range(len(instance.machines))
            if free[slot, h, 0] >= amount
        ]
        assert planner.payoff == pytest.approx(max([0.0, *payoffs]), abs=1e-9)


@pytest.mark.parametrize(("ratio", "part"), [(20, 0.94), (1000, 0.88)])
def test_rising_values_are_near_the_factor(ratio: int, part: float) -> None:
    """The optimum is the last level: all its jobs, each worth `ratio` times the first."""
    instance = ringyard.generate("rising-values", seed=0, ratio=Decimal(ratio))
    answer = ringyard.solve(instance, "pd-ors-flat")
    best = 100 * Fraction(instance.jobs[-1].worth(0))
    factor = THEOREM.factor(instance)
    assert 1 + log(ratio) < factor < 1.06 * (1 + log(ratio))
    assert answer.objective is not None
    assert part * float(factor) < float(best / answer.objective) < factor


@pytest.mark.parametrize("seed", few(2, range(5)))
def test_on_several_machines_the_factor_has_one_more(seed: int) -> None:
    instance = crowd(seed, 700, 400)
    tariff = tariff_of(instance, 0.01)
    growth = flat_growth(log(float(tariff.high[0] / tariff.low[0])), 0.01)
    assert float(THEOREM.factor(instance)) == pytest.approx(1 + growth, abs=2e-3)
    (row,) = verify(instance, ["pd-ors-flat"], theorems=[THEOREM])
    assert row.verdict is FactorVerdict.HOLDS, row


def test_the_theorem_says_what_it_needs() -> None:
    fine = crowd(0, 5, 400)
    assert THEOREM.unmet(fine) is None
    one = fine.jobs[0]
    for change, why in (
        ({"server": amounts(port=1)}, "jobs take 'cpu', 'port'"),
        ({"samples": 4}, "needs 4 workers for a slot"),
        ({"worker": amounts(cpu=3)}, "of a machine, more than 1 %"),
        ({"utility": Linear(value=Decimal("1e-6"), loss_per_slot=Decimal(0))}, "a utility is"),
    ):
        wide = tuple(replace(m, capacity=amounts(cpu=400, port=400)) for m in fine.machines)
        found = THEOREM.unmet(replace(fine, machines=wide, jobs=(replace(one, **change),)))
        assert why in (found or "")
    apart = tuple(replace(m, hosts="workers") for m in fine.machines)
    assert "separate machines" in (THEOREM.unmet(replace(fine, machines=apart)) or "")


def test_a_share_of_a_half_is_refused() -> None:
    with pytest.raises(RefusedError, match=r"share is 0.5, but flat prices need less than 0.5"):
        ringyard.solve(crowd(0, 5, 400), "pd-ors-flat:share=0.5")
