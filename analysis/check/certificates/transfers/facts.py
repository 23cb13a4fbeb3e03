"""What rules of `transfers` know of an instance: ways of updates, and what crosses hops at best.

docs/theory/transfers-bounds.md has the proofs.
"""

from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush
from typing import NamedTuple

from .....instances.transfers import Hop, TransfersInstance, Update
from ..kernel import NONE, fluid
from ..steps import ProofStep, StepError

Moments = Sequence[Fraction]
Chosen = list[tuple[Hop, list[int]]]
"""Hops with the updates that cross each."""


class TransferWay(NamedTuple):
    """A way to the server: alone over the hops of `own`, then perhaps with others."""

    stop: int
    """The number of the aggregator; -1 if there is none."""
    own: frozenset[Hop]
    own_s: Fraction
    rest_s: Fraction


class TransferFacts:
    """An instance with the ways of its updates, and when each could be applied alone."""

    def __init__(self, instance: TransfersInstance) -> None:
        """Work out all ways."""
        self.instance, self.late, self.hops = instance, Fraction(instance.drop_s), instance.hops
        self.ready = [Fraction(one.ready_s) for one in instance.updates]
        self.dues = [None if one.due_s is None else Fraction(one.due_s) for one in instance.updates]
        ends = zip(instance.updates, self.ready, self.dues, strict=True)
        self.ways = [
            [way for way in self._ways(one) if due is None or ready + way.own_s + way.rest_s <= due]
            for one, ready, due in ends
        ]
        self.alone = [
            min((ready + way.own_s + way.rest_s for way in ways), default=self.late)
            for ready, ways in zip(self.ready, self.ways, strict=True)
        ]

    def _ways(self, one: Update) -> list[TransferWay]:
        """Return the ways on which an update can be applied some time."""
        instance = self.instance
        if instance.staleness is not None and one.behind > instance.staleness:
            return []

        def takes(route: tuple[Hop, ...]) -> Fraction:
            return Fraction(one.size_gb) / min(self.hops[hop] for hop in route) if route else NONE

        # The route from a node to itself is empty: straight on, there is no rest.
        stops, server = [instance.server, *instance.aggregators], instance.server
        routes = [(instance.route(one.worker, s), instance.route(s, server)) for s in stops]
        return [
            TransferWay(k, frozenset(a), takes(a), takes(b)) for k, (a, b) in enumerate(routes, -1)
        ]

    def takes(self, i: int, hop: Hop) -> Fraction:
        """Return how long an update has all of a hop."""
        return Fraction(self.instance.updates[i].size_gb) / self.hops[hop]

    def crossing(self, hop: Hop) -> list[int]:
        """Return the updates that cross a hop alone on all of their ways."""
        ways = enumerate(self.ways)
        return [i for i, own in ways if own and all(hop in way.own for way in own)]

    def worth(self, moments: Moments) -> Fraction:
        """Return what the goal makes of moments before which the 1st, 2nd, .. are not applied."""
        capped = [min(moment, self.late) for moment in moments]
        return max(capped) if self.instance.goal == "last" else sum(capped, NONE) / len(capped)

    def hop(self, number: int) -> Hop:
        """Return a hop by number: those of the links in turn, from a to b, then from b to a."""
        links = self.instance.links
        if number >= 2 * len(links):
            raise StepError(f"hops has {number}, and there are {2 * len(links)}")
        link = links[number // 2]
        return (link.b, link.a) if number % 2 else (link.a, link.b)

    def chosen(self, step: ProofStep) -> tuple[Chosen, list[Fraction]]:
        """Return the hops that a step names, and when updates that cross none are applied alone."""
        hops = [self.hop(number) for number in step.counts("hops")]
        found = [(hop, self.crossing(hop)) for hop in hops]
        crossed = [i for _, own in found for i in own]
        if len({*crossed}) < len(crossed) or not all(own for _, own in found):
            raise StepError("each of hops has to be crossed, and no update may cross two of them")
        return found, [moment for i, moment in enumerate(self.alone) if i not in crossed]

    def by_least_left(self, hop: Hop, own: list[int]) -> list[Fraction]:
        """Return when the 1st, 2nd, .. of updates can have crossed a hop and been applied."""
        takes, ready = [self.takes(i, hop) for i in own], [self.ready[i] for i in own]
        ends = sorted({k: end for k, _, end in fluid(ready, takes, by_left=True)}.values())
        dues, first = [self.dues[i] for i in own], min(ready)
        most = in_time(takes, [None if due is None else due - first for due in dues])
        crossed = ends[:most] + [max(ends[-1], self.late)] * (len(ends) - most)
        return list(map(max, crossed, sorted(self.alone[i] for i in own)))

    def fresh(self) -> int:
        """Return how many updates can be applied in view of staleness."""
        most, updates = self.instance.staleness, self.instance.updates
        if most is None or self.instance.aggregators:
            return len(updates)
        places = [Fraction(most - one.behind + 1) for one in updates]
        return in_time([Fraction(1)] * len(updates), places)


def in_time(takes: Moments, dues: Sequence[Fraction | None]) -> int:
    """Return how many jobs one machine ends in time at most, all there from 0 on (Moore 1968)."""
    kept, now = list[Fraction](), NONE
    timed = [(due, took) for due, took in zip(dues, takes, strict=True) if due is not None]
    for due, took in sorted(timed):
        heappush(kept, -took)
        now += took
        if now > due:
            now += heappop(kept)
    return len(kept) + len(takes) - len(timed)
