"""Block patterns: the content of a block until the horizon, and the most valuable at prices.

A pattern is a chain of jobs of the block's own size, one after the other, and, side by side,
patterns of the blocks inside it for the slots that the chain leaves. At prices of jobs a table for
each kind of block, inner kinds first, has the worth of the best pattern for every number of slots:
a knapsack over the jobs of its size, on top of the worth of the blocks inside. A pattern comes in
pieces: the chains of large blocks, and the whole content of a small one.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from ....formulations.program import Floats
from ....simulation.jit import entry, kernel
from ....simulation.model import Ints
from ..annealing.blocks import Blocks, BlockTree

MOST_WORTHS = 20_000_000
"""Jobs times slots for which there are tables: some 300 MB of them."""

WHOLE = 3
"""The highest level of a small block: the fourth size of jobs."""

Node = tuple[int, int]
"""A kind of block, and the slots that are left on it."""


def too_large(blocks: Blocks, horizon: int) -> bool:
    """Return True if tables of patterns until a horizon would take too much memory."""
    return blocks.rank.size * horizon > MOST_WORTHS


class PatternPiece(NamedTuple):
    """The groups of the jobs in a block of a kind with `free` slots left.

    `counts` are the jobs in the block itself and, if it is a small one, in each block inside.
    Blocks come before their parts, and a group once for each job, last ones first.
    """

    kind: int
    free: int
    counts: tuple[int, ...] = (0,)
    jobs: tuple[int, ...] = ()

    @property
    def chain(self) -> tuple[int, ...]:
        """Jobs of the block's own size."""
        return self.jobs[: self.counts[0]]


class BlockPatterns:
    """Patterns of blocks. Equal jobs form a group, large and long ones first."""

    def __init__(self, blocks: Blocks, tree: BlockTree, horizon: int) -> None:
        """Group the jobs of these blocks."""
        self.tree, self.horizon = tree, horizon
        self.groups = _alike(blocks)
        some = np.array([group[0] for group in self.groups])
        self.level = blocks.rank[some]
        first = blocks.first[self.level]
        self.area = (blocks.high[first] - blocks.low[first]) * blocks.slots[some].min(axis=1)
        kinds = range(len(tree.kinds))
        self.slots = np.array([blocks.slots[some, blocks.sort[tree.some[k]]] for k in kinds])
        """Of each kind, the slots that a job of each group takes there."""
        self.levels = [int(blocks.level[tree.some[k]]) for k in kinds]
        self.small = [level <= WHOLE for level in self.levels]
        own = [np.flatnonzero(self.level == level) for level in self.levels]
        sizes = np.array([len(group) for group in self.groups])
        most = max(int(sizes[some].sum()) for some in own)
        self._tables = empty_tables(tree, self.slots, own, most, horizon)
        self._blocks, self._slots = [tree.blocks_in(kind) for kind in kinds], self.slots.tolist()
        inside = max(self._blocks)
        self._jobs, self._counts = np.zeros(inside * most, np.int64), np.zeros(inside, np.int64)

    def after(self, piece: PatternPiece) -> int:
        """Return the slots that the block's own jobs leave to the blocks inside."""
        slots: list[int] = self._slots[piece.kind]
        return piece.free - sum(slots[group] for group in piece.chain)

    def needs(self, piece: PatternPiece) -> int:
        """Return the slots that a piece takes of a small block. A large block must have its own."""
        if not self.small[piece.kind]:
            return piece.free
        jobs, todo, most = iter(piece.jobs), [(piece.kind, 0)], 0
        for count in piece.counts:
            kind, taken = todo.pop()
            for group in islice(jobs, count):
                taken += self._slots[kind][group]
            most = max(most, taken)
            todo += [(part, taken) for part in reversed(self.tree.parts[kind])]
        return most

    def parts(self, piece: PatternPiece) -> Iterator[PatternPiece]:
        """Yield the pieces of the blocks directly inside, from the piece of a small block."""
        counts, jobs = iter(piece.counts[1:]), iter(piece.jobs[piece.counts[0] :])
        free = self.after(piece)
        for part in self.tree.parts[piece.kind] if self.small[piece.kind] else ():
            own = tuple(islice(counts, self._blocks[part]))
            yield PatternPiece(part, free, own, tuple(islice(jobs, sum(own))))

    def most_free(self, nodes: list[Node]) -> list[int]:
        """Return the most slots left on a block of each kind in blocks like these, or -1."""
        most = np.full(len(self.tree.kinds), -1)
        for kind, free in nodes:
            inside = self._tables.inside(kind)
            most[inside] = np.maximum(most[inside], free)
        found: list[int] = most.tolist()
        return found

    def worth(self, nodes: list[Node], prices: Floats, left: Ints) -> Floats:
        """Return the worth of the best pattern of each node."""
        kinds = {kind for outer, _ in nodes for kind in self._tables.inside(outer).tolist()}
        order = [kind for kind in reversed(self.tree.kinds) if kind in kinds]
        outer, free = np.array(nodes).T
        return worth_of(self._tables, np.array(order), outer, free, prices, left)

    def best(
        self, node: Node, prices: Floats, left: Ints, *, twice: bool = False
    ) -> list[PatternPiece]:
        """Return the pieces of a pattern of high worth for a node. `left` loses its jobs.

        It holds no job twice. It is the best pattern if the parts of blocks want different jobs.
        The first part chooses first. With `twice` it is the best pattern in which several parts may
        hold the same job.
        """
        kind, free = node
        count = best_pattern(
            self._tables, kind, free, prices, left, not twice, self._jobs, self._counts
        )
        counts = iter(self._counts[: self._blocks[kind]].tolist())
        jobs, todo, found = iter(self._jobs[:count].tolist()), [node], list[PatternPiece]()
        while todo:
            kind, free = todo.pop()
            own = tuple(islice(counts, self._blocks[kind] if self.small[kind] else 1))
            piece = PatternPiece(kind, free, own, tuple(islice(jobs, sum(own))))
            if piece.jobs:
                found.append(piece)
            if not self.small[kind]:
                free = self.after(piece)
                todo += [(part, free) for part in reversed(self.tree.parts[kind])]
        return found


