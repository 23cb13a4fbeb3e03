"""Which updates are added up on the way, and which go directly.

The home of an update is the aggregator nearest to it. Of the updates that are as far from the same
one, those that can be there first, or last, go directly and keep the server busy; the others gather
and are added up in groups of consecutive ones.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...instances import Send
from ...instances.transfers.instance import Goal, Target
from ...simulation.transfers import Network

Home = tuple[str, int]
"""An aggregator, and how many hops away the updates are."""

Homes = Mapping[Home, Sequence[str]]
"""Updates in the order in which they can be there."""


class GroupCut(NamedTuple):
    """What is done with the updates of a home."""

    direct: int
    """How many go directly."""
    group: int
    """The others in groups of at most this many."""
    longest: bool = False
    """Whether those go directly that take longest, not those that can be there first."""


Cuts = Mapping[Home, GroupCut]


def homes_of(network: Network) -> Homes:
    """Return the homes of updates; of aggregators equally near, that with the least load."""
    server = network.instance.server
    loads = dict.fromkeys(network.instance.aggregators, 0)
    homes: dict[Home, list[str]] = {}
    for name in sorted(network.sizes, key=network.sizes.__getitem__, reverse=True):
        choices, worker = [], network.updates[name].worker
        for i, (via, load) in enumerate(loads.items()):
            hops = len(network.route(worker, via))
            way = hops + len(network.route(via, server))
            choices.append((way, network.alone_s(name, via), load, i, (via, hops)))
        if choices:
            home = min(choices)[-1]
            loads[home[0]] += network.sizes[name]
            homes.setdefault(home, []).append(name)
    for (via, _), names in homes.items():
        names.sort(key=lambda name, via=via: _gathered(network, name, via))  # type: ignore[misc]
    return homes


def _gathered(network: Network, name: str, via: str) -> Fraction:
    """Return when an update could be at an aggregator if nothing else were sent."""
    return Fraction(network.updates[name].ready_s) + network.alone_s(name, via)


def sends_of(network: Network, homes: Homes, cuts: Cuts, to: Target) -> list[Send]:
    """Return the sends that the cuts make, with those first that bring many updates soon."""
    sends = []
    for home, names in homes.items():
        direct, group, longest = cuts[home]
        turn = names[::-1] if longest else names
        sends += [Send(updates=(name,), to=to) for name in turn[:direct]]
        for i in range(direct, len(turn), group):
            members = tuple(turn[i : i + group])
            via = home[0] if len(members) > 1 else None
            sends.append(Send(updates=members, via=via, to=to))
    return sends


def by_members(network: Network, send: Send) -> Fraction:
    """Return the moment at which a send could arrive, over the number of its updates."""
    return by_arrival(network, send) / len(send.updates)


def by_arrival(network: Network, send: Send) -> Fraction:
    """Return the moment at which a send could arrive if nothing else were sent."""
    if send.via is None:
        return _gathered(network, send.updates[0], network.instance.server)
    way = network.route(send.via, network.instance.server)
    largest = max(network.sizes[name] for name in send.updates)
    onward = Fraction(largest, network.slowest(way)) if way else Fraction(0)
    return _all_there(network, send.updates, send.via) + onward


def _all_there(network: Network, names: Sequence[str], via: str) -> Fraction:
    """Return when updates could be at an aggregator: they share the last hop to it."""
    apart = max(_gathered(network, name, via) for name in names)
    routes = [network.route(network.updates[name].worker, via) for name in names]
    last = {route[-1] for route in routes if route}
    if len(last) != 1:
        return apart
    sizes = sum(network.sizes[name] for name in names)
    ready = min(Fraction(network.updates[name].ready_s) for name in names)
    return max(apart, ready + Fraction(sizes, network.rates[last.pop()]))


def by_length(network: Network, send: Send) -> Fraction:
    """Return a number by which the send comes first that could arrive last."""
    return -by_arrival(network, send)


ORDERS: Mapping[Goal, tuple[Callable[[Network, Send], Fraction], ...]] = {
    "mean": (by_members, by_arrival),
    "last": (by_length, by_arrival),
}
"""What sends may be sorted by."""
