"""Rules of `transfers`: each returns before what no plan has its updates applied.

docs/transfers/transfers-bounds.md has the proofs.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush
from typing import NamedTuple

from ....instances.transfers.instance import Hop, TransfersInstance, Update
from .every_plan import every_plan
from .kernel import NONE, fluid
from .steps import ProofStep, StepError

MOST = 14
"""Updates; of more there are too many sets."""

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


def alone(instance: TransfersInstance, _: ProofStep) -> Fraction:
    """Every update as if nothing else was sent."""
    facts = TransferFacts(instance)
    return facts.worth(facts.alone)


def least_left(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """Each of `hops` carries the update with the least left; the others are alone."""
    facts = TransferFacts(instance)
    return facts.worth(_by_least_left(facts, step))


def _by_least_left(facts: TransferFacts, step: ProofStep) -> list[Fraction]:
    chosen, moments = facts.chosen(step)
    for hop, own in chosen:
        moments += facts.by_least_left(hop, own)
    fresh = facts.fresh()
    return sorted(moments)[:fresh] + [facts.late] * (len(moments) - fresh)


def mean_moments(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """Each of `hops` carries the smallest update that is ready, and all pass at their own pace."""
    facts = TransferFacts(instance)
    if instance.goal != "mean":
        raise StepError("the goal is not the mean")
    chosen, others = facts.chosen(step)
    total = sum((min(moment, facts.late) for moment in others), NONE)
    total += sum((_total(facts, hop, own) for hop, own in chosen), NONE)
    return total / len(instance.updates)


def _total(facts: TransferFacts, hop: Hop, own: list[int]) -> Fraction:
    """Return what the updates that cross a hop count for together at least."""
    moments, late = facts.by_least_left(hop, own), facts.late
    most = min(facts.fresh(), sum(moment < late for moment in moments))
    dropped = late * (len(own) - most)
    ready, takes = [facts.ready[i] for i in own], [facts.takes(i, hop) for i in own]
    behind = [min(way.own_s / 2 + way.rest_s for way in facts.ways[i]) for i in own]
    # If some are dropped, the others are ready no sooner, and no smaller, than the least of all.
    kept = [min(ready)] * most, sorted(takes)[:most], sorted(behind)[:most]
    return max(
        sum(moments[:most], NONE) + dropped,
        _least(ready, takes, behind, late),
        (_least(*kept, late) if most else NONE) + dropped,
    )


def _least(ready: Moments, takes: Moments, behind: Moments, late: Fraction) -> Fraction:
    """Return the least sum of means and of what comes behind them; no moment counts above a cap."""
    cap = late - max(behind)

    def up_to(moment: Fraction) -> Fraction:
        """Return the integral of moments, at most the cap, from 0 on."""
        low = max(NONE, min(moment, cap))
        return low * low / 2 + (moment - low) * cap

    total = sum(behind, NONE)
    for i, start, end in fluid(ready, takes, by_left=False):
        total += (up_to(end) - up_to(start)) / takes[i]
    return total


def counts(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """As `least left`, and of each moment in `by` as many updates are applied by then as can pay.

    In `prices` are rows of the number in `by`, a hop, the number of one in `starts`, and what a
    gigabyte that is ready then or later pays to cross before the moment, in whole numbers over
    `unit`. What an aggregator sends is as large as each update in it; so these share what it pays,
    as `shares` says: the number in `by`, update, aggregator, start and price, if it can be there
    at the start or later. All links earn no more than what fits through; so the updates that
    are applied, each of which counts 1, are no more than that, and what each keeps at best.
    """
    facts, unit, starts = TransferFacts(instance), step.whole("unit", 1), step.prices("starts")
    moments, updates, stops = _by_least_left(facts, step), instance.updates, instance.aggregators
    rows, shared = step.rows("prices", 4), step.rows("shares", 5)
    used = [row[2] < len(starts) for row in rows]
    used += [i < len(updates) and a < len(stops) and w < len(starts) for _, i, a, w, _ in shared]
    if not all(used):
        raise StepError("prices and shares have numbers of starts, updates and aggregators")
    for number, by in enumerate(step.prices("by")):
        prices = Counter({(facts.hop(h), w): price for k, h, w, price in rows if k == number})
        shares = Counter({(i, a, w): price for k, i, a, w, price in shared if k == number})
        sent = Counter[tuple[int, int]]()
        for (_, a, w), price in shares.items():
            sent[a, w] += price
        for (a, w), price in sent.items():
            route = instance.route(stops[a], instance.server)
            if price > sum(prices[hop, w] for hop in route):
                raise StepError(f"updates share more than what aggregator {stops[a]!r} sends pays")
        total = sum(
            (
                price * facts.hops[hop] * max(NONE, by - starts[w])
                for (hop, w), price in prices.items()
            ),
            NONE,
        )
        for i, ways in enumerate(facts.ways):
            kept = [NONE]
            for way in ways:
                there = facts.ready[i] + way.own_s
                pays = sum(
                    price
                    for (hop, w), price in prices.items()
                    if hop in way.own and facts.ready[i] >= starts[w]
                )
                pays += sum(shares[i, way.stop, w] for w, s in enumerate(starts) if there >= s)
                if there + way.rest_s <= by:
                    kept.append(unit - Fraction(updates[i].size_gb) * pays)
            total += max(kept)
        most = int(total / unit)
        moments[most:] = [max(moment, by) for moment in moments[most:]]
    return facts.worth(moments)


def chains(instance: TransfersInstance, _: ProofStep) -> Fraction:
    """The k-th update is applied when the first k can have crossed every hop, in any order.

    So the first updates that a plan applies are some set: all sets are tried, by bits.
    """
    n, late, facts = len(instance.updates), Fraction(instance.drop_s), TransferFacts(instance)
    if n > MOST:
        raise StepError(f"there are {n} updates, and sets are tried of at most {MOST}")
    ends, sums, stale = _ends(facts), {0: NONE}, instance.staleness
    tied = stale is not None and not instance.aggregators
    # How many may be applied before each; -1 if it has to be dropped.
    most = [
        -1 if not ways else stale - one.behind if tied and stale is not None else n
        for ways, one in zip(facts.ways, instance.updates, strict=True)
    ]
    for members in range(1, 1 << n):
        size, end = members.bit_count(), ends[members]
        before = [
            sums[members ^ 1 << i]
            for i in range(n)
            if members >> i & 1 and size - 1 <= most[i] and members ^ 1 << i in sums
            if (due := facts.dues[i]) is None or end <= due
        ]
        if before:
            sums[members] = end + min(before)
    if instance.goal == "last":
        full = (1 << n) - 1
        return min(late, ends[full]) if full in sums else late
    return min(found + late * (n - members.bit_count()) for members, found in sums.items()) / n


def _ends(facts: TransferFacts) -> list[Fraction]:
    """Return for each set, by bits, when all of it can have arrived and crossed every hop."""
    n, ends = len(facts.alone), [NONE]
    for members in range(1, 1 << n):
        last = members.bit_length() - 1
        ends.append(max(ends[members ^ 1 << last], facts.alone[last]))
    by_ready = sorted(range(n), key=lambda i: facts.ready[i])
    for hop in facts.hops:
        own = {i: facts.takes(i, hop) for i in facts.crossing(hop)}
        for members in range(1, 1 << n) if len(own) > 1 else ():
            now = NONE
            for i in by_ready:
                if members >> i & 1 and i in own:
                    now = max(now, facts.ready[i]) + own[i]
            ends[members] = max(ends[members], now)
    return ends


RULES = {
    "alone": alone,
    "least left": least_left,
    "mean moments": mean_moments,
    "counts by moments": counts,
    "chains": chains,
    "every plan": every_plan,
}
