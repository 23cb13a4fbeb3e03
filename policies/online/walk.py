"""The walk of the dual prices of a slot's linear program as its demand grows (kernels).

One job in one slot requires W workers and W / gamma parameter servers at least cost. With prices
(lambda, mu) of a worker and of a server, machine h earns most at a corner of its polygon for the
margins (lambda - c^w_h, mu - c^s_h). At the optimum all machines are at corners except two on
edges, or one inside its polygon. This is a *basis*. Its point moves with W until a machine reaches
the end of its edge, or an edge from inside. The other edge stays. Prices then grow along its outer
normal until an edge of some machine, which leaves its corner in a better direction, breaks even.
That edge completes the next basis. See docs/theory/slot-program.md.

`begin`, then `reach` for each demand, in growing order, and `point` for each plan needed:

    begin(slot, walk)
    cost = reach(slot, walk, demand)            # infinity if that does not fit
    size = point(walk, machine, workers, servers)
"""

from typing import NamedTuple

import numpy as np

from ...simulation.heaps import pop_least, push
from ...simulation.jit import kernel, record
from ...simulation.model import Floats, Ints, Records
from .polygons import MachineRoom, Polygons, make

NOW = record("inside ended visited steps", floats="demand cost worker_price server_price x y")
"""State of a walk. `inside` is the place of the machine inside its polygon at (x, y), or -1.

`visited` is the number of machines that have left (0, 0).
"""

EDGE = record("place tail head", floats="part")
"""A machine, by its place among those visited, that is on the edge between two corners."""


class WalkSlot(NamedTuple):
    """Finite prices of a worker (row 0) and a server (row 1) on each machine, and the room there.

    Each worker requires `ratio` = 1 / gamma servers.
    """

    cost: Floats
    room: MachineRoom
    ratio: float


class WalkScratch(NamedTuple):
    """Space for a walk, which any later walk over at most as many machines can use.

    `heaps` have machines by the price of a worker, and of a server. `waiting` are their sizes.
    `place` is the place of a machine among those visited, or -1. Machine ``machine[i]`` is at
    corner ``corner[i]`` of its polygon. The edge ahead removes ``ahead_x[i]`` workers and adds
    ``ahead_y[i]`` servers. The edge back adds ``back_x[i]`` workers and removes ``back_y[i]``
    servers. Zeros mean no edge. Its prices are in `worker_cost` and `server_cost`.
    """

    now: Records
    edges: Records
    polygons: Polygons
    heaps: Ints
    waiting: Ints
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
    heaps, waiting = np.zeros((2, machines), np.int64), np.zeros(2, np.int64)
    places, floats = np.zeros((3, machines), np.int64), np.zeros((6, machines))
    now, edges = np.zeros(1, NOW), np.zeros(2, EDGE)
    return WalkScratch(now, edges, polygons, heaps, waiting, *places, *floats)


@kernel
def forget(walk: WalkScratch) -> None:
    """Drop the polygons because the room has changed."""
    walk.polygons.used[0] = 0
    for h in range(walk.polygons.size.size):
        walk.polygons.size[h] = 0


@kernel
def visit(slot: WalkSlot, walk: WalkScratch, machine: int) -> int:
    """Add a machine to the visited ones, at (0, 0), and return its place."""
    place = walk.now[0].visited
    walk.now[0].visited = place + 1
    walk.place[machine] = place
    walk.machine[place] = machine
    walk.corner[place] = 0
    walk.worker_cost[place] = slot.cost[0, machine]
    walk.server_cost[place] = slot.cost[1, machine]
    hide(walk, place)
    return int(place)


@kernel
def hide(walk: WalkScratch, place: int) -> None:
    """Hide the edges of a machine while it is in the basis."""
    walk.ahead_x[place], walk.ahead_y[place] = 0.0, 0.0
    walk.back_x[place], walk.back_y[place] = 0.0, 0.0


