"""How prices grow when a basis has come to its end, and which edge enters the next one."""

import numpy as np

from ...simulation.heaps import pop_least
from ...simulation.jit import kernel
from .polygons import make
from .walk_state import WalkScratch, WalkSlot, enter, vector, visit

PARALLEL = 1e-12
"""An edge whose angle with the one that stays is less is parallel to it."""


@kernel
def turn(slot: WalkSlot, walk: WalkScratch) -> None:
    """Let prices grow along the normal of the edge that stays until another edge can enter."""
    now = walk.now[0]
    x, y = vector(walk, 0)
    up, across = abs(y), abs(x)
    time = until_inside(walk, up, across)
    machine, head, time = until_visit(slot, walk, up, across, time)
    place, corner, time = until_leave(walk, up, across, time)
    if time == np.inf:
        now.ended = 1
        return
    now.worker_price += up * max(time, 0.0)
    now.server_price += across * max(time, 0.0)
    if place >= 0:
        enter(walk, 1, place, corner)
    elif machine >= 0:
        enter(walk, 1, visit(slot, walk, machine), head)
    else:
        edge = walk.edges[0]
        now.inside, now.x, now.y = edge.place, edge.part * x, edge.part * y


@kernel
def until_inside(walk: WalkScratch, up: float, across: float) -> float:
    """Return when the machine that stays on an axis may as well be inside its polygon."""
    now, edge = walk.now[0], walk.edges[0]
    if edge.tail > 0 or walk.polygons.size[walk.machine[edge.place]] < 3:
        return np.inf
    if up == 0:
        return float((walk.server_cost[edge.place] - now.server_price) / across)
    return float((walk.worker_cost[edge.place] - now.worker_price) / up)


@kernel
def until_visit(
    slot: WalkSlot, walk: WalkScratch, up: float, across: float, time: float
) -> tuple[int, int, float]:
    """Return the machine that leaves (0, 0) first, if before `time`, its next corner, and when."""
    now, machine, head = walk.now[0], -1, 0
    h = next_worker(slot, walk) if up > 0 else -1
    if h >= 0 and slot.worker_cost[h] - now.worker_price < time * up:
        machine, head, time = h, 1, (slot.worker_cost[h] - now.worker_price) / up
    h = next_server(slot, walk) if across > 0 else -1
    if h >= 0 and slot.server_cost[h] - now.server_price < time * across:
        head, time = walk.polygons.size[h] - 1, (slot.server_cost[h] - now.server_price) / across
        machine = h
    return machine, head, time


@kernel
def until_leave(walk: WalkScratch, up: float, across: float, time: float) -> tuple[int, int, float]:
    """Return the machine that leaves another corner first, likewise."""
    place, head = -1, 0
    worker_price, server_price = walk.now[0].worker_price, walk.now[0].server_price
    for i in range(walk.now[0].visited):
        worker_margin = worker_price - walk.worker_cost[i]
        server_margin = server_price - walk.server_cost[i]
        more, less = across * walk.ahead_y[i], up * walk.ahead_x[i]
        if more - less > PARALLEL * (more + less):
            loss = worker_margin * walk.ahead_x[i] - server_margin * walk.ahead_y[i]
            if loss < time * (more - less):
                place, head, time = i, walk.corner[i] + 1, loss / (more - less)
        more, less = up * walk.back_x[i], across * walk.back_y[i]
        if more - less > PARALLEL * (more + less):
            loss = server_margin * walk.back_y[i] - worker_margin * walk.back_x[i]
            if loss < time * (more - less):
                place, head, time = i, walk.corner[i] - 1, loss / (more - less)
    return place, head, time


@kernel
def next_worker(slot: WalkSlot, walk: WalkScratch) -> int:
    """Return the cheapest machine for a worker that has not been visited, or -1."""
    now, polygons = walk.now[0], walk.polygons
    while now.by_worker > 0:
        h = walk.by_worker[0]
        if walk.place[h] < 0:
            if polygons.size[h] == 0:
                make(slot.room, polygons, h)
            if polygons.size[h] > 1 and polygons.x[polygons.first[h] + 1] > 0:
                return int(h)
        pop_least(walk.by_worker, now.by_worker, slot.worker_cost)
        now.by_worker -= 1
    return -1


@kernel
def next_server(slot: WalkSlot, walk: WalkScratch) -> int:
    """Return the cheapest machine for a server that has not been visited, or -1."""
    now, polygons = walk.now[0], walk.polygons
    while now.by_server > 0:
        h = walk.by_server[0]
        if walk.place[h] < 0:
            if polygons.size[h] == 0:
                make(slot.room, polygons, h)
            if polygons.size[h] > 1 and polygons.y[polygons.first[h] + polygons.size[h] - 1] > 0:
                return int(h)
        pop_least(walk.by_server, now.by_server, slot.server_cost)
        now.by_server -= 1
    return -1
