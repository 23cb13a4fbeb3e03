"""Orders in which updates may be sent."""

from collections.abc import Mapping
from fractions import Fraction
from heapq import heapify, heappop, heapreplace

from ...instances import Send, TransfersInstance
from ...simulation.transfers import Network
from .draft import Draft, usual
from .order import by_positions, moore_hodgson, smith

Expected = tuple[Fraction, int, str]
"""When an update would arrive, its number and its name."""


def as_ready(network: Network) -> list[str]:
    """Return updates as they are ready."""
    return [one.name for one in sorted(network.instance.updates, key=lambda one: one.ready_s)]


def shortest(network: Network) -> list[str]:
    """Return updates with those first that take least time if nothing else is sent."""
    server, names = network.instance.server, list(network.updates)
    return sorted(names, key=lambda name: network.alone_s(name, server))


def longest(network: Network) -> list[str]:
    """Return updates with those first that could arrive last if nothing else is sent."""
    server, updates = network.instance.server, network.updates
    return sorted(
        updates,
        key=lambda name: Fraction(updates[name].ready_s) + network.alone_s(name, server),
        reverse=True,
    )


def in_time(network: Network) -> list[str]:
    """Return the most updates that one link can bring in time, in their best order.

    That is the last link to the server, as if all were ready; others may still be in its way.
    """
    instance, names = network.instance, list(network.updates)
    routes = [network.route(one.worker, instance.server) for one in instance.updates]
    takes = [
        Fraction(network.sizes[name], network.rates[route[-1]]) if route else Fraction(0)
        for name, route in zip(names, routes, strict=True)
    ]
    first = min(one.ready_s for one in instance.updates)
    dues = [None if one.due_s is None else Fraction(one.due_s - first) for one in instance.updates]
    kept = by_positions(takes, places(instance))
    kept = [kept[i] for i in moore_hodgson([takes[i] for i in kept], [dues[i] for i in kept])]
    order = smith(
        [takes[i] for i in kept],
        [places(instance)[i] for i in kept],
        [dues[i] for i in kept],
    )
    best = kept if order is None else [kept[i] for i in order]
    return [names[i] for i in best] + [name for i, name in enumerate(names) if i not in set(best)]


def places(instance: TransfersInstance) -> list[int | None]:
    """Return how many updates may be applied before each."""
    if instance.staleness is None:
        return [None] * len(instance.updates)
    return [instance.staleness - one.behind for one in instance.updates]


def soonest(network: Network) -> list[str]:
    """Return updates with the one next, always, that would then arrive first.

    Where just enough places are left for updates that must come early, the next is one of these.
    What goes before an update can only delay it, so an arrival known from before is a lower bound,
    and few need a second look.
    """
    instance, draft, to = network.instance, Draft(network), usual(network.instance)
    spots = dict(zip(network.updates, places(instance), strict=True))
    names = list(network.updates)
    alone = [network.alone_s(name, instance.server) for name in names]
    kept = {names[i] for i in by_positions(alone, list(spots.values()))}
    queue = [(draft.arrival(name), i, name) for i, name in enumerate(names) if name in kept]
    heapify(queue)
    order: list[str] = []
    while queue:
        urgent = _urgent(len(draft.sends), {name: spots[name] for _, _, name in queue})
        if urgent:
            chosen = min((draft.arrival(name), i, name) for _, i, name in queue if name in urgent)
            queue = [one for one in queue if one[2] != chosen[2]]
            heapify(queue)
        else:
            chosen = _first(draft, queue)
        name = chosen[2]
        draft.add(Send(updates=(name,), to=to), worth=True)
        order.append(name)
    return order + [name for name in names if name not in kept]


def _first(draft: Draft, queue: list[Expected]) -> Expected:
    """Take the update that would arrive first from a heap of lower bounds."""
    while True:
        _, i, name = queue[0]
        now = (draft.arrival(name), i, name)
        if now <= min(queue[1:3], default=now):
            heappop(queue)
            return now
        heapreplace(queue, now)


def _urgent(place: int, spots: Mapping[str, int | None]) -> set[str]:
    """Return updates that must fill the places from this on, or nothing if any may come next."""
    limited = sorted((spot, name) for name, spot in spots.items() if spot is not None)
    for count, (spot, _) in enumerate(limited, 1):
        if place + count > spot and count < len(spots):
            return {name for other, name in limited if other <= spot}
    return set()
