"""The first two decisions of MLfabric: the order of updates, and groups that are added up.

At first all homes are treated alike: groups of all sizes, then an ever longer prefix that goes
directly. Then homes change one by one, or always that of the last update if the last counts.
Every plan is played, and what is better is kept.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice

from ...instances import Outcome, Send, TransfersInstance
from ...simulation.transfers import Network
from ..request import NoOptions, Request
from . import mlfabric_order
from .draft import Draft, best_of, drafted, usual
from .groups import ORDERS, Cuts, GroupCut, Home, homes_of, sends_of

WORK = 10_000
"""Updates that are simulated, in all plans with groups."""


def run(instance: TransfersInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best plan; all is copied if any must be, and nothing is random."""
    return best_of(drafts(Network.of(instance)), "mlfabric-aggregate", request.limits)


def drafts(network: Network) -> Iterator[Draft]:
    """Yield plans without groups, then plans with them."""
    yield from mlfabric_order.drafts(network)
    yield from islice(_GroupSearch(network).drafts(), max(1, WORK // len(network.updates)))


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
        """Yield plans with one group, as its members do not make each other stale."""
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
    """Return ways to treat a home a little differently, and the way without any group."""
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
