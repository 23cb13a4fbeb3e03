"""The walk over demands: equal to HiGHS, and proved by exact fractions."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
import slot_exact
from slot_cases import slot_case

from ringyard.formulations.online.slot_program import SlotData, twin
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import InputError, SolutionStatus
from ringyard.policies.online.curve import (
    CheapestPoint,
    CostCurve,
    costs,
    curve,
    hull_polygons,
    lp_polygons,
    plans,
)
from ringyard.policies.online.polygons import MachineRoom, Polygons, most_corners, new_polygons
from ringyard.policies.online.walk import WalkSlot, new_walk

MANY = range(20)
"""More are in `benchmarks/slot_agreement.py`."""


def case(seed: int) -> SlotData:
    return slot_case(np.random.default_rng(seed))


def polygons_of(data: SlotData, *, whole: bool = False) -> Polygons:
    servers = data.most_workers / data.workers_per_server
    make = hull_polygons if whole else lp_polygons
    most = (data.most_workers, np.ceil(servers) if whole else servers)
    return make(data.capacity, data.worker, data.server, *most)


def curve_of(data: SlotData, *, whole: bool = False) -> CostCurve:
    polygons = polygons_of(data, whole=whole)
    args = (data.worker_cost, data.server_cost, polygons, data.workers_per_server)
    return curve(*args, data.most_workers)


def plans_of(
    data: SlotData, demands: list[float], *, whole: bool = False
) -> list[CheapestPoint | None]:
    polygons = polygons_of(data, whole=whole)
    args = (data.worker_cost, data.server_cost, polygons, data.workers_per_server)
    return plans(*args, data.most_workers, demands)


def spread(data: SlotData, plan: CheapestPoint) -> tuple[np.ndarray, np.ndarray]:
    """Return the workers and the servers of a plan on every machine."""
    workers, servers = np.zeros((2, len(data.worker_cost)))
    workers[plan.machine], servers[plan.machine] = plan.workers, plan.servers
    return workers, servers


def is_proved(
    data: SlotData, polygons: list[set[slot_exact.Point]], demand: float, plan: CheapestPoint
) -> bool:
    """Return True if a plan costs no more than its prices prove, but for rounding."""
    prices = plan.worker_price, plan.server_price
    worth = demand * (prices[0] + prices[1] / data.workers_per_server)
    low = slot_exact.bound(data, polygons, demand, prices)
    return abs(slot_exact.cost(data, *spread(data, plan)) - low) <= 1e-12 * worth


def by_highs(data: SlotData, *, integer: bool = False) -> float:
    matrix = twin(data)
    if not integer:
        matrix = replace(matrix, integer=np.zeros_like(matrix.integer))
    solution = solve(matrix)
    if solution.status is SolutionStatus.INFEASIBLE:
        return inf
    assert solution.value is not None
    return solution.value


@pytest.mark.parametrize("seed", MANY)
def test_it_costs_what_highs_says(seed: int) -> None:
    data = case(seed)
    assert curve_of(data).at(data.least_workers) == pytest.approx(by_highs(data), 1e-9, 1e-9)


@pytest.mark.parametrize("seed", MANY)
def test_every_plan_is_proved_by_its_prices(seed: int) -> None:
    """In exact fractions: plans break no row by more than rounding, and cost what prices prove."""
    data = case(seed)
    polygons = [slot_exact.corners(data, h) for h in range(len(data.worker_cost))]
    found = curve_of(data)
    last = float(slot_exact.most(data, polygons))
    assert found.demand[-1] == pytest.approx(last, 1e-12)
    demands = np.unique([0.0, *found.demand, *np.linspace(0, last, 7)[:-1]]).tolist()
    for demand, plan in zip(demands, plans_of(data, demands), strict=True):
        assert plan is not None
        assert plan.cost == pytest.approx(found.at(demand), 1e-12)
        workers, servers = spread(data, plan)
        assert slot_exact.breach(data, demand, workers, servers) < 1e-12
        assert is_proved(data, polygons, demand, plan)
        assert float(slot_exact.cost(data, workers, servers)) == pytest.approx(plan.cost, 1e-12)


@pytest.mark.parametrize("seed", MANY)
def test_the_curve_is_convex_and_prices_grow(seed: int) -> None:
    data = case(seed)
    found = curve_of(data)
    slopes = found.worker_price + found.server_price / data.workers_per_server
    assert (np.diff(found.demand) > 0).all()
    assert (np.diff(found.worker_price) >= 0).all()
    assert (np.diff(found.server_price) >= 0).all()
    assert np.diff(found.cost) == pytest.approx(np.diff(found.demand) * slopes, 1e-9, 1e-12)


@pytest.mark.parametrize("seed", MANY)
def test_breakpoints_are_where_prices_change(seed: int) -> None:
    data = case(seed)
    found = curve_of(data)
    slopes = found.worker_price + found.server_price / data.workers_per_server
    assert (slopes[1:] > slopes[:-1] * (1 + 1e-9)).all()


@pytest.mark.parametrize("angle", [0.01, 1e-4, 1e-6])
def test_small_angles_and_short_edges_are_seen(angle: float) -> None:
    """The first two resources meet at a small angle, the third cuts a corner off."""
    data = SlotData(
        worker_cost=np.array([1.0, 1.5, 2.0]),
        server_cost=np.array([1.0, 1.2, 1.0]),
        capacity=np.array([[4.0, 4 + angle, 4 - angle], [5, 5 + 2 * angle, 5 - angle], [3, 9, 9]]),
        worker=np.array([1.0, 1.0, 1.0]),
        server=np.array([1.0, 1 + angle, 0.0]),
        workers_per_server=1.0,
        least_workers=1.0,
        most_workers=20.0,
    )
    polygons = [slot_exact.corners(data, h) for h in range(3)]
    last = float(slot_exact.most(data, polygons))
    demands = np.linspace(0, last, 40).tolist()
    for demand, plan in zip(demands, plans_of(data, demands), strict=True):
        assert plan is not None
        workers, servers = spread(data, plan)
        assert slot_exact.breach(data, demand, workers, servers) < 1e-12
        assert is_proved(data, polygons, demand, plan)


def test_beyond_what_fits_there_is_no_plan() -> None:
    data = case(3)
    found = curve_of(data)
    last = float(found.demand[-1])
    assert found.at(last) < inf
    assert found.at(last * 1.001) == inf
    assert [plan is None for plan in plans_of(data, [last, last * 1.001])] == [False, True]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_polygons_made_on_the_way_are_the_same(seed: int, whole: bool) -> None:
    data = case(seed)
    ratio = 1 / data.workers_per_server
    most = data.most_workers
    servers = np.ceil(most * ratio) if whole else most * ratio
    room = MachineRoom(data.capacity, data.worker, data.server, most, float(servers), whole)
    walk = new_walk(new_polygons(len(data.worker_cost), most_corners(room)))
    demands, found = np.linspace(0, most, 16), np.empty(16)
    expected = [curve_of(data, whole=whole).at(demand) for demand in demands]
    for _ in range(2):
        costs(
            WalkSlot(np.stack([data.worker_cost, data.server_cost]), room, ratio),
            walk,
            demands,
            found,
        )
        assert found == pytest.approx(expected, 1e-12)


def test_at_most_two_machines_are_off_corners() -> None:
    for seed in range(20):
        data = case(seed)
        polygons = polygons_of(data, whole=True)
        last = curve_of(data, whole=True).demand[-1]
        for plan in plans_of(data, np.linspace(0, last, 9).tolist(), whole=True):
            assert plan is not None
            counts = np.stack([plan.workers, plan.servers])
            assert (np.abs(counts - counts.round()) > 1e-9).any(axis=0).sum() <= 2
        assert polygons.size.sum() == polygons.used[0]


@pytest.mark.parametrize("seed", range(20))
def test_hulls_lie_between_the_relaxation_and_the_integer_program(seed: int) -> None:
    data = case(seed)
    data = replace(data, least_workers=np.floor(data.least_workers))
    low, middle = (curve_of(data, whole=whole).at(data.least_workers) for whole in (False, True))
    high = by_highs(data, integer=True)
    assert low <= middle * (1 + 1e-9)
    assert middle <= high * (1 + 1e-9)


def test_a_thousand_equal_machines_are_an_empty_cluster() -> None:
    """With one price everywhere the curve is one line, however many machines tie."""
    ones, capacity = np.ones(1000), np.tile([8.0, 12.0], (1000, 1))
    polygons = lp_polygons(capacity, np.array([2.0, 1.0]), np.array([0.0, 2.0]))
    found = curve(3 * ones, 2 * ones, polygons, 2.0, 500.0)
    assert found.demand.tolist() == [0, 500]
    assert found.cost.tolist() == [0, 500 * 4]


def test_what_needs_nothing_needs_a_limit() -> None:
    with pytest.raises(InputError, match=r"worker: found .* Give the number of workers"):
        lp_polygons(np.ones((2, 1)), np.zeros(1), np.ones(1))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"worker_cost": np.ones(2)}, "worker_cost: found a list of 2"),
        ({"server_cost": np.array([1.0, -1.0, 1.0])}, "server_cost: found a list of 3"),
        ({"gamma": 0.0}, "gamma: found 0"),
        ({"demands": [2.0, 1.0]}, "demands: found a list of 2, expected growing numbers"),
    ],
)
def test_bad_input_is_refused(change: dict[str, object], said: str) -> None:
    good = {
        "worker_cost": np.ones(3),
        "server_cost": np.ones(3),
        "polygons": lp_polygons(np.ones((3, 1)), np.ones(1), np.ones(1)),
        "gamma": 1.0,
        "most": 3.0,
        "demands": [1.0, 2.0],
    }
    with pytest.raises(InputError) as caught:
        plans(**good | change)  # type: ignore[arg-type]
    assert said in str(caught.value)
