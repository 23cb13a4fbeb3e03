"""What the runner needs to know of each problem family; all else is the family's own."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any

from .instances import Bound, Limits
from .instances.reading.encode import as_decimal

if TYPE_CHECKING:
    from .search.asked import Asked


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
    bounds: Callable[..., list[Bound]]
    """Returns certified bounds that take little time, the best first; of an instance and limits."""
    stronger: Callable[[Any, Limits, Fraction | None], "Asked"]
    """Asks for those that take their time; to prove more than a known value is no use."""
    claims: Callable[[Any, Any], Any]
    """Writes the judge's findings into a schedule, where decimals can say them."""
    horizon: bool = False
    """Whether its objective is when the last job ends, so that a horizon can be asked for."""

    def strong(self, instance: Any, limits: Limits, best: Fraction | None) -> Bound:
        """Return the best certified bound that the time allows."""
        return self.stronger(instance, limits, best).best

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


def _late(module: str, name: str) -> Callable[..., Any]:
    """Return a function of a module that is imported when it is called first."""

    def call(*given: Any) -> Any:
        return getattr(import_module(module, __package__), name)(*given)

    return call


def _unrefused(instance: Any) -> str | None:
    del instance
    return None


def _first_of(
    bounds: Callable[..., list[Bound]],
) -> Callable[[Any, Limits, Fraction | None], "Asked"]:
    """Return what asks for no bound beyond those that take little time: there are no others."""

    def stronger(instance: Any, limits: Limits, best: Fraction | None) -> "Asked":
        from .search.asked import Asked

        del best
        return Asked(bounds(instance, limits)[0])

    return stronger


def with_ends(schedule: Any, verdict: Any) -> Any:
    """Write the judge's ends and makespan into a `makespan` schedule."""
    items = tuple(
        replace(item, end_slot=as_decimal(verdict.ends.get(item.job)))
        for item in schedule.assignments
    )
    return replace(schedule, assignments=items, makespan=as_decimal(verdict.makespan))


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


def with_gains(schedule: Any, verdict: Any) -> Any:
    """Write the judge's gains into a `reserved` schedule."""
    plans = tuple(
        replace(plan, gain=as_decimal(verdict.gains.get(plan.job))) for plan in schedule.plans
    )
    return replace(schedule, plans=plans, gain=as_decimal(verdict.objective))


def with_trace_ends(schedule: Any, verdict: Any) -> Any:
    """Write the judge's ends and mean completion time into a `trace` schedule."""
    jobs = tuple(
        replace(item, end_s=as_decimal(verdict.ends.get(item.job))) for item in schedule.jobs
    )
    return replace(schedule, jobs=jobs, mean_jct_s=as_decimal(verdict.objective))


def with_plan_value(plan: Any, verdict: Any) -> Any:
    """Write the judge's mean completion time and GPUs into a `rental` plan."""
    mean, gpus = as_decimal(verdict.mean_jct), as_decimal(verdict.mean_gpus)
    return replace(plan, mean_jct_h=mean, mean_gpus=gpus)


def with_fleet_ends(log: Any, verdict: Any) -> Any:
    """Write the judge's ends, mean completion time and cost into a `fleet` log."""
    jobs = tuple(replace(item, end_s=as_decimal(verdict.ends.get(item.job))) for item in log.jobs)
    mean, spend = as_decimal(verdict.mean_jct), as_decimal(verdict.spend)
    return replace(log, jobs=jobs, mean_jct_h=mean, spend=spend)


def with_expectation(plan: Any, verdict: Any) -> Any:
    """Write the judge's expected time into a `coded` plan."""
    return replace(plan, expected_s=as_decimal(verdict.expected))


def with_load(plan: Any, verdict: Any) -> Any:
    """Write the judge's cost of all messages into a `shuffle` plan."""
    return replace(plan, load=as_decimal(verdict.load))


def with_applied(plan: Any, verdict: Any) -> Any:
    """Write the judge's value into a `transfers` plan."""
    return replace(plan, value_s=as_decimal(verdict.value))


_RENTED = _late(".search.rental.bounds", "combinatorial_bounds")
_RESERVED = _late(".search.reserved.bounds", "combinatorial_bounds")
_CODED = _late(".search.coded.bounds", "combinatorial_bounds")

FAMILIES: dict[str, Family] = {
    family.kind: family
    for family in (
        Family(
            kind="makespan",
            most=False,
            objective="makespan",
            unit=" slots",
            refusal=_late(".simulation.makespan.refusal", "refusal"),
            bounds=_late(".search.makespan.bounds", "combinatorial_bounds"),
            stronger=_late(".search.makespan.bounds", "stronger"),
            claims=with_ends,
            horizon=True,
        ),
        Family(
            kind="online",
            most=True,
            objective="utility",
            unit="",
            refusal=_late(".simulation.online.model", "refusal"),
            bounds=_late(".search.online.bounds", "combinatorial_bounds"),
            stronger=_late(".search.online.dual_bound", "stronger"),
            claims=with_utilities,
        ),
        Family(
            kind="reserved",
            most=True,
            objective="gain",
            unit="",
            refusal=_late(".simulation.reserved.model", "refusal"),
            bounds=_RESERVED,
            stronger=_first_of(_RESERVED),
            claims=with_gains,
        ),
        Family(
            kind="trace",
            most=False,
            objective="mean JCT",
            unit=" s",
            refusal=_late(".simulation.trace.refusal", "refusal"),
            bounds=_late(".search.trace.bounds", "combinatorial_bounds"),
            stronger=_late(".search.trace.lp_bound", "stronger"),
            claims=with_trace_ends,
        ),
        Family(
            kind="rental",
            most=False,
            objective="mean JCT",
            unit=" h",
            refusal=_unrefused,
            bounds=_RENTED,
            stronger=_first_of(_RENTED),
            claims=with_plan_value,
        ),
        Family(
            kind="fleet",
            most=False,
            objective="mean JCT",
            unit=" h",
            refusal=_unrefused,
            bounds=_RENTED,
            stronger=_first_of(_RENTED),
            claims=with_fleet_ends,
        ),
        Family(
            kind="coded",
            most=False,
            objective="expected time",
            unit=" s",
            refusal=_late(".search.coded.bounds", "refusal"),
            bounds=_CODED,
            stronger=_first_of(_CODED),
            claims=with_expectation,
        ),
        Family(
            kind="shuffle",
            most=False,
            objective="load",
            unit=" rows",
            refusal=_unrefused,
            bounds=_late(".search.shuffle.bounds", "combinatorial_bounds"),
            stronger=_late(".search.shuffle.bounds", "stronger"),
            claims=with_load,
        ),
        Family(
            kind="transfers",
            most=False,
            objective="time",
            unit=" s",
            refusal=_unrefused,
            bounds=_late(".search.transfers.bounds", "combinatorial_bounds"),
            stronger=_late(".search.transfers.strong", "stronger"),
            claims=with_applied,
        ),
    )
}
"""By the `kind` of their files."""
