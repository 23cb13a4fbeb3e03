"""What one block can hold until the horizon, and what of it is worth most at prices of jobs.

A filling is a chain of jobs of the block's own size, one after the other, and beside each other
fillings of the blocks inside it for the slots that the chain leaves. At prices of jobs a table for
each kind of block, from inner ones to outer ones, says what the best filling is worth for every
number of slots: a knapsack over the jobs of its size, on top of what the blocks inside are worth.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from ...formulations.program import Floats
from ...simulation.model import Ints
from .blocks import Blocks
from .blocks_tree import BlockTree
from .fillings_tables import best_filling, empty_tables, worth_of

MOST_WORTHS = 20_000_000
"""Jobs times slots for which there are tables: some 300 MB of them."""


def too_large(blocks: Blocks, horizon: int) -> bool:
    """Say whether tables of fillings until a horizon would take too much memory."""
    return blocks.rank.size * horizon > MOST_WORTHS


class Filling(NamedTuple):
    """What a block of a kind holds: so many jobs in it and in each block inside, and their groups.

    Blocks come before their parts, and a group once for each job, last ones first.
    """

    kind: int
    counts: tuple[int, ...]
    jobs: tuple[int, ...]

    @property
    def chain(self) -> tuple[int, ...]:
        """Jobs of the block's own size."""
        return self.jobs[: self.counts[0]]


class Fillings:
    """Fillings of blocks by jobs, of which alike ones are a group; large and long ones first."""

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
        own = [np.flatnonzero(self.level == level) for level in self.levels]
        sizes = np.array([len(group) for group in self.groups])
        most = max(int(sizes[some].sum()) for some in own)
        self._tables = empty_tables(tree, self.slots, own, most, horizon)
        self._blocks, self._slots = [tree.blocks_in(kind) for kind in kinds], self.slots.tolist()
        inside = max(self._blocks)
        self._jobs, self._counts = np.zeros(inside * most, np.int64), np.zeros(inside, np.int64)

    def needs(self, filling: Filling) -> int:
        """Return the slots that a filling takes."""
        jobs, todo, most = iter(filling.jobs), [(filling.kind, 0)], 0
        for count in filling.counts:
            kind, taken = todo.pop()
            for group in islice(jobs, count):
                taken += self._slots[kind][group]
            most = max(most, taken)
            todo += [(part, taken) for part in reversed(self.tree.parts[kind])]
        return most

    def parts(self, filling: Filling) -> Iterator[Filling]:
        """Yield what is in each of the blocks directly inside."""
        counts, jobs = iter(filling.counts[1:]), iter(filling.jobs[filling.counts[0] :])
        for part in self.tree.parts[filling.kind]:
            own = tuple(islice(counts, self._blocks[part]))
            yield Filling(part, own, tuple(islice(jobs, sum(own))))

    def worth(self, nodes: list[tuple[int, int]], prices: Floats, left: Ints) -> Floats:
        """Return what the best fillings are worth, of kinds of blocks with so many slots."""
        kinds = {kind for outer, _ in nodes for kind in self._tables.inside(outer).tolist()}
        order = [kind for kind in reversed(self.tree.kinds) if kind in kinds]
        outer, free = np.array(nodes).T
        return worth_of(self._tables, np.array(order), outer, free, prices, left)

    def best(
        self, node: tuple[int, int], prices: Floats, left: Ints, *, twice: bool = False
    ) -> Filling:
        """Return a filling of much worth of a kind of block with so many slots.

        In it no job is twice; `left` loses its jobs. It is the best if the parts of blocks ask for
        different jobs; the first part chooses first. With `twice` it is the best in which several
        parts may hold the same job.
        """
        kind, free = node
        jobs = best_filling(
            self._tables, kind, free, prices, left, not twice, self._jobs, self._counts
        )
        counts = self._counts[: self._blocks[kind]].tolist()
        return Filling(kind, tuple(counts), tuple(self._jobs[:jobs].tolist()))


def _alike(blocks: Blocks) -> list[list[int]]:
    """Group jobs of one size that take the same slots in every block."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for j in range(blocks.rank.size):
        found[-int(blocks.rank[j]), *(-blocks.slots[j]).tolist()].append(j)
    return [found[key] for key in sorted(found)]
