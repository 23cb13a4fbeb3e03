"""The links of a `transfers` instance with numbers for names, and the ways through them."""

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from ...instances import TransfersInstance, Update

Route = tuple[int, ...]
"""Numbers of hops."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """An instance made ready: routes are worked out once, sizes and bandwidths are whole numbers.

    Both are multiples of one unit, so that their quotients are seconds.
    """

    instance: TransfersInstance
    updates: dict[str, Update]
    sizes: dict[str, int]
    rates: tuple[int, ...]
    """Bandwidth by hop."""
    _ways: dict[str, list[tuple[int, str]]]
    """Hops out of a node, and where they lead, in the order of links."""
    _came: dict[str, dict[str, tuple[int, str]]] = field(default_factory=dict)
    """By source: the hop into each node, and whence."""
    _routes: dict[tuple[str, str], Route] = field(default_factory=dict)

    @classmethod
    def of(cls, instance: TransfersInstance) -> "Network":
        """Make an instance ready."""
        sizes = [Fraction(one.size_gb) for one in instance.updates]
        rates = [Fraction(link.gb_s) for link in instance.links]
        unit = lcm(*(one.denominator for one in (*sizes, *rates)))
        ways: dict[str, list[tuple[int, str]]] = {instance.server: []}
        for i, link in enumerate(instance.links):
            ways.setdefault(link.a, []).append((2 * i, link.b))
            ways.setdefault(link.b, []).append((2 * i + 1, link.a))
        return cls(
            instance,
            {one.name: one for one in instance.updates},
            {one.name: int(unit * Fraction(one.size_gb)) for one in instance.updates},
            tuple(int(unit * rate) for rate in rates for _ in "ab"),
            ways,
        )

    def route(self, source: str, target: str) -> Route:
        """Return the instance's route, by numbers of hops."""
        known = self._routes.get((source, target))
        if known is None:
            known = self._routes[source, target] = self._traced(source, target)
        return known

    def alone_s(self, name: str, target: str) -> Fraction:
        """Return how long an update takes to a node if nothing else is sent."""
        route = self.route(self.updates[name].worker, target)
        return Fraction(self.sizes[name], self.slowest(route)) if route else Fraction(0)

    def slowest(self, route: Route) -> int:
        """Return the least bandwidth along a route that is not empty."""
        return min(self.rates[hop] for hop in route)

    def _traced(self, source: str, target: str) -> Route:
        if source not in self._came:
            self._came[source] = self._search(source)
        came, way, node = self._came[source], [], target
        while node != source:
            hop, node = came[node]
            way.append(hop)
        return tuple(reversed(way))

    def _search(self, source: str) -> dict[str, tuple[int, str]]:
        """Look breadth first, as the instance does."""
        came = {source: (-1, source)}
        queue = [source]
        for node in queue:
            for hop, there in self._ways[node]:
                if there not in came:
                    came[there] = (hop, node)
                    queue.append(there)
        return came


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
