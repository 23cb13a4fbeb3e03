"""Kernels that anneal jobs over nested blocks until no leaf is loaded beyond a horizon.

The cost is the total load of leaves beyond the horizon. There are five moves: a job goes to another
block; two jobs trade places; two blocks trade some of their own jobs; two blocks trade all their
content, down to the leaves (`block_moves.py`); and occasionally two blocks redistribute their own
jobs.

The last move is a heat bath. Near the end few proposed moves are accepted, so trying moves one by
one is slow. Here all partitions of the own jobs of two blocks are evaluated at once, against many
second blocks, and one is sampled.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....simulation.jit import entry, kernel
from ....simulation.model import Ints
from .block_moves import (
    BlocksLayout,
    MoveOdds,
    add,
    cost_of,
    fill,
    heaviest,
    new_layout,
    reattach,
    try_one,
)
from .blocks import Blocks

MOST_OWN = 5
"""Most own jobs of a block that are redistributed. Further jobs stay."""

WINDOW = 256
"""Second blocks among which one is sampled."""

COLDEST = 10.0
"""A partition that costs this many times the temperature more is never sampled."""


class OwnSets(NamedTuple):
    """Own jobs of a block, and the slots of each set of them here and in the other block."""

    jobs: Ints
    slots: Ints
    elsewhere: Ints


def new_sets() -> OwnSets:
    """Return empty arrays."""
    sets = 1 << MOST_OWN
    return OwnSets(np.empty(MOST_OWN, np.int64), np.zeros(sets, np.int64), np.zeros(sets, np.int64))


@kernel
def share(layout: BlocksLayout, own: OwnSets, other: OwnSets, a: int, temperature: float) -> int:
    """Redistribute the own jobs of block `a` and of another, and return the change of the cost."""
    blocks = layout.blocks
    first = blocks.first[blocks.level[a]]
    count = blocks.first[blocks.level[a] + 1] - first
    start = np.random.randint(count)
    top, over = _load(layout, a)
    known, chances, chosen, given, taken, cost = -1, 1.0, -1, 0, 0, 0
    sets = 0
    for i in range(min(count, WINDOW)):
        b = first + (start + i) % count
        if b == a or (layout.head[a] < 0 and layout.head[b] < 0):
            continue
        sort = blocks.sort[b]
        if sort != known:
            sets = _list(layout, a, sort, own)
            known = sort
        others = _list(layout, b, blocks.sort[a], other)
        top_b, over_b = _load(layout, b)
        for mine in range(sets):
            for yours in range(others):
                more = other.elsewhere[yours] - own.slots[mine]
                more_b = own.elsewhere[mine] - other.slots[yours]
                if more == 0 and more_b == 0:
                    continue
                if _least(top, over, more) + _least(top_b, over_b, more_b) > COLDEST * temperature:
                    continue
                now = cost_of(layout, a, more)
                now += cost_of(layout, b, more_b)
                if now > COLDEST * temperature:
                    continue
                chance = np.exp(min(-now / temperature, 3 * COLDEST))
                chances += chance
                if np.random.random() * chances < chance:
                    chosen, given, taken, cost = b, mine, yours, now
    if chosen >= 0:
        _carry_out(layout, own, other, a, chosen, given, taken)
    return cost


@kernel
def _load(layout: BlocksLayout, block: int) -> tuple[int, int]:
    """Return the heaviest load under a block, less the horizon, and the overload in all."""
    blocks, horizon = layout.blocks, layout.horizon
    top, over = -horizon, 0
    for leaf in range(blocks.low[block], blocks.high[block]):
        beyond = layout.load[leaf] - horizon
        top = max(top, beyond)
        over += max(beyond, 0)
    return top, over


@kernel
def _least(top: int, over: int, more: int) -> int:
    """Return a lower bound on the change of a block's cost."""
    return max(top + more, 0) - max(top, 0) if more > 0 else -over


@kernel
def _list(layout: BlocksLayout, block: int, there: int, sets: OwnSets) -> int:
    """List own jobs, and the slots of every set of them here and `there`. Return the set count."""
    blocks, count, job = layout.blocks, 0, layout.head[block]
    jobs, slots, elsewhere = sets
    while job >= 0 and count < MOST_OWN:
        jobs[count] = job
        for i in range(1 << count):
            slots[i + (1 << count)] = slots[i] + blocks.slots[job, blocks.sort[block]]
            elsewhere[i + (1 << count)] = elsewhere[i] + blocks.slots[job, there]
        count += 1
        job = layout.after[job]
    return 1 << count


