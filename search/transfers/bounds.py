"""Certified lower bounds on what any plan of transfers comes to.

One tries all orders in which updates can be applied:
The first k that a plan applies are a set, and the k-th is applied when all of it has arrived. So a
plan is a chain of sets that grow by one update. All chains are tried, set by set; updates are
numbered as they are ready, and a set is the number whose bits are its members. Proof:
`docs/transfers/transfers-bounds.md`.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from ...formulations.transfers.ways import all_ways
from ...instances import NO_LIMITS, Bound, BoundKind, Limits, TransfersInstance
from ...simulation.transfers import Network
from .moments import Crossing, Moments, alone, crossings, joined, most_fresh

MOST = 12
"""Updates; they have 4,096 sets."""


def least_by_chains(instance: TransfersInstance) -> Fraction | None:
    """Return the least value that chains of sets allow; None if there are too many updates."""
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
    apart = alone(instance, all_ways(instance))
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
    """Return for each set the least sum of moments if it comes first; None if it never does."""
    updates = [instance.updates[i] for i in order]
    dues = [None if one.due_s is None else Fraction(one.due_s) for one in updates]
    staleness = None if instance.aggregators else instance.staleness
    most = [
        -1 if not own else len(order) if staleness is None else staleness - one.behind
        for one, own in ((instance.updates[i], all_ways(instance)[i]) for i in order)
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
    apart = joined(instance, [alone(instance, all_ways(instance))])
    shared, hops = shared_moments(instance)
    found: list[tuple[Fraction, str, str, dict[str, Any]]] = [
        (
            worth(instance, shared),
            "least left",
            "every link carries what has least left",
            {"hops": hops},
        ),
        (worth(instance, apart), "alone", "every update as if nothing else was sent", {}),
    ]
    if instance.goal == "mean":
        argument = "every link carries the smallest first, each at its own pace"
        passing, hops = _passing(instance)
        found.append((passing, "mean moments", argument, {"hops": hops}))
    chained = None if limits.over() else least_by_chains(instance)
    if chained is not None:
        argument = "the first k have crossed every link, for all k and orders"
        found.append((chained, "chains", argument, {}))
    bounds = [
        Bound.by(BoundKind.COMBINATORIAL, name, value, argument, {"rule": name, **given})
        for value, name, argument, given in found
    ]
    return sorted(bounds, key=lambda bound: bound.value, reverse=True)


def worth(instance: TransfersInstance, moments: Sequence[Fraction]) -> Fraction:
    """Return what the goal makes of moments in order."""
    if instance.goal == "last":
        return moments[-1]
    return sum(moments, Fraction(0)) / len(moments)


def shared_moments(instance: TransfersInstance) -> tuple[Moments, list[int]]:
    """Return moments by links that updates cannot avoid, and that share no update, with these."""
    earliest = alone(instance, all_ways(instance))

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
    earliest = [min(moment, late) for moment in alone(instance, all_ways(instance))]

    def gain(one: Crossing) -> Fraction:
        return one.total - sum((earliest[i] for i in one.crossed), Fraction(0))

    chosen, free = _disjoint(instance, gain)
    total = sum((one.total for one in chosen), sum((earliest[i] for i in free), Fraction(0)))
    return total / len(earliest), [one.hop for one in chosen]


def _disjoint(
    instance: TransfersInstance, gain: Callable[[Crossing], Fraction]
) -> tuple[list[Crossing], set[int]]:
    """Return crossings that share no update, those that gain most first, and the other updates."""
    free, chosen = set(range(len(instance.updates))), list[Crossing]()
    for one in sorted(crossings(instance), key=gain, reverse=True):
        if one.crossed <= free:
            free -= one.crossed
            chosen.append(one)
    return chosen, free
