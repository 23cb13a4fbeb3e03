"""Fractions of fillings that cover all jobs from a pool of free blocks, by column generation.

The program is solved for its prices: one for each group of jobs that are left, and a cost for each
*node*, a kind of block with so many slots left. A row says of a piece of a filling that its jobs
are worth no more than a block of its node costs, less the large block's parts with the slots that
are left to them; and its dual how often it is taken. So pieces of different fillings go together. A
block can stand in for one of its kind with fewer slots. Jobs that are not covered cost their
GPU-slots, so no job is worth more. Fillings are looked for at the last prices until none is worth
more than its block; their pieces bring new nodes along.

Source: the program of Gilmore and Gomory (1961) for cutting stock, here for nested blocks. Chains
that lead from node to node are those of the arc flow of Valério de Carvalho (1999).

New fillings that are worth more than their blocks cost, or that none can help.
At prices of jobs and the best filling of every block, what all jobs are worth less what their
blocks could hold at most is the least that stays uncovered. Prices between those that said most so
far and the last ones lead to fewer fillings (Wentges 1997). The blocks are filled one after the
other, so that what is found goes together.
"""

from bisect import bisect, bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import pairwise, product
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.sparse import csr_array

from ....formulations.covering import CLOSE
from ....formulations.program import Floats, Matrix
from ....formulations.solver_interface.solve import IncrementalLP, Optimum
from ....instances import RefusedError
from ....simulation.model import Ints
from ..annealing.blocks import Pool
from .fillings import FillingPiece, Fillings, Node

KEPT, STEPS_OF_ONE = 4, 20_000
"""Pieces for each group of jobs that are remembered from one point to the next, and steps of the
simplex method after which one program is given up."""

Row = tuple[Hashable, dict[int, int]]
"""What a row says something about, and its values by column."""


class Taken(NamedTuple):
    """A piece, and how many blocks get it."""

    piece: FillingPiece
    times: float


class Covering:
    """All pieces that are known, and points that cover the jobs which are left."""

    def __init__(self, fillings: Fillings, rng: Generator) -> None:
        """Begin without any."""
        self.fillings, self.steps, self._rng = fillings, 0, rng
        self._known: dict[FillingPiece, int] = {}
        """Pieces, and the slots that they need."""
        self._statuses: Mapping[Hashable, Any] = {}

    def learn(self, piece: FillingPiece) -> bool:
        """Keep a piece, if it has jobs that end in time; say whether it is new."""
        if piece in self._known or not piece.jobs or self.fillings.after(piece) < 0:
            return False
        self._known[piece] = self.fillings.needs(piece)
        return True

    def learn_parts(self, level: int) -> None:
        """Keep what is in the parts of all small blocks above a level of sizes."""
        for piece in list(self._known):
            if self.fillings.levels[piece.kind] > level:
                for part in self.fillings.parts(piece):
                    self.learn(part)

    def point(
        self, pool: Pool, left: Ints, most: int, over: Callable[[], bool]
    ) -> list[Taken] | None:
        """Return pieces for the blocks in a pool that cover all jobs, or None if it finds none.

        At most `most` times new fillings are asked for.
        """
        self._forget()
        program = _PiecePrices(self.fillings, pool, left, self._known)
        program.begin_at(self._statuses)
        self._known = program.known
        search = FillingSearch(self.fillings, program.outer, program.blocks, left, self._rng)
        for _ in range(most):
            if over():
                return None
            try:
                found = program.lp.solve()
            except RefusedError:
                return None
            self.steps += found.steps
            if -found.value < UNCOVERED:
                self._statuses = program.statuses()
                return list(self._taken(program, found))
            fillings = search.at(*program.split(found))
            if not program.add([p for filling in fillings for p in filling if self.learn(p)]):
                return None
        return None

    def _taken(self, program: "_PiecePrices", found: Optimum) -> Iterator[Taken]:
        """Yield the pieces that are taken; they are the last to be forgotten."""
        for taken in program.taken(found):
            self._known[taken.piece] = self._known.pop(taken.piece)
            yield taken

    def _forget(self) -> None:
        """Forget the pieces that have not been taken for longest, beyond so many."""
        for piece in list(self._known)[: -KEPT * len(self.fillings.groups)]:
            del self._known[piece]


