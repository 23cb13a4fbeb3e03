"""Relaxations of a slot against its whole plans, against the walk, and against each other."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from ringyard.formulations.matrix import matrix_of, relaxed
from ringyard.formulations.online import slot_inside
from ringyard.formulations.online.slot_program import SlotData, twin
from ringyard.formulations.online.slot_relaxations import corners_of, either, hulls, whole_corners
from ringyard.formulations.program import Matrix
from ringyard.formulations.relaxations import union_hull
from ringyard.formulations.solver_interface.solve import solve
from ringyard.instances import SolutionStatus
from ringyard.policies.online.curve import hull_polygons, plans

SEEDS = range(20)


def case(seed: int) -> SlotData:
    """Draw a slot in whole numbers, so that floats and fractions agree on what fits."""
    rng = np.random.default_rng(seed)
    machines, resources = int(rng.integers(1, 6)), int(rng.integers(1, 4))
    worker, server = (rng.integers(0, 5, resources).astype(float) for _ in range(2))
    worker[0], server[0] = rng.integers(1, 5, 2)
    most = int(rng.integers(2, 12))
    return SlotData(
        worker_cost=rng.integers(1, 50, machines).astype(float),
        server_cost=rng.integers(1, 50, machines).astype(float),
        capacity=rng.integers(0, 25, (machines, resources)).astype(float),
        worker=worker,
        server=server,
        workers_per_server=float(rng.choice([1.0, 2.0, 3.0, 1.5])),
        least_workers=float(rng.integers(1, most + 1)),
        most_workers=float(most),
    )


def value(program: Matrix) -> float:
    """Return the optimum, infinite if there is no point."""
    found = solve(program)
    if found.status is SolutionStatus.INFEASIBLE:
        return inf
    assert found.status is SolutionStatus.OPTIMAL
    assert found.value is not None
    return found.value


def test_corners_by_hand() -> None:
    """With 3 w + 2 s <= 7: (2, 0), (1, 2) and (0, 3) are the outer corners; with w <= 1 two."""
    one = np.array([1.0])
    data = SlotData(
        worker_cost=one,
        server_cost=one,
        capacity=np.array([[7.0]]),
        worker=np.array([3.0]),
        server=np.array([2.0]),
        workers_per_server=1.0,
        least_workers=1.0,
        most_workers=9.0,
    )
    assert whole_corners(data, 0) == [(0, 3), (1, 2), (2, 0)]
    assert whole_corners(replace(data, most_workers=1.0), 0) == [(0, 3), (1, 2), (1, 0)]


@pytest.mark.parametrize("seed", SEEDS)
def test_hulls_lie_between_the_relaxation_and_whole_plans(seed: int) -> None:
    data = case(seed)
    weak, strong, best = (value(one) for one in (relaxed(twin(data)), hulls(data), twin(data)))
    assert weak <= strong * (1 + 1e-9)
    assert strong <= best * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_hulls_and_the_walk_agree(seed: int) -> None:
    data = case(seed)
    polygons = hull_polygons(data.capacity, data.worker, data.server, data.most_workers)
    costs, gamma = (data.worker_cost, data.server_cost), data.workers_per_server
    (plan,) = plans(*costs, polygons, gamma, data.most_workers, [data.least_workers])
    assert value(hulls(data)) == pytest.approx(inf if plan is None else plan.cost)


def test_a_point_of_hulls_is_one_of_the_relaxation() -> None:
    for data in map(case, SEEDS):
        found, program = solve(hulls(data)), relaxed(twin(data))
        if found.point is not None:
            held = corners_of(data).held(found.point, len(data.worker_cost))
            assert program.cost @ held == pytest.approx(found.value)
            used = program.a @ held
            assert (used <= program.row_upper + 1e-6).all()
            assert (used >= program.row_lower - 1e-6).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_either_is_the_cheaper_case(seed: int) -> None:
    data = case(seed)
    fewer = max(1.0, data.least_workers - 2)
    inside = matrix_of(slot_inside.build(replace(data, least_workers=fewer)))
    least = min(value(twin(data)), value(inside))
    assert value(either(data, fewer)) == pytest.approx(least)
    assert value(relaxed(either(data, fewer))) <= least * (1 + 1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_hull_of_a_union_has_the_least_value_of_its_parts(seed: int) -> None:
    data = case(seed)
    inside = relaxed(matrix_of(slot_inside.build(data)))
    parts = {"across": relaxed(twin(data)), "inside": replace(inside, offset=1.5)}
    least = min(map(value, parts.values()))
    assert value(union_hull(parts)) == pytest.approx(least)


def test_a_union_keeps_the_bounds_of_its_parts() -> None:
    """With x in [2, 3] or in [-5, -4] the least x is -5, and the least -x is -3."""
    row = np.array([0.0])
    part = relaxed(twin(case(0)))
    one = replace(
        part,
        columns=("x",),
        rows=("free",),
        cost=np.array([1.0]),
        integer=np.array([False]),
        a=part.a[:1, :1],
        row_lower=row - inf,
        row_upper=row + inf,
        lower=np.array([2.0]),
        upper=np.array([3.0]),
    )
    other = replace(one, lower=np.array([-5.0]), upper=np.array([-4.0]))
    assert value(union_hull({"a": one, "b": other})) == pytest.approx(-5)
    turned = [replace(part, cost=-part.cost) for part in (one, other)]
    assert value(union_hull({"a": turned[0], "b": turned[1]})) == pytest.approx(-3)
