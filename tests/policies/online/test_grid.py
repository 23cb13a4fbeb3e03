"""Quanta of work, their cheapest spread over slots, pieces on the cheapest machines, prices."""

from itertools import product
from math import inf

import numpy as np
import pytest

import ringyard
from ringyard.policies.online.oasis import Prices, best_spread, cheapest_costs, grid_of, on_cheapest
from ringyard.policies.online.planning import all_free
from ringyard.simulation.online import online_model


@pytest.mark.parametrize(
    ("worker_slots", "most", "quanta", "expected"),
    [
        # As many quanta as worker-slots may be: a quantum is what one worker does in a slot.
        (5, 3, 64, (5, [0, 1, 2, 3])),
        (3, 9, 64, (3, [0, 1, 2, 3])),
        # 100 worker-slots in about 10 quanta of 10 workers, and 20 workers at most.
        (100, 20, 10, (10, [0, 10, 20])),
        # All workers for 50 slots: a quantum is what all do in a slot, and 50 are needed.
        (1000, 20, 10, (50, [0, 20])),
        # Three quanta of 10/3 workers each in a slot, never fewer workers than they take.
        (33, 10, 10, (10, [0, 4, 7, 10])),
    ],
)
def test_a_grid_has_the_quanta_worked_out_by_hand(
    worker_slots: int, most: int, quanta: int, expected: tuple[int, list[int]]
) -> None:
    assert grid_of(worker_slots, most, quanta) == expected


def test_all_quanta_together_are_enough_work() -> None:
    """However the quanta are spread, the workers of their slots do all of the work."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        work, most, quanta = (int(rng.integers(1, high)) for high in (3000, 200, 100))
        grid = grid_of(work, most, quanta)
        assert grid.workers[-1] <= most
        left, done = grid.quanta, 0
        while left:
            step = int(rng.integers(1, min(left, len(grid.workers) - 1) + 1))
            left, done = left - step, done + grid.workers[step]
        assert done >= work


def test_the_best_spread_is_that_of_all_there_are() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        slots, steps, quanta = (int(rng.integers(1, high)) for high in (5, 4, 6))
        cost = rng.integers(1, 20, (slots, steps + 1)).astype(float)
        cost[:, 0] = 0.0
        cost[rng.random(cost.shape) < 0.2] = np.inf
        cost[:, 0] = 0.0
        worth = np.sort(rng.integers(0, 60, slots).astype(float))[::-1].copy()
        payoffs = [
            worth[max(np.flatnonzero(spread))] - sum(cost[t, k] for t, k in enumerate(spread))
            for spread in product(range(steps + 1), repeat=slots)
            if sum(spread) == quanta
        ]
        best = best_spread(cost, worth, quanta)
        assert best.payoff == max(payoffs, default=-inf)
        if best.payoff > -inf:
            chosen = sum(cost[t, k] for t, k in enumerate(best.quanta))
            assert best.quanta.sum() == quanta
            assert worth[np.flatnonzero(best.quanta)[-1]] - chosen == best.payoff


def test_pieces_on_the_cheapest_machines_cost_least() -> None:
    """Held against a list of single places, sorted by their cost."""
    rng = np.random.default_rng(2)
    counts = np.array([0, 1, 3, 4, 9])
    for _ in range(100):
        free = rng.integers(0, 9, (2, 6, 3)).astype(float)
        price = rng.random((2, 6, 3))
        demand = np.array([2.0, 0.0, 1.0])
        machines = np.sort(rng.choice(6, 4, replace=False))
        costs = cheapest_costs(free, price, machines, demand, counts)
        for t, k in product(range(2), range(counts.size)):
            places = sorted(
                price[t, h] @ demand
                for h in machines
                for _ in range(int(min(free[t, h, 0] // 2, free[t, h, 2])))
            )
            fits = counts[k] <= len(places)
            assert costs[t, k] == pytest.approx(sum(places[: counts[k]]) if fits else inf)
            if fits:
                held = on_cheapest(free, price, t, machines, demand, int(counts[k]))
                assert held.sum() == counts[k]
                assert not held[np.setdiff1d(range(6), machines)].any()
                assert (held[:, None] * demand <= free[t]).all()
                assert held @ price[t] @ demand == pytest.approx(costs[t, k])


def test_prices_rise_from_low_to_high_with_the_part_taken() -> None:
    model = online_model(ringyard.generate("pdors-small", seed=0))
    low, high = np.full_like(model.capacity, 0.25), np.full_like(model.capacity, 4.0)
    prices, free = Prices(model, low, high), all_free(model)
    assert (prices.now == 0.25).all()
    free[2, 0] /= 2
    free[2, 1] = 0.0
    prices.update(free, 2, [0, 1])
    assert prices.now[2, 0] == pytest.approx(1.0)  # the geometric mean of both, at one half
    assert prices.now[2, 1] == pytest.approx(4.0)
    assert (prices.now[[0, 1, 3, 4, 5]] == 0.25).all()
    assert (prices.now[2, 2] == 0.25).all()


def test_a_resource_that_a_machine_lacks_keeps_its_price() -> None:
    model = online_model(ringyard.generate("pdors-small", seed=0))
    lacking = model.capacity.copy()
    lacking[0, 0] = 0.0
    from dataclasses import replace

    poor = replace(model, capacity=lacking)
    prices = Prices(poor, np.full_like(lacking, 2.0), np.full_like(lacking, 3.0))
    prices.update(all_free(poor), 0, [0])
    assert prices.now[0, 0, 0] == 2.0
