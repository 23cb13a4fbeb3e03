"""Column generation: fractions of block patterns that cover all jobs from a pool of free blocks.

The dual program is solved for prices: one for each group of remaining jobs, and a cost for each
*node*, a kind of block with a number of slots left. A row bounds the worth of the jobs in a piece
of a pattern by the cost of a block of its node, minus the parts of a large block with the slots
left to them. The dual value of the row is the multiplicity of the piece. Pieces of different
patterns can therefore be combined. A block can replace one of its kind with fewer slots. Leaving a
job uncovered costs its GPU-slots, so no job is worth more. New patterns are generated at the last
prices until every pattern is worth at most its block. Their pieces bring new nodes along.

Source: the program of Gilmore and Gomory (1961) for cutting stock, here for nested blocks. Chains
from node to node are those of the arc flow of Valério de Carvalho (1999).

Pricing: at prices of jobs and the best pattern of every block, the worth of all jobs minus the most
that their blocks could hold is a lower bound on the uncovered slots. Prices between those of the
best such bound and the last ones lead to fewer patterns (Wentges 1997). The blocks are filled one
after the other, so that the patterns found fit together.

The solver gets the dual, with one row per piece: a new row keeps the last basis dual feasible. Cost
perturbation is off, because removing it at the end makes HiGHS cycle on these degenerate programs.
A solve ends after 20,000 steps. A small block is kept whole, because otherwise solutions are
cheaper but their rounding mostly fails.
"""

from bisect import bisect, bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from itertools import pairwise, product
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from ....formulations.covering import CLOSE
from ....formulations.program import Floats, Matrix
from ....formulations.rows import GrownRows
from ....formulations.solver_interface.solve import IncrementalLP, Optimum
from ....instances import RefusedError
from ....simulation.model import Ints
from ..annealing.blocks import Pool
from .patterns import BlockPatterns, Node, PatternPiece

KEPT, STEPS_OF_ONE = 4, 20_000
"""Pieces per group of jobs kept from one point to the next, and steps of the simplex method after
which a program is given up."""

Row = tuple[Hashable, dict[int, int]]
"""The key of a row, and its values by column."""


class Taken(NamedTuple):
    """A piece, and the number of blocks that get it."""

    piece: PatternPiece
    times: float


class Covering:
    """All pieces that are known, and points that cover the jobs which are left."""

    def __init__(self, patterns: BlockPatterns, rng: Generator) -> None:
        """Begin without any."""
        self.patterns, self.steps, self._rng = patterns, 0, rng
        self._known: dict[PatternPiece, int] = {}
        """Pieces, and the slots that they need."""
        self._statuses: Mapping[Hashable, Any] = {}

    def learn(self, piece: PatternPiece) -> bool:
        """Keep a piece, if it has jobs that end in time, and return True if it is new."""
        if piece in self._known or not piece.jobs or self.patterns.after(piece) < 0:
            return False
        self._known[piece] = self.patterns.needs(piece)
        return True

    def learn_parts(self, level: int) -> None:
        """Keep the pieces of the parts of all small blocks above a level."""
        for piece in list(self._known):
            if self.patterns.levels[piece.kind] > level:
                for part in self.patterns.parts(piece):
                    self.learn(part)

    def point(
        self, pool: Pool, left: Ints, most: int, over: Callable[[], bool]
    ) -> list[Taken] | None:
        """Return pieces for the blocks in a pool that cover all jobs, or None if none are found.

        New patterns are generated at most `most` times.
        """
        for piece in list(self._known)[: -KEPT * len(self.patterns.groups)]:
            del self._known[piece]  # taken longest ago
        program = _PiecePrices(self.patterns, pool, left, self._known)
        program.begin_at(self._statuses)
        self._known = program.known
        search = PatternSearch(self.patterns, program.outer, program.blocks, left, self._rng)
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
            patterns = search.at(*program.split(found))
            if not program.add([p for pattern in patterns for p in pattern if self.learn(p)]):
                return None
        return None

    def _taken(self, program: "_PiecePrices", found: Optimum) -> Iterator[Taken]:
        """Yield the pieces in use, which are forgotten last."""
        for taken in program.taken(found):
            self._known[taken.piece] = self._known.pop(taken.piece)
            yield taken


