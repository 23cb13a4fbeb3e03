"""The first decision of MLfabric alone: the order of updates, and which are dropped.

The shortest expected transfer goes next, as long as staleness and due times can still be kept by
the others; what cannot keep them is dropped. A few such orders are played, and the best is kept.
"""

from collections.abc import Iterator

from ...instances import Outcome, TransfersInstance
from ...simulation.transfers import Network
from ..request import NoOptions, Request
from .draft import Draft, best_of, singly
from .orders import as_ready, in_time, longest, shortest, soonest


def drafts(network: Network) -> Iterator[Draft]:
    """Yield plans without groups, first that of shortest first as it is."""
    yield singly(network, shortest(network))
    orders = (shortest, in_time, soonest, as_ready)
    for order in orders if network.instance.goal == "mean" else (*orders, longest):
        yield singly(network, order(network), worth=True)


def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best plan; all is copied if any must be, and nothing is random."""
    return best_of(drafts(Network.of(instance)), "mlfabric-order", request.limits)
