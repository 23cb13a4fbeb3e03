"""Moves of jobs between nested blocks, each accepted or not by its change of the cost."""

from typing import NamedTuple

import numpy as np

from ....simulation.jit import kernel, record
from ....simulation.model import Ints, Records
from .blocks import Blocks

MOST_TRADED = 64
"""Jobs that one trade may move."""


BLOCK_COUNTS = record("over")


class BlocksLayout(NamedTuple):
    """The layout: job j is in block ``where[j]``. A block's jobs are chained from its `head`.

    ``own[b]`` are the slots of the block's own jobs, ``load[leaf]`` the slots of all blocks above
    and at the leaf. The first ``counts[0].over`` of `over` are the leaves beyond the horizon, each
    at its `place` there.
    """

    blocks: Blocks
    horizon: int
    where: Ints
    head: Ints
    after: Ints
    ahead: Ints
    own: Ints
    load: Ints
    over: Ints
    place: Ints
    counts: Records
    picked: Ints


def new_layout(blocks: Blocks, where: Ints, horizon: int) -> BlocksLayout:
    """Return the layout before `fill`."""
    leaves, count = blocks.server.size, where.size
    return BlocksLayout(
        blocks,
        horizon,
        where.copy(),
        np.full(blocks.low.size, -1, np.int64),
        np.empty(count, np.int64),
        np.empty(count, np.int64),
        np.zeros(blocks.low.size, np.int64),
        np.zeros(leaves, np.int64),
        np.empty(leaves, np.int64),
        np.empty(leaves, np.int64),
        np.zeros(1, BLOCK_COUNTS),
        np.empty(MOST_TRADED, np.int64),
    )


@kernel
def fill(layout: BlocksLayout, carried: Ints) -> None:
    """Attach the jobs to their blocks, with a given load on the leaves in addition to these."""
    blocks = layout.blocks
    for leaf in range(layout.load.size):
        put(layout, leaf, carried[leaf])
    for j in range(layout.where.size):
        b = layout.where[j]
        _attach(layout, b, j)
        add(layout, b, blocks.slots[j, blocks.sort[b]])


@kernel
def heaviest(layout: BlocksLayout) -> int:
    """Return the heaviest load, or the horizon if no leaf is overloaded."""
    top = layout.horizon
    for i in range(layout.counts[0].over):
        top = max(top, layout.load[layout.over[i]])
    return top


@kernel
def any_job(layout: BlocksLayout, block: int) -> int:
    """Return one of the block's own jobs, each with the same chance, or -1."""
    j, k, seen = -1, layout.head[block], 0
    while k >= 0:
        seen += 1
        if np.random.randint(seen) == 0:
            j = k
        k = layout.after[k]
    return j


@kernel
def above(layout: BlocksLayout, block: int) -> int:
    """Return the slots of the jobs in the blocks around a block."""
    blocks, slots = layout.blocks, 0
    for level in range(blocks.level[block] + 1, blocks.at.shape[0]):
        around = blocks.at[level, blocks.low[block]]
        if around >= 0:
            slots += layout.own[around]
    return slots


@kernel
def cost_of(layout: BlocksLayout, block: int, slots: int) -> int:
    """Return by how much the cost changes if a block's leaves carry `slots` slots more."""
    change, blocks = 0, layout.blocks
    for leaf in range(blocks.low[block], blocks.high[block]):
        beyond = layout.load[leaf] - layout.horizon
        change += max(beyond + slots, 0) - max(beyond, 0)
    return change


@kernel
def put(layout: BlocksLayout, leaf: int, load: int) -> None:
    """Give a leaf a load, and list it or not as beyond the horizon."""
    horizon = layout.horizon
    was, counts = layout.load[leaf] > horizon, layout.counts[0]
    layout.load[leaf] = load
    if load > horizon and not was:
        layout.over[counts.over] = leaf
        layout.place[leaf] = counts.over
        counts.over += 1
    elif was and load <= horizon:
        counts.over -= 1
        last = layout.over[counts.over]
        layout.over[layout.place[leaf]] = last
        layout.place[last] = layout.place[leaf]


@kernel
def add(layout: BlocksLayout, block: int, slots: int) -> None:
    """Add `slots` slots to a block's own jobs."""
    layout.own[block] += slots
    blocks = layout.blocks
    for leaf in range(blocks.low[block], blocks.high[block]):
        put(layout, leaf, layout.load[leaf] + slots)


@kernel
def _attach(layout: BlocksLayout, block: int, job: int) -> None:
    layout.where[job] = block
    layout.after[job] = layout.head[block]
    layout.ahead[job] = -1
    if layout.head[block] >= 0:
        layout.ahead[layout.head[block]] = job
    layout.head[block] = job


@kernel
def _detach(layout: BlocksLayout, job: int) -> None:
    if layout.ahead[job] >= 0:
        layout.after[layout.ahead[job]] = layout.after[job]
    else:
        layout.head[layout.where[job]] = layout.after[job]
    if layout.after[job] >= 0:
        layout.ahead[layout.after[job]] = layout.ahead[job]


@kernel
def reattach(layout: BlocksLayout, block: int, job: int) -> None:
    """Move a job to a block. Loads are up to the caller."""
    _detach(layout, job)
    _attach(layout, block, job)


FOCUS = 0.9
"""Part of the moves that start from an overloaded leaf."""

PARTS = {"trade-all": 0.3, "trade-some": 0.3, "move": 0.1, "swap": 0.3}
"""The proposed moves, and how often each is made."""

HEAT_BATH = "heat-bath"
"""The move without a proposal: two blocks redistribute their own jobs."""

