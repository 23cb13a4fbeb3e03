"""The rule `every plan` of `transfers`: all ways to part a few updates into sends, in all orders.

What sends at the front of a plan take of links is counted, and what others take is not; so no plan
is left out, and some are better than there are. `docs/concepts/certificates.md` has the argument.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from ....instances.transfers.instance import Hop, TransfersInstance
from .kernel import NONE
from .steps import ProofStep, StepError

MOST_WORK = 30_000
"""Sends and what they make of those before them; a step that takes more is refused."""

MOST_UPDATES = 8


class PlanFlow(NamedTuple):
    """Data over some hops: from when on at best, and what comes behind it at least."""

    way: tuple[Hop, ...]
    size: Fraction
    ready: Fraction
    behind: Fraction


class PlanSend(NamedTuple):
    """Updates by number that arrive as one, by way of a node or straight from their own."""

    members: tuple[int, ...]
    via: str | None


class PlanFront(NamedTuple):
    """The sends that are applied first, and those of them whose copies have arrived."""

    sends: frozenset[PlanSend]
    copied: frozenset[PlanSend]


def every_plan(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """Return `at_least`, below which no plan's value is, after trying all that could be."""
    least = step.number("at_least")
    if _PlanTries(instance, least).succeed():
        raise StepError(f"for all that is tried, a plan may be worth less than {least}")
    return least


