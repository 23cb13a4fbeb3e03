"""MLfabric's decisions: the order of updates, groups that are added up, and copies for the replica.

Every plan is simulated, and improvements are kept.

1. Order, and dropped updates: the shortest expected transfer goes next, while the other updates can
  still keep staleness and due times. Updates that cannot keep them are dropped.
2. Groups. The home of an update is its nearest aggregator. Among updates equally far from the same
  aggregator, those that can arrive first, or last, go directly and keep the server busy. The other
  updates are added up there in groups of consecutive ones. At first all homes are treated alike:
  groups of all sizes, then an ever longer prefix that goes directly. Then homes change one by one,
  or always the home of the last update if the goal is the last.
3. Copies: only as many as keep the replica near enough. The server may always be ahead by some
  updates. The updates that save most bytes for their norm are not copied, up to a fraction of that.
  The other sends are copied. Then sends change one by one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import NamedTuple

from ...instances import Outcome, Send, TransfersInstance
from ...instances.transfers import Goal, Target
from ...simulation.transfers.network import Network
from ...simulation.transfers.replay import norm_of, room_of
from ..request import NoOptions, Request, Scheduler
from .orders import (
    Draft,
    as_ready,
    best_of,
    drafted,
    in_time,
    longest,
    shortest,
    singly,
    soonest,
    usual,
)

WORK = 10_000
"""Updates that are simulated, in all plans, while sends change one by one."""

QUARTERS = (4, 3, 2, 1)
"""Of the divergence, for updates that are never copied."""


def by_drafts(name: str, drafts: Callable[[Network], Iterator[Draft]]) -> Scheduler:
    """Return the method that uses the best of some plans (deterministic)."""

    def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
        return best_of(drafts(Network.of(instance)), name, request.limits)

    return Scheduler(run=run)


def drafts(network: Network) -> Iterator[Draft]:
    """Yield plans that copy everything or no update, then, from the best, plans that copy some."""
    best: Draft | None = None
    for draft in grouped_drafts(network):
        yield draft
        best = min(best or draft, draft, key=lambda one: one.value)
    room = room_of(network.instance)
    if room is None or best is None:
        return
    base = best.sends
    for quarters in QUARTERS:
        draft = drafted(network, _copying(network, base, room * quarters / 4), worth=True)
        yield draft
        best = min(best, draft, key=lambda one: one.value)
    for i in range(min(len(base), WORK // len(network.updates))):
        sends = list(best.sends)
        if i < len(sends):
            sends[i] = replace(sends[i], to="server" if sends[i].to == "both" else "both")
            draft = drafted(network, sends, worth=True)
            yield draft
            best = min(best, draft, key=lambda one: one.value)


MLFABRIC = by_drafts("mlfabric", drafts)


def _copying(network: Network, sends: Sequence[Send], room: Fraction) -> list[Send]:
    """Return sends with some uncopied ones, whose norms add up to at most the room.

    Sends that move the parameters least per byte of their copy come first.
    """
    found = list(sends)
    moved = [norm_of(network, send) / max(network.sizes[n] for n in send.updates) for send in sends]
    for i in sorted(range(len(found)), key=moved.__getitem__):
        norm = norm_of(network, found[i])
        if norm <= room:
            found[i] = replace(found[i], to="server")
            room -= norm
    return found


Home = tuple[str, int]
"""An aggregator, and how many hops away the updates are."""

Homes = Mapping[Home, Sequence[str]]
"""Updates in the order in which they can be there."""


class GroupCut(NamedTuple):
    """Direct updates of a home, and the group size of its other updates."""

    direct: int
    """Number of direct updates."""
    group: int
    """Most updates in a group of the other ones."""
    longest: bool = False
    """True if the slowest updates go directly, not the earliest to arrive."""


Cuts = Mapping[Home, GroupCut]


def homes_of(network: Network) -> Homes:
    """Return the homes of updates: the nearest aggregator, by least load on ties."""
    server = network.instance.server
    loads = dict.fromkeys(network.instance.aggregators, 0)
    homes: dict[Home, list[str]] = {}
    for name in sorted(network.sizes, key=network.sizes.__getitem__, reverse=True):
        choices, worker = [], network.updates[name].worker
        for i, (via, load) in enumerate(loads.items()):
            hops = len(network.route(worker, via))
            length = hops + len(network.route(via, server))
            choices.append((length, network.alone_s(name, via), load, i, (via, hops)))
        if choices:
            home = min(choices)[-1]
            loads[home[0]] += network.sizes[name]
            homes.setdefault(home, []).append(name)
    for (via, _), names in homes.items():
        names.sort(key=lambda name, via=via: _gathered(network, name, via))  # type: ignore[misc]
    return homes


def _gathered(network: Network, name: str, via: str) -> Fraction:
    """Return when an update could reach an aggregator if sent alone."""
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
    """Return when a send could arrive if sent alone."""
    if send.via is None:
        return _gathered(network, send.updates[0], network.instance.server)
    route = network.route(send.via, network.instance.server)
    largest = max(network.sizes[name] for name in send.updates)
    onward = Fraction(largest, network.slowest(route)) if route else Fraction(0)
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
"""Keys by which sends are sorted."""


GROUP_WORK = 10_000
"""Updates that are simulated, in all plans with groups."""


def grouped_drafts(network: Network) -> Iterator[Draft]:
    """Yield plans without groups, then plans with groups. Copy everything if any copy is due."""
    yield from ordered_drafts(network)
    yield from islice(_GroupSearch(network).drafts(), max(1, GROUP_WORK // len(network.updates)))


MLFABRIC_AGGREGATE = by_drafts("mlfabric-aggregate", grouped_drafts)


class _GroupSearch:
    def __init__(self, network: Network) -> None:
        self._network = network
        self._homes = homes_of(network)
        self._best: Draft | None = None
        self._cuts: Cuts = {}

    def drafts(self) -> Iterator[Draft]:
        if not self._homes:
            return
        most = max(map(len, self._homes.values()))
        longest = self._network.instance.goal == "last"
        for size in _halved(most):
            yield from self._play(dict.fromkeys(self._homes, GroupCut(0, size, longest)))
        for direct in reversed(_halved(most)):
            cuts = {home: cut._replace(direct=direct) for home, cut in self._cuts.items()}
            yield from self._play(cuts)
        if self._network.instance.staleness is not None:
            yield from self._all_in_one()
        if self._network.instance.goal == "mean":
            for home in self._homes:
                yield from self._change(home)
            return
        before = None
        while self._best is not before:
            before = self._best
            yield from self._change(self._last_home())

    def _change(self, home: Home) -> Iterator[Draft]:
        for cut in _others(self._cuts[home], len(self._homes[home])):
            yield from self._play({**self._cuts, home: cut})

    def _last_home(self) -> Home:
        """Return the home of the update that is applied last."""
        assert self._best is not None
        last = self._best.last
        return next(home for home, names in self._homes.items() if last in names)

    def _play(self, cuts: Cuts) -> Iterator[Draft]:
        sends = sends_of(self._network, self._homes, cuts, usual(self._network.instance))
        for order in ORDERS[self._network.instance.goal]:
            by = partial(order, self._network)
            draft = drafted(self._network, sorted(sends, key=by), worth=True)
            yield draft
            if self._best is None or draft.value < self._best.value:
                self._best, self._cuts = draft, cuts

    def _all_in_one(self) -> Iterator[Draft]:
        """Yield plans with one group, whose members do not make each other stale."""
        names, to = tuple(self._network.updates), usual(self._network.instance)
        for via in self._network.instance.aggregators:
            yield drafted(self._network, [Send(updates=names, via=via, to=to)], worth=True)


def _halved(most: int) -> list[int]:
    """Return `most`, half of it, and so on down to 1, rounded up."""
    sizes = [most]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    return sizes


def _others(cut: GroupCut, most: int) -> list[GroupCut]:
    """Return cuts of a home that differ a little, and the one without any group."""
    direct, group, longest = min(cut.direct, most), min(cut.group, most), cut.longest
    changed = [
        GroupCut(most, 1),
        GroupCut(direct, 2 * group, longest),
        GroupCut(direct, (group + 1) // 2, longest),
        GroupCut(2 * direct or 1, group, longest),
        GroupCut(direct // 2, group, longest),
        GroupCut(direct, group, not longest),
        *(GroupCut(first, most, turned) for first in (0, 1) for turned in (longest, not longest)),
    ]
    return [one for one in changed if one != cut]


def ordered_drafts(network: Network) -> Iterator[Draft]:
    """Yield plans without groups, shortest first at first. Copy everything if any copy is due."""
    yield singly(network, shortest(network))
    orders = (shortest, in_time, soonest, as_ready)
    for order in orders if network.instance.goal == "mean" else (*orders, longest):
        yield singly(network, order(network), worth=True)


MLFABRIC_ORDER = by_drafts("mlfabric-order", ordered_drafts)
