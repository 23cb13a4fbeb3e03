"""No ordering: updates go as they are ready, each directly, the first taking what it can."""

from ...instances import Outcome, TransfersInstance
from ...simulation.transfers import Network
from ..request import NoOptions, Request
from .draft import answer, singly
from .orders import as_ready


def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; what would break a rule is dropped, and all is copied if any must be."""
    network = Network.of(instance)
    return answer(instance, singly(network, as_ready(network)).sends, "fifo")
