"""Jobs moved between nested blocks until no leaf is loaded beyond a horizon, in kernels.

The cost is what the leaves carry beyond the horizon, in all. Simulated annealing with four
moves: a job goes to another block; two jobs trade places; two blocks trade some of their own
jobs; two blocks trade all that lies in them, down to the leaves. Most moves start from a leaf
that carries too much.
"""

from typing import NamedTuple

import numpy as np

from ..simulation.jit import entry, kernel
from ..simulation.model import Ints
from .blocks import Blocks

FOCUS = 0.9
"""Part of the moves that start from an overloaded leaf."""

TRADE_ALL, TRADE_SOME, MOVE = 0.3, 0.6, 0.7
"""Thresholds of a random number below which each move is made; two jobs swap beyond."""

MOST_TRADED = 64
"""Jobs that one trade may move."""

FEW = 256
"""Overloaded leaves among which the heaviest is looked for at once."""


class Layout(NamedTuple):
    """Who is where: job j in block ``where[j]``; a block's jobs are chained from its `head`.

    ``own[b]`` are the slots of the block's own jobs, ``load[leaf]`` all above and at the leaf;
    ``over[:tally[0]]`` are the leaves beyond the horizon, each at its `place` there.
    """

    where: Ints
    head: Ints
    after: Ints
    ahead: Ints
    own: Ints
    load: Ints
    over: Ints
    place: Ints
    tally: Ints
    picked: Ints


@entry
def pile(blocks: Blocks, order: Ints) -> Ints:
    """Put each job, in turn, where it ends first; return the blocks."""
    where = np.empty(order.size, np.int64)
    load = np.zeros(blocks.server.size, np.int64)
    for j in order:
        level, best, least = blocks.rank[j], -1, 0
        for b in range(blocks.first[level], blocks.first[level + 1]):
            end = blocks.slots[j, blocks.sort[b]]
            top = 0
            for leaf in range(blocks.low[b], blocks.high[b]):
                top = max(top, load[leaf])
            if best < 0 or end + top < least:
                best, least = b, end + top
        where[j] = best
        for leaf in range(blocks.low[best], blocks.high[best]):
            load[leaf] += blocks.slots[j, blocks.sort[best]]
    return where


@entry
def anneal(
    blocks: Blocks, where: Ints, horizon: int, steps: int, hot: float, cold: float, seed: int
) -> tuple[Ints, Ints, int]:
    """Return the last layout, the one with the lightest heaviest leaf, and that leaf's load.

    The heat falls from `hot` to `cold` on the way. Ends early where no leaf is overloaded.
    """
    np.random.seed(seed)
    layout = _layout(blocks, where, horizon)
    cost = 0
    for i in range(layout.tally[0]):
        cost += layout.load[layout.over[i]] - horizon
    best, least, lowest = where.copy(), _heaviest(layout, horizon), cost
    heat, cooling = hot, (cold / hot) ** (1000.0 / max(steps, 1000))
    for step in range(steps):
        if cost == 0:
            break
        if step % 1000 == 0:
            heat *= cooling
        cost += _try(blocks, layout, horizon, heat)
        if cost < lowest and layout.tally[0] <= FEW:
            lowest = cost
            top = _heaviest(layout, horizon)
            if top < least:
                least = top
                best[:] = layout.where
    top = _heaviest(layout, horizon)
    if top < least:
        least = top
        best[:] = layout.where
    return layout.where, best, least


@kernel
def _heaviest(layout: Layout, horizon: int) -> int:
    """Return the heaviest load, or the horizon if no leaf is overloaded."""
    top = horizon
    for i in range(layout.tally[0]):
        top = max(top, layout.load[layout.over[i]])
    return top


