"""Moments before which no plan has so many updates applied.

Let M be a sorted list of as many moments as there are updates. If no plan has more updates applied
by any moment t than M has entries up to t, the k-th update of any plan counts for M[k] or more:
with M the goal can be bounded. Entries after `drop_s` are cut down to that, which is what a
dropped update counts for. Proofs: `docs/transfers-bounds.md`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...formulations.transfers.ways import Way, all_ways
from ...instances import TransfersInstance
from ...policies.transfers.order import moore_hodgson
from ...simulation.transfers import Network
from .shortest_left import ends_by_least_left

Moments = list[Fraction]
"""In order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crossing:
    """The updates, by number, that cross a hop alone on all of their ways."""

    hop: int
    crossed: frozenset[int]
    moments: Moments


def alone(instance: TransfersInstance, ways: Sequence[Sequence[Way]]) -> list[Fraction]:
    """Return for every update when it could be applied if nothing else was sent."""
    late = Fraction(instance.drop_s)
    return [min((way.arrives for way in own), default=late) for own in ways]


def crossings(instance: TransfersInstance) -> list[Crossing]:
    """Return every hop that updates cannot but cross alone, with the moments that it allows."""
    ways = all_ways(instance)
    earliest, network = alone(instance, ways), Network.of(instance)
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
        found.append(Crossing(hop=hop, crossed=frozenset(those), moments=moments))
    return found


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
