"""What the runner needs to know of each problem family; all else is the family's own."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from .instances import Bound, Limits
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
    strong: Callable[[Any, Limits, Fraction | None], Bound]
    """Returns the best certified bound that the time allows; more than a known value is no use."""
    claims: Callable[[Any, Any], Any]
    """Writes the judge's findings into a schedule, where decimals can say them."""
    horizon: bool = False
    """Whether its objective is when the last job ends, so that a horizon can be asked for."""

    def better(self, value: Fraction, other: Fraction) -> bool:
        """Say whether one value of the objective, or of a bound on it, beats another."""
        return value > other if self.most else value < other

    def tighter(self, bound: float | None, first: float) -> float:
        """Return the tighter of two bounds, of which one may be missing."""
        if bound is None:
            return first
        return min(bound, first) if self.most else max(bound, first)

    def gap(self, objective: Fraction, bound: Fraction) -> Fraction:
        """Return how far the objective may be from the best, as a part of the larger of both."""
        larger = max(objective, bound)
        return abs(objective - bound) / larger if larger else Fraction(0)


def _unrefused(instance: Any) -> str | None:
    del instance
    return None


def _first_of(
    bounds: Callable[[Any], list[Bound]],
) -> Callable[[Any, Limits, Fraction | None], Bound]:
    """Return what gives the best of the bounds that take little time: there are no others."""

    def strong(instance: Any, limits: Limits, best: Fraction | None) -> Bound:
        del limits, best
        return bounds(instance)[0]

    return strong


def _ring_refusal(instance: Any) -> str | None:
    from .simulation.refusal import refusal

    return refusal(instance)


def _ring_bounds(instance: Any) -> list[Bound]:
    from .search.bounds import combinatorial_bounds

    return combinatorial_bounds(instance)


def _ring_strong(instance: Any, limits: Limits, best: Fraction | None) -> Bound:
    from .search.bounds import strong_bound

    return strong_bound(instance, limits, best)


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


def _online_strong(instance: Any, limits: Limits, best: Fraction | None) -> Bound:
    from .search.online.dual_bound import dual_bound

    del best
    return min(dual_bound(instance, limits), _online_bounds(instance)[0], key=lambda b: b.value)


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


def _reserved_refusal(instance: Any) -> str | None:
    from .simulation.reserved_model import refusal

    return refusal(instance)


def _reserved_bounds(instance: Any) -> list[Bound]:
    from .search.reserved.bounds import combinatorial_bounds

    return combinatorial_bounds(instance)


def with_gains(schedule: Any, verdict: Any) -> Any:
    """Write the judge's gains into a `reserved` schedule."""
    plans = tuple(
        replace(plan, gain=as_decimal(verdict.gains.get(plan.job))) for plan in schedule.plans
    )
    return replace(schedule, plans=plans, gain=as_decimal(verdict.objective))


def _trace_refusal(instance: Any) -> str | None:
    from .simulation.trace.refusal import refusal

    return refusal(instance)


def _trace_bounds(instance: Any) -> list[Bound]:
    from .search.trace.bounds import combinatorial_bounds

    return combinatorial_bounds(instance)


def _trace_strong(instance: Any, limits: Limits, best: Fraction | None) -> Bound:
    from .search.trace.lp_bound import strong_bound

    return strong_bound(instance, limits, best)


def with_trace_ends(schedule: Any, verdict: Any) -> Any:
    """Write the judge's ends and mean completion time into a `trace` schedule."""
    jobs = tuple(
        replace(item, end_s=as_decimal(verdict.ends.get(item.job))) for item in schedule.jobs
    )
    return replace(schedule, jobs=jobs, mean_jct_s=as_decimal(verdict.objective))


def _rented_bounds(instance: Any) -> list[Bound]:
    from .search.rental.bounds import combinatorial_bounds

    return combinatorial_bounds(instance)


def with_plan_value(plan: Any, verdict: Any) -> Any:
    """Write the judge's mean completion time and GPUs into a `rental` plan."""
    mean, gpus = as_decimal(verdict.mean_jct), as_decimal(verdict.mean_gpus)
    return replace(plan, mean_jct_h=mean, mean_gpus=gpus)


