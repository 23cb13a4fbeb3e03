"""The least cost of one job in one slot as a function of its demand, over arrays.

Solves the linear relaxation of the program in `formulations/online/slot_program.py` for all demands
at once, by the walk in `walk.py`. With integer hulls as polygons, the relaxation is stronger.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...instances.errors import InputError, RefusedError
from ...simulation.jit import entry
from ...simulation.model import Floats, Ints
from .polygons import MachineRoom, Polygons, make_all, most_corners, new_polygons
from .walk import (
    SHORT,
    STEPS,
    WalkScratch,
    WalkSlot,
    advance,
    begin,
    forget,
    new_walk,
    point,
    reach,
)

CHUNK = 256
"""Pieces of a curve written at a time."""

SAME = 1e-12
"""Prices that differ by less than this part of them are the same."""


@dataclass(frozen=True, slots=True, eq=False)
class CostCurve:
    """The least cost between breakpoints, where it is linear, and the prices there.

    Between ``demand[k]`` and ``demand[k + 1]`` workers, at costs ``cost[k]`` and ``cost[k + 1]``,
    one more worker costs ``worker_price[k]`` and one more server ``server_price[k]``.
    """

    demand: Floats
    cost: Floats
    worker_price: Floats
    server_price: Floats

    def at(self, demand: float) -> float:
        """Return the least cost of a demand, infinite beyond capacity."""
        if demand - self.demand[-1] > SHORT * demand:
            return np.inf
        return float(np.interp(demand, self.demand, self.cost))


@dataclass(frozen=True, slots=True, eq=False)
class CheapestPoint:
    """A cheapest point for one demand, by machine, and prices that prove it."""

    cost: float
    machine: Ints
    workers: Floats
    servers: Floats
    worker_price: float
    server_price: float


def lp_polygons(
    capacity: Floats,
    worker: Floats,
    server: Floats,
    most_workers: float = np.inf,
    most_servers: float = np.inf,
    *,
    whole: bool = False,
) -> Polygons:
    """Return the polygon of each machine, with at most the given workers and servers.

    `capacity` has a row for each machine. A worker uses `worker` of it, a server `server`. With
    `whole`, the polygons are integer hulls.
    """
    room = MachineRoom(capacity, worker, server, float(most_workers), float(most_servers), whole)
    for name, need, most in (
        ("worker", room.worker, room.most_workers),
        ("server", room.server, room.most_servers),
    ):
        if not need.any() and np.isinf(most):
            advice = f"give the number of {name}s"
            raise InputError.of("polygons", name, need.tolist(), "some need", advice)
    polygons = new_polygons(len(room.capacity), most_corners(room))
    make_all(room, polygons)
    return polygons


hull_polygons = partial(lp_polygons, whole=True)


def curve(
    worker_cost: Floats, server_cost: Floats, polygons: Polygons, gamma: float, most: float
) -> CostCurve:
    """Return the least costs of all demands up to `most` workers, with one server for `gamma`."""
    slot, walk = _start(worker_cost, server_cost, polygons, gamma, most)
    pieces = [np.empty((0, 4))]
    while len(pieces) == 1 or len(pieces[-1]) == CHUNK:
        found = np.empty((CHUNK, 4))
        pieces.append(found[: _trace(slot, walk, found)])
    _refuse_circles(walk)
    demand, cost, worker_price, server_price = np.concatenate(pieces).T
    now = walk.now[0]
    return CostCurve(
        np.append(demand, now["demand"]), np.append(cost, now["cost"]), worker_price, server_price
    )


def plans(
    worker_cost: Floats,
    server_cost: Floats,
    polygons: Polygons,
    gamma: float,
    most: float,
    demands: Sequence[float],
) -> list[CheapestPoint | None]:
    """Return a cheapest plan for each of the ascending demands, or None if it does not fit."""
    if list(demands) != sorted(demands):
        advice = "sort them: the walk only moves forward"
        raise InputError.of("slot", "demands", list(demands), "growing numbers", advice)
    slot, walk = _start(worker_cost, server_cost, polygons, gamma, most)
    found: list[CheapestPoint | None] = []
    for demand in demands:
        machine = np.empty(worker_cost.size, np.int64)
        workers, servers = np.empty(machine.size), np.empty(machine.size)
        cost, size = _stop(slot, walk, float(demand), machine, workers, servers)
        _refuse_circles(walk)
        now = walk.now[0]
        prices = float(now["worker_price"]), float(now["server_price"])
        plan = CheapestPoint(cost, machine[:size], workers[:size], servers[:size], *prices)
        found.append(plan if cost < np.inf else None)
    return found


def _start(
    worker_cost: Floats, server_cost: Floats, polygons: Polygons, gamma: float, most: float
) -> tuple[WalkSlot, WalkScratch]:
    """Return the begin of a walk over polygons that are made.

    Raises:
        InputError: If machines lack a price, a price is negative or infinite, or gamma is not
            positive.
    """
    for name, costs in (("worker_cost", worker_cost), ("server_cost", server_cost)):
        if costs.shape != polygons.size.shape or not ((costs >= 0) & (costs < np.inf)).all():
            expected = f"a finite price of 0 or more on each of {polygons.size.size} machines"
            raise InputError.of("slot", name, costs.tolist(), expected, "correct it")
    if not gamma > 0:
        advice = "give the number of workers per server"
        raise InputError.of("slot", "gamma", gamma, "a number above 0", advice)
    nothing = np.empty(0)
    room = MachineRoom(np.empty((0, 0)), nothing, nothing, float(most), np.inf, False)
    cost, walk = np.stack([worker_cost, server_cost]), new_walk(polygons)
    slot = WalkSlot(cost, room, 1.0 / gamma)
    _begin(slot, walk)
    return slot, walk


def _refuse_circles(walk: WalkScratch) -> None:
    if walk.now[0]["steps"] >= STEPS:
        raise RefusedError(f"the walk over demands needs more than {STEPS:,} steps")


@entry
def costs(slot: WalkSlot, walk: WalkScratch, demands: Floats, found: Floats) -> None:
    """Write the least costs of growing demands, making polygons as they are needed."""
    forget(walk)
    begin(slot, walk)
    for k in range(demands.size):
        found[k] = reach(slot, walk, demands[k])


@entry
def _begin(slot: WalkSlot, walk: WalkScratch) -> None:
    begin(slot, walk)


@entry
def _stop(
    slot: WalkSlot,
    walk: WalkScratch,
    demand: float,
    machine: Ints,
    workers: Floats,
    servers: Floats,
) -> tuple[float, int]:
    """Walk on to a demand, write its plan, and return its cost and how many machines it has."""
    cost = reach(slot, walk, demand)
    return cost, point(walk, machine, workers, servers)


@entry
def _trace(slot: WalkSlot, walk: WalkScratch, pieces: Floats) -> int:
    """Write demand, cost and prices where linear pieces begin, and return their number."""
    now, size = walk.now[0], 0
    while size < pieces.shape[0]:
        demand, cost = now.demand, now.cost
        worker_price, server_price = now.worker_price, now.server_price
        if not advance(slot, walk, slot.room.most_workers):
            break
        # At equal machine prices these may differ by rounding, which is not a new piece.
        old = size > 0 and worker_price <= pieces[size - 1, 2] * (1 + SAME)
        old = old and server_price <= pieces[size - 1, 3] * (1 + SAME)
        if now.demand > demand and not old:
            pieces[size, 0], pieces[size, 1] = demand, cost
            pieces[size, 2], pieces[size, 3] = worker_price, server_price
            size += 1
    return size
