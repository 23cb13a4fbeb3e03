"""Rules of `transfers`: lower bounds on the moments at which any plan applies its updates.

In `sends at prices`, all sends of a plan pay for the links that they cross. The worth of a send's
updates beyond payments and waiting is computed for all possible sends.
docs/theory/transfers-bounds.md has the proofs.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import accumulate
from math import lcm
from typing import NamedTuple

from .....instances.transfers import Hop, TransfersInstance, Update
from ..kernel import NONE, fluid
from ..reading import ProofStep, StepError
from .every import every_plan

Moments = Sequence[Fraction]
Chosen = list[tuple[Hop, list[int]]]
"""Hops with the updates that cross each."""


class TransferPath(NamedTuple):
    """A route to the server: alone over the hops of `own`, then perhaps with other updates."""

    stop: int
    """The number of the aggregator, -1 without one."""
    own: frozenset[Hop]
    own_s: Fraction
    rest_s: Fraction


class TransferFacts:
    """An instance with the routes of its updates, and when each could be applied alone."""

    def __init__(self, instance: TransfersInstance) -> None:
        """Work out the paths of all updates."""
        self.instance, self.late, self.hops = instance, Fraction(instance.drop_s), instance.hops
        self.ready = [Fraction(one.ready_s) for one in instance.updates]
        self.dues = [None if one.due_s is None else Fraction(one.due_s) for one in instance.updates]
        ends = zip(instance.updates, self.ready, self.dues, strict=True)
        self.paths = [
            [p for p in self._paths(one) if due is None or ready + p.own_s + p.rest_s <= due]
            for one, ready, due in ends
        ]
        self.alone = [
            min((ready + path.own_s + path.rest_s for path in paths), default=self.late)
            for ready, paths in zip(self.ready, self.paths, strict=True)
        ]

    def _paths(self, one: Update) -> list[TransferPath]:
        """Return the routes on which an update can be applied some time."""
        instance = self.instance
        if instance.staleness is not None and one.behind > instance.staleness:
            return []

        def takes(route: tuple[Hop, ...]) -> Fraction:
            return Fraction(one.size_gb) / min(self.hops[hop] for hop in route) if route else NONE

        # The route from a node to itself is empty: straight on, there is no rest.
        stops, server = [instance.server, *instance.aggregators], instance.server
        routes = [(instance.route(one.worker, s), instance.route(s, server)) for s in stops]
        return [
            TransferPath(k, frozenset(a), takes(a), takes(b)) for k, (a, b) in enumerate(routes, -1)
        ]

    def takes(self, i: int, hop: Hop) -> Fraction:
        """Return the time of an update with a hop to itself."""
        return Fraction(self.instance.updates[i].size_gb) / self.hops[hop]

    def crossing(self, hop: Hop) -> list[int]:
        """Return the updates that cross a hop alone on all of their routes."""
        paths = enumerate(self.paths)
        return [i for i, own in paths if own and all(hop in path.own for path in own)]

    def worth(self, moments: Moments) -> Fraction:
        """Return the objective value of lower bounds on the 1st, 2nd, .. moment."""
        capped = [min(moment, self.late) for moment in moments]
        return max(capped) if self.instance.goal == "last" else sum(capped, NONE) / len(capped)

    def hop(self, number: int) -> Hop:
        """Return a hop by number: the links in turn, from a to b, then from b to a."""
        links = self.instance.links
        if number >= 2 * len(links):
            raise StepError(f"hops names hop {number}, but there are {2 * len(links)} hops, from 0")
        link = links[number // 2]
        return (link.b, link.a) if number % 2 else (link.a, link.b)

    def chosen(self, step: ProofStep) -> tuple[Chosen, list[Fraction]]:
        """Return the hops of a step, and the moments of updates that cross no hop."""
        hops = [self.hop(number) for number in step.counts("hops")]
        found = [(hop, self.crossing(hop)) for hop in hops]
        crossed = [i for _, own in found for i in own]
        if len({*crossed}) < len(crossed) or not all(own for _, own in found):
            raise StepError("every hop must be crossed, and no update may cross two of them")
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
        """Return the number of updates that staleness allows to apply."""
        most, updates = self.instance.staleness, self.instance.updates
        if most is None or self.instance.aggregators:
            return len(updates)
        places = [Fraction(most - one.behind + 1) for one in updates]
        return in_time([Fraction(1)] * len(updates), places)


def in_time(takes: Moments, dues: Sequence[Fraction | None]) -> int:
    """Return the maximum number of on-time jobs on one machine, all ready at 0 (Moore 1968)."""
    kept, now = list[Fraction](), NONE
    timed = [(due, took) for due, took in zip(dues, takes, strict=True) if due is not None]
    for due, took in sorted(timed):
        heappush(kept, -took)
        now += took
        if now > due:
            now += heappop(kept)
    return len(kept) + len(takes) - len(timed)


MOST_WORK = 20_000_000
"""Maximum number of updates in sends by largest update, aggregator and moment.

