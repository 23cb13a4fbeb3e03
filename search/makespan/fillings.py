"""What one block can hold until the horizon, and what of it is worth most at prices of jobs.

A filling is a chain of jobs of the block's own size, one after the other, and beside each other
fillings of the blocks inside it for the slots that the chain leaves. At prices of jobs a table for
each kind of block, from inner ones to outer ones, says what the best filling is worth for every
number of slots: a knapsack over the jobs of its size, on top of what the blocks inside are worth.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...formulations.program import Floats
from ...simulation.jit import entry
from ...simulation.model import Ints
from .blocks import Blocks
from .blocks_tree import BlockTree

LITTLE = 1e-9
"""Gains below this are none."""


class Filling(NamedTuple):
    """What a block of a kind holds: groups of alike jobs, once for each job, and its parts."""

    kind: int
    chain: tuple[int, ...]
    parts: tuple["Filling", ...]

    def jobs(self) -> Counter[int]:
        """Count the jobs of each group."""
        found = Counter(self.chain)
        for part in self.parts:
            found += part.jobs()
        return found


class WorthTable(NamedTuple):
    """By slots: what the best filling is worth, and which jobs of a kind's own size it takes."""

    worth: Floats
    takes: NDArray[np.bool_]
    items: list[int]


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
        self.slots = {k: blocks.slots[some, blocks.sort[tree.some[k]]] for k in tree.kinds}
        self._own = {
            k: np.flatnonzero(self.level == blocks.level[tree.some[k]]) for k in tree.kinds
        }
        self.levels = {k: int(blocks.level[tree.some[k]]) for k in tree.kinds}
        self._needs = dict[Filling, int]()

    def needs(self, filling: Filling) -> int:
        """Return the slots that a filling takes."""
        found = self._needs.get(filling)
        if found is None:
            inside = max((self.needs(part) for part in filling.parts), default=0)
            found = inside + int(self.slots[filling.kind][list(filling.chain)].sum())
            self._needs[filling] = found
        return found

    def within(self, kinds: Iterable[int]) -> list[int]:
        """Return these kinds and all inside them, inner ones first."""
        found, todo = set[int](), list(kinds)
        while todo:
            kind = todo.pop()
            if kind not in found:
                found.add(kind)
                todo += self.tree.parts(kind)
        return [kind for kind in reversed(self.tree.kinds) if kind in found]

    def tables(self, kinds: Iterable[int], prices: Floats, left: Ints) -> dict[int, WorthTable]:
        """Return the tables of these kinds, for as many jobs of each group as are left."""
        tables: dict[int, WorthTable] = {}
        for kind in kinds:
            inside = np.zeros(self.horizon + 1)
            for part in self.tree.parts(kind):
                inside += tables[part].worth
            own = self._own[kind]
            items = np.repeat(own, np.where(prices[own] > LITTLE, left[own], 0))
            takes = np.zeros((items.size, self.horizon + 1), np.bool_)
            slots = self.slots[kind][items]
            worth = most_worth(inside, slots, prices[items], takes)
            tables[kind] = WorthTable(worth, takes, items.tolist())
        return tables

    def best(
        self, kind: int, free: int, prices: Floats, left: Ints, tables: dict[int, WorthTable]
    ) -> Filling:
        """Return a filling of much worth in which no job is twice; `left` loses its jobs.

        It is the best if the parts of blocks ask for different jobs; the first part chooses first.
        """
        chain, free = self._chain(kind, free, tables[kind])
        np.subtract.at(left, list(chain), 1)
        parts = list[Filling]()
        inside = self.tree.parts(kind)
        for part in inside:
            if parts:
                tables = self.tables(self.within(inside), prices, left)
            parts.append(self.best(part, free, prices, left, tables))
        return Filling(kind, chain, tuple(parts))

    def dreamt(self, kind: int, free: int, tables: dict[int, WorthTable]) -> Filling:
        """Return the best filling, in which several parts may hold the same job."""
        chain, free = self._chain(kind, free, tables[kind])
        parts = tuple(self.dreamt(part, free, tables) for part in self.tree.parts(kind))
        return Filling(kind, chain, parts)

    def _chain(self, kind: int, free: int, table: WorthTable) -> tuple[tuple[int, ...], int]:
        """Return the chain of the best filling, and the slots that it leaves."""
        chain, slots = list[int](), self.slots[kind]
        for i in range(len(table.items) - 1, -1, -1):
            if table.takes[i, free]:
                chain.append(table.items[i])
                free -= int(slots[table.items[i]])
        return tuple(sorted(chain)), free


def _alike(blocks: Blocks) -> list[list[int]]:
    """Group jobs of one size that take the same slots in every block."""
    found: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for j in range(blocks.rank.size):
        found[-int(blocks.rank[j]), *(-blocks.slots[j]).tolist()].append(j)
    return [found[key] for key in sorted(found)]


@entry
def most_worth(inside: Floats, slots: Ints, prices: Floats, takes: NDArray[np.bool_]) -> Floats:
    """Return by slots what the best chain and what lies inside are worth; mark what it takes.

    ``takes[i, h]`` says whether the best for h slots, of the items up to i, takes item i.
    """
    worth = inside.copy()
    for i in range(slots.size):
        for h in range(worth.size - 1, slots[i] - 1, -1):
            value = worth[h - slots[i]] + prices[i]
            if value > worth[h] + LITTLE:
                worth[h] = value
                takes[i, h] = True
    return worth
