"""The records of a walk over the polygons of a slot's machines, and their smallest changes."""

from typing import NamedTuple

import numpy as np

from ...simulation.jit import kernel
from ...simulation.model import Floats, Ints, Records
from ...simulation.records import record
from .polygons import MachineRoom, Polygons

NOW = record(
    "inside ended visited steps by_worker by_server",
    floats="demand cost worker_price server_price x y",
)
"""Where a walk stands; `inside` is the place of the machine inside its polygon at (x, y), or -1.

`visited` counts the machines that have left (0, 0), and the last two what heaps hold.
"""

EDGE = record("place tail head", floats="part")
"""A machine, by its place among those visited, that is on the edge between two corners."""


class WalkSlot(NamedTuple):
    """Finite prices of a worker and a server on each machine, and the room there.

    `ratio` = 1 / gamma servers are asked for with each worker.
    """

    worker_cost: Floats
    server_cost: Floats
    room: MachineRoom
    ratio: float


class WalkScratch(NamedTuple):
    """Space for a walk, which any later walk over at most as many machines can use.

    `place` says where among those visited a machine is, or -1. Machine ``machine[i]`` is at
    corner ``corner[i]`` of its polygon; the edge ahead takes ``ahead_x[i]`` workers from it and
    adds ``ahead_y[i]`` servers, the edge back adds ``back_x[i]`` and takes ``back_y[i]``, where
    zeros stand for no edge. Its prices are in `worker_cost` and `server_cost`.
    """

    now: Records
    edges: Records
    polygons: Polygons
    by_worker: Ints
    by_server: Ints
    place: Ints
    machine: Ints
    corner: Ints
    worker_cost: Floats
    server_cost: Floats
    ahead_x: Floats
    ahead_y: Floats
    back_x: Floats
    back_y: Floats


def new_walk(polygons: Polygons) -> WalkScratch:
    """Return space for walks over as many machines as there are polygons."""
    machines = polygons.size.size
    heap, other_heap, place, machine, corner = np.zeros((5, machines), np.int64)
    floats = np.zeros((6, machines))
    now, edges = np.zeros(1, NOW), np.zeros(2, EDGE)
    return WalkScratch(now, edges, polygons, heap, other_heap, place, machine, corner, *floats)


@kernel
def forget(walk: WalkScratch) -> None:
    """Drop the polygons, as the room has changed."""
    walk.polygons.used[0] = 0
    for h in range(walk.polygons.size.size):
        walk.polygons.size[h] = 0


@kernel
def visit(slot: WalkSlot, walk: WalkScratch, machine: int) -> int:
    """Put a machine among those visited, at (0, 0); return its place."""
    place = walk.now[0].visited
    walk.now[0].visited = place + 1
    walk.place[machine] = place
    walk.machine[place] = machine
    walk.corner[place] = 0
    walk.worker_cost[place] = slot.worker_cost[machine]
    walk.server_cost[place] = slot.server_cost[machine]
    hide(walk, place)
    return int(place)


@kernel
def hide(walk: WalkScratch, place: int) -> None:
    """Offer no edge of a machine while it is in the basis."""
    walk.ahead_x[place], walk.ahead_y[place] = 0.0, 0.0
    walk.back_x[place], walk.back_y[place] = 0.0, 0.0


@kernel
def enter(walk: WalkScratch, which: int, place: int, head: int) -> None:
    """Let a machine leave its corner on the edge to corner `head`."""
    edge = walk.edges[which]
    edge.place, edge.tail, edge.head, edge.part = place, walk.corner[place], head, 0.0
    hide(walk, place)


@kernel
def settle(walk: WalkScratch, place: int, corner: int) -> None:
    """Put a machine at a corner and offer the edges from there; none leads back to (0, 0)."""
    polygons, h = walk.polygons, walk.machine[place]
    at = polygons.first[h] + corner
    walk.corner[place] = corner
    hide(walk, place)
    if corner + 1 < polygons.size[h]:
        walk.ahead_x[place] = polygons.x[at] - polygons.x[at + 1]
        walk.ahead_y[place] = polygons.y[at + 1] - polygons.y[at]
    if corner > 1:
        walk.back_x[place] = polygons.x[at - 1] - polygons.x[at]
        walk.back_y[place] = polygons.y[at] - polygons.y[at - 1]


@kernel
def vector(walk: WalkScratch, which: int) -> tuple[float, float]:
    """Return what a whole edge of the basis adds in workers and in servers."""
    edge, polygons = walk.edges[which], walk.polygons
    first = polygons.first[walk.machine[edge.place]]
    tail, head = first + edge.tail, first + edge.head
    return polygons.x[head] - polygons.x[tail], polygons.y[head] - polygons.y[tail]
