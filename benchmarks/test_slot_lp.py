"""The relaxation of a job in a slot, on 50 machines with 4 resources, by ours and by others.

    python -m pytest benchmarks/test_slot_lp.py --benchmark-timer=time.process_time

All solve the same 64 programs in turn, which differ in prices: slightly, or exchanged between
machines. A round of what is compiled is all 64, as a scheduler would call it, and its time for one
is in `extra_info`; a round of the others is one program.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ringyard.formulations.adapters.highs import load
from ringyard.formulations.online.slot_program import SlotData, build, twin
from ringyard.formulations.program import Matrix
from ringyard.policies.online.curve import costs, curve, hull_polygons, lp_polygons
from ringyard.policies.online.polygons import MachineRoom, most_corners, new_polygons
from ringyard.policies.online.walk import WalkScratch, WalkSlot, begin, forget, new_walk, reach
from ringyard.simulation.jit import entry
from ringyard.simulation.model import Floats

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from slot_cvxpy import SlotRelaxation, solve_anew

SLOTS, DEMAND, MOST, GAMMA = 64, 24.0, 120.0, 2.5
WORKER, SERVER = np.array([1.0, 4.0, 12.0, 2.0]), np.array([0.0, 3.0, 8.0, 6.0])
"""What a worker and a server need of GPUs, cores, memory and bandwidth."""

Solve = Callable[[SlotData], float]


@cache
def slots(machines: int, change: str) -> list[SlotData]:
    """Return slots with equal room, and prices that grow exponentially with what is taken."""
    rng = np.random.default_rng(0)
    full = rng.choice([4.0, 8.0, 16.0], (machines, 1)) * np.array([1.0, 4.0, 16.0, 6.0])
    taken = rng.uniform(0, 0.8, full.shape)
    found = []
    for _ in range(SLOTS):
        little = taken + rng.uniform(0, 0.005, full.shape)
        prices = 1e-3 * 1e4 ** (little if change == "little" else rng.permutation(taken))
        found.append(
            SlotData(
                worker_cost=prices @ WORKER,
                server_cost=prices @ SERVER,
                capacity=np.floor(full * (1 - taken)),
                worker=WORKER,
                server=SERVER,
                workers_per_server=GAMMA,
                least_workers=DEMAND,
                most_workers=MOST,
            )
        )
    return found


def relaxation(data: SlotData) -> Matrix:
    matrix = twin(data)
    return replace(matrix, integer=np.zeros_like(matrix.integer))


def room_of(data: SlotData, whole: bool) -> MachineRoom:
    servers = float(np.ceil(MOST / GAMMA))
    return MachineRoom(data.capacity, WORKER, SERVER, MOST, servers, whole)


def space(data: SlotData, whole: bool = False) -> WalkScratch:
    polygons = new_polygons(len(data.capacity), most_corners(room_of(data, whole)))
    return new_walk(polygons)


def slot_of(data: SlotData, whole: bool = False) -> WalkSlot:
    return WalkSlot(np.stack([data.worker_cost, data.server_cost]), room_of(data, whole), 1 / GAMMA)


def walk_in_python(example: SlotData) -> Solve:
    """Ours, called from Python for one demand."""
    walk, demands, found = space(example), np.array([DEMAND]), np.empty(1)

    def solve(data: SlotData) -> float:
        costs(slot_of(data), walk, demands, found)
        return float(found[0])

    return solve


def highspy_cold(example: SlotData) -> Solve:
    """HiGHS from nothing; making the matrix is not counted."""
    matrix = relaxation(example)

    def solve(data: SlotData) -> float:
        cost = np.concatenate([data.worker_cost, data.server_cost])
        model = load(replace(matrix, cost=cost))
        model.run()
        return float(model.getInfo().objective_function_value)

    return solve


def highspy_warm(example: SlotData) -> Solve:
    """HiGHS with primal simplex from the last basis, which stays feasible."""
    model = load(relaxation(example))
    model.setOptionValue("simplex_strategy", 4)
    model.run()
    columns = np.arange(2 * len(example.worker_cost), dtype=np.int32)

    def solve(data: SlotData) -> float:
        cost = np.concatenate([data.worker_cost, data.server_cost])
        model.changeColsCost(len(columns), columns, cost)
        model.run()
        return float(model.getInfo().objective_function_value)

    return solve


def cvxpy_with_parameters(example: SlotData) -> Solve:
    program = SlotRelaxation(*example.capacity.shape, engine="HIGHS")
    program.solve(example)
    return program.solve


def cvxpy_anew(example: SlotData) -> Solve:
    del example
    return lambda data: solve_anew(data, "HIGHS")


def scipy_linprog(example: SlotData) -> Solve:
    """SciPy's call of HiGHS; making the matrix is not counted."""
    from scipy.optimize import linprog
    from scipy.sparse import vstack

    matrix = relaxation(example)
    a = vstack([-matrix.a[:2], matrix.a[2:]]).tocsr()
    b = np.concatenate([-matrix.row_lower[:2], matrix.row_upper[2:]])

    def solve(data: SlotData) -> float:
        cost = np.concatenate([data.worker_cost, data.server_cost])
        return float(linprog(cost, A_ub=a, b_ub=b, method="highs").fun)

    return solve


