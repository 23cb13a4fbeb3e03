"""A cluster of fixed size that is rented only while jobs are there: renting at its cheapest."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import ceil

import numpy as np

from ...instances import FleetInstance
from ...simulation.fleet import MILLI, FleetDecision, FleetSetting, FleetView
from ...simulation.model import Ints
from .static import Static, in_order


class InTurn(Static):
    """Jobs in order of arrival, each on `width` GPUs; none passes another."""

    def __init__(
        self, instance: FleetInstance, target: Fraction, width: int, first: int = 0
    ) -> None:
        """Rent for no job that is not there yet, and nothing before tick `first`."""
        super().__init__(instance, target)
        self.until, self._width, self._first = 0, width * MILLI, first

    def begin(self, setting: FleetSetting) -> None:
        """Learn nothing: what users ask for does not matter."""

    def decide(self, view: FleetView) -> FleetDecision:
        """Give the cluster back when no job is left."""
        if view.jobs.size and view.now >= self._first:
            return super().decide(view)
        return FleetDecision(milli=view.milli, rent=0)

    def share_out(self, view: FleetView, usable: int) -> Ints:
        """Let the first jobs run that fit together."""
        wants = np.full(len(view.jobs), self._width)
        return in_order(wants, np.arange(len(wants)), usable, overtaking=False)


def clusters(instance: FleetInstance) -> Iterator[tuple[str, Callable[[], InTurn]]]:
    """Yield such clusters of up to eight nodes, the largest first, with wide and narrow jobs.

    The last of them waits until all jobs are there: then no GPU idles between two of them.
    """
    node = instance.node_gpus or 1
    for size in (8 * node, 4 * node, 2 * node, node):
        for width in sorted({size, 1}, reverse=True):
            made = partial(InTurn, instance, Fraction(size), width)
            yield f"in turn on {width} of {size} GPUs", made
    arrivals = (Fraction(job.arrival_s) / Fraction(instance.tick_s) for job in instance.jobs)
    last = ceil(max(arrivals))
    yield (
        f"in turn on {node} GPUs, all together",
        partial(InTurn, instance, Fraction(node), 1, last),
    )
