"""A cluster of fixed size: jobs get what they ask for, first come, first served."""

from functools import partial

import numpy as np

from ...instances import FleetInstance, Outcome
from ...simulation.fleet import FleetView
from ...simulation.model import Ints
from ..request import NoOptions, Request
from .static import Static, in_order, serve_static


def run(instance: FleetInstance, request: Request[NoOptions]) -> Outcome:
    """Return the log for the largest cluster that the budget is enough for."""
    return serve_static(instance, request, "static-fifo", partial(_Fifo, instance))


class _Fifo(Static):
    def share_out(self, view: FleetView, usable: int) -> Ints:
        """Let the first jobs run that fit together; no job overtakes."""
        wants = self.asks[view.kind]
        return in_order(wants, np.arange(len(wants)), usable, overtaking=False)