@kernel
def enter(walk: WalkScratch, which: int, place: int, head: int) -> None:
    """Let a machine leave its corner on the edge to corner `head`."""
    edge = walk.edges[which]
    edge.place, edge.tail, edge.head, edge.part = place, walk.corner[place], head, 0.0
    hide(walk, place)


@kernel
def put_at_corner(walk: WalkScratch, place: int, corner: int) -> None:
    """Put a machine at a corner, with the edges from there except one back to (0, 0)."""
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
    """Return the workers and servers that a whole edge of the basis adds."""
    edge, polygons = walk.edges[which], walk.polygons
    first = polygons.first[walk.machine[edge.place]]
    tail, head = first + edge.tail, first + edge.head
    return polygons.x[head] - polygons.x[tail], polygons.y[head] - polygons.y[tail]


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
    for kind, pace, price in ((0, up, now.worker_price), (1, across, now.server_price)):
        h = next_machine(slot, walk, kind) if pace > 0 else -1
        if h >= 0 and slot.cost[kind, h] - price < time * pace:
            machine, time = h, (slot.cost[kind, h] - price) / pace
            head = walk.polygons.size[h] - 1 if kind else 1
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
def next_machine(slot: WalkSlot, walk: WalkScratch, kind: int) -> int:
    """Return the cheapest machine for a worker, or a server, that has not been visited, or -1."""
    polygons, heap = walk.polygons, walk.heaps[kind]
    while walk.waiting[kind] > 0:
        h = heap[0]
        if walk.place[h] < 0:
            if polygons.size[h] == 0:
                make(slot.room, polygons, h)
            first, last = polygons.first[h], polygons.first[h] + polygons.size[h] - 1
            if last > first and (polygons.y[last] if kind else polygons.x[first + 1]) > 0:
                return int(h)
        pop_least(heap, walk.waiting[kind], slot.cost[kind])
        walk.waiting[kind] -= 1
    return -1


STEPS = 1_000_000
"""A walk with more steps cycles, which only rounding can cause."""

SHORT = 1e-9
"""A demand above capacity by less than this fraction still fits."""


@kernel
def begin(slot: WalkSlot, walk: WalkScratch) -> None:
    """Start at no demand, with the prices of the cheapest worker and the cheapest server."""
    now = walk.now[0]
    machines = slot.cost.shape[1]
    for h in range(machines):
        push(walk.heaps[0], h, slot.cost[0], h)
        push(walk.heaps[1], h, slot.cost[1], h)
        walk.place[h] = -1
    walk.waiting[:] = machines
    now.demand, now.cost, now.visited, now.steps, now.inside = 0.0, 0.0, 0, 0, -1
    first, second = next_machine(slot, walk, 0), next_machine(slot, walk, 1)
    now.ended = first < 0 or second < 0
    if now.ended:
        return
    now.worker_price, now.server_price = slot.cost[0, first], slot.cost[1, second]
    if first == second:
        now.inside, now.x, now.y = visit(slot, walk, first), 0.0, 0.0
    else:
        enter(walk, 0, visit(slot, walk, first), 1)
        place = visit(slot, walk, second)
        enter(walk, 1, place, walk.polygons.size[second] - 1)


@kernel
def reach(slot: WalkSlot, walk: WalkScratch, demand: float) -> float:
    """Walk to a demand, no smaller than the last, and return its cost, infinite if infeasible."""
    now = walk.now[0]
    if demand > slot.room.most_workers:
        return np.inf
    while advance(slot, walk, demand):
        pass
    if now.steps >= STEPS:
        return np.nan
    return np.inf if demand - now.demand > SHORT * demand else float(now.cost)


@kernel
def advance(slot: WalkSlot, walk: WalkScratch, demand: float) -> bool:
    """Step towards a demand, and return True if there was a step."""
    now = walk.now[0]
    if now.demand >= demand or now.ended or now.steps >= STEPS:
        return False
    now.steps += 1
    if slide(slot, walk, demand):
        turn(slot, walk)
    return True


