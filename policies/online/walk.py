"""The walk of the dual prices of a slot's linear program as its demand grows; kernels.

One job in one slot wants W workers and W / gamma parameter servers at least cost. With prices
(lambda, mu) of a worker and of a server, machine h earns most at a corner of its polygon for the
margins (lambda - c^w_h, mu - c^s_h). At the optimum all machines stand at corners but two on
edges, or one inside its polygon: that is a *basis*, and its point moves with W until a machine
comes to an end of its edge, or from inside onto an edge. The other edge stays. Prices then grow
along its outer normal until an edge of some machine, which leaves its corner in a better
direction, loses nothing: that edge completes the next basis. See docs/online/slot-lp.md.

`begin`, then `reach` for each demand, in growing order, and `point` where a plan is wanted:

    begin(slot, walk)
    cost = reach(slot, walk, demand)            # infinity if that does not fit
    size = point(walk, machine, workers, servers)
"""

import numpy as np

from ...simulation.heaps import push
from ...simulation.jit import kernel
from ...simulation.model import Floats, Ints
from .turn import next_server, next_worker, turn
from .walk_state import WalkScratch, WalkSlot, enter, settle, vector, visit

STEPS = 1_000_000
"""A walk that takes more goes in circles, which only rounding could make it do."""

SHORT = 1e-9
"""A demand above what fits by less than this part of it fits."""


@kernel
def begin(slot: WalkSlot, walk: WalkScratch) -> None:
    """Start at no demand, with the prices of the cheapest worker and the cheapest server."""
    now = walk.now[0]
    machines = slot.worker_cost.size
    for h in range(machines):
        push(walk.by_worker, h, slot.worker_cost, h)
        push(walk.by_server, h, slot.server_cost, h)
        walk.place[h] = -1
    now.by_worker, now.by_server = machines, machines
    now.demand, now.cost, now.visited, now.steps, now.inside = 0.0, 0.0, 0, 0, -1
    first, second = next_worker(slot, walk), next_server(slot, walk)
    now.ended = first < 0 or second < 0
    if now.ended:
        return
    now.worker_price, now.server_price = slot.worker_cost[first], slot.server_cost[second]
    if first == second:
        now.inside, now.x, now.y = visit(slot, walk, first), 0.0, 0.0
    else:
        enter(walk, 0, visit(slot, walk, first), 1)
        place = visit(slot, walk, second)
        enter(walk, 1, place, walk.polygons.size[second] - 1)


@kernel
def reach(slot: WalkSlot, walk: WalkScratch, demand: float) -> float:
    """Walk on to a demand, no smaller than the last; return its cost, infinite if none fits."""
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
    """Take a step towards a demand; say whether there was one to take."""
    now = walk.now[0]
    if now.demand >= demand or now.ended or now.steps >= STEPS:
        return False
    now.steps += 1
    if slide(slot, walk, demand):
        turn(slot, walk)
    return True


@kernel
def slide(slot: WalkSlot, walk: WalkScratch, demand: float) -> bool:
    """Let the demand grow, at most to `demand`; say whether the basis came to its end before.

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
        settle(walk, one.place, one.head if pace > 0 else one.tail)
        one.place, one.tail, one.head, one.part = two.place, two.tail, two.head, two.part
    else:
        settle(walk, two.place, two.head if other_pace > 0 else two.tail)
    return True


@kernel
def until_end(part: float, pace: float) -> float:
    """Return how much demand may grow until a machine comes to an end of its edge."""
    if pace > 0:
        return (1.0 - part) / pace
    return part / -pace if pace < 0 else np.inf


@kernel
def grow(slot: WalkSlot, walk: WalkScratch, demand: float, most: float) -> float:
    """Let the demand grow by `most`, or to `demand`; return by how much."""
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
    """Write the plan at the demand reached, by machine; return how many have a part in it."""
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
