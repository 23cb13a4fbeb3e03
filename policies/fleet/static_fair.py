"""A cluster of fixed size: all jobs have equal parts of it."""

from functools import partial

import numpy as np

from ...instances import FleetInstance, Outcome
from ...instances.speedup import MOST_GPUS
from ...simulation.fleet import MILLI, FleetView
from ...simulation.model import Ints
from ..request import NoOptions, Request
from .static import Static, serve_static


def run(instance: FleetInstance, request: Request[NoOptions]) -> Outcome:
    """Return the log for the largest cluster that the budget is enough for."""
    return serve_static(instance, request, "static-fair", partial(_FairShares, instance))


class _FairShares(Static):
    def share_out(self, view: FleetView, usable: int) -> Ints:
        """Share out all GPUs; with more jobs than GPUs the first to come have one each."""
        jobs, unit = len(view.jobs), MILLI if self.whole else 1
        held = np.zeros(jobs, np.int64)
        served = min(jobs, usable // MILLI)
        if served:
            each, more = divmod(usable // unit, served)
            held[:served] = each * unit
            held[:more] += unit
        return np.minimum(held, MILLI * MOST_GPUS)
