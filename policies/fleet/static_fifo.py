"""A cluster of fixed size: jobs get what they ask for, first come, first served."""

from fractions import Fraction

import numpy as np
from numpy.random import Generator

from ...instances import FleetInstance, Limits, Outcome
from ...simulation.fleet import MILLI, Board
from ...simulation.model import Ints
from .static import Static, in_order
from .within import serve


def run(instance: FleetInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the log for the largest cluster that the budget is enough for."""

    def make(target: Fraction) -> "_Fifo | None":
        made = _Fifo(instance, target)
        return made if made.size >= MILLI else None

    return serve(instance, limits, rng, "static-fifo", make)


class _Fifo(Static):
    def share_out(self, board: Board, usable: int) -> Ints:
        """Let the first jobs run that fit together; nobody overtakes."""
        wants = self.asks[board.kind]
        return in_order(wants, np.arange(len(wants)), usable, overtaking=False)
