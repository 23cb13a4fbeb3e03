"""The rule `sends at prices` of `transfers`: prices of links over time, and worths of updates.

Whatever a plan sends pays for the links that it crosses. What a send keeps of the worth of its
updates, beyond that and their waiting, is computed for all that could be sent.
docs/theory/transfers-bounds.md has the proof.
"""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import NamedTuple

from .....instances.transfers import Hop, TransfersInstance
from ..kernel import NONE
from ..steps import ProofStep, StepError
from .facts import TransferFacts

MOST_WORK = 20_000_000
"""Updates in sends by largest update, aggregator and moment; a step that takes more is refused."""


class PricedLeg:
    """A part of a way that pays by the time before moments; times are whole."""

    def __init__(self, ready: int, takes: int, prices: Sequence[tuple[int, int]]) -> None:
        """Take prices of a unit of time before each moment, in order of these."""
        self.ready, self.takes, self.by = ready, takes, [moment for moment, _ in prices]
        self._paid = [0, *accumulate(moment * price for moment, price in prices)]
        self._left = [*accumulate((price for _, price in reversed(prices)), initial=0)][::-1]

    def _up_to(self, moment: int) -> int:
        passed = bisect_right(self.by, moment)
        return self._paid[passed] + moment * self._left[passed]

    def pays(self, end: int) -> int:
        """Return what it pays if it ends then, as late as it can for that."""
        return self._up_to(end) - self._up_to(end - self.takes)


class PricedWay(NamedTuple):
    """A way of an update: alone, then perhaps with others, until it is due."""

    own: PricedLeg
    rest: PricedLeg
    due: int


