"""No ordering: updates go as they are ready, each directly, the first taking what it can."""

from numpy.random import Generator

from ...instances import Limits, Outcome, TransfersInstance
from ...simulation.transfers import Network
from .draft import answer, singly
from .orders import as_ready


def run(instance: TransfersInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return the plan; whoever would break a rule is dropped, and all is copied if any must be."""
    del limits, rng
    network = Network.of(instance)
    return answer(instance, singly(network, as_ready(network)).sends, "fifo")
