"""A cluster of fixed size: all jobs have equal parts of it."""

from fractions import Fraction

import numpy as np
from numpy.random import Generator

from ...instances import FleetInstance, Limits, Outcome
from ...simulation.fleet import MILLI, Board
from ...simulation.model import Ints
from .static import Static
from .within import serve


def run(instance: FleetInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the log for the largest cluster that the budget is enough for."""

    def make(target: Fraction) -> "_Fair | None":
        made = _Fair(instance, target)
        return made if made.size >= MILLI else None

    return serve(instance, limits, rng, "static-fair", make)


class _Fair(Static):
    def share_out(self, board: Board, usable: int) -> Ints:
        """Share out all GPUs; with more jobs than GPUs the first to come have one each."""
        jobs, unit = len(board.jobs), MILLI if self.whole else 1
        held = np.zeros(jobs, np.int64)
        served = min(jobs, usable // MILLI)
        if served:
            each, more = divmod(usable // unit, served)
            held[:served] = each * unit
            held[:more] += unit
        return held