class _PlanTries:
    """Sets of sends that may be applied first, with the least that they count for together."""

    def __init__(self, instance: TransfersInstance, least: Fraction) -> None:
        if len(instance.updates) > MOST_UPDATES:
            raise StepError(f"there are more than {MOST_UPDATES} updates")
        self.instance, self.work, self.hops = instance, 0, instance.hops
        self.late, count = Fraction(instance.drop_s), len(instance.updates)
        self.mean = instance.goal == "mean"
        self.least = least * count if self.mean else least
        self.flows = dict[PlanSend, tuple[list[PlanFlow], list[PlanFlow]]]()
        self.norms = [Fraction(one.norm) for one in instance.updates]

    def succeed(self) -> bool:
        """Say whether a plan may be worth less than the least."""
        every = frozenset(range(len(self.instance.updates)))
        layer: dict[PlanFront, Fraction] = {PlanFront(frozenset(), frozenset()): NONE}
        while layer:
            after = dict[PlanFront, Fraction]()
            for front, paid in layer.items():
                left = every - {i for send in front.sends for i in send.members}
                if self._total(paid, len(left)) < self.least:
                    return True
                for send in self._sends(left):
                    self._count()
                    for more, new in self._with(front, send, paid, len(every) - len(left)):
                        if self._lowest(new, left - {*send.members}):
                            after[more] = min(new, after.get(more, new))
            layer = after
        return False

    def _count(self) -> None:
        self.work += 1
        if self.work > MOST_WORK:
            raise StepError(f"to try every plan takes more than {MOST_WORK:,} steps")

    def _total(self, paid: Fraction, dropped: int) -> Fraction:
        """Return what a plan is worth that applies no more."""
        return paid + dropped * self.late if self.mean else self.late if dropped else paid

    def _lowest(self, paid: Fraction, left: Iterable[int]) -> bool:
        """Say whether what begins so may be worth less than the least."""
        if not self.mean:
            return paid < self.least
        rest = (min(self.late, self._alone(i)) for i in left)
        return paid + sum(rest, NONE) < self.least

    def _alone(self, i: int) -> Fraction:
        """Return when an update may be applied at best, whatever it is sent with."""
        one = self.instance.updates[i]
        return Fraction(one.ready_s) + min(
            self._takes(self.instance.route(one.worker, stop), Fraction(one.size_gb))
            + self._takes(self.instance.route(stop, self.instance.server), Fraction(one.size_gb))
            for stop in (self.instance.server, *self.instance.aggregators)
        )

    def _sends(self, left: frozenset[int]) -> Iterator[PlanSend]:
        """Yield every send of some updates of those that are left."""
        for size in range(1, len(left) + 1 if self.instance.aggregators else 2):
            for members in combinations(sorted(left), size):
                if size == 1:
                    yield PlanSend(members, None)
                for via in self.instance.aggregators:
                    yield PlanSend(members, via)

    def _with(
        self, front: PlanFront, send: PlanSend, paid: Fraction, before: int
    ) -> Iterator[tuple[PlanFront, Fraction]]:
        """Yield what may be with one more send behind, and what all count for together.

        All have arrived then, and so many copies that the norms of the others are in the limit.
        """
        updates, stale = [self.instance.updates[i] for i in send.members], self.instance.staleness
        if stale is not None and any(one.behind + before > stale for one in updates):
            return
        dues = [Fraction(one.due_s) for one in updates if one.due_s is not None]
        sends, most = front.sends | {send}, self.instance.divergence
        free = sorted(sends - front.copied, key=str)
        for count in range(len(free) + 1):
            for some in combinations(free, count):
                copied = front.copied.union(some)
                norms = (self.norms[i] for one in sends - copied for i in one.members)
                if most is not None and sum(norms, NONE) > most:
                    continue
                moment = self._end(sends, copied)
                if all(moment <= due for due in dues):
                    moment = min(moment, self.late)
                    new = paid + len(updates) * moment if self.mean else moment
                    yield PlanFront(sends, copied), new
            if most is None or self.instance.replica is None:
                return

    def _end(self, sends: Iterable[PlanSend], copied: Iterable[PlanSend]) -> Fraction:
        """Return by when sends have arrived at the server at best, and copies at the replica."""
        self._count()
        flows = [flow for send in sends for flow in self._flows(send)[0]]
        return self._over([*flows, *(flow for send in copied for flow in self._flows(send)[1])])

    def _over(self, flows: list[PlanFlow]) -> Fraction:
        """Return by when flows have ended at best, and what comes behind them."""
        end = max(one.ready + self._takes(one.way, one.size) + one.behind for one in flows)
        for hop, wide in self.hops.items():
            own = [one for one in flows if hop in one.way]
            if len(own) > 1:
                end = max(end, _one_by_one(own, wide))
        return end

    def _flows(self, send: PlanSend) -> tuple[list[PlanFlow], list[PlanFlow]]:
        """Return the flows by which a send arrives at the server, and that of its copy."""
        if send not in self.flows:
            self.flows[send] = self._made(send)
        return self.flows[send]

    def _made(self, send: PlanSend) -> tuple[list[PlanFlow], list[PlanFlow]]:
        updates, instance = [self.instance.updates[i] for i in send.members], self.instance
        source, size = send.via or updates[0].worker, max(Fraction(u.size_gb) for u in updates)
        ready = max(Fraction(one.ready_s) for one in updates)
        way, gather = instance.route(source, instance.server), list[PlanFlow]()
        if send.via is not None:
            behind = self._takes(way, size)
            gather = [
                PlanFlow(
                    instance.route(one.worker, source),
                    Fraction(one.size_gb),
                    Fraction(one.ready_s),
                    behind,
                )
                for one in updates
            ]
            ready = self._over([one._replace(behind=NONE) for one in gather])
        copies = []
        if instance.replica is not None:
            copies = [PlanFlow(instance.route(source, instance.replica), size, ready, NONE)]
        return [*gather, PlanFlow(way, size, ready, NONE)], copies

    def _takes(self, way: tuple[Hop, ...], size: Fraction) -> Fraction:
        return size / min(self.hops[hop] for hop in way) if way else NONE


def _one_by_one(flows: list[PlanFlow], wide: Fraction) -> Fraction:
    """Return by when flows can have crossed a hop, with what comes behind each.

    Of all that are ready at some moment or later, and have so much behind them or more, the last
    to end has waited for the others.
    """
    return max(
        ready + sum((one.size for one in own), NONE) / wide + behind
        for ready in {one.ready for one in flows}
        for behind in {one.behind for one in flows}
        if (own := [one for one in flows if one.ready >= ready and one.behind >= behind])
    )
