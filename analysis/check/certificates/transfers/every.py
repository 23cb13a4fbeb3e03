"""The rule `every plan` of `transfers`: a search through all plans for a few updates.

A *front* is the set of sends that are applied first, with the arrived copies among them. The search
includes the link use of these sends and copies only. It thus omits no plan, and includes some plans
that are better than any feasible one. `docs/reference/certificate-rules.md` has the argument.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import NamedTuple

from .....instances.transfers import Hop, TransfersInstance
from ..kernel import NONE
from ..reading import ProofStep, StepError

MOST_WORK = 30_000
"""Maximum number of front extensions and computed ends. Steps beyond it are refused."""

MOST_UPDATES = 8


class PlanFlow(NamedTuple):
    """Data on a route: the earliest start, and the minimum remaining time after its end."""

    route: tuple[Hop, ...]
    size: Fraction
    ready: Fraction
    tail: Fraction


class PlanSend(NamedTuple):
    """Updates by number that arrive as one, through a node or directly from their worker."""

    members: tuple[int, ...]
    via: str | None


class SendFlows(NamedTuple):
    """The flows of a send to the server, and of its copy to the replica."""

    arrival: list[PlanFlow]
    copy: list[PlanFlow]


class PlanFront(NamedTuple):
    """The sends that are applied first, with the arrived copies among them."""

    sends: frozenset[PlanSend]
    copied: frozenset[PlanSend]


def every_plan(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """Return `at_least` if the search finds no front from which a plan may be worth less."""
    least = step.number("at_least")
    if _FrontSearch(instance, least).finds_less():
        raise StepError(f"the steps do not exclude a plan worth less than {least}")
    return least


class _FrontSearch:
    """A search through all fronts that may lead to a plan worth less than claimed.

    The cost of a front is a lower bound on its sends' contribution. It is the sum of the moments at
    which updates are applied if the goal is the mean, and the last of these moments otherwise.
    """

    def __init__(self, instance: TransfersInstance, least: Fraction) -> None:
        if len(instance.updates) > MOST_UPDATES:
            raise StepError(f"there are more than {MOST_UPDATES} updates")
        self.instance, self.work, self.hops = instance, 0, instance.hops
        self.late, count = Fraction(instance.drop_s), len(instance.updates)
        self.mean = instance.goal == "mean"
        self.least = least * count if self.mean else least
        self._flows = cache(self._make_flows)
        self.norms = [Fraction(one.norm) for one in instance.updates]

    def finds_less(self) -> bool:
        """Return True if a plan may be worth less than claimed.

        Each layer holds the fronts of one more send. Of equal fronts reached in different orders
        the cheapest is enough.
        """
        layer = {PlanFront(frozenset(), frozenset()): NONE}
        while layer:
            longer = dict[PlanFront, Fraction]()
            for front, cost in layer.items():
                if self._cost_without(self._unsent(front), cost) < self.least:
                    return True
                for successor, more in self._successors(front, cost):
                    longer[successor] = min(more, longer.get(successor, more))
            layer = longer
        return False

    def _unsent(self, front: PlanFront) -> frozenset[int]:
        sent = {i for send in front.sends for i in send.members}
        return frozenset(range(len(self.instance.updates))) - sent

    def _cost_without(self, dropped: frozenset[int], cost: Fraction) -> Fraction:
        """Return the cost of a plan that ends with a front and drops all other updates."""
        if self.mean:
            return cost + len(dropped) * self.late
        return self.late if dropped else cost

    def _successors(self, front: PlanFront, cost: Fraction) -> Iterator[tuple[PlanFront, Fraction]]:
        """Yield the fronts with one more send that may lead to less than claimed, with costs."""
        unsent = self._unsent(front)
        for send in self._sends(unsent):
            self._count()
            if self._too_stale(send, len(self.norms) - len(unsent)):
                continue
            for copied in self._copy_sets(front.sends | {send}, front.copied):
                longer = PlanFront(front.sends | {send}, copied)
                moment = self._end(longer)
                if self._overdue(send, moment):
                    continue
                moment = min(moment, self.late)
                more = cost + len(send.members) * moment if self.mean else moment
                if self._bound(more, unsent.difference(send.members)) < self.least:
                    yield longer, more

    def _sends(self, unsent: frozenset[int]) -> Iterator[PlanSend]:
        """Yield every send of unsent updates. Only an aggregator can join several."""
        largest = len(unsent) if self.instance.aggregators else 1
        for size in range(1, largest + 1):
            for members in combinations(sorted(unsent), size):
                if size == 1:
                    yield PlanSend(members, None)
                for via in self.instance.aggregators:
                    yield PlanSend(members, via)

    def _too_stale(self, send: PlanSend, applied: int) -> bool:
        """Return True if `applied` updates are too many to apply before a member of the send."""
        limit = self.instance.staleness
        if limit is None:
            return False
        return any(self.instance.updates[i].behind + applied > limit for i in send.members)

    def _copy_sets(
        self, sends: frozenset[PlanSend], copied: frozenset[PlanSend]
    ) -> Iterator[frozenset[PlanSend]]:
        """Yield each set of arrived copies that keeps the remaining norms within `divergence`.

        Without that limit, or without a replica, no further copy is ever needed.
        """
        limit, free = self.instance.divergence, list[PlanSend]()
        if limit is not None and self.instance.replica is not None:
            free = sorted(sends - copied, key=str)
        for count in range(len(free) + 1):
            for some in combinations(free, count):
                arrived = copied.union(some)
                norms = (self.norms[i] for send in sends - arrived for i in send.members)
                if limit is None or sum(norms, NONE) <= limit:
                    yield arrived

    def _overdue(self, send: PlanSend, moment: Fraction) -> bool:
        dues = (self.instance.updates[i].due_s for i in send.members)
        return any(due is not None and moment > Fraction(due) for due in dues)

    def _bound(self, cost: Fraction, unsent: Iterable[int]) -> Fraction:
        """Return a lower bound on the cost of every plan that begins with a front."""
        if not self.mean:
            return cost
        return cost + sum((min(self.late, self._alone(i)) for i in unsent), NONE)

    def _alone(self, i: int) -> Fraction:
        """Return the earliest application of an update over all sends."""
        one, server = self.instance.updates[i], self.instance.server
        size = Fraction(one.size_gb)
        return Fraction(one.ready_s) + min(
            self._duration(self.instance.route(one.worker, stop), size)
            + self._duration(self.instance.route(stop, server), size)
            for stop in (server, *self.instance.aggregators)
        )

    def _end(self, front: PlanFront) -> Fraction:
        """Return when all sends and copies of a front can have arrived at the earliest."""
        self._count()
        arrivals = [flow for send in front.sends for flow in self._flows(send).arrival]
        copies = [flow for send in front.copied for flow in self._flows(send).copy]
        return self._end_of([*arrivals, *copies])

    def _count(self) -> None:
        self.work += 1
        if self.work > MOST_WORK:
            raise StepError(f"trying every plan takes more than {MOST_WORK:,} steps")

    def _make_flows(self, send: PlanSend) -> SendFlows:
        """Return the flows of a send: an aggregator sends on when all members have arrived."""
        updates, instance = [self.instance.updates[i] for i in send.members], self.instance
        source, size = send.via or updates[0].worker, max(Fraction(u.size_gb) for u in updates)
        ready, gather = max(Fraction(one.ready_s) for one in updates), list[PlanFlow]()
        route = instance.route(source, instance.server)
        if send.via is not None:
            tail = self._duration(route, size)
            for one in updates:
                first = instance.route(one.worker, source)
                begins = Fraction(one.ready_s)
                gather.append(PlanFlow(first, Fraction(one.size_gb), begins, tail))
            ready = self._end_of([one._replace(tail=NONE) for one in gather])
        copies = []
        if instance.replica is not None:
            copies = [PlanFlow(instance.route(source, instance.replica), size, ready, NONE)]
        return SendFlows([*gather, PlanFlow(route, size, ready, NONE)], copies)

    def _end_of(self, flows: list[PlanFlow]) -> Fraction:
        """Return when flows and their tails can have ended at the earliest.

        Each takes its time alone, and over each hop they can only go one after the other.
        """
        end = max(one.ready + self._duration(one.route, one.size) + one.tail for one in flows)
        for hop, width in self.hops.items():
            crossing = [one for one in flows if hop in one.route]
            if len(crossing) > 1:
                end = max(end, _one_by_one(crossing, width))
        return end

    def _duration(self, route: tuple[Hop, ...], size: Fraction) -> Fraction:
        return size / min(self.hops[hop] for hop in route) if route else NONE


def _one_by_one(flows: list[PlanFlow], width: Fraction) -> Fraction:
    """Return the earliest possible ends of flows and their tails if the flows share a hop.

    Among flows ready from some moment on, with some minimum tail, the last to cross has waited for
    the rest of them.
    """
    return max(
        ready + sum((one.size for one in own), NONE) / width + tail
        for ready in {one.ready for one in flows}
        for tail in {one.tail for one in flows}
        if (own := [one for one in flows if one.ready >= ready and one.tail >= tail])
    )
