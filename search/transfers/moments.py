"""Moments before which no plan has a given number of updates applied.

Let M be a sorted list of as many moments as there are updates. If no plan has more updates applied
by any moment t than M has entries up to t, the k-th update of any plan counts for M[k] or more:
with M the goal can be bounded. Entries after `drop_s` are cut down to that, which is what a
dropped update counts for. Proofs: `docs/transfers/transfers-bounds.md`.

The moments come from a link that always carries the update with the least left, or from means.
An update that passes a link no faster than its narrowest hop ends half of its least time after the
mean moment at which it passes. These means, added up, are least if the smallest goes first.
Proof: `docs/transfers/transfers-bounds.md`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush

from ...formulations.transfers.ways import Way, all_ways, seconds
from ...instances import TransfersInstance
from ...policies.transfers.orders import moore_hodgson
from ...simulation.transfers import Network


def ends_by_least_left(jobs: Sequence[tuple[Fraction, Fraction]]) -> list[Fraction]:
    """Return when jobs end, in order; each is the moment it is there from, and what it takes.

    However a machine splits its time among these jobs, it has ended no more of them at any moment
    (Schrage 1968).
    """
    waiting: list[Fraction] = []
    ends: list[Fraction] = []
    now = Fraction(0)
    coming = sorted(jobs)[::-1]
    while coming or waiting:
        if not waiting:
            now = max(now, coming[-1][0])
        while coming and coming[-1][0] <= now:
            heappush(waiting, coming.pop()[1])
        left = heappop(waiting)
        if coming and now + left > coming[-1][0]:
            heappush(waiting, left - (coming[-1][0] - now))
            now = coming[-1][0]
        else:
            now += left
            ends.append(now)
    return ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """An update that has to pass a link: ready then, through in `takes` if it is alone on it.

    Whatever its way, it is applied no sooner than `behind` after the mean moment of passing.
    """

    ready: Fraction
    takes: Fraction
    behind: Fraction


def least_sum(passages: Sequence[Passage], late: Fraction) -> Fraction:
    """Return the least sum of what updates count for; those that are dropped count `late`."""
    cap = late - max(one.behind for one in passages)
    found = sum((one.behind for one in passages), Fraction(0))
    waiting: list[tuple[Fraction, int, Fraction]] = []
    coming = sorted(range(len(passages)), key=lambda i: passages[i].ready, reverse=True)
    now = Fraction(0)
    while coming or waiting:
        if not waiting:
            now = max(now, passages[coming[-1]].ready)
        while coming and passages[coming[-1]].ready <= now:
            i = coming.pop()
            heappush(waiting, (passages[i].takes, i, passages[i].takes))
        takes, i, left = heappop(waiting)
        stop = now + left
        if coming and passages[coming[-1]].ready < stop:
            stop = passages[coming[-1]].ready
            heappush(waiting, (takes, i, left - (stop - now)))
        found += (_area(stop, cap) - _area(now, cap)) / takes
        now = stop
    return found


def _area(until: Fraction, cap: Fraction) -> Fraction:
    """Return the integral of the lesser of the time and the cap."""
    if until <= cap:
        return until * until / 2
    top = max(cap, Fraction(0))
    return top * top / 2 + cap * (until - top)


Moments = list[Fraction]
"""In order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """The updates, by number, that cross a hop alone on all of their ways."""

    hop: int
    crossed: frozenset[int]
    moments: Moments
    total: Fraction
    """What they count for together at least."""


def alone(instance: TransfersInstance, ways: Sequence[Sequence[Way]]) -> list[Fraction]:
    """Return for every update when it could be applied if nothing else was sent."""
    late = Fraction(instance.drop_s)
    return [min((way.arrives for way in own), default=late) for own in ways]


@lru_cache(maxsize=1)
def crossings(instance: TransfersInstance) -> tuple[Crossing, ...]:
    """Return every hop that updates cannot but cross alone, with the moments that it allows."""
    ways = all_ways(instance)
    earliest, network = alone(instance, ways), Network.of(instance)
    late, fresh = Fraction(instance.drop_s), most_fresh(instance)
    crossed: dict[int, set[int]] = {}
    for i, own in enumerate(ways):
        if own:
            for hop in frozenset.intersection(*(frozenset(way.own) for way in own)):
                crossed.setdefault(hop, set()).add(i)
    found = []
    for hop, those in sorted(crossed.items()):
        moments = _through(instance, network, hop, sorted(those))
        apart = sorted(earliest[i] for i in those)
        moments = [max(pair) for pair in zip(moments, apart, strict=True)]
        passages = [_passage(network, hop, i, ways[i]) for i in those]
        most = min(fresh, sum(moment < late for moment in moments))
        parted = [*(min(moment, late) for moment in moments[:most]), *[late] * (len(those) - most)]
        sums = [sum(parted, Fraction(0)), least_sum(passages, late)]
        if most < len(those):
            sums.append(_least_of_some(passages, late, most))
        total = max(sums)
        one = Crossing(hop=hop, crossed=frozenset(those), moments=moments, total=total)
        found.append(one)
    return tuple(found)


def _least_of_some(passages: Sequence[Passage], late: Fraction, most: int) -> Fraction:
    """Return the least sum if the others are dropped: those that are kept are at best the least."""
    ready = min(one.ready for one in passages)
    takes = sorted(one.takes for one in passages)[:most]
    behind = sorted(one.behind for one in passages)[:most]
    kept = [
        Passage(ready=ready, takes=one, behind=other)
        for one, other in zip(takes, behind, strict=True)
    ]
    return late * (len(passages) - most) + (least_sum(kept, late) if kept else 0)


def _passage(network: Network, hop: int, i: int, ways: Sequence[Way]) -> Passage:
    """Return how an update passes a hop that is on its own part of all its ways."""
    update = network.instance.updates[i]
    size = network.sizes[update.name]
    return Passage(
        ready=Fraction(update.ready_s),
        takes=Fraction(size, network.rates[hop]),
        behind=min(
            seconds(network, size, way.own) / 2 + seconds(network, size, way.rest) for way in ways
        ),
    )


def _through(
    instance: TransfersInstance, network: Network, hop: int, those: Sequence[int]
) -> Moments:
    """Return when updates have crossed a hop; those that can only be late never have."""
    chosen = [instance.updates[i] for i in those]
    takes = [Fraction(network.sizes[one.name], network.rates[hop]) for one in chosen]
    ready = [Fraction(one.ready_s) for one in chosen]
    first = min(ready)
    dues = [None if one.due_s is None else Fraction(one.due_s) - first for one in chosen]
    most = len(moore_hodgson(takes, dues))
    ends = ends_by_least_left(list(zip(ready, takes, strict=True)))
    return ends[:most] + [max(ends[-1], Fraction(instance.drop_s))] * (len(ends) - most)


def joined(
    instance: TransfersInstance, apart: Iterable[Moments], most: int | None = None
) -> Moments:
    """Join the moments of updates that have nothing to do with each other; `most` are applied."""
    late = Fraction(instance.drop_s)
    moments = sorted(min(moment, late) for part in apart for moment in part)
    return moments if most is None else moments[:most] + [late] * (len(moments) - most)


def most_fresh(instance: TransfersInstance) -> int:
    """Return how many updates can be applied in view of staleness."""
    if instance.staleness is None or instance.aggregators:
        return len(instance.updates)
    room = [Fraction(instance.staleness - one.behind + 1) for one in instance.updates]
    return len(moore_hodgson([Fraction(1)] * len(room), list(room)))