class _PiecePrices:
    """The program: columns of groups, and then of nodes as they come."""

    def __init__(
        self, patterns: BlockPatterns, pool: Pool, left: Ints, known: Mapping[PatternPiece, int]
    ) -> None:
        self._patterns, self._left = patterns, left
        self.outer = sorted(node for node, there in pool.items() if there)
        self.blocks = np.array([len(pool[node]) for node in self.outer], np.int64)
        self._groups = np.flatnonzero(left > 0)
        self._columns: dict[Hashable, int] = {g: i for i, g in enumerate(self._groups.tolist())}
        self._frees, self._rows = defaultdict[int, list[int]](list), list[Hashable]()
        most, small = patterns.most_free(self.outer), patterns.small
        large = [one for one in known if not small[one.kind] and one.free <= most[one.kind]]
        rows = self._rows_of(large, self.outer)
        self.known = {self._placed(piece, needs): needs for piece, needs in known.items()}
        """The known pieces, those of small blocks at nodes of this program."""
        fits = [one for one, n in self.known.items() if small[one.kind] and n <= most[one.kind]]
        rows += self._rows_of(fits)
        self.lp = IncrementalLP(self._matrix(rows), most=STEPS_OF_ONE)

    def _placed(self, piece: PatternPiece, needs: int) -> PatternPiece:
        """Return a piece of a small block for the node of fewest slots with room for it."""
        frees = self._frees[piece.kind] if self._patterns.small[piece.kind] else []
        at = bisect_left(frees, needs)
        there = at == len(frees) or frees[at] == piece.free
        return piece if there else piece._replace(free=frees[at])

    def begin_at(self, statuses: Mapping[Hashable, Any]) -> None:
        """Begin near the basis of another program."""
        self.lp.begin_at(map(statuses.get, self._columns), map(statuses.get, self._rows))

    def statuses(self) -> dict[Hashable, Any]:
        """Return the status in the basis of every column and row, by its key."""
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
            if isinstance(piece, PatternPiece) and piece.jobs:
                yield Taken(piece, float(times[i]))

    def add(self, pieces: Iterable[PatternPiece]) -> bool:
        """Add rows of new pieces, and return True if there are any."""
        before = len(self._columns)
        rows = self._rows_of(pieces)
        for _ in range(before, len(self._columns)):
            self.lp.add_column(0.0, (), ())
        for _, row in rows:
            self.lp.add_row(list(row), list(row.values()), -np.inf, 0.0)
        return bool(rows)

    def _rows_of(self, pieces: Iterable[PatternPiece], nodes: Iterable[Node] = ()) -> list[Row]:
        """Return the rows of pieces for jobs that are left, and of the nodes that they need."""
        columns, small, new, rows = self._columns, self._patterns.small, list[Node](), list[Row]()
        todo = list[PatternPiece]()

        def column(node: Node) -> int:
            if node not in columns:
                columns[node] = len(columns)
                new.append(node)
                if not small[node[0]]:
                    todo.append(PatternPiece(*node))
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
                free = self._patterns.after(piece)
                for part in self._patterns.tree.parts[piece.kind]:
                    j = column((part, free))
                    row[j] = row.get(j, 0) + 1
            rows.append((piece, row))
        rows += self._stand_ins(new)
        self._rows += [about for about, _ in rows]
        return rows

    def _stand_ins(self, nodes: list[Node]) -> Iterator[Row]:
        """Yield rows by which blocks with fewer slots cost no more."""
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
        """Return the program: the worth of all jobs, less the cost of all blocks."""
        jobs, count = self._groups.size, len(self._columns)
        cost, upper = np.zeros(count), np.full(count, np.inf)
        cost[:jobs] = -self._left[self._groups]
        cost[[self._columns[node] for node in self.outer]] = self.blocks
        upper[:jobs] = self._patterns.area[self._groups]
        grown = GrownRows()
        for i, (_, row) in enumerate(rows):
            grown.add(str(i), -inf, 0.0, row.items())
        return Matrix(
            columns=tuple(map(str, range(count))),
            cost=cost,
            lower=np.zeros(count),
            upper=upper,
            integer=np.zeros(count, np.bool_),
            **grown.parts(count),
        )


UNCOVERED = 0.3
"""Uncovered GPU-slots that are negligible: every job has more."""

ASKED = 40
"""Most blocks that are refilled at the same prices."""

SMOOTH = 0.5
"""Weight of the prices of the best bound in those at which patterns are generated."""


class PatternSearch:
    """Generates patterns, and keeps the prices of the best bound on uncovered slots."""

    def __init__(
        self,
        patterns: BlockPatterns,
        nodes: list[Node],
        blocks: Ints,
        left: Ints,
        rng: Generator,
    ) -> None:
        """Fill ``blocks[i]`` blocks of node i with jobs that are left."""
        self._patterns, self._nodes, self._blocks = patterns, nodes, blocks
        self._left, self._rng = left, rng
        self._best, self._most = np.zeros(0), -inf

    def at(self, prices: Floats, costs: Floats) -> list[list[PatternPiece]]:
        """Return patterns worth more than their cost, or an empty list if jobs stay uncovered."""
        between = [SMOOTH * self._best + (1 - SMOOTH) * prices] if self._best.size else []
        for some in *between, prices:
            worth = self._patterns.worth(self._nodes, some, self._left)
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
    ) -> Iterator[list[PatternPiece]]:
        """Yield patterns of some prices that are worth more than they cost at the last ones."""
        every = np.repeat(nodes, self._blocks[nodes])
        chosen = self._rng.permutation(every)[:ASKED].tolist()
        rest, missed = self._left.copy(), dict.fromkeys(chosen)
        for i in chosen:
            pattern = self._patterns.best(self._nodes[i], some, rest)
            if self._worth(pattern, prices) > costs[i] + CLOSE:
                missed.pop(i, None)
                yield pattern
        for i, twice in product(missed, (False, True)):
            pattern = self._patterns.best(self._nodes[i], some, self._left.copy(), twice=twice)
            if self._worth(pattern, prices) > costs[i] + CLOSE:
                yield pattern

    def _worth(self, pattern: list[PatternPiece], prices: Floats) -> float:
        return float(prices[[group for piece in pattern for group in piece.jobs]].sum())
