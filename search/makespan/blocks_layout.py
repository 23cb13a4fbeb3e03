"""Which job is in which block, and what the leaves carry: kept up to date by kernels."""

from typing import NamedTuple

import numpy as np

from ...simulation.jit import entry, kernel
from ...simulation.model import Ints, Records
from ...simulation.records import record
from .blocks import Blocks

MOST_TRADED = 64
"""Jobs that one trade may move."""


BLOCK_COUNTS = record("over")


class BlocksLayout(NamedTuple):
    """Who is where: job j in block ``where[j]``; a block's jobs are chained from its `head`.

    ``own[b]`` are the slots of the block's own jobs, ``load[leaf]`` all above and at the leaf; the
    first ``counts[0].over`` of `over` are the leaves beyond the horizon, each at its `place` there.
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


@entry
def new_layout(blocks: Blocks, where: Ints, horizon: int, carried: Ints) -> BlocksLayout:
    """Return the records of who is where, if leaves carry so much beside these jobs."""
    leaves, count = blocks.server.size, where.size
    layout = BlocksLayout(
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
    for leaf in range(leaves):
        put(layout, leaf, carried[leaf])
    for j in range(count):
        b = where[j]
        _attach(layout, b, j)
        add(layout, b, blocks.slots[j, blocks.sort[b]])
    return layout


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
    """Let a block's own jobs take `slots` slots more."""
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
    """Move a job to a block; loads are up to the caller."""
    _detach(layout, job)
    _attach(layout, block, job)
