"""What every plan of `transfers` needs: ways of updates, and the hops that they cannot avoid."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush

from .....instances.transfers.instance import Hop, TransfersInstance, Update
from ..fluid import fluid
from ..lists import counts_in
from ..steps import ProofStep, StepError

NONE = Fraction(0)
Moments = list[Fraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferWay:
    """A way to the server: alone over the hops of `own`, then perhaps with others."""

    own: frozenset[Hop]
    own_s: Fraction
    rest_s: Fraction


def ways_of(instance: TransfersInstance, one: Update) -> list[TransferWay]:
    """Return the ways on which an update can be applied."""
    hops, size, server = instance.hops, Fraction(one.size_gb), instance.server

    def takes(route: tuple[Hop, ...]) -> Fraction:
        return size / min(hops[hop] for hop in route) if route else NONE

    if instance.staleness is not None and one.behind > instance.staleness:
        return []
    # The route from a node to itself is empty: straight on, there is no rest.
    stops = [server, *instance.aggregators]
    routes = [(instance.route(one.worker, stop), instance.route(stop, server)) for stop in stops]
    ways = [TransferWay(own=frozenset(a), own_s=takes(a), rest_s=takes(b)) for a, b in routes]
    due = one.due_s
    ready = Fraction(one.ready_s)
    return [way for way in ways if due is None or ready + way.own_s + way.rest_s <= due]


class TransferFacts:
    """An instance with the ways of its updates, and when each could be applied alone."""

    def __init__(self, instance: TransfersInstance) -> None:
        """Work out all ways."""
        self.instance, self.late = instance, Fraction(instance.drop_s)
        self.hops = instance.hops
        self.ways = [ways_of(instance, one) for one in instance.updates]
        self.ready = [Fraction(one.ready_s) for one in instance.updates]
        self.alone = [
            min((ready + way.own_s + way.rest_s for way in ways), default=self.late)
            for ready, ways in zip(self.ready, self.ways, strict=True)
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
        capped = sorted(min(moment, self.late) for moment in moments)
        return capped[-1] if self.instance.goal == "last" else sum(capped, NONE) / len(capped)

    def chosen(self, step: ProofStep) -> list[tuple[Hop, list[int]]]:
        """Return the hops that a step names, with the updates that cross each.

        By number: those of the links in turn, first from a to b, then from b to a.
        """
        links, found = self.instance.links, list[tuple[Hop, list[int]]]()
        for number in counts_in(step, "hops"):
            if number >= 2 * len(links):
                raise StepError(f"hops has {number}, and there are {2 * len(links)}")
            link = links[number // 2]
            hop = (link.b, link.a) if number % 2 else (link.a, link.b)
            found.append((hop, self.crossing(hop)))
        crossed = [i for _, own in found for i in own]
        if len({*crossed}) < len(crossed) or not all(own for _, own in found):
            raise StepError("each of hops has to be crossed, and no update may cross two of them")
        return found

    def others(self, chosen: list[tuple[Hop, list[int]]]) -> Moments:
        """Return when those that cross none of some hops could be applied alone."""
        crossed = {i for _, own in chosen for i in own}
        return [moment for i, moment in enumerate(self.alone) if i not in crossed]

    def by_least_left(self, hop: Hop, own: list[int]) -> Moments:
        """Return when the 1st, 2nd, .. of updates can have crossed a hop and been applied."""
        takes, ready = [self.takes(i, hop) for i in own], [self.ready[i] for i in own]
        ends = {k: end for k, _, end in fluid(ready, takes, by_left=True)}
        dues = [self.instance.updates[i].due_s for i in own]
        first = min(ready)
        most = in_time(takes, [None if due is None else Fraction(due) - first for due in dues])
        last = max(*ends.values(), self.late)
        crossed = [end if k < most else last for k, end in enumerate(sorted(ends.values()))]
        return list(map(max, crossed, sorted(self.alone[i] for i in own)))

    def fresh(self) -> int:
        """Return how many updates can be applied in view of staleness."""
        most, updates = self.instance.staleness, self.instance.updates
        if most is None or self.instance.aggregators:
            return len(updates)
        places = [Fraction(most - one.behind + 1) for one in updates]
        return in_time([Fraction(1)] * len(updates), places)


def in_time(takes: Sequence[Fraction], dues: Sequence[Fraction | None]) -> int:
    """Return how many jobs one machine ends in time at most, all there from 0 on (Moore 1968)."""
    kept, now = list[Fraction](), NONE
    timed = [(due, took) for due, took in zip(dues, takes, strict=True) if due is not None]
    for due, took in sorted(timed):
        heappush(kept, -took)
        now += took
        if now > due:
            now += heappop(kept)
    return len(kept) + len(takes) - len(timed)
