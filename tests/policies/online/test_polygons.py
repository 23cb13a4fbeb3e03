"""Polygons of what fits on a machine, and their integer hulls, against brute force."""

from math import floor

import numpy as np
import pytest
import slot_exact
from scipy.optimize import linprog
from slot_cases import slot_case

from ringyard.formulations.online.slot_program import SlotData
from ringyard.policies.online.curve import curve, hull_polygons, lp_polygons
from ringyard.policies.online.polygons import Polygons


def case(seed: int) -> SlotData:
    return slot_case(np.random.default_rng(seed))


def limits(data: SlotData) -> tuple[float, float]:
    return data.most_workers, float(np.ceil(data.most_workers / data.workers_per_server))


def corners(polygons: Polygons, machine: int) -> list[tuple[float, float]]:
    part = slice(polygons.first[machine], polygons.first[machine] + polygons.size[machine])
    return list(zip(polygons.x[part].tolist(), polygons.y[part].tolist(), strict=True))


def turns(points: list[tuple[float, float]]) -> list[float]:
    """Return for each corner how far the polygon turns to the left there."""
    ring = [*points, *points[:2]]
    return [
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        for a, b, c in zip(ring, ring[1:], ring[2:], strict=False)
    ]


def whole_points(data: SlotData, machine: int) -> set[tuple[int, int]]:
    """Return the numbers of workers and servers that fit, by trying all."""
    width, height = (floor(most) + 1 for most in limits(data))
    room = data.capacity[machine] * (1 + 1e-12)
    return {
        (w, s)
        for w in range(width)
        for s in range(height)
        if (w * data.worker + s * data.server <= room).all()
    }


@pytest.mark.parametrize("seed", range(20))
def test_corners_are_where_lines_meet(seed: int) -> None:
    data = case(seed)
    most = data.most_workers, data.most_workers / data.workers_per_server
    polygons = lp_polygons(data.capacity, data.worker, data.server, *most)
    for h in range(len(data.worker_cost)):
        found = corners(polygons, h)
        expected = slot_exact.corners(data, h)
        assert found[0] == (0, 0)
        assert len(found) < 3 or min(turns(found)) > 0
        apart = [c for c in expected if not any(np.allclose([*map(float, c)], f) for f in found)]
        assert not apart
        assert len(found) <= len(expected)


@pytest.mark.parametrize("seed", range(20))
def test_hulls_have_whole_corners_and_hold_all_whole_points(seed: int) -> None:
    data = case(seed)
    polygons = hull_polygons(data.capacity, data.worker, data.server, *limits(data))
    for h in range(len(data.worker_cost)):
        found, points = corners(polygons, h), whole_points(data, h)
        assert found[0] == (0, 0)
        assert points >= set(found)
        if len(found) < 3:
            assert points <= {(w, s) for w, s in points if w == 0 or s == 0}
            assert max(map(sum, points)) == sum(found[-1])
            continue
        assert min(turns(found)) > 0
        for a, b in zip(found, [*found[1:], found[0]], strict=True):
            for w, s in points:
                assert (b[0] - a[0]) * (s - a[1]) - (b[1] - a[1]) * (w - a[0]) >= 0


@pytest.mark.parametrize("seed", range(20))
def test_the_curve_of_hulls_is_that_of_mixtures_of_whole_points(seed: int) -> None:
    """Each machine takes whole points in parts that add up to one; HiGHS chooses the parts."""
    data = case(seed)
    points = [(h, w, s) for h in range(len(data.worker_cost)) for w, s in whole_points(data, h)]
    machine, workers, servers = np.array(points).T
    costs = data.worker_cost[machine] * workers + data.server_cost[machine] * servers
    polygons = hull_polygons(data.capacity, data.worker, data.server, *limits(data))
    gamma, most = data.workers_per_server, data.most_workers
    found = curve(data.worker_cost, data.server_cost, polygons, gamma, most)
    for demand in (0.3 * most, np.floor(0.6 * most), most):
        mixed = linprog(
            costs,
            A_ub=-np.stack([workers, servers]),
            b_ub=[-demand, -demand / gamma],
            A_eq=np.equal.outer(np.arange(len(data.worker_cost)), machine).astype(float),
            b_eq=np.ones(len(data.worker_cost)),
        )
        expected = mixed.fun if mixed.status == 0 else np.inf
        assert found.at(demand) == pytest.approx(expected, 1e-9, 1e-9)


def test_a_hull_by_hand() -> None:
    """With 3 w + 2 s <= 7: (2, 0), (1, 2) and (0, 3) are the outer corners."""
    hulls = hull_polygons(np.array([[7.0]]), np.array([3.0]), np.array([2.0]))
    assert corners(hulls, 0) == [(0, 0), (2, 0), (1, 2), (0, 3)]


def test_workers_need_not_need_everything() -> None:
    """At most 5 workers, 5 servers and 7 of both: five corners, though no resource limits all."""
    needs = np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 1.0])
    hulls = hull_polygons(np.array([[5.0, 5.0, 7.0]]), *needs)
    assert corners(hulls, 0) == [(0, 0), (5, 0), (5, 2), (2, 5), (0, 5)]


def test_hundreds_of_workers_have_few_corners() -> None:
    hulls = hull_polygons(np.array([[1000.0, 777.0]]), np.array([3.0, 1.0]), np.array([1.0, 2.0]))
    found = corners(hulls, 0)
    assert found[1] == (333, 0)
    assert found[-1] == (0, 388)
    assert len(found) < 12
    assert min(turns(found)) > 0


def test_what_nearly_fits_fits() -> None:
    """Ten tenths make one, though ten times 0.1 from 1 leaves less than nothing in floats."""
    hulls = hull_polygons(np.array([[1 - 9 * 0.1]]), np.array([0.1]), np.array([0.1]))
    assert corners(hulls, 0) == [(0, 0), (1, 0), (0, 1)]