class SendPrices:
    """What a step says, in whole numbers: a second is `second` of time, 1 is `money`."""

    def __init__(self, instance: TransfersInstance, step: ProofStep) -> None:
        """Check the numbers of the step, and price all ways."""
        self.facts, self.unit = TransferFacts(instance), step.whole("unit", 1)
        self.instance, n = instance, len(instance.updates)
        self.by, self.starts = step.prices("by"), step.prices("starts")
        self.rows = step.rows("prices", 4)
        for _, w, k, _ in self.rows:
            if w >= len(self.starts) or k >= len(self.by):
                raise StepError("prices have numbers of hops, starts and moments in `by`")
        if instance.goal != "mean":
            raise StepError("the goal is not the mean")
        worths = step.counts("worths")
        if len(worths) != n:
            raise StepError("worths are those of all updates")
        late = self.facts.late
        times = [late, *self.by, *self.facts.ready]
        times += [due for due in self.facts.dues if due is not None]
        times += [one for own in self.facts.ways for way in own for one in (way.own_s, way.rest_s)]
        self.second = lcm(*(one.denominator for one in times))
        self.gb_s = lcm(*(rate.denominator for rate in self.facts.hops.values()))
        self.waiting = self.unit * self.gb_s
        self.worths = [
            min(worth * self.gb_s * self.second, self._whole(late) * self.waiting)
            for worth in worths
        ]
        self.by_hop: dict[Hop, list[tuple[int, int, int]]] = {}
        for hop, w, k, price in self.rows:
            self.by_hop.setdefault(self.facts.hop(hop), []).append((w, k, price))
        self.ways = [
            {way.stop: self._priced(i, way.stop) for way in own}
            for i, own in enumerate(self.facts.ways)
        ]

    def _whole(self, moment: Fraction) -> int:
        return int(moment * self.second)

    def _priced(self, i: int, stop: int) -> PricedWay:
        facts, instance = self.facts, self.instance
        (way,) = (way for way in facts.ways[i] if way.stop == stop)
        there = facts.ready[i] + way.own_s
        rest = () if stop < 0 else instance.route(instance.aggregators[stop], instance.server)
        due = facts.dues[i]
        return PricedWay(
            self._leg(way.own, facts.ready[i], way.own_s),
            self._leg(rest, there, way.rest_s),
            self._whole(facts.late if due is None else min(due, facts.late)),
        )

    def _leg(
        self, hops: Sequence[Hop] | frozenset[Hop], ready: Fraction, takes: Fraction
    ) -> PricedLeg:
        rate = min((self.facts.hops[hop] for hop in hops), default=NONE) * self.gb_s
        prices: dict[int, int] = {}
        for hop in hops:
            for w, k, price in self.by_hop.get(hop, ()):
                if self.starts[w] <= ready and price:
                    moment = self._whole(self.by[k])
                    prices[moment] = prices.get(moment, 0) + price * int(rate)
        return PricedLeg(self._whole(ready), self._whole(takes), sorted(prices.items()))

    def earned(self) -> Fraction:
        """Return what links earn at most, over all that they can carry between two moments."""
        return sum(
            (
                price
                * self.facts.hops[self.facts.hop(hop)]
                * max(NONE, self.by[k] - self.starts[w])
                for hop, w, k, price in self.rows
            ),
            NONE,
        )

    def most_kept(self) -> int:
        """Return the most that a send keeps; none need be sent."""
        most, work = 0, 0
        for stop in (-1, *range(len(self.instance.aggregators))):
            sent = [(i, ways[stop]) for i, ways in enumerate(self.ways) if stop in ways]
            for leader, lead in sent:
                inside = [(leader, lead)]
                if stop >= 0:
                    inside += [
                        pair for pair in sent if pair[0] != leader and self._joins(pair[0], leader)
                    ]
                moments = _moments(lead, [way for _, way in inside])
                work += len(moments) * len(inside)
                if work > MOST_WORK:
                    raise StepError(f"more than {MOST_WORK} updates of sends would be tried")
                most = max([most, *(self._kept(end, lead, inside) for end in moments)])
        return most

    def _joins(self, i: int, leader: int) -> bool:
        updates = self.instance.updates
        return updates[i].size_gb <= updates[leader].size_gb

    def _kept(self, end: int, lead: PricedWay, inside: Sequence[tuple[int, PricedWay]]) -> int:
        """Return what a send keeps of which the first of `inside` is; others join if they keep."""
        start = end - lead.rest.takes
        kept = [
            self.worths[i] - self.waiting * end - way.own.pays(start)
            for i, way in inside
            if way.own.ready + way.own.takes <= start and end <= way.due
        ]
        return kept[0] + sum(one for one in kept[1:] if one > 0) - lead.rest.pays(end)


def _moments(lead: PricedWay, inside: Sequence[PricedWay]) -> list[int]:
    """Return moments between which what a send keeps grows or falls in lines that bend upwards."""
    takes, found = (
        lead.rest.takes,
        {lead.due, *lead.rest.by, *(by + lead.rest.takes for by in lead.rest.by)},
    )
    for way in inside:
        found |= {way.due, way.own.ready + way.own.takes + takes}
        found |= {by + takes for by in way.own.by}
        found |= {by + takes + way.own.takes for by in way.own.by}
    first = lead.own.ready + lead.own.takes + takes
    return [moment for moment in found if first <= moment <= lead.due]


def sends_at_prices(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """No send keeps more than is found, so updates are applied no earlier than the rest says.

    In `prices` are rows of a hop, the number of one in `starts`, of one in `by`, and what a
    gigabyte that is not ready before the start pays to cross before the moment, in whole numbers
    over `unit`. Updates have `worths`. A send keeps the worths of its updates without the seconds
    until each is applied, and without what it pays. What is dropped keeps nothing, as no worth
    counts for more than `drop_s`. So the moments of a plan add up to all worths at least, without
    what all links earn, and what sends keep, of which there are no more than updates.
    """
    prices = SendPrices(instance, step)
    n, unit = len(instance.updates), prices.gb_s * prices.second
    total = Fraction(sum(prices.worths) - n * prices.most_kept(), unit) - prices.earned()
    return max(NONE, total / prices.unit / n)
