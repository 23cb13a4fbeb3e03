"""Fractions of fillings that cover all jobs from a pool of free blocks, by column generation.

The program is solved for its prices: one for each group of jobs that are left, and a cost for each
kind of free block with as many slots left. A row says of a filling that its jobs are worth no more
than the block of fewest slots that has room for it, and its dual how often it is taken; a block can
stand in for one of its kind with fewer slots. Jobs that are not covered cost their GPU-slots, so no
job is worth more. Fillings are looked for at the last prices until none is worth more than its
block.

Source: the program of Gilmore and Gomory (1961) for cutting stock, here for nested blocks.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.sparse import csr_array, vstack

from ...formulations.covering import CLOSE
from ...formulations.door.solve import IncrementalLP
from ...formulations.program import Floats, Matrix
from ...instances import RefusedError
from ...simulation.model import Ints
from .blocks_tree import Pool
from .fillings import Filling, Fillings
from .fillings_search import UNCOVERED, FillingSearch

KEPT, STEPS_OF_ONE = 4, 20_000
"""Fillings for each group of jobs that are remembered from one point to the next, and steps of the
simplex method after which one program is given up."""


class Taken(NamedTuple):
    """A filling, the slots left on the blocks that it is taken for, and how many of them."""

    filling: Filling
    free: int
    times: float


@dataclass(eq=False, slots=True)
class _KnownFilling:
    """A filling, what it needs, and where it stood in the last program."""

    filling: Filling
    needs: int
    groups: Ints
    times: Ints
    status: Any = None
    """Of its row at the last point; None: it had none."""
    node: int = 0
    """The column of its blocks."""


class Covering:
    """All fillings that are known, and points that cover the jobs which are left."""

    def __init__(self, fillings: Fillings, rng: Generator) -> None:
        """Begin without any."""
        self.fillings, self.steps, self._rng = fillings, 0, rng
        self._known: dict[Filling, _KnownFilling] = {}
        self._statuses: dict[Hashable, Any] = {}

    def learn(self, filling: Filling) -> bool:
        """Keep a filling, and say whether it is new."""
        if filling in self._known:
            return False
        jobs = Counter(filling.jobs)
        groups, times = np.array(list(jobs), np.int64), np.array(list(jobs.values()), np.int64)
        self._known[filling] = _KnownFilling(filling, self.fillings.needs(filling), groups, times)
        return True

    def learn_parts(self, level: int) -> None:
        """Keep what is in the parts of all fillings of blocks above a level of sizes."""
        for filling in list(self._known):
            if self.fillings.levels[filling.kind] > level:
                for part in self.fillings.parts(filling):
                    self.learn(part)

    def point(
        self, pool: Pool, left: Ints, most: int, over: Callable[[], bool]
    ) -> list[Taken] | None:
        """Return fillings of the blocks in a pool that cover all jobs, or None if it finds none.

        At most `most` times new fillings are asked for.
        """
        self._forget()
        program = _FillingPrices(self.fillings, pool, left)
        search = FillingSearch(self.fillings, program.nodes, program.blocks, left, self._rng)
        known, rows = program.rows(self._known.values())
        lp = IncrementalLP(program.matrix(rows), most=STEPS_OF_ONE)
        self._begin(lp, program, known)
        for _ in range(most):
            if over():
                return None
            try:
                found = lp.solve()
            except RefusedError:
                return None
            self.steps += found.steps
            if -found.value < UNCOVERED:
                self._keep(lp, program, known)
                return list(self._taken(program, known, found.duals))
            new = [one for one in search.at(*program.split(found.point)) if self.learn(one)]
            more, rows = program.rows([self._known[one] for one in new])
            if not more:
                return None
            for i in range(len(more)):
                own = slice(rows.indptr[i], rows.indptr[i + 1])
                lp.add_row(rows.indices[own].tolist(), rows.data[own].tolist(), -np.inf, 0.0)
            known += more
        return None

    def _begin(
        self, lp: IncrementalLP, program: "_FillingPrices", known: list[_KnownFilling]
    ) -> None:
        """Begin near the basis of the last point."""
        rows = [None] * program.stand_ins.shape[0] + [one.status for one in known]
        lp.begin_at([self._statuses.get(one) for one in program.columns], rows)

    def _keep(
        self, lp: IncrementalLP, program: "_FillingPrices", known: list[_KnownFilling]
    ) -> None:
        """Remember what is basic."""
        columns, rows = lp.basis()
        self._statuses = dict(zip(program.columns, columns, strict=True))
        for one in self._known.values():
            one.status = None
        for one, status in zip(known, rows[program.stand_ins.shape[0] :], strict=True):
            one.status = status

    def _taken(
        self, program: "_FillingPrices", known: list[_KnownFilling], duals: Floats
    ) -> Iterator[Taken]:
        """Yield the fillings that are taken; they are the last to be forgotten."""
        times = -duals[program.stand_ins.shape[0] :]
        for i in np.flatnonzero(times > CLOSE).tolist():
            one = known[i]
            self._known[one.filling] = self._known.pop(one.filling)
            yield Taken(one.filling, program.nodes[one.node][1], float(times[i]))

    def _forget(self) -> None:
        """Forget the fillings that have not been taken for longest, beyond so many."""
        for filling in list(self._known)[: -KEPT * len(self.fillings.groups)]:
            del self._known[filling]


class _FillingPrices:
    """Columns of the program: free blocks by kind, those with many slots first, then groups."""

    def __init__(self, fillings: Fillings, pool: Pool, left: Ints) -> None:
        self._fillings, self._left = fillings, left
        self.nodes = sorted(
            (node for node, there in pool.items() if there), key=lambda node: (node[0], -node[1])
        )
        self.blocks = np.array([len(pool[node]) for node in self.nodes], np.int64)
        self._groups = np.flatnonzero(left > 0)
        self.columns: list[Hashable] = [*self.nodes, *self._groups.tolist()]
        self._column = np.full(left.size, -1)
        self._column[self._groups] = len(self.nodes) + np.arange(self._groups.size)
        kinds = np.array([kind for kind, _ in self.nodes])
        later = np.flatnonzero(kinds[1:] == kinds[:-1])
        self.stand_ins = self._sparse(
            np.repeat(np.arange(later.size), 2),
            np.stack([later, later + 1], axis=1).ravel(),
            np.tile([-1.0, 1.0], later.size),
        )
        """Rows that say that blocks with fewer slots cost no more."""

    def rows(self, known: Iterable[_KnownFilling]) -> tuple[list[_KnownFilling], csr_array]:
        """Return those fillings for which there are blocks and jobs, and their rows."""
        every = list(known)
        nodes = self._nodes_of(every)
        groups = [one.groups for one in every] or [np.zeros(0, np.int64)]
        owner = np.repeat(np.arange(len(every)), [one.size for one in groups][: len(every)])
        columns = self._column[np.concatenate(groups)]
        needed = (columns >= 0) & (nodes[owner] >= 0)
        some = np.flatnonzero(np.bincount(owner[needed], minlength=len(every)))
        number = np.full(len(every), -1)
        number[some] = np.arange(some.size)
        times = np.concatenate([one.times for one in every] or groups)
        for i in some.tolist():
            every[i].node = int(nodes[i])
        return [every[i] for i in some.tolist()], self._sparse(
            np.concatenate([number[owner[needed]], np.arange(some.size)]),
            np.concatenate([columns[needed], nodes[some]]),
            np.concatenate([times[needed], np.full(some.size, -1.0)]),
        )

    def _nodes_of(self, known: list[_KnownFilling]) -> Ints:
        """Return the columns of the blocks of fewest slots with room for fillings, or -1."""
        found = np.full(len(known), -1)
        kinds = np.array([one.filling.kind for one in known], np.int64)
        needs = np.array([one.needs for one in known], np.int64)
        for kind in dict.fromkeys(kind for kind, _ in self.nodes):
            own = np.array([i for i, node in enumerate(self.nodes) if node[0] == kind])[::-1]
            free = np.array([self.nodes[i][1] for i in own.tolist()])
            ours = np.flatnonzero(kinds == kind)
            at = np.searchsorted(free, needs[ours])
            found[ours] = np.where(at < own.size, own[np.minimum(at, own.size - 1)], -1)
        return found

    def _sparse(self, rows: Ints, columns: Ints, values: Floats) -> csr_array:
        count = int(rows.max(initial=-1)) + 1
        return csr_array((values, (rows, columns)), shape=(count, len(self.columns)))

    def matrix(self, rows: csr_array) -> Matrix:
        """Return the program of prices: what all jobs are worth, less what all blocks cost."""
        a = vstack([self.stand_ins, rows], format="csr")
        cost = np.concatenate([self.blocks, -self._left[self._groups]]).astype(float)
        above = self._fillings.area[self._groups].astype(float)
        return Matrix(
            columns=tuple(map(str, range(a.shape[1]))),
            rows=tuple(map(str, range(a.shape[0]))),
            cost=cost,
            lower=np.zeros(a.shape[1]),
            upper=np.concatenate([np.full(self.blocks.size, np.inf), above]),
            integer=np.zeros(a.shape[1], np.bool_),
            a=a,
            row_lower=np.full(a.shape[0], -np.inf),
            row_upper=np.zeros(a.shape[0]),
        )

    def split(self, point: Floats) -> tuple[Floats, Floats]:
        """Return the prices of all groups, and the costs of blocks."""
        prices = np.zeros(self._left.size)
        prices[self._groups] = np.maximum(point[self.blocks.size :], 0)
        return prices, point[: self.blocks.size]
