"""Certified lower bounds on the value of any plan of transfers.

Chains: the first k updates that a plan applies are a set, and the k-th is applied when all of it
has arrived. A plan is thus a chain of sets that grow by one update. All chains are tried, set by
set. Updates are numbered in order of readiness, and a set is the number whose bits are its members.

Moments: let M be a sorted list of one moment per update. If no plan has more updates applied by any
moment t than M has entries up to t, the k-th update of any plan has a value of at least M[k]: with
M the goal can be bounded. Entries after `drop_s` are cut to that, which is the value of a dropped
update. The moments come from a link that always carries the update with the least left, or from
means. An update that passes a link no faster than its narrowest hop ends half of its least time
after the mean moment at which it passes. The sum of these means is least if the smallest goes
first.

Proofs: `docs/theory/transfers-bounds.md`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ...formulations.transfers.routes import UpdateRoute, seconds, update_routes
from ...instances import NO_LIMITS, Bound, BoundKind, Limits, TransfersInstance
from ...policies.transfers.orders import moore_hodgson
from ...simulation.transfers.network import Network
from ..one_machine import ends_by_least_left, smallest_first


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """An update that has to pass a link: ready then, through in `takes` if it is alone on it.

    Whatever its route, it is applied no sooner than `behind` after the mean moment of passing.
    """

    ready: Fraction
    takes: Fraction
    behind: Fraction


def least_sum(passages: Sequence[Passage], late: Fraction) -> Fraction:
    """Return the least sum of the updates' values. Dropped ones have the value `late`."""
    cap = late - max(one.behind for one in passages)
    found = sum((one.behind for one in passages), Fraction(0))
    for i, start, stop in smallest_first([(one.ready, one.takes) for one in passages]):
        found += (_area(stop, cap) - _area(start, cap)) / passages[i].takes
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
    """The updates, by number, that cross a hop alone on all of their routes."""

    hop: int
    crossed: frozenset[int]
    moments: Moments
    total: Fraction
    """The least sum of their values."""


def alone(instance: TransfersInstance, ways: Sequence[Sequence[UpdateRoute]]) -> list[Fraction]:
    """Return for every update when it could be applied if sent alone."""
    late = Fraction(instance.drop_s)
    return [min((way.arrives for way in own), default=late) for own in ways]


@lru_cache(maxsize=1)
def crossings(instance: TransfersInstance) -> tuple[Crossing, ...]:
    """Return every hop that updates cannot but cross alone, with the moments that it allows."""
    ways = update_routes(instance)
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
    """Return the least sum if the other updates are dropped, with the least ones kept at best."""
    ready = min(one.ready for one in passages)
    takes = sorted(one.takes for one in passages)[:most]
    behind = sorted(one.behind for one in passages)[:most]
    kept = [
        Passage(ready=ready, takes=one, behind=other)
        for one, other in zip(takes, behind, strict=True)
    ]
    return late * (len(passages) - most) + (least_sum(kept, late) if kept else 0)


def _passage(network: Network, hop: int, i: int, ways: Sequence[UpdateRoute]) -> Passage:
    """Return how an update passes a hop that is on its own part of all its routes."""
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
    """Return when updates have crossed a hop, or infinity if they can only be late."""
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
    """Merge the moments of independent updates. `most` are applied."""
    late = Fraction(instance.drop_s)
    moments = sorted(min(moment, late) for part in apart for moment in part)
    return moments if most is None else moments[:most] + [late] * (len(moments) - most)


def most_fresh(instance: TransfersInstance) -> int:
    """Return how many updates can be applied in view of staleness."""
    if instance.staleness is None or instance.aggregators:
        return len(instance.updates)
    room = [Fraction(instance.staleness - one.behind + 1) for one in instance.updates]
    return len(moore_hodgson([Fraction(1)] * len(room), list(room)))


MOST = 12
"""Most updates. They have 4,096 sets."""


def least_by_chains(instance: TransfersInstance) -> Fraction | None:
    """Return the least value that chains of sets allow, or None if there are too many updates."""
    n, late = len(instance.updates), Fraction(instance.drop_s)
    if n > MOST:
        return None
    order = sorted(range(n), key=lambda i: instance.updates[i].ready_s)
    ends = _ends(instance, order)
    sums = _sums(instance, order, ends)
    if instance.goal == "last":
        return late if sums[-1] is None else min(late, ends[-1])
    return min(
        (found + late * (n - members.bit_count())) / n
        for members, found in enumerate(sums)
        if found is not None
    )