class _PiecePrices:
    """The program: columns of groups, and then of nodes as they come."""

    def __init__(
        self, fillings: Fillings, pool: Pool, left: Ints, known: Mapping[FillingPiece, int]
    ) -> None:
        self._fillings, self._left = fillings, left
        self.outer = sorted(node for node, there in pool.items() if there)
        self.blocks = np.array([len(pool[node]) for node in self.outer], np.int64)
        self._groups = np.flatnonzero(left > 0)
        self._columns: dict[Hashable, int] = {g: i for i, g in enumerate(self._groups.tolist())}
        self._frees, self._rows = defaultdict[int, list[int]](list), list[Hashable]()
        most, small = fillings.most_free(self.outer), fillings.small
        large = [one for one in known if not small[one.kind] and one.free <= most[one.kind]]
        rows = self._rows_of(large, self.outer)
        self.known = {self._placed(piece, needs): needs for piece, needs in known.items()}
        """The known pieces, those of small blocks at nodes of this program."""
        fits = [one for one, n in self.known.items() if small[one.kind] and n <= most[one.kind]]
        rows += self._rows_of(fits)
        self.lp = IncrementalLP(self._matrix(rows), most=STEPS_OF_ONE)

    def _placed(self, piece: FillingPiece, needs: int) -> FillingPiece:
        """Return a piece of a small block for the node of fewest slots with room for it."""
        frees = self._frees[piece.kind] if self._fillings.small[piece.kind] else []
        at = bisect_left(frees, needs)
        there = at == len(frees) or frees[at] == piece.free
        return piece if there else piece._replace(free=frees[at])

    def begin_at(self, statuses: Mapping[Hashable, Any]) -> None:
        """Begin near the basis of another program."""
        self.lp.begin_at(map(statuses.get, self._columns), map(statuses.get, self._rows))

    def statuses(self) -> dict[Hashable, Any]:
        """Return what is basic, and what is not."""
        columns, rows = self.lp.basis()
        return dict(zip((*self._columns, *self._rows), columns + rows, strict=True))

    def split(self, found: Optimum) -> tuple[Floats, Floats]:
        """Return the prices of all groups, and the costs of free blocks."""
        prices = np.zeros(self._left.size)
        prices[self._groups] = np.maximum(found.point[: self._groups.size], 0)
        return prices, found.point[[self._columns[node] for node in self.outer]]

    def taken(self, found: Optimum) -> Iterator[Taken]:
        """Yield the pieces that are taken."""
        times = -found.duals
        for i in np.flatnonzero(times > CLOSE).tolist():
            piece = self._rows[i]
            if isinstance(piece, FillingPiece) and piece.jobs:
                yield Taken(piece, float(times[i]))

    def add(self, pieces: Iterable[FillingPiece]) -> bool:
        """Add rows of new pieces; say whether there are any."""
        before = len(self._columns)
        rows = self._rows_of(pieces)
        for _ in range(before, len(self._columns)):
            self.lp.add_column(0.0, (), ())
        for _, row in rows:
            self.lp.add_row(list(row), list(row.values()), -np.inf, 0.0)
        return bool(rows)

    def _rows_of(self, pieces: Iterable[FillingPiece], nodes: Iterable[Node] = ()) -> list[Row]:
        """Return the rows of pieces for jobs that are left, and of the nodes that they need."""
        columns, small, new, rows = self._columns, self._fillings.small, list[Node](), list[Row]()
        todo = list[FillingPiece]()

        def column(node: Node) -> int:
            if node not in columns:
                columns[node] = len(columns)
                new.append(node)
                if not small[node[0]]:
                    todo.append(FillingPiece(*node))
            return columns[node]

        for node in nodes:
            column(node)
        todo += pieces
        while todo:
            piece = todo.pop()
            row = dict[int, int]()
            for group in piece.jobs:
                if (j := columns.get(group, -1)) >= 0:
                    row[j] = row.get(j, 0) + 1
            if piece.jobs and not row:
                continue
            row[column((piece.kind, piece.free))] = -1
            if not small[piece.kind]:
                free = self._fillings.after(piece)
                for part in self._fillings.tree.parts[piece.kind]:
                    j = column((part, free))
                    row[j] = row.get(j, 0) + 1
            rows.append((piece, row))
        rows += self._stand_ins(new)
        self._rows += [about for about, _ in rows]
        return rows

    def _stand_ins(self, nodes: list[Node]) -> Iterator[Row]:
        """Yield rows that say that blocks with fewer slots cost no more."""
        for kind, free in nodes:
            insort(self._frees[kind], free)
        pairs = dict[tuple[int, int, int], None]()
        for kind, free in nodes:
            frees = self._frees[kind]
            i = bisect(frees, free)
            near = frees[max(i - 2, 0) : i + 1]
            pairs |= dict.fromkeys((kind, *pair) for pair in pairwise(near))
        for kind, less, more in pairs:
            yield (kind, less, more), {self._columns[kind, less]: 1, self._columns[kind, more]: -1}

    def _matrix(self, rows: list[Row]) -> Matrix:
        """Return the program: what all jobs are worth, less what all blocks cost."""
        jobs, count = self._groups.size, len(self._columns)
        cost, upper = np.zeros(count), np.full(count, np.inf)
        cost[:jobs] = -self._left[self._groups]
        cost[[self._columns[node] for node in self.outer]] = self.blocks
        upper[:jobs] = self._fillings.area[self._groups]
        start = np.cumsum([0, *(len(row) for _, row in rows)])
        columns = np.array([j for _, row in rows for j in row], np.int64)
        values = np.array([value for _, row in rows for value in row.values()], float)
        return Matrix(
            columns=tuple(map(str, range(count))),
            rows=tuple(map(str, range(len(rows)))),
            cost=cost,
            lower=np.zeros(count),
            upper=upper,
            integer=np.zeros(count, np.bool_),
            a=csr_array((values, columns, start), shape=(len(rows), count)),
            row_lower=np.full(len(rows), -np.inf),
            row_upper=np.zeros(len(rows)),
        )


