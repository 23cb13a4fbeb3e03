"""Fractions of fillings that cover all jobs from a pool of free blocks, by column generation.

The program is solved for its prices: one for each group of jobs that are left, and a cost for each
kind of free block with as many slots left. A row says of a filling that its jobs are worth no more
than the block of fewest slots that has room for it, and its dual how often it is taken; a block can
stand in for one of its kind with fewer slots. Jobs that are not covered cost their GPU-slots, so no
job is worth more. Fillings are looked for at the last prices until none is worth more than its
block.

Source: the program of Gilmore and Gomory (1961) for cutting stock, here for nested blocks.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.sparse import csr_array

from ...formulations.covering import CLOSE
from ...formulations.door.solve import IncrementalLP
from ...formulations.program import Floats, Matrix
from ...instances import RefusedError
from ...simulation.model import Ints
from .blocks_tree import Pool
from .fillings import Filling, Fillings
from .fillings_search import UNCOVERED, FillingSearch

KEPT = 2_000
"""Fillings that are remembered from one point to the next."""

Row = tuple[list[int], list[float]]
"""Columns of a row, and its values there."""


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
        self._basis = _LastBasis()

    def learn(self, filling: Filling) -> bool:
        """Keep a filling, and say whether it is new."""
        if filling in self._known:
            return False
        self._known[filling] = list(filling.jobs().items())
        return True

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
        program = _Prices(self.fillings, pool, left)
        search = FillingSearch(self.fillings, program.nodes, program.blocks, left, self._rng)
        rows = [(one, program.row(one, jobs)) for one, jobs in self._known.items()]
        held = [(one, row) for one, row in rows if row]
        lp = IncrementalLP(program.matrix([row for _, row in held]), devex=True)
        known = [one for one, _ in held]
        lp.begin_at(*self._basis.near(program, known))
        for _ in range(most):
            if over():
                return None
            try:
                found = lp.solve()
            except RefusedError:
                return None
            self.steps += found.steps
            if -found.value < UNCOVERED:
                self._basis.keep(program, known, *lp.basis())
                taken = list(program.taken(known, found.duals))
                for filling, _, _ in taken:
                    self._known[filling] = self._known.pop(filling)
                return taken
            new = [one for one in search.at(*program.split(found.point)) if self.learn(one)]
            if not new:
                return None
            for one in new:
                row = program.row(one, self._known[one])
                assert row is not None
                lp.add_row(*row, -np.inf, 0.0)
            known += new
        return None

    def _forget(self) -> None:
        """Forget the fillings that have not been taken for longest, beyond so many."""
        for filling in list(self._known)[:-KEPT]:
            del self._known[filling]


class _LastBasis:
    """What was basic at the last point, by what columns and rows stand for."""

    def __init__(self) -> None:
        self._columns, self._rows = dict[Hashable, Any](), dict[Hashable, Any]()

    def near(self, program: "_Prices", known: list[Filling]) -> tuple[list[Any], list[Any]]:
        """Return statuses of columns and rows, None of those that are new."""
        rows = [None] * len(program.stand_in) + [self._rows.get(one) for one in known]
        return [self._columns.get(one) for one in program.columns], rows

    def keep(
        self, program: "_Prices", known: list[Filling], columns: list[Any], rows: list[Any]
    ) -> None:
        """Remember a basis."""
        self._columns = dict(zip(program.columns, columns, strict=True))
        self._rows = dict(zip(known, rows[len(program.stand_in) :], strict=True))


class _Prices:
    """Columns of the program: free blocks by kind, those with many slots first, then groups."""

    def __init__(self, fillings: Fillings, pool: Pool, left: Ints) -> None:
        self._fillings, self._left = fillings, left
        self.nodes = sorted(
            (node for node, there in pool.items() if there), key=lambda node: (node[0], -node[1])
        )
        self.blocks = np.array([len(pool[node]) for node in self.nodes])
        self._groups = np.flatnonzero(left > 0)
        self._free = defaultdict[int, list[int]](list)
        for kind, free in reversed(self.nodes):
            self._free[kind].append(free)
        self.columns: list[Hashable] = [*self.nodes, *self._groups.tolist()]
        self._column = {one: column for column, one in enumerate(self.columns)}
        pairs = enumerate(pairwise(self.nodes))
        self.stand_in: list[Row] = [
            ([i, i + 1], [-1.0, 1.0]) for i, (a, b) in pairs if a[0] == b[0]
        ]

    def row(self, filling: Filling, jobs: list[tuple[int, int]]) -> Row | None:
        """Return the row of a filling, or None if no block has room or no job is needed."""
        free = self._room(filling)
        ours = [(self._column[g], float(times)) for g, times in jobs if g in self._column]
        if free is None or not ours:
            return None
        columns, values = zip((self._column[filling.kind, free], -1.0), *ours, strict=True)
        return list(columns), list(values)

    def matrix(self, rows: list[Row]) -> Matrix:
        """Return the program of prices: what all jobs are worth, less what all blocks cost."""
        every = self.stand_in + rows
        cost = np.concatenate([self.blocks, -self._left[self._groups]]).astype(float)
        above = self._fillings.area[self._groups].astype(float)
        start = np.cumsum([0, *(len(columns) for columns, _ in every)])
        index = np.concatenate([columns for columns, _ in every]).astype(np.int64)
        value = np.concatenate([values for _, values in every])
        shape = len(every), cost.size
        return Matrix(
            columns=tuple(map(str, range(shape[1]))),
            rows=tuple(map(str, range(shape[0]))),
            cost=cost,
            lower=np.zeros(shape[1]),
            upper=np.concatenate([np.full(self.blocks.size, np.inf), above]),
            integer=np.zeros(shape[1], np.bool_),
            a=csr_array((value, index, start), shape=shape),
            row_lower=np.full(shape[0], -np.inf),
            row_upper=np.zeros(shape[0]),
        )

    def split(self, point: Floats) -> tuple[Floats, Floats]:
        """Return the prices of all groups, and the costs of blocks."""
        prices = np.zeros(self._left.size)
        prices[self._groups] = np.maximum(point[self.blocks.size :], 0)
        return prices, point[: self.blocks.size]

    def taken(self, fillings: list[Filling], duals: Floats) -> Iterator[Taken]:
        """Yield the fillings that are taken, with their times."""
        times = -duals[len(self.stand_in) :]
        for i in np.flatnonzero(times > CLOSE).tolist():
            free = self._room(fillings[i])
            if free is not None:
                yield Taken(fillings[i], free, float(times[i]))

    def _room(self, filling: Filling) -> int | None:
        """Return the fewest slots left on blocks that have room for a filling."""
        free = self._free.get(filling.kind, [])
        at = bisect_left(free, self._fillings.needs(filling))
        return free[at] if at < len(free) else None
