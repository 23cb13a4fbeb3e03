"""The ways of updates to the server, and how early each could be there if nothing else moved."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ...instances import TransfersInstance, Update
from ...simulation.transfers import Network

Hops = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way of an update: alone along `own`, then, if it has an aggregator, with others."""

    via: str | None
    own: Hops
    rest: Hops
    """From the aggregator on."""
    ready: Fraction
    gathered: Fraction
    """When it could be at the end of `own`, at the earliest."""
    arrives: Fraction
    """When it could be at the server, at the earliest."""


def ways_of(network: Network, update: Update) -> list[Way]:
    """Return the ways on which an update can be applied; if there are none, it must be dropped."""
    instance = network.instance
    if instance.staleness is not None and update.behind > instance.staleness:
        return []
    due = update.due_s
    ways = (way for way in _all_ways(network, update) if due is None or way.arrives <= due)
    return list(ways)


@lru_cache(maxsize=1)
def all_ways(instance: TransfersInstance) -> tuple[tuple[Way, ...], ...]:
    """Return the ways of every update."""
    network = Network.of(instance)
    return tuple(tuple(ways_of(network, update)) for update in instance.updates)


def _all_ways(network: Network, update: Update) -> Iterator[Way]:
    size, ready = network.sizes[update.name], Fraction(update.ready_s)
    server = network.instance.server
    direct = network.route(update.worker, server)
    arrives = ready + seconds(network, size, direct)
    yield Way(via=None, own=direct, rest=(), ready=ready, gathered=arrives, arrives=arrives)
    for name in network.instance.aggregators:
        own, rest = network.route(update.worker, name), network.route(name, server)
        gathered = ready + seconds(network, size, own)
        arrives = gathered + seconds(network, size, rest)
        yield Way(via=name, own=own, rest=rest, ready=ready, gathered=gathered, arrives=arrives)


def seconds(network: Network, size: int, hops: Hops) -> Fraction:
    """Return how long so much takes along hops that are free."""
    return Fraction(size, network.slowest(hops)) if hops else Fraction(0)