@entry
def _layout(blocks: Blocks, where: Ints, horizon: int) -> Layout:
    leaves, count = blocks.server.size, where.size
    layout = Layout(
        where.copy(),
        np.full(blocks.low.size, -1, np.int64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.zeros(blocks.low.size, np.int64),
        np.zeros(leaves, np.int64),
        np.empty(leaves, np.int64),
        np.empty(leaves, np.int64),
        np.zeros(1, np.int64),
        np.empty(MOST_TRADED, np.int64),
    )
    for j in range(count):
        b = where[j]
        _attach(layout, b, j)
        _add(blocks, layout, b, blocks.slots[j, blocks.sort[b]], horizon)
    return layout


@kernel
def _try(blocks: Blocks, layout: Layout, horizon: int, heat: float) -> int:
    """Propose a move; return by how much the cost changed."""
    if np.random.random() < FOCUS:
        leaf = layout.over[np.random.randint(layout.tally[0])]
        a = blocks.at[np.random.randint(blocks.at.shape[0]), leaf]
        if a < 0:
            return 0
        j = _any_job(layout, a)
    else:
        j = np.random.randint(layout.where.size)
        a = layout.where[j]
    level = blocks.level[a]
    b = np.random.randint(blocks.first[level], blocks.first[level + 1])
    kind = np.random.random()
    if kind < TRADE_ALL:
        return _trade_all(blocks, layout, a, b, horizon, heat)
    if j < 0:
        return 0
    if kind < TRADE_SOME:
        return _trade_some(blocks, layout, a, b, j, horizon, heat)
    if kind < MOVE:
        return _move(blocks, layout, a, b, j, horizon, heat)
    k = blocks.jobs[np.random.randint(blocks.start[level], blocks.start[level + 1])]
    return _swap(blocks, layout, j, k, horizon, heat)


@kernel
def _any_job(layout: Layout, block: int) -> int:
    """Return one of the block's own jobs, each with the same chance, or -1."""
    j, k, seen = -1, layout.head[block], 0
    while k >= 0:
        seen += 1
        if np.random.randint(seen) == 0:
            j = k
        k = layout.after[k]
    return j


@kernel
def _accept(change: int, heat: float) -> bool:
    return change <= 0 or np.random.random() < np.exp(-change / heat)


@kernel
def _change(blocks: Blocks, layout: Layout, block: int, slots: int, horizon: int) -> int:
    """Return by how much the cost changes if a block's leaves carry so many slots more."""
    change = 0
    for leaf in range(blocks.low[block], blocks.high[block]):
        beyond = layout.load[leaf] - horizon
        change += max(beyond + slots, 0) - max(beyond, 0)
    return change


@kernel
def _set(layout: Layout, leaf: int, load: int, horizon: int) -> None:
    was = layout.load[leaf] > horizon
    layout.load[leaf] = load
    if load > horizon and not was:
        layout.over[layout.tally[0]] = leaf
        layout.place[leaf] = layout.tally[0]
        layout.tally[0] += 1
    elif was and load <= horizon:
        layout.tally[0] -= 1
        last = layout.over[layout.tally[0]]
        layout.over[layout.place[leaf]] = last
        layout.place[last] = layout.place[leaf]


@kernel
def _add(blocks: Blocks, layout: Layout, block: int, slots: int, horizon: int) -> None:
    layout.own[block] += slots
    for leaf in range(blocks.low[block], blocks.high[block]):
        _set(layout, leaf, layout.load[leaf] + slots, horizon)


@kernel
def _attach(layout: Layout, block: int, job: int) -> None:
    layout.where[job] = block
    layout.after[job] = layout.head[block]
    layout.ahead[job] = -1
    if layout.head[block] >= 0:
        layout.ahead[layout.head[block]] = job
    layout.head[block] = job


@kernel
def _detach(layout: Layout, job: int) -> None:
    if layout.ahead[job] >= 0:
        layout.after[layout.ahead[job]] = layout.after[job]
    else:
        layout.head[layout.where[job]] = layout.after[job]
    if layout.after[job] >= 0:
        layout.ahead[layout.after[job]] = layout.ahead[job]


@kernel
def _reattach(layout: Layout, block: int, job: int) -> None:
    _detach(layout, job)
    _attach(layout, block, job)


@kernel
def _move(blocks: Blocks, layout: Layout, a: int, b: int, j: int, horizon: int, heat: float) -> int:
    if a == b:
        return 0
    before, after = blocks.slots[j, blocks.sort[a]], blocks.slots[j, blocks.sort[b]]
    change = _change(blocks, layout, a, -before, horizon)
    change += _change(blocks, layout, b, after, horizon)
    if not _accept(change, heat):
        return 0
    _add(blocks, layout, a, -before, horizon)
    _add(blocks, layout, b, after, horizon)
    _reattach(layout, b, j)
    return change


@kernel
def _swap(blocks: Blocks, layout: Layout, j: int, k: int, horizon: int, heat: float) -> int:
    a, b = layout.where[j], layout.where[k]
    more_a = blocks.slots[k, blocks.sort[a]] - blocks.slots[j, blocks.sort[a]]
    more_b = blocks.slots[j, blocks.sort[b]] - blocks.slots[k, blocks.sort[b]]
    if a == b or (more_a == 0 and more_b == 0):
        return 0
    change = _change(blocks, layout, a, more_a, horizon)
    change += _change(blocks, layout, b, more_b, horizon)
    if not _accept(change, heat):
        return 0
    _add(blocks, layout, a, more_a, horizon)
    _add(blocks, layout, b, more_b, horizon)
    _reattach(layout, b, j)
    _reattach(layout, a, k)
    return change


@kernel
def _trade_some(
    blocks: Blocks, layout: Layout, a: int, b: int, j: int, horizon: int, heat: float
) -> int:
    """Trade job `j` of block a and some others of it for some of block b."""
    if a == b or blocks.sort[a] != blocks.sort[b]:
        return 0
    count, more, sort = 0, 0, blocks.sort[a]
    k = layout.head[a]
    while k >= 0 and count < MOST_TRADED:
        if k == j or np.random.random() < 0.4:
            layout.picked[count] = k
            count += 1
            more -= blocks.slots[k, sort]
        k = layout.after[k]
    given = count
    k = layout.head[b]
    while k >= 0 and count < MOST_TRADED:
        if np.random.random() < 0.5:
            layout.picked[count] = k
            count += 1
            more += blocks.slots[k, sort]
        k = layout.after[k]
    if more == 0:
        return 0
    change = _change(blocks, layout, a, more, horizon)
    change += _change(blocks, layout, b, -more, horizon)
    if not _accept(change, heat):
        return 0
    _add(blocks, layout, a, more, horizon)
    _add(blocks, layout, b, -more, horizon)
    for i in range(count):
        _reattach(layout, b if i < given else a, layout.picked[i])
    return change


@kernel
def _above(blocks: Blocks, layout: Layout, block: int) -> int:
    """Return the slots of the jobs in the blocks around a block."""
    slots = 0
    for level in range(blocks.level[block] + 1, blocks.at.shape[0]):
        around = blocks.at[level, blocks.low[block]]
        if around >= 0:
            slots += layout.own[around]
    return slots


@kernel
def _trade_all(blocks: Blocks, layout: Layout, a: int, b: int, horizon: int, heat: float) -> int:
    """Trade all that two blocks contain."""
    if a == b or blocks.inside[a] == 0 or blocks.inside[b] == 0:
        return 0
    more = _above(blocks, layout, a) - _above(blocks, layout, b)
    if more == 0:
        return 0
    change, x, y = 0, blocks.low[a], blocks.low[b]
    for i in range(blocks.high[a] - x):
        here, there = layout.load[x + i] - horizon, layout.load[y + i] - horizon
        change += max(there + more, 0) + max(here - more, 0) - max(here, 0) - max(there, 0)
    if not _accept(change, heat):
        return 0
    for i in range(blocks.high[a] - x):
        here, there = layout.load[x + i], layout.load[y + i]
        _set(layout, x + i, there + more, horizon)
        _set(layout, y + i, here - more, horizon)
    for level in range(blocks.level[a] + 1):
        i = 0
        while i < blocks.high[a] - x:
            c, d = blocks.at[level, x + i], blocks.at[level, y + i]
            _exchange(layout, c, d)
            i += blocks.high[c] - blocks.low[c]
    return change


@kernel
def _exchange(layout: Layout, c: int, d: int) -> None:
    """Exchange the own jobs of two blocks."""
    layout.own[c], layout.own[d] = layout.own[d], layout.own[c]
    layout.head[c], layout.head[d] = layout.head[d], layout.head[c]
    for block in (c, d):
        j = layout.head[block]
        while j >= 0:
            layout.where[j] = block
            j = layout.after[j]
