"""Whatever the prices, their bound is never below the optimum; good ones are close to it."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from brute import optimum
from little import few
from looks import looks
from online_small import priced_bound
from tiny import tiny

from ringyard.formulations.online import offline
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import BoundKind, Limits, Machine, OnlineInstance, TrainingJob
from ringyard.instances.catalogue import entries, load
from ringyard.instances.generate import generate
from ringyard.instances.online import Deadline
from ringyard.search.online.bounds import combinatorial_bounds
from ringyard.search.online.dual_bound import dual_bound, evaluate
from ringyard.search.online.pricing import market
from ringyard.simulation.online import online_model


def shape(instance: OnlineInstance) -> tuple[int, int, int]:
    return instance.horizon_slots, len(instance.machines), len(instance.resources)


def random_prices(instance: OnlineInstance, rng: np.random.Generator) -> np.ndarray:
    """Draw prices about as high as utilities, some 0, some shared by machines."""
    drawn = rng.random(shape(instance)) * 10.0 ** rng.integers(-3, 2)
    drawn[rng.random(drawn.shape) < 0.4] = 0.0
    return drawn[:, :1].repeat(drawn.shape[1], axis=1) if rng.random() < 0.3 else drawn


def hold(seed: int) -> None:
    instance, rng = tiny(seed), np.random.default_rng(seed)
    best, _ = optimum(instance)
    for _ in range(20):
        assert priced_bound(instance, random_prices(instance, rng)).value >= best
    found = dual_bound(instance, looks(300))
    assert found.value >= best
    assert found.kind is BoundKind.DUAL


@pytest.mark.parametrize("seed", range(20))
def test_no_prices_give_less_than_the_optimum(seed: int) -> None:
    hold(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20, 100))
def test_no_prices_give_less_than_the_optimum_of_many(seed: int) -> None:
    hold(seed)


@pytest.mark.parametrize("states", [0, 2000])
def test_envelopes_and_tables_both_bound(states: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ringyard.search.online.pricing.MOST_STATES", states)
    for seed in range(25):
        instance, rng = tiny(seed), np.random.default_rng(seed)
        asks = market(instance, np.arange(2)).jobs
        assert all((ask.parts > 0) == (states > 0) for ask in asks)
        best, _ = optimum(instance)
        for _ in range(10):
            assert priced_bound(instance, random_prices(instance, rng)).value >= best


def exact_fit(hosts: str, work: int) -> OnlineInstance:
    """Return one job of 2 workers in 2 slots: 8 samples each inside a machine, 5 across."""
    job = TrainingJob(
        name="j0",
        samples=work,
        batch_samples=2,
        sample_s=Decimal("0.1"),
        gradient_gb=Decimal("0.1"),
        internal_gb_s=Decimal(4),
        external_gb_s=Decimal(1),
        worker=(("gpu", Decimal(1)),),
        server=(("cpu", Decimal(1)),),
        utility=Deadline(value=Decimal(7), slots=1),
    )
    room = (("cpu", Decimal(2)), ("gpu", Decimal(2)))
    parts = ("both",) if hosts == "both" else ("workers", "servers")
    machines = tuple(Machine(name=part, capacity=room, hosts=part) for part in parts)
    return OnlineInstance(name="fit", machines=machines, jobs=(job,), horizon_slots=2)


@pytest.mark.parametrize("states", [0, 2000])
@pytest.mark.parametrize(("hosts", "most"), [("both", 32), ("apart", 20)])
def test_work_that_just_fits_counts_and_a_sample_more_does_not(
    hosts: str, most: int, states: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ringyard.search.online.pricing.MOST_STATES", states)
    fits, too_much = exact_fit(hosts, most), exact_fit(hosts, most + 1)
    assert (optimum(fits)[0], optimum(too_much)[0]) == (7, 0)
    none = np.zeros(shape(fits))
    assert 7 <= priced_bound(fits, none).value < 7.001
    assert 0 <= priced_bound(too_much, none).value < 0.001


def test_tables_are_the_stronger_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    instances, rng, values = [tiny(seed) for seed in range(25)], np.random.default_rng(0), []
    prices = [random_prices(instance, rng) for instance in instances]
    for states in (0, 2000):
        monkeypatch.setattr("ringyard.search.online.pricing.MOST_STATES", states)
        pairs = zip(instances, prices, strict=True)
        values.append([float(priced_bound(one, price).value) for one, price in pairs])
    weak, strong = np.array(values)
    assert (strong <= weak * (1 + 1e-9)).all()
    assert (strong < weak * 0.99).any()


def test_without_prices_it_is_what_the_jobs_can_hope_for() -> None:
    for seed in range(25):
        instance = tiny(seed)
        free = priced_bound(instance, np.zeros(shape(instance))).value
        alone = next(b for b in combinatorial_bounds(instance) if b.name == "each alone").value
        assert optimum(instance)[0] <= free <= alone + Fraction(1, 10**9)


def test_the_load_is_a_slope_of_the_bound() -> None:
    instance, rng = generate("pdors-small", seed=4), np.random.default_rng(1)
    offered = market(instance, np.arange(3))
    scale = 1 / online_model(instance).units
    for _ in range(20):
        here, there = (rng.random(shape(instance)) * 0.05 * scale for _ in range(2))
        first, second = (evaluate(offered, prices, Limits()) for prices in (here, there))
        assert first is not None
        assert second is not None
        fall = ((there - here) * (offered.capacity - first.load)).sum()
        assert float(second.value) >= (float(first.value) + fall) * (1 - 1e-9)


@pytest.mark.parametrize("seed", few(1, (9, 0, 4)))
def test_good_prices_come_close_to_the_optimum(seed: int) -> None:
    instance = generate("pdors-small", seed=seed)
    value = solve(offline.build(instance)).value
    assert value is not None
    found = dual_bound(instance, Limits()).value
    best = min(bound.value for bound in combinatorial_bounds(instance))
    assert -value * (1 - 1e-9) <= found < best


def test_argued_optima_are_never_exceeded() -> None:
    for entry in entries().values():
        if entry.family == "hand" and entry.kind == "online":
            found = dual_bound(load(entry.name), looks(300)).value
            assert found >= entry.upper[0].value