UNCOVERED = 0.3
"""GPU-slots of jobs without a block that count as none: a job has more."""

ASKED = 40
"""Blocks, at most, that are filled anew at the same prices."""

SMOOTH = 0.5
"""Part of the prices that said most in those at which fillings are looked for."""


class FillingSearch:
    """Remembers the prices that said most."""

    def __init__(
        self,
        fillings: Fillings,
        nodes: list[Node],
        blocks: Ints,
        left: Ints,
        rng: Generator,
    ) -> None:
        """Fill so many blocks of each kind and slots with jobs that are left."""
        self._fillings, self._nodes, self._blocks = fillings, nodes, blocks
        self._left, self._rng = left, rng
        self._best, self._most = np.zeros(0), -inf

    def at(self, prices: Floats, costs: Floats) -> list[list[FillingPiece]]:
        """Return fillings worth more than they cost; none if no fractions cover all jobs."""
        between = [SMOOTH * self._best + (1 - SMOOTH) * prices] if self._best.size else []
        for some in *between, prices:
            worth = self._fillings.worth(self._nodes, some, self._left)
            uncovered = float(some @ self._left - worth @ self._blocks)
            if uncovered > self._most:
                self._best, self._most = some, uncovered
            if uncovered >= UNCOVERED:
                return []
            asked = worth > costs + CLOSE if some is prices else np.ones(worth.size, np.bool_)
            found = list(self._better(np.flatnonzero(asked), some, prices, costs))
            if found:
                return found
        return []

    def _better(
        self, nodes: Ints, some: Floats, prices: Floats, costs: Floats
    ) -> Iterator[list[FillingPiece]]:
        """Yield fillings of some prices that are worth more than they cost at the last ones."""
        every = np.repeat(nodes, self._blocks[nodes])
        chosen = self._rng.permutation(every)[:ASKED].tolist()
        rest, missed = self._left.copy(), dict.fromkeys(chosen)
        for i in chosen:
            filling = self._fillings.best(self._nodes[i], some, rest)
            if self._worth(filling, prices) > costs[i] + CLOSE:
                missed.pop(i, None)
                yield filling
        for i, twice in product(missed, (False, True)):
            filling = self._fillings.best(self._nodes[i], some, self._left.copy(), twice=twice)
            if self._worth(filling, prices) > costs[i] + CLOSE:
                yield filling

    def _worth(self, filling: list[FillingPiece], prices: Floats) -> float:
        return float(prices[[group for piece in filling for group in piece.jobs]].sum())
