"""Shortest first: updates that take least time alone go first, each directly."""

from ...instances import Outcome, TransfersInstance
from ...simulation.transfers import Network
from ..request import NoOptions, Request
from .draft import answer, singly
from .orders import shortest


def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the plan; updates that would break a rule are dropped; all are copied if any must be."""
    network = Network.of(instance)
    return answer(instance, singly(network, shortest(network)).sends, "shortest-first")
