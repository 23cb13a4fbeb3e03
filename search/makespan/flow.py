"""Nested blocks as a flow: how many free blocks of each sort have how many slots left.

Jobs fill blocks from large to small, so all that matters of a free block is what lies inside it,
and how many slots are left on its GPUs until the horizon. Blocks of which both are the same are
counted together: they are a node, and a job that goes into one of them moves one block to the node
with its slots less. A block that gets no more jobs of its size falls into those inside it. Whole
flows in which every job has moved one block are schedules of nested blocks that end by the horizon,
and the other way round.

Source: the arc-flow program of cutting stock (Valerio de Carvalho 1999), here for nested sizes.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ...formulations.program import Floats, Matrix
from ...simulation.model import Ints
from .blocks import Blocks

Pool = dict[tuple[int, int], list[int]]
"""Free blocks by what they are like, and by the slots that are left on them."""

Goes = tuple[Ints | int, int]
"""Rows of columns, or one for all, and the value there."""

SPLIT, LEFT_OUT = -1, -2
"""What a column stands for, if not for jobs in a block."""

NOISE = 1e-3
"""Costs up to this of jobs in blocks, at random: without them most points cost the same."""


class BlockTree(NamedTuple):
    """Which blocks lie inside which: `inside` those directly in each, `outer` those in no other.

    Blocks of one `kind` are of one sort and have alike blocks inside. `some` has a block of each
    kind, and `kinds` are in order, outer ones first.
    """

    inside: list[list[int]]
    outer: list[int]
    kind: list[int]
    some: list[int]
    kinds: list[int]


def tree_of(blocks: Blocks) -> BlockTree:
    """Say which blocks lie inside which."""
    count = blocks.low.size
    inside: list[list[int]] = [[] for _ in range(count)]
    outer = set(range(count))
    for b in range(count):
        below = [q for q in range(blocks.level[b]) if blocks.at[q, blocks.low[b]] >= 0]
        if below:
            level = blocks.at[below[-1], blocks.low[b] : blocks.high[b]]
            inside[b] = list(dict.fromkeys(level.tolist()))
            outer -= set(inside[b])
    known: dict[tuple[int, tuple[int, ...]], int] = {}
    kind, some = [0] * count, list[int]()
    for b in np.argsort(blocks.level, kind="stable").tolist():
        parts = tuple(sorted(kind[c] for c in inside[b]))
        kind[b] = known.setdefault((int(blocks.sort[b]), parts), len(known))
        if kind[b] == len(some):
            some.append(b)
    size = blocks.high - blocks.low
    kinds = sorted(range(len(some)), key=lambda k: (-blocks.level[some[k]], -size[some[k]]))
    return BlockTree(inside, sorted(outer), kind, some, kinds)


def all_free(tree: BlockTree, horizon: int) -> Pool:
    """Return the pool in which no job has a block."""
    pool: Pool = defaultdict(list)
    for b in tree.outer:
        pool[tree.kind[b], horizon].append(b)
    return pool


class FlowProgram(NamedTuple):
    """The program of some jobs and a pool, and what its columns stand for.

    Column c puts jobs of ``groups[group[c]]``, which are alike, into blocks of the kind ``kind[c]``
    with ``free[c]`` slots, of which they take ``slots[c]``; or it is `SPLIT` or `LEFT_OUT`.
    """

    matrix: Matrix
    groups: list[list[int]]
    group: Ints
    kind: Ints
    free: Ints
    slots: Ints


def flow_program(
    blocks: Blocks, tree: BlockTree, pool: Pool, jobs: Iterable[int], rng: np.random.Generator
) -> FlowProgram:
    """Minimise the GPU-slots of jobs that find no block, and beside that what chance says."""
    groups = _alike(blocks, jobs)
    reached = _reached(blocks, tree, pool, groups)
    node, nodes = dict[int, Ints](), 0
    for kind, free in reached.items():
        node[kind] = np.full(int(free.max()) + 1, -1)
        node[kind][free] = np.arange(nodes, nodes + free.size)
        nodes += free.size
    table = _Columns()
    for kind, free in reached.items():
        block = tree.some[kind]
        for g, group in enumerate(groups):
            if blocks.rank[group[0]] == blocks.level[block]:
                slots = int(blocks.slots[group[0], blocks.sort[block]])
                fit = free[free >= slots]
                fit = fit[node[kind][fit - slots] >= 0]
                before, after = node[kind][fit], node[kind][fit - slots]
                goes: list[Goes] = [(before, -1), (after, 1), (nodes + g, 1)]
                table.add(g, kind, fit, slots, len(group), 0.0, goes)
        parts = Counter(tree.kind[c] for c in tree.inside[block])
        if parts:
            goes = [(node[kind][free], -1)]
            goes += [(node[part][free], count) for part, count in parts.items()]
            table.add(SPLIT, kind, free, 0, np.inf, 0.0, goes)
    for g, group in enumerate(groups):
        first = blocks.first[blocks.rank[group[0]]]
        area = (blocks.high[first] - blocks.low[first]) * blocks.slots[group[0]].min()
        table.add(LEFT_OUT, g, np.zeros(1, np.int64), 0, len(group), float(area), [(nodes + g, 1)])
    supply = np.zeros(nodes + len(groups))
    for (kind, left), there in pool.items():
        if there:
            supply[node[kind][left]] = -len(there)
    supply[nodes:] = [len(group) for group in groups]
    return table.program(groups, supply, nodes, rng)


def _alike(blocks: Blocks, jobs: Iterable[int]) -> list[list[int]]:
    """Group jobs of one size that take the same slots in every block; the large and long first."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for j in jobs:
        found[-int(blocks.rank[j]), *(-blocks.slots[j]).tolist()].append(j)
    return [found[key] for key in sorted(found)]


