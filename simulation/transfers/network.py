"""The links of a `transfers` instance, the routes through them, and the flows of a plan."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm
from typing import Literal, NamedTuple

from ...instances import Send, TransfersInstance, Update

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
    _neighbours: dict[str, list[tuple[int, str]]]
    """Hops out of a node, and their ends, in the order of links."""
    _searches: dict[str, "_Search"] = field(default_factory=dict)
    """By source."""
    _routes: dict[tuple[str, str], Route] = field(default_factory=dict)

    @classmethod
    def of(cls, instance: TransfersInstance) -> "Network":
        """Make an instance ready."""
        sizes = [Fraction(one.size_gb) for one in instance.updates]
        rates = [Fraction(link.gb_s) for link in instance.links]
        unit = lcm(*(one.denominator for one in (*sizes, *rates)))
        neighbours: dict[str, list[tuple[int, str]]] = {instance.server: []}
        for i, link in enumerate(instance.links):
            neighbours.setdefault(link.a, []).append((2 * i, link.b))
            neighbours.setdefault(link.b, []).append((2 * i + 1, link.a))
        return cls(
            instance,
            {one.name: one for one in instance.updates},
            {one.name: int(unit * Fraction(one.size_gb)) for one in instance.updates},
            tuple(int(unit * rate) for rate in rates for _ in "ab"),
            neighbours,
        )

    def route(self, source: str, target: str) -> Route:
        """Return the instance's route, by numbers of hops."""
        known = self._routes.get((source, target))
        if known is None:
            known = self._routes[source, target] = self._traced(source, target)
        return known

    def alone_s(self, name: str, target: str) -> Fraction:
        """Return the time that an update takes to a node if it is sent alone."""
        route = self.route(self.updates[name].worker, target)
        return Fraction(self.sizes[name], self.slowest(route)) if route else Fraction(0)

    def slowest(self, route: Route) -> int:
        """Return the least bandwidth along a route that is not empty."""
        return min(self.rates[hop] for hop in route)

    def _traced(self, source: str, target: str) -> Route:
        if source not in self._searches:
            self._searches[source] = _Search(source, self._neighbours)
        came, hops, node = self._searches[source].until(target), [], target
        while node != source:
            hop, node = came[node]
            hops.append(hop)
        return tuple(reversed(hops))


class _Search:
    """A search from a node, breadth first like the instance's, that goes as far as it must."""

    def __init__(self, source: str, neighbours: dict[str, list[tuple[int, str]]]) -> None:
        self._neighbours = neighbours
        self._came = {source: (-1, source)}
        self._found = [source]
        self._next = iter(self._found)

    def until(self, target: str) -> dict[str, tuple[int, str]]:
        """Return the hop into each node found so far, and whence. The target is one of them."""
        while target not in self._came:
            node = next(self._next)
            for hop, there in self._neighbours[node]:
                if there not in self._came:
                    self._came[there] = (hop, node)
                    self._found.append(there)
        return self._came


def routes_of(network: Network) -> list[Route]:
    """Return the route of every update to the server."""
    instance = network.instance
    return [network.route(one.worker, instance.server) for one in instance.updates]


def several_last_links(instance: TransfersInstance) -> bool:
    """Return True if updates reach the server by more than one link."""
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
    """Return why more than the last link decides arrivals of direct updates, or None."""
    network = Network.of(instance)
    if several_last_links(instance):
        return "updates reach the server by several links"
    if len({one.ready_s for one in instance.updates}) > 1:
        return "updates become ready one after the other"
    for route in routes_of(network):
        if not route:
            return "a worker is the server"
        if network.rates[route[-1]] > network.slowest(route):
            return "a route has a link that is narrower than the last"
    return None


Role = Literal["member", "server", "replica"]
Rate = Fraction | int
"""In the units of the network."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A transfer from one node to another, once it is ready and other flows have ended."""

    send: int
    """The number of its send."""
    role: Role
    """`member`: to the aggregator, `server` and `replica`: to these."""
    updates: tuple[str, ...]
    route: Route
    size: int
    ready: Fraction
    after: Sequence[int] = ()
    """Numbers of flows, all of them earlier ones. `ready` is used if there are none."""


class FlowPiece(NamedTuple):
    """A stretch of time in which a flow has one rate."""

    start: Fraction
    stop: Fraction
    rate: Rate


class FlowCourse(NamedTuple):
    """The course of a flow, without pieces if its route is empty."""

    start: Fraction
    stop: Fraction
    pieces: Sequence[FlowPiece]


def flows_of(network: Network, number: int, send: Send, first: int) -> list[Flow]:
    """Return the flows of a send by priority, numbered from `first`."""
    instance, members = network.instance, [network.updates[name] for name in send.updates]
    source, found = members[0].worker, []
    if send.via is not None:
        source = send.via
        for one in members:
            route, size = network.route(one.worker, source), network.sizes[one.name]
            ready = Fraction(one.ready_s)
            found.append(Flow(number, "member", (one.name,), route, size, ready))
    after = range(first, first + len(found))
    size, ready = max(network.sizes[one.name] for one in members), Fraction(members[0].ready_s)
    targets: list[tuple[Role, str | None]] = [("server", instance.server)]
    if send.to == "both":
        targets.append(("replica", instance.replica))
    for role, target in targets:
        if target is not None:
            route = network.route(source, target)
            found.append(Flow(number, role, send.updates, route, size, ready, after))
    return found


class Arrival(NamedTuple):
    """The arrivals of a send and of its copy, or None."""

    at: Fraction
    copy: Fraction | None
    norm: Fraction
    """Of all its updates."""


class AppliedUpdates(NamedTuple):
    """When sends are applied, and how far the replica falls behind."""

    order: list[int]
    """Numbers of sends, in the order in which they are applied."""
    at: list[Fraction]
    """Their moments. Sends that wait in vain are in neither list."""
    spread: Fraction


def apply_in_turn(arrivals: Sequence[Arrival], room: Fraction | None) -> AppliedUpdates:
    """Apply sends first come first served. `room` limits the sum of norms, unless it is None."""
    order = sorted(range(len(arrivals)), key=lambda i: (arrivals[i].at, i))
    found = AppliedUpdates([], [], Fraction(0))
    now, ahead, spread = Fraction(0), Fraction(0), Fraction(0)
    coming: list[tuple[Fraction, Fraction]] = []
    for i in order:
        at, copy, norm = arrivals[i]
        now = max(now, at)
        if copy is not None:
            heappush(coming, (copy, norm))
        ahead += norm
        while coming and (coming[0][0] <= now or (room is not None and ahead > room)):
            moment, copied = heappop(coming)
            now, ahead = max(now, moment), ahead - copied
        if room is not None and ahead > room:
            break
        found.order.append(i)
        found.at.append(now)
        spread = max(spread, ahead)
    return found._replace(spread=spread)
