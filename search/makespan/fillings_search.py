"""New fillings that are worth more than their blocks cost, or that none can help.

At prices of jobs and the best filling of every block, what all jobs are worth less what their
blocks could hold at most is the least that stays uncovered. Prices between those that said most so
far and the last ones lead to fewer fillings (Wentges 1997). The blocks are filled one after the
other, so that what is found goes together.
"""

from collections.abc import Iterator
from itertools import product
from math import inf

import numpy as np
from numpy.random import Generator

from ...formulations.covering import CLOSE
from ...formulations.program import Floats
from ...simulation.model import Ints
from .fillings import FillingPiece, Fillings, Node

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
