"""Rules of `transfers`: each returns before what no plan has its updates applied.

docs/theory/transfers-bounds.md has the proofs.
"""

from collections import Counter
from fractions import Fraction

from .....instances.transfers import Hop, TransfersInstance
from ..kernel import NONE, fluid
from ..steps import ProofStep, StepError
from .every import every_plan
from .facts import Moments, TransferFacts
from .prices import sends_at_prices

MOST = 14
"""Updates; of more there are too many sets."""


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
    "sends at prices": sends_at_prices,
    "chains": chains,
    "every plan": every_plan,
}
