"""Jobs moved between nested blocks until no leaf is loaded beyond a horizon, in kernels.

The cost is what the leaves carry beyond the horizon, in all. Simulated annealing with five
moves: a job goes to another block; two jobs trade places; two blocks trade some of their own
jobs; two blocks trade all that lies in them, down to the leaves; and, now and then, two blocks
share out their own jobs anew.
"""

import numpy as np
from numpy.typing import NDArray

from ...simulation.jit import entry, kernel
from ...simulation.model import Ints
from .blocks import Blocks
from .blocks_layout import BlocksLayout, heaviest, new_layout
from .blocks_moves import MoveOdds, try_one
from .blocks_share import OwnSets, new_sets, share

FEW = 256
"""Overloaded leaves among which the heaviest is looked for at once."""


@entry
def pile(blocks: Blocks, order: Ints) -> Ints:
    """Put each job, in turn, where it ends first; return the blocks."""
    where = np.empty(order.size, np.int64)
    load = np.zeros(blocks.server.size, np.int64)
    for j in order:
        best = _ends_first(blocks, load, j)
        where[j] = best
        for leaf in range(blocks.low[best], blocks.high[best]):
            load[leaf] += blocks.slots[j, blocks.sort[best]]
    return where


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


@entry
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

    Leaves carry what `carried` says beside these jobs. The heat falls from `hot` to `cold` on the
    way. Ends early where no leaf is overloaded, or once another thread says so in `halt[0]`.
    """
    np.random.seed(seed)
    layout, own, other = new_layout(blocks, where, horizon, carried), new_sets(), new_sets()
    cost = 0
    for i in range(layout.counts[0].over):
        cost += layout.load[layout.over[i]] - horizon
    best, least, lowest = where.copy(), heaviest(layout), cost
    heat, cooling = hot, (cold / hot) ** (1000.0 / max(steps, 1000))
    for step in range(steps):
        if cost == 0:
            break
        if step % 1000 == 0:
            if halt[0]:
                break
            heat *= cooling
        if odds.share_every > 0 and step % odds.share_every == 0:
            cost += _share_one(layout, own, other, heat)
        else:
            cost += try_one(layout, heat, odds)
        if cost < lowest and layout.counts[0].over <= FEW:
            lowest = cost
            top = heaviest(layout)
            if top < least:
                least = top
                best[:] = layout.where
    top = heaviest(layout)
    if top < least:
        least = top
        best[:] = layout.where
    return layout.where, best, least


@kernel
def _share_one(layout: BlocksLayout, own: OwnSets, other: OwnSets, heat: float) -> int:
    """Share out the jobs of a block around an overloaded leaf with another."""
    leaf = layout.over[np.random.randint(layout.counts[0].over)]
    at = layout.blocks.at
    a = at[np.random.randint(at.shape[0]), leaf]
    return share(layout, own, other, a, heat) if a >= 0 else 0