def _reached(
    blocks: Blocks, tree: BlockTree, pool: Pool, groups: Sequence[Sequence[int]]
) -> dict[int, Ints]:
    """Return by kind the slots that can be left on a block, as sums of jobs say."""
    bits = dict.fromkeys(tree.kinds, 0)
    for (kind, left), there in pool.items():
        bits[kind] |= bool(there) << left
    for kind in tree.kinds:
        block = tree.some[kind]
        for group in groups:
            if blocks.rank[group[0]] == blocks.level[block]:
                slots = int(blocks.slots[group[0], blocks.sort[block]])
                for _ in range(min(len(group), bits[kind].bit_length() // slots)):
                    bits[kind] |= bits[kind] >> slots
        for part in {tree.kind[c] for c in tree.inside[block]}:
            bits[part] |= bits[kind]
    return {
        kind: np.array([left for left, bit in enumerate(f"{held:b}"[::-1]) if bit == "1"])
        for kind, held in bits.items()
        if held
    }


class _Columns:
    """Columns as they are added, many at once."""

    def __init__(self) -> None:
        self._parts: list[tuple[Ints, ...]] = []
        self._upper, self._cost = list[Floats](), list[Floats]()
        self._rows, self._of, self._values = list[Ints](), list[Ints](), list[Floats]()
        self._count = 0

    def add(
        self,
        group: int,
        kind: int,
        free: Ints,
        slots: int,
        upper: float,
        cost: float,
        goes: Sequence[Goes],
    ) -> None:
        """Add a column for each number of free slots, with such values in such rows."""
        n = free.size
        self._parts.append((np.full(n, group), np.full(n, kind), free, np.full(n, slots)))
        self._upper.append(np.full(n, upper))
        self._cost.append(np.full(n, cost))
        for rows, value in goes:
            self._rows.append(np.broadcast_to(np.asarray(rows, np.int64), n))
            self._of.append(np.arange(self._count, self._count + n))
            self._values.append(np.full(n, float(value)))
        self._count += n

    def program(
        self, groups: list[list[int]], supply: Floats, nodes: int, rng: np.random.Generator
    ) -> FlowProgram:
        """Return the program of these columns."""
        group, kind, free, slots = (np.concatenate(part) for part in zip(*self._parts, strict=True))
        cost = np.concatenate(self._cost) + np.where(group >= 0, NOISE * rng.random(group.size), 0)
        places = np.concatenate(self._rows), np.concatenate(self._of)
        shape = supply.size, self._count
        matrix = Matrix(
            columns=tuple(map(str, range(self._count))),
            rows=tuple(map(str, range(supply.size))),
            cost=cost,
            lower=np.zeros(self._count),
            upper=np.concatenate(self._upper),
            integer=np.zeros(self._count, np.bool_),
            a=csr_array((np.concatenate(self._values), places), shape=shape),
            row_lower=supply,
            row_upper=np.where(np.arange(supply.size) < nodes, np.inf, supply),
        )
        return FlowProgram(matrix, groups, group, kind, free, slots)
