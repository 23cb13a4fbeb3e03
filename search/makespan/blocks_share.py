"""The own jobs of two blocks shared out anew, the best way or nearly, in one kernel.

Near the end hardly any move is accepted, so trying them one by one is slow. Here all ways to
part the own jobs of two blocks are valued at once, against many second blocks, and one is
drawn: a heat bath.
"""

from typing import NamedTuple

import numpy as np

from ...simulation.jit import entry, kernel
from ...simulation.model import Ints
from .blocks_layout import BlocksLayout, add, cost_of, reattach

MOST_OWN = 5
"""Own jobs of a block that are shared out; others stay."""

WINDOW = 256
"""Second blocks among which one is drawn."""

COLDEST = 10.0
"""A way that costs this many times the heat more is never drawn."""


class OwnSets(NamedTuple):
    """Own jobs of a block, and what each set of them takes here and there."""

    jobs: Ints
    slots: Ints
    elsewhere: Ints


@entry
def new_sets() -> OwnSets:
    """Return empty arrays."""
    sets = 1 << MOST_OWN
    return OwnSets(np.empty(MOST_OWN, np.int64), np.zeros(sets, np.int64), np.zeros(sets, np.int64))


@kernel
def share(layout: BlocksLayout, own: OwnSets, other: OwnSets, a: int, heat: float) -> int:
    """Share out the own jobs of block `a` and of another; return by how much the cost changed."""
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
                if _least(top, over, more) + _least(top_b, over_b, more_b) > COLDEST * heat:
                    continue
                now = cost_of(layout, a, more)
                now += cost_of(layout, b, more_b)
                if now > COLDEST * heat:
                    continue
                chance = np.exp(min(-now / heat, 3 * COLDEST))
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
    """Return what the cost of a block changes by at least."""
    return max(top + more, 0) - max(top, 0) if more > 0 else -over


@kernel
def _list(layout: BlocksLayout, block: int, there: int, sets: OwnSets) -> int:
    """List own jobs, and the slots of every set of them here and `there`; count the sets."""
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