SHARE_EVERY = 12
"""One move in twelve is a heat bath."""

MOVES = (*PARTS, HEAT_BATH)


class MoveOdds(NamedTuple):
    """Thresholds of a random number below which each move is made. Two jobs swap beyond."""

    trade_all: float
    trade_some: float
    move: float
    share_every: int
    """Heat baths are one in this many moves, or never if 0."""


def move_odds(without: str | None = None) -> MoveOdds:
    """Return the usual odds. Without one of `MOVES`, the other moves keep their proportions."""
    parts = [0.0 if name == without else part for name, part in PARTS.items()]
    trade_all, trade_some, move, _ = np.cumsum(parts) / sum(parts)
    bath = 0 if without == HEAT_BATH else SHARE_EVERY
    return MoveOdds(float(trade_all), float(trade_some), float(move), bath)


@kernel
def try_one(layout: BlocksLayout, temperature: float, odds: MoveOdds) -> int:
    """Propose a move, and return the change of the cost."""
    blocks = layout.blocks
    if np.random.random() < FOCUS:
        leaf = layout.over[np.random.randint(layout.counts[0].over)]
        a = blocks.at[np.random.randint(blocks.at.shape[0]), leaf]
        if a < 0:
            return 0
        j = any_job(layout, a)
    else:
        j = np.random.randint(layout.where.size)
        a = layout.where[j]
    level = blocks.level[a]
    b = np.random.randint(blocks.first[level], blocks.first[level + 1])
    kind = np.random.random()
    if kind < odds.trade_all:
        return _trade_all(layout, a, b, temperature)
    if j < 0:
        return 0
    if kind < odds.trade_some:
        return _trade_some(layout, a, b, j, temperature)
    if kind < odds.move:
        return _move(layout, a, b, j, temperature)
    k = blocks.jobs[np.random.randint(blocks.start[level], blocks.start[level + 1])]
    return _swap(layout, j, k, temperature)


@kernel
def _accept(change: int, temperature: float) -> bool:
    return change <= 0 or np.random.random() < np.exp(-change / temperature)


@kernel
def _shift(
    layout: BlocksLayout, a: int, more_a: int, b: int, more_b: int, temperature: float
) -> tuple[bool, int]:
    """Add slots to two blocks if the change of the cost is accepted, and return both."""
    change = cost_of(layout, a, more_a)
    change += cost_of(layout, b, more_b)
    if not _accept(change, temperature):
        return False, 0
    add(layout, a, more_a)
    add(layout, b, more_b)
    return True, change


@kernel
def _move(layout: BlocksLayout, a: int, b: int, j: int, temperature: float) -> int:
    if a == b:
        return 0
    blocks = layout.blocks
    before, after = blocks.slots[j, blocks.sort[a]], blocks.slots[j, blocks.sort[b]]
    accepted, change = _shift(layout, a, -before, b, after, temperature)
    if accepted:
        reattach(layout, b, j)
    return change


@kernel
def _swap(layout: BlocksLayout, j: int, k: int, temperature: float) -> int:
    a, b, blocks = layout.where[j], layout.where[k], layout.blocks
    more_a = blocks.slots[k, blocks.sort[a]] - blocks.slots[j, blocks.sort[a]]
    more_b = blocks.slots[j, blocks.sort[b]] - blocks.slots[k, blocks.sort[b]]
    if a == b or (more_a == 0 and more_b == 0):
        return 0
    accepted, change = _shift(layout, a, more_a, b, more_b, temperature)
    if accepted:
        reattach(layout, b, j)
        reattach(layout, a, k)
    return change


@kernel
def _trade_some(layout: BlocksLayout, a: int, b: int, j: int, temperature: float) -> int:
    """Trade job `j` of block a and some of its other jobs for some of block b."""
    blocks = layout.blocks
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
    accepted, change = _shift(layout, a, more, b, -more, temperature)
    if accepted:
        for i in range(count):
            reattach(layout, b if i < given else a, layout.picked[i])
    return change


@kernel
def _trade_all(layout: BlocksLayout, a: int, b: int, temperature: float) -> int:
    """Trade all that two blocks contain."""
    blocks, horizon = layout.blocks, layout.horizon
    if a == b or blocks.inside[a] == 0 or blocks.inside[a] != blocks.inside[b]:
        return 0
    more = above(layout, a) - above(layout, b)
    if more == 0:
        return 0
    change, x, y = 0, blocks.low[a], blocks.low[b]
    for i in range(blocks.high[a] - x):
        here, there = layout.load[x + i] - horizon, layout.load[y + i] - horizon
        change += max(there + more, 0) + max(here - more, 0) - max(here, 0) - max(there, 0)
    if not _accept(change, temperature):
        return 0
    for i in range(blocks.high[a] - x):
        here, there = layout.load[x + i], layout.load[y + i]
        put(layout, x + i, there + more)
        put(layout, y + i, here - more)
    for level in range(blocks.level[a] + 1):
        i = 0
        while i < blocks.high[a] - x:
            c, d = blocks.at[level, x + i], blocks.at[level, y + i]
            if c < 0:
                i += 1
                continue
            _exchange(layout, c, d)
            i += blocks.high[c] - blocks.low[c]
    return change


@kernel
def _exchange(layout: BlocksLayout, c: int, d: int) -> None:
    """Exchange the own jobs of two blocks."""
    layout.own[c], layout.own[d] = layout.own[d], layout.own[c]
    layout.head[c], layout.head[d] = layout.head[d], layout.head[c]
    for block in (c, d):
        j = layout.head[block]
        while j >= 0:
            layout.where[j] = block
            j = layout.after[j]
