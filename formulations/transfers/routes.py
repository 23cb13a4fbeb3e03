"""The routes of updates to the server, and their earliest arrivals on an idle network."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ...instances import TransfersInstance, Update
from ...simulation.transfers import Network

Hops = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRoute:
    """A route of an update: alone along `own`, then, after an aggregator, with other updates."""

    via: str | None
    own: Hops
    rest: Hops
    """From the aggregator on."""
    ready: Fraction
    gathered: Fraction
    """The earliest arrival at the end of `own`."""
    arrives: Fraction
    """The earliest arrival at the server."""


@lru_cache(maxsize=1)
def update_routes(instance: TransfersInstance) -> tuple[tuple[UpdateRoute, ...], ...]:
    """Return the routes by which each update can be applied.

    An update without a route is dropped.
    """
    network = Network.of(instance)
    return tuple(
        ()
        if instance.staleness is not None and update.behind > instance.staleness
        else tuple(
            route
            for route in _routes(network, update)
            if update.due_s is None or route.arrives <= update.due_s
        )
        for update in instance.updates
    )


def _routes(network: Network, update: Update) -> Iterator[UpdateRoute]:
    size, ready = network.sizes[update.name], Fraction(update.ready_s)
    server = network.instance.server
    own = network.route(update.worker, server)
    arrives = ready + seconds(network, size, own)
    yield UpdateRoute(via=None, own=own, rest=(), ready=ready, gathered=arrives, arrives=arrives)
    for via in network.instance.aggregators:
        own, rest = network.route(update.worker, via), network.route(via, server)
        gathered = ready + seconds(network, size, own)
        arrives = gathered + seconds(network, size, rest)
        yield UpdateRoute(
            via=via, own=own, rest=rest, ready=ready, gathered=gathered, arrives=arrives
        )


def seconds(network: Network, size: int, hops: Hops) -> Fraction:
    """Return how long an update of a size takes along hops that are free."""
    return Fraction(size, network.slowest(hops)) if hops else Fraction(0)
