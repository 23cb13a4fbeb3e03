"""Bounds on plans of transfers that take their time: by prices of links, and by the search."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from ...instances import Bound, BoundKind, Limits, TransfersInstance
from ..asked_bounds import AskedBounds
from .bounds import combinatorial_bounds
from .counts import counted
from .enumeration import refuses, search
from .sends import sends_priced

NODES = 20_000
"""Sends that the search may try for a bound."""


def slow_bounds(instance: TransfersInstance, limits: Limits, best: Fraction | None) -> AskedBounds:
    """Ask for the bounds by prices and by search; for no other once one is as good as `best`."""
    asked = AskedBounds(combinatorial_bounds(instance)[0])
    for name, compute, needs in (
        ("sends at prices", sends_priced, "the goal mean, fewer updates, or more time"),
        ("counts by moments", counted, ""),
        ("all plans", searched, "few updates"),
    ):
        if best is None or asked.best.value < best:
            asked.ask(name, partial(compute, instance, limits), needs)
    return asked


def searched(instance: TransfersInstance, limits: Limits) -> Bound | None:
    """Return the bound of the search over all plans; None if it is refused.

    Whether the checker can follow it is not known, so it has no steps here; those of `search` do.
    """
    bound = None if refuses(instance) else search(instance, limits, NODES).bound
    searched = bound is not None and bound.kind is BoundKind.SEARCHED
    return replace(bound, proof=None) if bound is not None and searched else bound
