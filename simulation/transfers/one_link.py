"""Whether the last link to the server decides alone when updates arrive."""

from fractions import Fraction

from ...instances import TransfersInstance
from .network import Network, Route


def routes_of(network: Network) -> list[Route]:
    """Return the route of every update to the server."""
    instance = network.instance
    return [network.route(one.worker, instance.server) for one in instance.updates]


def several_last_links(instance: TransfersInstance) -> bool:
    """Say whether updates reach the server by more than one link."""
    return len({route[-1] for route in routes_of(Network.of(instance)) if route}) > 1


def last_link_s(instance: TransfersInstance) -> list[Fraction]:
    """Return how long each update takes on the last link to the server."""
    network = Network.of(instance)
    sizes = [network.sizes[one.name] for one in instance.updates]
    return [
        Fraction(size, network.rates[route[-1]]) if route else Fraction(0)
        for size, route in zip(sizes, routes_of(network), strict=True)
    ]


def more_than_one_link(instance: TransfersInstance) -> str | None:
    """Say what else decides when updates arrive that are sent directly; None: nothing does."""
    network = Network.of(instance)
    if several_last_links(instance):
        return "updates reach the server by several links"
    if len({one.ready_s for one in instance.updates}) > 1:
        return "updates become ready one after the other"
    for route in routes_of(network):
        if not route:
            return "a worker is the server"
        if network.rates[route[-1]] > network.slowest(route):
            return "a way has a link that is narrower than the last"
    return None