def pyomo_persistent(example: SlotData) -> Solve:
    """Pyomo's persistent interface of HiGHS, told that nothing but parameters changes."""
    import pyomo.environ as pyo
    from pyomo.contrib.appsi.solvers.highs import Highs

    model = build(example)
    pyo.TransformationFactory("core.relax_integer_vars").apply_to(model)
    both = [*model.workers.values(), *model.servers.values()]
    model.price = pyo.Param(range(len(both)), initialize=1.0, mutable=True)
    model.del_component("cost")
    model.cost = pyo.Objective(expr=sum(model.price[k] * x for k, x in enumerate(both)))
    solver = Highs()
    for name in solver.update_config:
        solver.update_config[name] = name == "update_params"

    def solve(data: SlotData) -> float:
        for k, cost in enumerate((*data.worker_cost.tolist(), *data.server_cost.tolist())):
            model.price[k] = cost
        return float(solver.solve(model).best_feasible_objective)

    return solve


OTHERS = (
    walk_in_python,
    highspy_warm,
    highspy_cold,
    cvxpy_with_parameters,
    cvxpy_anew,
    scipy_linprog,
    pyomo_persistent,
)


@pytest.mark.parametrize("change", ["little", "all"])
@pytest.mark.parametrize("make", OTHERS, ids=lambda make: make.__name__)
@pytest.mark.benchmark(group="slot: one demand")
def test_one_demand(benchmark: Any, make: Callable[[SlotData], Solve], change: str) -> None:
    data = slots(50, change)
    solve, reference = make(data[0]), walk_in_python(data[0])
    for one in data[:5]:
        assert solve(one) == pytest.approx(reference(one), 1e-6)
    turn = cycle(data)
    benchmark(lambda: solve(next(turn)))


@entry
def all_slots(slot: WalkSlot, walk: WalkScratch, prices: Floats, demands: Floats) -> float:
    """Return the sum of the costs of all demands in all slots."""
    total = 0.0
    for k in range(prices.shape[0]):
        priced = WalkSlot(prices[k], slot.room, slot.ratio)
        forget(walk)
        begin(priced, walk)
        for demand in demands:
            total += reach(priced, walk, demand)
    return total


@pytest.mark.parametrize("change", ["little", "all"])
@pytest.mark.parametrize("machines", [50, 500])
@pytest.mark.parametrize("stops", [1, 64])
@pytest.mark.parametrize("whole", [False, True], ids=["polygons", "hulls"])
@pytest.mark.benchmark(group="slot: compiled, 64 slots a round")
def test_walk(benchmark: Any, machines: int, change: str, stops: int, whole: bool) -> None:
    data = slots(machines, change)
    prices = np.array([(one.worker_cost, one.server_cost) for one in data])
    demands = np.array([DEMAND]) if stops == 1 else np.linspace(MOST / stops, MOST, stops)
    slot, walk = slot_of(data[0], whole), space(data[0], whole)
    assert np.isfinite(benchmark(all_slots, slot, walk, prices, demands))
    if benchmark.stats:
        one = 1e6 * benchmark.stats.stats.median / SLOTS
        benchmark.extra_info["microseconds_a_slot"] = round(one, 2)


@pytest.mark.parametrize("machines", [100, 1_000, 10_000])
@pytest.mark.parametrize("whole", [False, True], ids=["polygons", "hulls"])
@pytest.mark.benchmark(group="slot: all demands up to what fits")
def test_all_demands(benchmark: Any, machines: int, whole: bool) -> None:
    """The whole curve of least costs; space for it, beside the machines, is in `extra_info`."""
    data = slots(machines, "little")[0]
    most = GAMMA * machines * 16.0  # More than the largest machines have GPUs.
    make = hull_polygons if whole else lp_polygons
    polygons = make(data.capacity, WORKER, SERVER, most, most)
    prices = data.worker_cost, data.server_cost
    found = benchmark(curve, *prices, polygons, GAMMA, most)
    assert np.all(np.diff(found.cost) >= 0)
    written = found.demand, found.cost, found.worker_price, found.server_price
    arrays = (one for one in (*new_walk(polygons), *written) if isinstance(one, np.ndarray))
    used = sum(one.nbytes for one in (*arrays, *polygons))
    benchmark.extra_info["pieces"] = found.demand.size - 1
    benchmark.extra_info["megabytes"] = round(used / 1e6, 2)