@kernel
def _carry_out(
    layout: BlocksLayout, own: OwnSets, other: OwnSets, a: int, b: int, given: int, taken: int
) -> None:
    sort = layout.blocks.sort
    _list(layout, a, sort[b], own)
    _list(layout, b, sort[a], other)
    add(layout, a, other.elsewhere[taken] - own.slots[given])
    add(layout, b, own.elsewhere[given] - other.slots[taken])
    for i in range(MOST_OWN):
        if given >> i & 1:
            reattach(layout, b, own.jobs[i])
    for i in range(MOST_OWN):
        if taken >> i & 1:
            reattach(layout, a, other.jobs[i])


FEW = 256
"""A new best layout is looked for only with at most this many overloaded leaves."""


@entry
def pile(blocks: Blocks, order: Ints) -> Ints:
    """Put each job, in turn, where it ends first, and return the blocks."""
    where = np.empty(order.size, np.int64)
    _pile(blocks, order, np.zeros(blocks.server.size, np.int64), where)
    return where


@entry
def pile_behind(blocks: Blocks, order: Ints, carried: Ints) -> Ints:
    """Put each job, in turn, where it ends first behind a load on the leaves."""
    where = np.empty(order.size, np.int64)
    _pile(blocks, order, carried.copy(), where)
    return where


@kernel
def _pile(blocks: Blocks, order: Ints, load: Ints, where: Ints) -> None:
    for j in order:
        best = _ends_first(blocks, load, j)
        where[j] = best
        for leaf in range(blocks.low[best], blocks.high[best]):
            load[leaf] += blocks.slots[j, blocks.sort[best]]


@kernel
def _ends_first(blocks: Blocks, load: Ints, job: int) -> int:
    """Return the block in which a job ends first."""
    level, best, least = blocks.rank[job], -1, 0
    for b in range(blocks.first[level], blocks.first[level + 1]):
        end = blocks.slots[job, blocks.sort[b]]
        top = 0
        for leaf in range(blocks.low[b], blocks.high[b]):
            top = max(top, load[leaf])
        if best < 0 or end + top < least:
            best, least = b, end + top
    return best


def anneal(
    blocks: Blocks,
    where: Ints,
    horizon: int,
    steps: int,
    hot: float,
    cold: float,
    seed: int,
    halt: NDArray[np.bool_],
    carried: Ints,
    odds: MoveOdds,
) -> tuple[Ints, Ints, int]:
    """Return the last layout, the one with the lightest heaviest leaf, and that leaf's load.

    Leaves carry the load `carried` in addition to these jobs. The temperature falls from `hot` to
    `cold`. Ends early if no leaf is overloaded, or once another thread sets `halt[0]`.
    """
    layout, best = new_layout(blocks, where, horizon), where.copy()
    sets = new_sets(), new_sets()
    least = anneal_layout(layout, best, *sets, steps, hot, cold, seed, halt, carried, odds)
    return layout.where, best, least


@entry
def anneal_layout(
    layout: BlocksLayout,
    best: Ints,
    own: OwnSets,
    other: OwnSets,
    steps: int,
    hot: float,
    cold: float,
    seed: int,
    halt: NDArray[np.bool_],
    carried: Ints,
    odds: MoveOdds,
) -> int:
    """Anneal, write the best layout, and return the load of its heaviest leaf.

    The arrays are given, because code that creates arrays takes 1 s longer to compile.
    """
    np.random.seed(seed)
    fill(layout, carried)
    least = heaviest(layout)
    cost = 0
    for i in range(layout.counts[0].over):
        cost += layout.load[layout.over[i]] - layout.horizon
    lowest = cost
    temperature, cooling = hot, (cold / hot) ** (1000.0 / max(steps, 1000))
    for step in range(steps):
        if cost == 0:
            break
        if step % 1000 == 0:
            if halt[0]:
                break
            temperature *= cooling
        if odds.share_every > 0 and step % odds.share_every == 0:
            cost += _share_one(layout, own, other, temperature)
        else:
            cost += try_one(layout, temperature, odds)
        if cost < lowest and layout.counts[0].over <= FEW:
            lowest = cost
            least = _note(layout, best, least)
    return int(_note(layout, best, least))


@kernel
def _note(layout: BlocksLayout, best: Ints, least: int) -> int:
    """Note the layout as the best if its heaviest leaf is lighter, and return the least load."""
    top = heaviest(layout)
    if top < least:
        least = top
        for job in range(best.size):  # One assignment of a slice would take 2 s longer to compile.
            best[job] = layout.where[job]
    return least


@kernel
def _share_one(layout: BlocksLayout, own: OwnSets, other: OwnSets, temperature: float) -> int:
    """Share out the jobs of a block around an overloaded leaf with another."""
    leaf = layout.over[np.random.randint(layout.counts[0].over)]
    at = layout.blocks.at
    a = at[np.random.randint(at.shape[0]), leaf]
    return share(layout, own, other, a, temperature) if a >= 0 else 0
