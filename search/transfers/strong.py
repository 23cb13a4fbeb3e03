"""Bounds on plans of transfers that take their time: counts by moments, and the search."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import floor

from ...formulations.door.solve import solve
from ...formulations.dual import dual_bound
from ...formulations.program import Caps
from ...formulations.transfers.counting import counting
from ...formulations.transfers.ways import Way, all_ways
from ...instances import Bound, BoundKind, Limits, TransfersInstance
from ..asked_bounds import AskedBounds
from .bounds import combinatorial_bounds, shared_moments, worth
from .enumeration import refuses, search
from .moments import Moments

NODES = 20_000
"""Sends that the search may try for a bound."""

ROUNDS = 24
"""Moments for which the updates that can be applied by then are counted."""

HALVINGS = 20


def stronger(instance: TransfersInstance, limits: Limits, best: Fraction | None) -> AskedBounds:
    """Ask for the bounds by counts and by search; for no other once one is as good as `best`."""
    asked = AskedBounds(combinatorial_bounds(instance)[0])
    for name, compute in (("counts by moments", counted), ("all plans", searched)):
        if best is None or asked.best.value < best:
            asked.ask(name, partial(compute, instance, limits), "few updates")
    return asked


def searched(instance: TransfersInstance, limits: Limits) -> Bound | None:
    """Return the bound of the search over all plans, exact if it ends; None if it is refused."""
    return None if refuses(instance) else search(instance, limits, NODES).bound


def counted(instance: TransfersInstance, limits: Limits) -> Bound:
    """Return the bound by counts of updates that fit through the links by some moments."""
    moments, _ = shared_moments(instance)
    ways, rounds = all_ways(instance), 0
    times = _halved if instance.goal == "last" else _spread
    for by in times(instance, moments):
        if limits.over():
            break
        most = _most(instance, ways, by, limits)
        if most is None:
            break
        rounds += 1
        moments[most:] = [max(moment, by) for moment in moments[most:]]
    argument = f"updates that fit through the links by {rounds} moments; duals summed exactly"
    return Bound(
        value=worth(instance, moments),
        kind=BoundKind.DUAL,
        name="counts by moments",
        argument=argument,
    )


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