@kernel
def slide(slot: WalkSlot, walk: WalkScratch, demand: float) -> bool:
    """Let the demand grow, at most to `demand`, and return True if the basis ended before.

    The edge that stays is then the first of `edges`.
    """
    if walk.now[0].inside >= 0:
        return slide_inside(slot, walk, demand)
    one, two = walk.edges[0], walk.edges[1]
    ax, ay = vector(walk, 0)
    bx, by = vector(walk, 1)
    det = ax * by - ay * bx
    pace, other_pace = (by - slot.ratio * bx) / det, (slot.ratio * ax - ay) / det
    time, other_time = until_end(one.part, pace), until_end(two.part, other_pace)
    step = grow(slot, walk, demand, min(time, other_time))
    one.part = min(max(one.part + pace * step, 0.0), 1.0)
    two.part = min(max(two.part + other_pace * step, 0.0), 1.0)
    if step < min(time, other_time):
        return False
    if time <= other_time:
        put_at_corner(walk, one.place, one.head if pace > 0 else one.tail)
        one.place, one.tail, one.head, one.part = two.place, two.tail, two.head, two.part
    else:
        put_at_corner(walk, two.place, two.head if other_pace > 0 else two.tail)
    return True


@kernel
def until_end(part: float, pace: float) -> float:
    """Return how much demand may grow until a machine comes to an end of its edge."""
    if pace > 0:
        return (1.0 - part) / pace
    return part / -pace if pace < 0 else np.inf


@kernel
def grow(slot: WalkSlot, walk: WalkScratch, demand: float, most: float) -> float:
    """Let the demand grow by `most`, or to `demand`, and return the growth."""
    now = walk.now[0]
    step = min(most, demand - now.demand)
    now.cost += step * (now.worker_price + slot.ratio * now.server_price)
    now.demand = now.demand + step if step < demand - now.demand else demand
    return float(step)


@kernel
def slide_inside(slot: WalkSlot, walk: WalkScratch, demand: float) -> bool:
    """Do as `slide` with one machine inside its polygon, which it leaves over an outer edge."""
    now, polygons = walk.now[0], walk.polygons
    h = walk.machine[now.inside]
    first, count = polygons.first[h], polygons.size[h]
    exit_at, time = first, np.inf
    for at in range(first + 1, first + count - 1):
        out_x, out_y = polygons.y[at + 1] - polygons.y[at], polygons.x[at] - polygons.x[at + 1]
        gap = out_x * (polygons.x[at] - now.x) + out_y * (polygons.y[at] - now.y)
        there = max(gap, 0.0) / (out_x + slot.ratio * out_y)
        if there < time:
            exit_at, time = at, there
    step = grow(slot, walk, demand, time)
    now.x += step
    now.y += slot.ratio * step
    if step < time:
        return False
    edge = walk.edges[0]
    edge.place, edge.tail, edge.head = now.inside, exit_at - first, exit_at - first + 1
    x, y = vector(walk, 0)
    along = x * (now.x - polygons.x[exit_at]) + y * (now.y - polygons.y[exit_at])
    edge.part = min(max(along / (x * x + y * y), 0.0), 1.0)
    now.inside = -1
    return True


@kernel
def point(walk: WalkScratch, machine: Ints, workers: Floats, servers: Floats) -> int:
    """Write the plan at the demand reached, by machine, and return the number of machines used."""
    now, polygons = walk.now[0], walk.polygons
    for i in range(now.visited):
        at = polygons.first[walk.machine[i]] + walk.corner[i]
        machine[i], workers[i], servers[i] = walk.machine[i], polygons.x[at], polygons.y[at]
    if now.inside >= 0:
        workers[now.inside], servers[now.inside] = now.x, now.y
    elif now.visited > 0:
        for which in range(1 if now.ended else 2):
            edge = walk.edges[which]
            at = polygons.first[walk.machine[edge.place]] + edge.tail
            x, y = vector(walk, which)
            workers[edge.place] = polygons.x[at] + edge.part * x
            servers[edge.place] = polygons.y[at] + edge.part * y
    return int(now.visited)