def _alike(blocks: Blocks) -> list[list[int]]:
    """Group jobs of one size that take the same slots in every block."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for j in range(blocks.rank.size):
        found[-int(blocks.rank[j]), *(-blocks.slots[j]).tolist()].append(j)
    return [found[key] for key in sorted(found)]


LITTLE = 1e-9
"""Gains below this are rounding errors."""


class WorthTables(NamedTuple):
    """Tables by kind, and their ingredients.

    Kind k has the parts ``parts[first[k]:first[k+1]]``. The kinds inside it, with itself, are
    ``within[begin[k]:begin[k+1]]``, inner ones first. The groups of its own jobs are
    ``own[start[k]:start[k+1]]``, which take `slots[k]`. By slots its best pattern has `worth[k, i]`
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
    """Return tables for at most `jobs` jobs of a kind's own size."""
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
    """Return a kind and all kinds inside it, inner ones first."""
    found = {kind}
    for one in tree.kinds:  # outer ones first
        if one in found:
            found.update(tree.parts[one])
    return [one for one in reversed(tree.kinds) if one in found]


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Ints, Ints]:
    """Return where each list begins, and all of them in one."""
    begin = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return begin, np.array([one for some in lists for one in some], np.int64)


@entry
def worth_of(
    tables: WorthTables, kinds: Ints, nodes: Ints, free: Ints, prices: Floats, left: Ints
) -> Floats:
    """Return the worth of the best pattern of each node, a kind of block with free slots.

    The tables of `kinds`, inner ones first, are rebuilt for the remaining jobs.
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
def best_pattern(
    tables: WorthTables,
    outer: int,
    slots: int,
    prices: Floats,
    left: Ints,
    anew: bool,
    groups: Ints,
    counts: Ints,
) -> int:
    """Write the best pattern of a block into `counts` and `groups`, and return its number of jobs.

    Blocks come before their parts, each with the number of its own jobs and their groups, large
    ones first. `left` loses these jobs. The tables of the block are built for the jobs left at
    first. With `anew` the tables of all parts but first ones are rebuilt for the jobs left by then.
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
