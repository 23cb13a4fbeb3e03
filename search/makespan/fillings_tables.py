"""Tables of what fillings are worth at prices of jobs, and the best filling, in kernels.

The table of a kind says for every number of slots what the best filling of such a block is worth: a
knapsack over the jobs of its own size, on top of what the tables of the blocks inside it say.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...formulations.program import Floats
from ...simulation.jit import entry, kernel
from ...simulation.model import Ints
from .blocks_tree import BlockTree

LITTLE = 1e-9
"""Gains below this are none."""


class WorthTables(NamedTuple):
    """Tables by kind, and what they are made of.

    Kind k has the parts ``parts[first[k]:first[k+1]]``, all kinds inside it and itself are
    ``within[begin[k]:begin[k+1]]``, inner ones first, and groups of its own jobs
    ``own[start[k]:start[k+1]]``, which take `slots[k]`. By slots its best filling has `worth[k, i]`
    with the first `i` of `jobs[k]` jobs, of the groups `items[k]`.
    """

    first: Ints
    parts: Ints
    begin: Ints
    within: Ints
    start: Ints
    own: Ints
    slots: Ints
    worth: Floats
    items: Ints
    jobs: Ints

    def inside(self, kind: int) -> Ints:
        """Return all kinds inside one and itself, inner ones first."""
        return self.within[self.begin[kind] : self.begin[kind + 1]]


def empty_tables(
    tree: BlockTree, slots: Ints, own: list[Ints], jobs: int, horizon: int
) -> WorthTables:
    """Return tables for at most so many jobs of a kind's own size."""
    kinds = range(len(tree.kinds))
    size = len(tree.kinds), jobs
    return WorthTables(
        *_flat(tree.parts),
        *_flat([_within(tree, kind) for kind in kinds]),
        *_flat([some.tolist() for some in own]),
        slots,
        np.zeros((len(tree.kinds), jobs + 1, horizon + 1)),
        np.zeros(size, np.int64),
        np.zeros(len(tree.kinds), np.int64),
    )


def _within(tree: BlockTree, kind: int) -> list[int]:
    found, todo = set[int](), [kind]
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += tree.parts[one]
    return [one for one in reversed(tree.kinds) if one in found]


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Return where each list begins, and all of them in one."""
    begin = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return begin, np.array([one for some in lists for one in some], np.int64)


@entry
def worth_of(
    tables: WorthTables, kinds: Ints, nodes: Ints, free: Ints, prices: Floats, left: Ints
) -> Floats:
    """Return what the best fillings of nodes are worth, kinds of blocks with so many slots free.

    The tables of all kinds, inner ones first, are made for the jobs that are left.
    """
    top, found = free.max(), np.zeros(nodes.size)
    for kind in kinds:
        _make(tables, kind, top, prices, left)
    for i in range(nodes.size):
        found[i] = tables.worth[nodes[i], tables.jobs[nodes[i]], free[i]]
    return found


@kernel
def _make(tables: WorthTables, kind: int, top: int, prices: Floats, left: Ints) -> None:
    """Make a table for up to `top` slots."""
    worth, slots = tables.worth[kind], tables.slots[kind]
    before = worth[0]
    before[: top + 1] = 0.0
    for i in range(tables.first[kind], tables.first[kind + 1]):
        part = tables.parts[i]
        inside = tables.worth[part, tables.jobs[part]]
        for h in range(top + 1):
            before[h] += inside[h]
    count = 0
    for i in range(tables.start[kind], tables.start[kind + 1]):
        group = tables.own[i]
        price, needs = prices[group], slots[group]
        if price <= LITTLE or needs > top:
            continue
        for _ in range(left[group]):
            tables.items[kind, count] = group
            count += 1
            before, now = worth[count - 1], worth[count]
            for h in range(needs):
                now[h] = before[h]
            for h in range(needs, top + 1):
                without, taken = before[h], before[h - needs] + price
                now[h] = taken if taken > without else without
    tables.jobs[kind] = count


@entry
def best_filling(
    tables: WorthTables,
    outer: int,
    slots: int,
    prices: Floats,
    left: Ints,
    anew: bool,
    groups: Ints,
    counts: Ints,
) -> int:
    """Write the best filling of a block, blocks before their parts; return how many jobs it has.

    Of each block there is the number of its own jobs, and their groups, large ones first. `left`
    loses them. Its own tables are made for what is left; with `anew` those of all parts but first
    ones as well, for what is left then.
    """
    for i in range(tables.begin[outer], tables.begin[outer + 1]):
        _make(tables, tables.within[i], slots, prices, left)
    todo_kind, todo_free = np.zeros(counts.size, np.int64), np.zeros(counts.size, np.int64)
    todo_kind[0], todo_free[0] = outer, slots
    todo, blocks, jobs = 1, 0, 0
    while todo > 0:
        todo -= 1
        kind, free = todo_kind[todo], todo_free[todo]
        first = kind >= 0
        if not first:
            kind = -kind - 1
            if anew:
                for i in range(tables.begin[kind], tables.begin[kind + 1]):
                    _make(tables, tables.within[i], free, prices, left)
        counts[blocks] = 0
        for i in range(tables.jobs[kind] - 1, -1, -1):
            if tables.worth[kind, i + 1, free] > tables.worth[kind, i, free] + LITTLE:
                group = tables.items[kind, i]
                groups[jobs] = group
                jobs += 1
                counts[blocks] += 1
                left[group] -= 1
                free -= tables.slots[kind, group]
        blocks += 1
        for i in range(tables.first[kind + 1] - 1, tables.first[kind] - 1, -1):
            part = tables.parts[i]
            todo_kind[todo] = part if i == tables.first[kind] else -part - 1
            todo_free[todo] = free
            todo += 1
    return jobs
