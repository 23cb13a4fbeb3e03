"""Certified lower bounds on what any plan of transfers comes to: `docs/transfers-bounds.md`."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from ...formulations.transfers.ways import all_ways
from ...instances import NO_LIMITS, Bound, BoundKind, Limits, TransfersInstance
from .chains import least_by_chains
from .moments import Crossing, Moments, alone, crossings, joined, most_fresh


def combinatorial_bounds(instance: TransfersInstance, limits: Limits = NO_LIMITS) -> list[Bound]:
    """Return the bounds by links that updates cannot avoid and by each update alone, best first."""
    apart = joined(instance, [alone(instance, all_ways(instance))])
    found = [
        (
            worth(instance, shared_moments(instance)),
            "least left",
            "every link carries what has least left",
        ),
        (worth(instance, apart), "alone", "every update as if nothing else was sent"),
    ]
    if instance.goal == "mean":
        argument = "every link carries the smallest first, each at its own pace"
        found.append((_passing(instance), "mean moments", argument))
    chained = None if limits.over() else least_by_chains(instance)
    if chained is not None:
        found.append(
            (chained, "chains", "the first k have crossed every link, for all k and orders")
        )
    bounds = [
        Bound(value=value, kind=BoundKind.COMBINATORIAL, name=name, argument=argument)
        for value, name, argument in found
    ]
    return sorted(bounds, key=lambda bound: bound.value, reverse=True)


def worth(instance: TransfersInstance, moments: Sequence[Fraction]) -> Fraction:
    """Return what the goal makes of moments in order."""
    if instance.goal == "last":
        return moments[-1]
    return sum(moments, Fraction(0)) / len(moments)


def shared_moments(instance: TransfersInstance) -> Moments:
    """Return moments by links that updates cannot avoid, and that share no update."""
    earliest = alone(instance, all_ways(instance))

    def gain(one: Crossing) -> Fraction:
        if instance.goal == "last":
            return one.moments[-1]
        apart = joined(instance, [[earliest[i] for i in one.crossed]])
        return sum(joined(instance, [one.moments]), Fraction(0)) - sum(apart, Fraction(0))

    chosen, free = _disjoint(instance, gain)
    parts = [one.moments for one in chosen] + [[earliest[i]] for i in free]
    return joined(instance, parts, most_fresh(instance))


def _passing(instance: TransfersInstance) -> Fraction:
    """Return the mean by links that updates cannot avoid, and that they pass at their own pace."""
    late = Fraction(instance.drop_s)
    earliest = [min(moment, late) for moment in alone(instance, all_ways(instance))]

    def gain(one: Crossing) -> Fraction:
        return one.total - sum((earliest[i] for i in one.crossed), Fraction(0))

    chosen, free = _disjoint(instance, gain)
    total = sum((one.total for one in chosen), sum((earliest[i] for i in free), Fraction(0)))
    return total / len(earliest)


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
