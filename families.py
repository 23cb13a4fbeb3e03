"""What the runner needs to know of each problem family; all else is the family's own."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from .instances import Bound
from .instances.encode import as_decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A problem family as the runner sees it."""

    kind: str
    most: bool
    """Whether its objective is to be large rather than small."""
    objective: str
    """What the objective is called, with its unit behind it, if it has one."""
    unit: str
    refusal: Callable[[Any], str | None]
    """Says why no method at all can treat an instance."""
    bounds: Callable[[Any], list[Bound]]
    """Returns certified bounds that take little time, the best first."""
    claims: Callable[[Any, Any], Any]
    """Writes the judge's findings into a schedule, where decimals can say them."""

    def better(self, value: Fraction, other: Fraction) -> bool:
        """Say whether one value of the objective, or of a bound on it, beats another."""
        return value > other if self.most else value < other

    def gap(self, objective: Fraction, bound: Fraction) -> Fraction:
        """Return how far the objective may be from the best, as a part of the larger of both."""
        larger = max(objective, bound)
        return abs(objective - bound) / larger if larger else Fraction(0)


def _ring_refusal(instance: Any) -> str | None:
    from .simulation.refusal import refusal

    return refusal(instance)


def _ring_bounds(instance: Any) -> list[Bound]:
    from .search.bounds import combinatorial_bounds

    return combinatorial_bounds(instance)


def with_ends(schedule: Any, verdict: Any) -> Any:
    """Write the judge's ends and makespan into a `makespan` schedule."""
    items = tuple(
        replace(item, end_slot=as_decimal(verdict.ends.get(item.job)))
        for item in schedule.assignments
    )
    return replace(schedule, assignments=items, makespan=as_decimal(verdict.makespan))


def _online_refusal(instance: Any) -> str | None:
    from .simulation.online_model import refusal

    return refusal(instance)


def _online_bounds(instance: Any) -> list[Bound]:
    from .search.online.bounds import combinatorial_bounds

    return combinatorial_bounds(instance)


def with_utilities(schedule: Any, verdict: Any) -> Any:
    """Write the judge's completion slots and utilities into an `online` schedule."""
    items = tuple(
        replace(
            item,
            completion_slot=verdict.completions.get(item.job),
            utility=as_decimal(verdict.utilities.get(item.job)),
        )
        for item in schedule.admissions
    )
    return replace(schedule, admissions=items, utility=as_decimal(verdict.objective))


FAMILIES: dict[str, Family] = {
    family.kind: family
    for family in (
        Family(
            kind="makespan",
            most=False,
            objective="makespan",
            unit=" slots",
            refusal=_ring_refusal,
            bounds=_ring_bounds,
            claims=with_ends,
        ),
        Family(
            kind="online",
            most=True,
            objective="utility",
            unit="",
            refusal=_online_refusal,
            bounds=_online_bounds,
            claims=with_utilities,
        ),
    )
}
"""By the `kind` of their files."""