def _ends(instance: TransfersInstance, order: Sequence[int]) -> list[Fraction]:
    """Return for each set when all of it can have arrived, alone and across each hop."""
    network = Network.of(instance)
    ready = [Fraction(one.ready_s) for one in instance.updates]
    sizes = [network.sizes[one.name] for one in instance.updates]
    apart = alone(instance, update_routes(instance))
    found = [Fraction(0)]
    for i in order:
        found += [max(end, apart[i]) for end in found]
    for one in crossings(instance):
        if len(one.crossed) == 1:
            continue
        ends = [Fraction(0)]
        for i in order:
            takes = Fraction(sizes[i], network.rates[one.hop])
            ends += [max(e, ready[i]) + takes for e in ends] if i in one.crossed else ends
        found = [max(pair) for pair in zip(found, ends, strict=True)]
    return found


def _sums(
    instance: TransfersInstance, order: Sequence[int], ends: Sequence[Fraction]
) -> list[Fraction | None]:
    """Return for each set the least sum of moments if it comes first, or None if impossible."""
    updates = [instance.updates[i] for i in order]
    dues = [None if one.due_s is None else Fraction(one.due_s) for one in updates]
    staleness = None if instance.aggregators else instance.staleness
    most = [
        -1 if not own else len(order) if staleness is None else staleness - one.behind
        for one, own in ((instance.updates[i], update_routes(instance)[i]) for i in order)
    ]
    sums: list[Fraction | None] = [Fraction(0)]
    for members in range(1, len(ends)):
        before, end = members.bit_count() - 1, ends[members]
        found = []
        for i, due in enumerate(dues):
            if members >> i & 1 and before <= most[i] and (due is None or end <= due):
                least = sums[members ^ 1 << i]
                if least is not None:
                    found.append(least + end)
        sums.append(min(found, default=None))
    return sums


def combinatorial_bounds(instance: TransfersInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by links that updates cannot avoid and by each update alone, best first."""
    apart = joined(instance, [alone(instance, update_routes(instance))])
    shared, hops = shared_moments(instance)
    found: list[tuple[Fraction, str, str, dict[str, Any]]] = [
        (
            worth(instance, shared),
            "least left",
            "every link carries the update with the shortest remaining transfer",
            {"hops": hops},
        ),
        (worth(instance, apart), "alone", "every update as if it were sent alone", {}),
    ]
    if instance.goal == "mean":
        argument = "every link carries the smallest updates first, each at its own pace"
        passing, hops = _passing(instance)
        found.append((passing, "mean moments", argument, {"hops": hops}))
    chained = None if limits.over() else least_by_chains(instance)
    if chained is not None:
        argument = "the first k updates have crossed every link, over all k and orders"
        found.append((chained, "chains", argument, {}))
    bounds = [
        Bound.by(BoundKind.COMBINATORIAL, name, value, argument, {"rule": name, **given})
        for value, name, argument, given in found
    ]
    return sorted(bounds, key=lambda bound: bound.value, reverse=True)


def worth(instance: TransfersInstance, moments: Sequence[Fraction]) -> Fraction:
    """Return the goal's value of moments in order."""
    if instance.goal == "last":
        return moments[-1]
    return sum(moments, Fraction(0)) / len(moments)


def shared_moments(instance: TransfersInstance) -> tuple[Moments, list[int]]:
    """Return moments by links that updates cannot avoid, and that share no update, with these."""
    earliest = alone(instance, update_routes(instance))

    def gain(one: Crossing) -> Fraction:
        if instance.goal == "last":
            return one.moments[-1]
        apart = joined(instance, [[earliest[i] for i in one.crossed]])
        return sum(joined(instance, [one.moments]), Fraction(0)) - sum(apart, Fraction(0))

    chosen, free = _disjoint(instance, gain)
    parts = [one.moments for one in chosen] + [[earliest[i]] for i in free]
    return joined(instance, parts, most_fresh(instance)), [one.hop for one in chosen]


def _passing(instance: TransfersInstance) -> tuple[Fraction, list[int]]:
    """Return the mean by links that updates cannot avoid and pass at their own pace, with these."""
    late = Fraction(instance.drop_s)
    earliest = [min(moment, late) for moment in alone(instance, update_routes(instance))]

    def gain(one: Crossing) -> Fraction:
        return one.total - sum((earliest[i] for i in one.crossed), Fraction(0))

    chosen, free = _disjoint(instance, gain)
    total = sum((one.total for one in chosen), sum((earliest[i] for i in free), Fraction(0)))
    return total / len(earliest), [one.hop for one in chosen]


def _disjoint(
    instance: TransfersInstance, gain: Callable[[Crossing], Fraction]
) -> tuple[list[Crossing], set[int]]:
    """Return disjoint crossings, by descending gain, and the other updates."""
    free, chosen = set(range(len(instance.updates))), list[Crossing]()
    for one in sorted(crossings(instance), key=gain, reverse=True):
        if one.crossed <= free:
            free -= one.crossed
            chosen.append(one)
    return chosen, free
