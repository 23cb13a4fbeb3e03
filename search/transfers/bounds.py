"""Certified lower bounds on what any plan of transfers comes to: `docs/transfers-bounds.md`."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import floor

from ...formulations.dual import dual_bound
from ...formulations.solution import Caps
from ...formulations.solve import solve
from ...formulations.transfers.counting import counting
from ...formulations.transfers.ways import Way, all_ways
from ...instances import Bound, BoundKind, Limits, TransfersInstance
from .moments import Crossing, Moments, alone, crossings, joined, most_fresh

ROUNDS = 24
"""Moments for which the updates that can be applied by then are counted."""

HALVINGS = 20


def combinatorial_bounds(instance: TransfersInstance) -> list[Bound]:
    """Return the bounds by links that updates cannot avoid and by each update alone."""
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


def strong_bound(instance: TransfersInstance, limits: Limits, best: Fraction | None) -> Bound:
    """Return the best bound that time allows; none better than `best` is looked for."""
    first = combinatorial_bounds(instance)[0]
    moments = shared_moments(instance)
    if best is not None and first.value >= best:
        return first
    ways, rounds = all_ways(instance), 0
    search = _halved if instance.goal == "last" else _spread
    for by in search(instance, moments):
        if limits.over():
            break
        most = _most(instance, ways, by, limits)
        if most is None:
            break
        rounds += 1
        moments[most:] = [max(moment, by) for moment in moments[most:]]
    argument = f"updates that fit through the links by {rounds} moments; duals summed exactly"
    counted = Bound(
        value=worth(instance, moments),
        kind=BoundKind.DUAL,
        name="counts by moments",
        argument=argument,
    )
    return max(first, counted, key=lambda bound: bound.value)


def _most(
    instance: TransfersInstance, ways: Sequence[Sequence[Way]], by: Fraction, limits: Limits
) -> int | None:
    """Return how many updates can be applied by a moment at most; None if time is too short."""
    matrix = counting(instance, ways, by)
    if not matrix.columns:
        return 0
    solution = solve(matrix, caps=Caps(time_s=limits.left_s(), threads=limits.threads))
    least = None if solution.duals is None else dual_bound(matrix, solution.duals)
    return None if least is None else floor(-least)


def _spread(instance: TransfersInstance, moments: Moments) -> Iterator[Fraction]:
    """Yield later moments until all updates fit, then some in even steps up to there."""
    first, last, late = moments[0], moments[-1], Fraction(instance.drop_s)
    while first < last < late and moments[-1] == last:
        last = min(late, first + 2 * (last - first))
        yield last
    for k in range(ROUNDS):
        yield first + (last - first) * (k + 1) / (ROUNDS + 1)


def _halved(instance: TransfersInstance, moments: Moments) -> Iterator[Fraction]:
    """Yield moments that close in on the first by which all updates can be applied."""
    low, high = moments[-1], Fraction(instance.drop_s)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        yield middle
        low, high = (middle, high) if moments[-1] >= middle else (low, middle)