Steps beyond it are refused."""


class PricedLeg:
    """A part of a route with payments by the time before moments. Times are integers."""

    def __init__(self, ready: int, takes: int, prices: Sequence[tuple[int, int]]) -> None:
        """Store prices per unit of time before each moment, in order of moments."""
        self.ready, self.takes, self.by = ready, takes, [moment for moment, _ in prices]
        self._paid = [0, *accumulate(moment * price for moment, price in prices)]
        self._left = [*accumulate((price for _, price in reversed(prices)), initial=0)][::-1]

    def _up_to(self, moment: int) -> int:
        passed = bisect_right(self.by, moment)
        return self._paid[passed] + moment * self._left[passed]

    def pays(self, end: int) -> int:
        """Return its payment for the latest allowed transfer before its end."""
        return self._up_to(end) - self._up_to(end - self.takes)


class PricedPath(NamedTuple):
    """A route of an update: alone, then possibly with other updates, until its due time."""

    own: PricedLeg
    rest: PricedLeg
    due: int


class SendPrices:
    """The numbers of a step, as whole numbers: a second is `second` of time, 1 is `money`."""

    def __init__(self, instance: TransfersInstance, step: ProofStep) -> None:
        """Check the numbers of the step, and price all paths."""
        self.facts, self.unit = TransferFacts(instance), step.whole("unit", 1)
        self.instance, n = instance, len(instance.updates)
        self.by, self.starts = step.prices("by"), step.prices("starts")
        self.rows = step.rows("prices", 4)
        for _, w, k, _ in self.rows:
            if w >= len(self.starts) or k >= len(self.by):
                raise StepError("prices must name hops, starts and moments in `by` by number")
        if instance.goal != "mean":
            raise StepError("this rule applies only to the goal `mean`")
        worths = step.counts("worths")
        if len(worths) != n:
            raise StepError("worths need one number per update")
        late = self.facts.late
        times = [late, *self.by, *self.facts.ready]
        times += [due for due in self.facts.dues if due is not None]
        times += [one for own in self.facts.paths for p in own for one in (p.own_s, p.rest_s)]
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
        self.paths = [
            {path.stop: self._priced(i, path) for path in own}
            for i, own in enumerate(self.facts.paths)
        ]

    def _whole(self, moment: Fraction) -> int:
        return int(moment * self.second)

    def _priced(self, i: int, path: TransferPath) -> PricedPath:
        facts, instance = self.facts, self.instance
        there, rest = facts.ready[i] + path.own_s, tuple[Hop, ...]()
        if path.stop >= 0:
            rest = instance.route(instance.aggregators[path.stop], instance.server)
        due = facts.dues[i]
        return PricedPath(
            self._leg(path.own, facts.ready[i], path.own_s),
            self._leg(rest, there, path.rest_s),
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
        """Return the maximum earnings of links over their capacity between two moments."""
        total = NONE
        for hop, w, k, price in self.rows:
            rate = self.facts.hops[self.facts.hop(hop)]
            total += price * rate * max(NONE, self.by[k] - self.starts[w])
        return total

    def most_kept(self) -> int:
        """Return the largest worth kept by a send, at least 0."""
        most, work = 0, 0
        size = [one.size_gb for one in self.instance.updates]
        for stop in (-1, *range(len(self.instance.aggregators))):
            sent = [(i, paths[stop]) for i, paths in enumerate(self.paths) if stop in paths]
            for leader, lead in sent:
                inside = [(leader, lead)]
                if stop >= 0:
                    inside += [(i, p) for i, p in sent if i != leader and size[i] <= size[leader]]
                moments = _moments(lead, [path for _, path in inside])
                work += len(moments) * len(inside)
                if work > MOST_WORK:
                    raise StepError(f"trying all sends takes more than {MOST_WORK:,} steps")
                most = max([most, *(self._kept(end, lead, inside) for end in moments)])
        return most

    def _kept(self, end: int, lead: PricedPath, inside: Sequence[tuple[int, PricedPath]]) -> int:
        """Return the worth kept by a send with the first of `inside` and all profitable updates."""
        start = end - lead.rest.takes
        kept = [
            self.worths[i] - self.waiting * end - path.own.pays(start)
            for i, path in inside
            if path.own.ready + path.own.takes <= start and end <= path.due
        ]
        return kept[0] + sum(one for one in kept[1:] if one > 0) - lead.rest.pays(end)


def _moments(lead: PricedPath, inside: Sequence[PricedPath]) -> list[int]:
    """Return the breakpoints between which the worth kept by a send is piecewise convex."""
    takes = lead.rest.takes
    found = {lead.due, *lead.rest.by, *(by + takes for by in lead.rest.by)}
    for path in inside:
        found |= {path.due, path.own.ready + path.own.takes + takes}
        found |= {by + takes for by in path.own.by}
        found |= {by + takes + path.own.takes for by in path.own.by}
    first = lead.own.ready + lead.own.takes + takes
    return [moment for moment in found if first <= moment <= lead.due]


def sends_at_prices(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """No send keeps more than computed, so the total worth bounds the moments from below.

    `prices` has rows of a hop, indices into `starts` and `by`, and the price of a gigabyte. It is
    paid by a gigabyte that is not ready before the start and crosses before the moment, as an
    integer over `unit`. Updates have `worths`. A send keeps its updates' worths minus the seconds
    until each is applied and its payments. A dropped update keeps zero, because no worth exceeds
    `drop_s`. The moments of a plan therefore add up to at least all worths, minus the earnings of
    all links and the worths kept by sends, at most one per update.
    """
    prices = SendPrices(instance, step)
    n, unit = len(instance.updates), prices.gb_s * prices.second
    total = Fraction(sum(prices.worths) - n * prices.most_kept(), unit) - prices.earned()
    return max(NONE, total / prices.unit / n)


MOST = 14
"""Maximum number of updates, because of the number of sets."""


def alone(instance: TransfersInstance, _: ProofStep) -> Fraction:
    """Every update by itself."""
    facts = TransferFacts(instance)
    return facts.worth(facts.alone)


def least_left(instance: TransfersInstance, step: ProofStep) -> Fraction:
    """Each of `hops` carries the update with the least remaining size. Other updates are alone."""
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
        raise StepError("this rule applies only to the goal `mean`")
    chosen, others = facts.chosen(step)
    total = sum((min(moment, facts.late) for moment in others), NONE)
    total += sum((_total(facts, hop, own) for hop, own in chosen), NONE)
    return total / len(instance.updates)


def _total(facts: TransferFacts, hop: Hop, own: list[int]) -> Fraction:
    """Return a lower bound on the total of the updates that cross a hop."""
    moments, late = facts.by_least_left(hop, own), facts.late
    most = min(facts.fresh(), sum(moment < late for moment in moments))
    dropped = late * (len(own) - most)
    ready, takes = [facts.ready[i] for i in own], [facts.takes(i, hop) for i in own]
    behind = [min(path.own_s / 2 + path.rest_s for path in facts.paths[i]) for i in own]
    # If some are dropped, the others are ready no sooner, and no smaller, than the least of all.
    kept = [min(ready)] * most, sorted(takes)[:most], sorted(behind)[:most]
    return max(
        sum(moments[:most], NONE) + dropped,
        _least(ready, takes, behind, late),
        (_least(*kept, late) if most else NONE) + dropped,
    )


def _least(ready: Moments, takes: Moments, behind: Moments, late: Fraction) -> Fraction:
    """Return the minimum sum of means and later costs, with moments capped."""
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
    """Number of updates applied by each moment in `by`, from payments, combined with `least left`.

    `prices` has rows of an index into `by`, a hop, an index into `starts`, and the price of a
    gigabyte. It is paid by a gigabyte that is ready at the start or later and crosses before the
    moment, as an integer over `unit`. An aggregator's send is as large as each of its updates,
    which share its payment. `shares` has an index into `by`, an update, an aggregator, a start and
    the share, if the update can be there at the start or later. Links earn at most their capacity.
    The number of applied updates is thus at most these earnings plus each update's largest surplus.
    """
    facts, unit, starts = TransferFacts(instance), step.whole("unit", 1), step.prices("starts")
    moments, updates, stops = _by_least_left(facts, step), instance.updates, instance.aggregators
    rows, shared = step.rows("prices", 4), step.rows("shares", 5)
    used = [row[2] < len(starts) for row in rows]
    used += [i < len(updates) and a < len(stops) and w < len(starts) for _, i, a, w, _ in shared]
    if not all(used):
        raise StepError("prices and shares must name starts, updates and aggregators by number")
    for number, by in enumerate(step.prices("by")):
        prices = Counter({(facts.hop(h), w): price for k, h, w, price in rows if k == number})
        shares = Counter({(i, a, w): price for k, i, a, w, price in shared if k == number})
        sent = Counter[tuple[int, int]]()
        for (_, a, w), price in shares.items():
            sent[a, w] += price
        for (a, w), price in sent.items():
            route = instance.route(stops[a], instance.server)
            if price > sum(prices[hop, w] for hop in route):
                raise StepError(
                    f"updates share more than aggregator {stops[a]!r} pays for its sends"
                )
        total = NONE
        for (hop, w), price in prices.items():
            total += price * facts.hops[hop] * max(NONE, by - starts[w])
        for i, paths in enumerate(facts.paths):
            kept = [NONE]
            for path in paths:
                there = facts.ready[i] + path.own_s
                pays = 0
                for (hop, w), price in prices.items():
                    if hop in path.own and facts.ready[i] >= starts[w]:
                        pays += price
                pays += sum(shares[i, path.stop, w] for w, s in enumerate(starts) if there >= s)
                if there + path.rest_s <= by:
                    kept.append(unit - Fraction(updates[i].size_gb) * pays)
            total += max(kept)
        most = int(total / unit)
        moments[most:] = [max(moment, by) for moment in moments[most:]]
    return facts.worth(moments)


def chains(instance: TransfersInstance, _: ProofStep) -> Fraction:
    """The k-th update is applied no earlier than k updates can cross every hop, in any order.

    The first updates of a plan form some set, and all sets are tried, as bits.
    """
    n, late, facts = len(instance.updates), Fraction(instance.drop_s), TransferFacts(instance)
    if n > MOST:
        raise StepError(f"there are {n} updates, and this rule supports at most {MOST}")
    ends, sums, stale = _ends(facts), {0: NONE}, instance.staleness
    tied = stale is not None and not instance.aggregators
    # How many may be applied before each; -1 if it has to be dropped.
    most = [
        -1 if not paths else stale - one.behind if tied and stale is not None else n
        for paths, one in zip(facts.paths, instance.updates, strict=True)
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
    "sends at prices": sends_at_prices,
    "chains": chains,
    "every plan": every_plan,
}