def with_fleet_ends(log: Any, verdict: Any) -> Any:
    """Write the judge's ends, mean completion time and cost into a `fleet` log."""
    jobs = tuple(replace(item, end_s=as_decimal(verdict.ends.get(item.job))) for item in log.jobs)
    mean, spend = as_decimal(verdict.mean_jct), as_decimal(verdict.spend)
    return replace(log, jobs=jobs, mean_jct_h=mean, spend=spend)


def _coded_bounds(instance: Any) -> list[Bound]:
    from .search.coded.bounds import combinatorial_bounds

    return combinatorial_bounds(instance)


def with_expectation(plan: Any, verdict: Any) -> Any:
    """Write the judge's expected time into a `coded` plan."""
    return replace(plan, expected_s=as_decimal(verdict.expected))


def _shuffle_bounds(instance: Any) -> list[Bound]:
    from .search.shuffle.bounds import combinatorial_bounds

    return combinatorial_bounds(instance)


def _shuffle_strong(instance: Any, limits: Limits, best: Fraction | None) -> Bound:
    from .search.shuffle.bounds import strong_bound

    return strong_bound(instance, limits, best)


def with_load(plan: Any, verdict: Any) -> Any:
    """Write the judge's cost of all messages into a `shuffle` plan."""
    return replace(plan, load=as_decimal(verdict.load))


def _transfers_bounds(instance: Any) -> list[Bound]:
    from .search.transfers.bounds import combinatorial_bounds

    return combinatorial_bounds(instance)


def _transfers_strong(instance: Any, limits: Limits, best: Fraction | None) -> Bound:
    from .search.transfers.bounds import strong_bound

    return strong_bound(instance, limits, best)


def with_applied(plan: Any, verdict: Any) -> Any:
    """Write the judge's value into a `transfers` plan."""
    return replace(plan, value_s=as_decimal(verdict.value))


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
            strong=_ring_strong,
            claims=with_ends,
            horizon=True,
        ),
        Family(
            kind="online",
            most=True,
            objective="utility",
            unit="",
            refusal=_online_refusal,
            bounds=_online_bounds,
            strong=_online_strong,
            claims=with_utilities,
        ),
        Family(
            kind="reserved",
            most=True,
            objective="gain",
            unit="",
            refusal=_reserved_refusal,
            bounds=_reserved_bounds,
            strong=_first_of(_reserved_bounds),
            claims=with_gains,
        ),
        Family(
            kind="trace",
            most=False,
            objective="mean JCT",
            unit=" s",
            refusal=_trace_refusal,
            bounds=_trace_bounds,
            strong=_trace_strong,
            claims=with_trace_ends,
        ),
        Family(
            kind="rental",
            most=False,
            objective="mean JCT",
            unit=" h",
            refusal=_unrefused,
            bounds=_rented_bounds,
            strong=_first_of(_rented_bounds),
            claims=with_plan_value,
        ),
        Family(
            kind="fleet",
            most=False,
            objective="mean JCT",
            unit=" h",
            refusal=_unrefused,
            bounds=_rented_bounds,
            strong=_first_of(_rented_bounds),
            claims=with_fleet_ends,
        ),
        Family(
            kind="coded",
            most=False,
            objective="expected time",
            unit=" s",
            refusal=_unrefused,
            bounds=_coded_bounds,
            strong=_first_of(_coded_bounds),
            claims=with_expectation,
        ),
        Family(
            kind="shuffle",
            most=False,
            objective="load",
            unit=" rows",
            refusal=_unrefused,
            bounds=_shuffle_bounds,
            strong=_shuffle_strong,
            claims=with_load,
        ),
        Family(
            kind="transfers",
            most=False,
            objective="time",
            unit=" s",
            refusal=_unrefused,
            bounds=_transfers_bounds,
            strong=_transfers_strong,
            claims=with_applied,
        ),
    )
}
"""By the `kind` of their files."""
