"""Moments before which no plan has a given number of updates applied.

Let M be a sorted list of as many moments as there are updates. If no plan has more updates applied
by any moment t than M has entries up to t, the k-th update of any plan counts for M[k] or more:
with M the goal can be bounded. Entries after `drop_s` are cut down to that, which is what a
dropped update counts for. Proofs: `docs/transfers-bounds.md`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ...formulations.transfers.ways import Way, all_ways, seconds
from ...instances import TransfersInstance
from ...policies.transfers.order import moore_hodgson
from ...simulation.transfers import Network
from .mean_moments import Passage, least_sum
from .shortest_left import ends_by_least_left

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
