"""The walk on 10,000 machines: its own prices prove every cost that it names."""

import numpy as np
import pytest

from ringyard.policies.online.curve import curve, lp_polygons

MACHINES, GAMMA = 10_000, 2.5
WORKER, SERVER = np.array([1.0, 4.0, 12.0, 2.0]), np.array([0.0, 3.0, 8.0, 6.0])


@pytest.mark.slow
def test_prices_prove_the_costs_of_all_demands_on_ten_thousand_machines() -> None:
    """Weak duality: a demand costs its worth at the prices less what machines earn there at most.

    A machine earns most at a corner of its polygon. All that is compared is summed by numpy.
    """
    rng = np.random.default_rng(0)
    full = rng.choice([4.0, 8.0, 16.0], (MACHINES, 1)) * np.array([1.0, 4.0, 16.0, 6.0])
    taken = rng.uniform(0, 0.8, full.shape)
    prices = 1e-3 * 1e4**taken
    most = 16.0 * MACHINES
    polygons = lp_polygons(np.floor(full * (1 - taken)), WORKER, SERVER, most, most)
    worker_cost, server_cost = prices @ WORKER, prices @ SERVER
    found = curve(worker_cost, server_cost, polygons, GAMMA, most)
    assert found.demand.size > MACHINES
    corners = polygons.used[0]
    of = np.repeat(np.argsort(polygons.first), polygons.size[np.argsort(polygons.first)])
    x, y = polygons.x[:corners], polygons.y[:corners]
    starts = np.sort(polygons.first)
    for k in range(0, found.worker_price.size, 2500):
        a, b = found.worker_price[k], found.server_price[k]
        earned = (a - worker_cost[of]) * x + (b - server_cost[of]) * y
        proved = found.demand[k] * (a + b / GAMMA) - np.maximum.reduceat(earned, starts).sum()
        assert np.isclose(proved, found.cost[k], rtol=1e-9, atol=1e-9)
