"""Shortest first: updates that take least time alone go first, each directly."""

from ...instances import Outcome, TransfersInstance
from ...simulation.transfers import Network
from ..request import NoOptions, Request
from .draft import answer, singly
from .orders import shortest


def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; what would break a rule is dropped, and all is copied if any must be."""
    network = Network.of(instance)
    return answer(instance, singly(network, shortest(network)).sends, "shortest-first")
