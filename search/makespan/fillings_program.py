"""Fractions of fillings that cover all jobs from a pool of free blocks, by column generation.

Rows are the jobs of each group that are left, and the free blocks of each kind with as many slots
left. A column is a filling, in the blocks of fewest slots that have room for it; a block can stand
in for one of its kind with fewer slots. Jobs that are not covered cost their GPU-slots. New
fillings are found at the duals of the last point.

Source: the program of Gilmore and Gomory (1961) for cutting stock, here for nested blocks.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.sparse import csc_array

from ...formulations.covering import CLOSE
from ...formulations.door.solve import IncrementalLP
from ...formulations.program import Floats, Matrix
from ...instances import RefusedError
from ...simulation.model import Ints
from .blocks_tree import Pool
from .fillings import Filling, Fillings

UNCOVERED = 0.3
"""GPU-slots of jobs without a block that count as none: a job has more."""

KEPT = 2_000
"""Fillings that are remembered from one point to the next."""

ASKED = 40
"""Sorts of free blocks, at most, that are filled anew at the same duals."""

Column = tuple[list[int], list[float]]
"""Rows of a column, and its values there."""


class Taken(NamedTuple):
    """A filling, the slots left on the blocks that it is taken for, and how many of them."""

    filling: Filling
    free: int
    times: float


class Covering:
    """All fillings that are known, and points that cover the jobs which are left."""

    def __init__(self, fillings: Fillings, rng: Generator) -> None:
        """Begin without any."""
        self.fillings, self.steps, self._rng = fillings, 0, rng
        self._known: dict[Filling, list[tuple[int, int]]] = {}

    def learn(self, filling: Filling) -> bool:
        """Keep a filling, and say whether it is new."""
        if filling in self._known:
            return False
        self._known[filling] = list(filling.jobs().items())
        return True

    def _forget(self) -> None:
        """Forget the fillings that have not been taken for longest, beyond so many."""
        for filling in list(self._known)[:-KEPT]:
            del self._known[filling]

    def learn_parts(self, level: int) -> None:
        """Keep what is in the parts of all fillings of blocks above a level of sizes."""
        for filling in list(self._known):
            if self.fillings.levels[filling.kind] > level:
                for part in filling.parts:
                    self.learn(part)

    def point(
        self, pool: Pool, left: Ints, most: int, over: Callable[[], bool]
    ) -> list[Taken] | None:
        """Return fillings of the blocks in a pool that cover all jobs, or None if it finds none.

        At most `most` times new fillings are asked for.
        """
        self._forget()
        rows = _CoverRows(self.fillings, pool, left)
        columns = [(one, rows.column(one, jobs)) for one, jobs in self._known.items()]
        held = [(filling, column) for filling, column in columns if column]
        lp = IncrementalLP(rows.matrix([column for _, column in held]))
        known = [filling for filling, _ in held]
        for _ in range(most):
            if over():
                return None
            try:
                found = lp.solve()
            except RefusedError:
                return None
            self.steps += found.steps
            if found.value < UNCOVERED:
                taken = list(rows.taken(known, found.point))
                for one in taken:
                    self._known[one.filling] = self._known.pop(one.filling)
                return taken
            before = len(known)
            for filling in self._new(rows, left, found.duals):
                column = rows.column(filling, self._known[filling])
                if column:
                    lp.add_column(0.0, *column)
                    known.append(filling)
            if len(known) == before:
                return None
        return None

    def _new(self, rows: "_CoverRows", left: Ints, duals: Floats) -> Iterator[Filling]:
        """Yield new fillings that are worth more than their blocks; none if no point can cover."""
        prices = np.zeros(left.size)
        prices[rows.groups] = np.maximum(duals[len(rows.nodes) :], 0)
        tables = self.fillings.tables(self.fillings.within(rows.free), prices, left)
        worth = [float(tables[kind].worth[free]) for kind, free in rows.nodes]
        if prices @ left - np.dot(worth, rows.blocks) >= UNCOVERED:
            return
        for i in self._rng.permutation(len(worth))[:ASKED].tolist():
            (kind, free), cost = rows.nodes[i], -duals[i]
            if worth[i] > cost + CLOSE:
                filling = self.fillings.best(kind, free, prices, left.copy(), tables)
                gain = sum(prices[g] * times for g, times in filling.jobs().items()) - cost
                if gain <= CLOSE or not self.learn(filling):
                    filling = self.fillings.dreamt(kind, free, tables)
                    if not self.learn(filling):
                        continue
                yield filling


class _CoverRows:
    """Rows of the program: free blocks by kind, those with many slots left first, then groups."""

    def __init__(self, fillings: Fillings, pool: Pool, left: Ints) -> None:
        self._fillings = fillings
        self.nodes = sorted(
            (node for node, there in pool.items() if there), key=lambda node: (node[0], -node[1])
        )
        self.blocks = np.array([len(pool[node]) for node in self.nodes], float)
        self.groups = np.flatnonzero(left > 0)
        self.free = defaultdict[int, list[int]](list)
        for kind, free in reversed(self.nodes):
            self.free[kind].append(free)
        self._node = {node: row for row, node in enumerate(self.nodes)}
        self._row = {int(g): len(self.nodes) + i for i, g in enumerate(self.groups)}
        self._left = left[self.groups]
        self._stand_in = [row for row, (a, b) in enumerate(pairwise(self.nodes)) if a[0] == b[0]]

    def room(self, filling: Filling) -> int | None:
        """Return the fewest slots left on blocks that have room for a filling."""
        free = self.free.get(filling.kind, [])
        at = bisect_left(free, self._fillings.needs(filling))
        return free[at] if at < len(free) else None

    def column(self, filling: Filling, jobs: list[tuple[int, int]]) -> Column | None:
        """Return the column of a filling, or None if no block has room or no job is needed."""
        free = self.room(filling)
        ours = [(self._row[g], float(times)) for g, times in jobs if g in self._row]
        if free is None or not ours:
            return None
        rows, values = zip((self._node[filling.kind, free], 1.0), *ours, strict=True)
        return list(rows), list(values)

    def matrix(self, columns: list[Column]) -> Matrix:
        """Return the program of uncovered jobs, blocks that stand in for others, and fillings."""
        nodes, groups = len(self.nodes), self.groups.size
        first: list[Column] = [([nodes + i], [1.0]) for i in range(groups)]
        first += [([row, row + 1], [1.0, -1.0]) for row in self._stand_in]
        every = first + columns
        cost = np.zeros(len(every))
        cost[:groups] = self._fillings.area[self.groups]
        start = np.cumsum([0, *(len(rows) for rows, _ in every)])
        index = np.concatenate([rows for rows, _ in every])
        value = np.concatenate([values for _, values in every])
        shape = nodes + groups, len(every)
        return Matrix(
            columns=tuple(map(str, range(shape[1]))),
            rows=tuple(map(str, range(shape[0]))),
            cost=cost,
            lower=np.zeros(shape[1]),
            upper=np.full(shape[1], np.inf),
            integer=np.zeros(shape[1], np.bool_),
            a=csc_array((value, index, start), shape=shape).tocsr(),
            row_lower=np.concatenate([np.full(nodes, -np.inf), self._left]),
            row_upper=np.concatenate([self.blocks, np.full(groups, np.inf)]),
        )

    def taken(self, fillings: list[Filling], point: Floats) -> Iterator[Taken]:
        """Yield the fillings that a point takes."""
        times = point[self.groups.size + len(self._stand_in) :]
        for i in np.flatnonzero(times > CLOSE).tolist():
            free = self.room(fillings[i])
            if free is not None:
                yield Taken(fillings[i], free, float(times[i]))
