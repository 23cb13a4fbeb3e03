"""The own jobs of two blocks shared out anew, the best way or nearly, in one kernel.

Near the end hardly any move is accepted, so trying them one by one is slow. Here all ways to
part the own jobs of two blocks are valued at once, against many second blocks, and one is
drawn: a heat bath.
"""

from typing import NamedTuple

import numpy as np

from ...simulation.jit import entry, kernel
from ...simulation.model import Ints
from .blocks import Blocks
from .blocks_layout import BlocksLayout, add, cost_of, reattach

MOST_OWN = 5
"""Own jobs of a block that are shared out; others stay."""

WINDOW = 256
"""Second blocks among which one is drawn."""

COLDEST = 10.0
"""A way that costs this many times the heat more is never drawn."""


class ShareScratch(NamedTuple):
    """Own jobs of the two blocks, and what each set of them takes here and there."""

    jobs: Ints
    others: Ints
    slots: Ints
    slots_there: Ints
    others_slots: Ints
    others_slots_there: Ints


@entry
def new_scratch() -> ShareScratch:
    """Return empty arrays."""
    sets = 1 << MOST_OWN
    return ShareScratch(
        np.empty(MOST_OWN, np.int64),
        np.empty(MOST_OWN, np.int64),
        np.zeros(sets, np.int64),
        np.zeros(sets, np.int64),
        np.zeros(sets, np.int64),
        np.zeros(sets, np.int64),
    )


@kernel
def share(
    blocks: Blocks, layout: BlocksLayout, scratch: ShareScratch, a: int, horizon: int, heat: float
) -> int:
    """Share out the own jobs of block `a` and of another; return by how much the cost changed."""
    first = blocks.first[blocks.level[a]]
    count = blocks.first[blocks.level[a] + 1] - first
    start = np.random.randint(count)
    top, over = _load(blocks, layout, a, horizon)
    known, chances, chosen, given, taken, cost = -1, 1.0, -1, 0, 0, 0
    sets = 0
    for i in range(min(count, WINDOW)):
        b = first + (start + i) % count
        if b == a or (layout.head[a] < 0 and layout.head[b] < 0):
            continue
        sort = blocks.sort[b]
        if sort != known:
            sets = _list(blocks, layout, a, sort, scratch.jobs, scratch.slots, scratch.slots_there)
            known = sort
        others = _list(
            blocks,
            layout,
            b,
            blocks.sort[a],
            scratch.others,
            scratch.others_slots,
            scratch.others_slots_there,
        )
        top_b, over_b = _load(blocks, layout, b, horizon)
        for mine in range(sets):
            for yours in range(others):
                more = scratch.others_slots_there[yours] - scratch.slots[mine]
                more_b = scratch.slots_there[mine] - scratch.others_slots[yours]
                if more == 0 and more_b == 0:
                    continue
                if _least(top, over, more) + _least(top_b, over_b, more_b) > COLDEST * heat:
                    continue
                now = cost_of(blocks, layout, a, more, horizon)
                now += cost_of(blocks, layout, b, more_b, horizon)
                if now > COLDEST * heat:
                    continue
                chance = np.exp(min(-now / heat, 3 * COLDEST))
                chances += chance
                if np.random.random() * chances < chance:
                    chosen, given, taken, cost = b, mine, yours, now
    if chosen >= 0:
        _carry_out(blocks, layout, scratch, a, chosen, given, taken, horizon)
    return cost


@kernel
def _load(blocks: Blocks, layout: BlocksLayout, block: int, horizon: int) -> tuple[int, int]:
    """Return the heaviest load under a block, less the horizon, and the overload in all."""
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
def _list(
    blocks: Blocks,
    layout: BlocksLayout,
    block: int,
    there: int,
    jobs: Ints,
    slots: Ints,
    elsewhere: Ints,
) -> int:
    """List own jobs, and the slots of every set of them here and `there`; count the sets."""
    here, count, job = blocks.sort[block], 0, layout.head[block]
    while job >= 0 and count < MOST_OWN:
        jobs[count] = job
        for i in range(1 << count):
            slots[i + (1 << count)] = slots[i] + blocks.slots[job, here]
            elsewhere[i + (1 << count)] = elsewhere[i] + blocks.slots[job, there]
        count += 1
        job = layout.after[job]
    return 1 << count


@kernel
def _carry_out(
    blocks: Blocks,
    layout: BlocksLayout,
    scratch: ShareScratch,
    a: int,
    b: int,
    given: int,
    taken: int,
    horizon: int,
) -> None:
    here, there = blocks.sort[a], blocks.sort[b]
    _list(blocks, layout, a, there, scratch.jobs, scratch.slots, scratch.slots_there)
    _list(blocks, layout, b, here, scratch.others, scratch.others_slots, scratch.others_slots_there)
    more = scratch.others_slots_there[taken] - scratch.slots[given]
    add(blocks, layout, a, more, horizon)
    more = scratch.slots_there[given] - scratch.others_slots[taken]
    add(blocks, layout, b, more, horizon)
    for i in range(MOST_OWN):
        if given >> i & 1:
            reattach(layout, b, scratch.jobs[i])
    for i in range(MOST_OWN):
        if taken >> i & 1:
            reattach(layout, a, scratch.others[i])
