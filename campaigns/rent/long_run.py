"""Long runs of a plan or a policy: jobs drawn or read, simulated, judged, and on average."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ...analysis.check.fleet import FleetVerdict
from ...analysis.check.judge import check
from ...analysis.fleet import (
    BatchCut,
    FleetCourse,
    FleetMetrics,
    course_of,
    deadlines_of,
    fleet_metrics,
    mean_of_jobs,
    mean_over_time,
    ratio_of,
)
from ...analysis.intervals import Interval
from ...instances import (
    NO_LIMITS,
    Bound,
    Choice,
    FleetInstance,
    FleetLog,
    Limits,
    RefusedError,
    RentalInstance,
    RentalPlan,
    Stretch,
    TraceInstance,
    TypePlan,
)
from ...instances.catalogue import load_as
from ...instances.errors import InputError, Problem, Words, plural
from ...instances.fleet.mix import Arrivals, DrawnJobs, Sizes, draw, fleet_of
from ...policies.fleet.within import try_targets
from ...policies.rental.plan import PlanWorth, least_use, worth_of
from ...run import bound, solve
from ...simulation.fleet.result import FleetResult, to_log
from ...simulation.fleet.simulate import simulate
from ...simulation.fleet.stream import MILLI, JobStream, Terms, stream_from, stream_of
from ...simulation.model import Ints
from .budget import UP, as_asked, own_rental, written

LAWS: dict[str, Arrivals] = {"poisson": "poisson", "bursty": "bursty", "even": "even"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """The law of jobs, and the terms of leases."""

    jobs: int = 10_000
    seed: int = 0
    arrivals: str = "poisson"
    """A law, or a trace by name or file, whose arrival times are scaled to the mean rate."""
    sizes: Sizes = "exponential"
    tick_s: Decimal = Decimal(1)
    provision_s: Decimal = Decimal(0)
    node_gpus: int | None = None
    billing_s: Decimal | None = None


class Path(NamedTuple):
    """Jobs by arrival, and on request as an instance with their indices."""

    stream: JobStream
    fleet: FleetInstance | None = None
    order: Ints | None = None


def path_of(fleet: FleetInstance) -> Path:
    """Return the jobs of a fleet."""
    stream, order = stream_of(fleet)
    return Path(stream, fleet, order)


def drawn_path(instance: RentalInstance, drawing: Drawing, *, as_fleet: bool) -> Path:
    """Return drawn jobs, with a slowly built instance if `as_fleet`."""
    drawn = drawn_jobs(instance, drawing)
    if as_fleet:
        fleet = fleet_of(
            instance,
            drawn,
            name=f"{instance.name}-s{drawing.seed}",
            provision_s=drawing.provision_s,
            node_gpus=drawing.node_gpus,
            billing_s=drawing.billing_s,
            tick_s=drawing.tick_s,
        )
        return path_of(fleet)
    terms = Terms(
        rescale=_ticks("--rescale-s", instance.rescale_s, drawing),
        provision=_ticks("--provision-s", drawing.provision_s, drawing),
        unit=MILLI * drawing.node_gpus if drawing.node_gpus else 1,
        billing=_ticks("--billing-s", drawing.billing_s or drawing.tick_s, drawing),
    )
    whole = instance.widths == "whole"
    return Path(stream_from(instance.types, drawn, drawing.tick_s, terms, whole=whole))


def _ticks(option: str, seconds: Decimal, drawing: Drawing) -> int:
    ticks = Fraction(seconds) / Fraction(drawing.tick_s)
    if ticks.denominator != 1:
        found = Words(f"{seconds:f}")
        expected = f"a multiple of --tick-s, {drawing.tick_s:f}"
        raise InputError("ringyard rent", [Problem(option, found, expected, "shorten the tick")])
    return int(ticks)


def drawn_jobs(instance: RentalInstance, drawing: Drawing) -> DrawnJobs:
    """Return jobs as requested."""
    law = LAWS.get(drawing.arrivals)
    times = None if law else _stretched(instance, drawing)
    return draw(
        instance.types,
        drawing.jobs if times is None else min(drawing.jobs, len(times)),
        drawing.seed,
        arrivals=law or "poisson",
        sizes=drawing.sizes,
        tick_s=drawing.tick_s,
        times=times,
    )


def _stretched(instance: RentalInstance, drawing: Drawing) -> list[int]:
    """Return the arrivals of a trace in ticks, stretched to the instance's mean rate."""
    trace = load_as(TraceInstance, drawing.arrivals)
    times = sorted(float(job.arrival_s) for job in trace.jobs)[: drawing.jobs]
    span = times[-1] - times[0]
    if not span:
        found = Words(f"{plural(len(times), 'job')} at once")
        problem = Problem("--arrivals", found, "jobs that arrive over time", "use another trace")
        raise InputError(trace.name, [problem])
    wanted = len(times) / float(sum(instance.rates)) * 3600 / float(drawing.tick_s)
    return [int((time - times[0]) / span * wanted) for time in times]


ENOUGH = 100
"""Minimum number of jobs and of ticks for intervals."""

CUT = BatchCut()
"""The warm-up that intervals leave out, and the batches of the remaining run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """The results of a run. Intervals leave out its start, and metrics use all of it."""

    instance: RentalInstance
    """The streams and the budget."""
    policy: str
    expected: PlanWorth | None
    """The value of the policy's plan in the long run, if it has a plan."""
    metrics: FleetMetrics
    mean_jct_h: Interval | None
    spend_per_h: Interval | None
    least: Bound
    """No log of these jobs that costs as much has a smaller mean completion time."""

    @property
    def ratio(self) -> Fraction:
        """The mean completion time over its minimum."""
        return self.metrics.mean_jct_h / self.least.value

    @property
    def over_per_h(self) -> float | None:
        """Hourly cost above the budget, None if chance explains it.

        An interval must lie entirely above the budget. Without an interval, the plan's planned cost
        plus GPUs paid but not held is used. A log of a method for fleets keeps to the budget, or is
        refused.
        """
        if self.expected is None:
            return None
        budget, price = self.instance.budget_gpus, float(self.instance.price_per_gpu_h)
        if self.spend_per_h is not None:
            allowed = float(budget) * price
            return self.spend_per_h.mean - allowed if self.spend_per_h.low > allowed else None
        paid = self.metrics.mean_gpus_paid
        planned = self.expected.mean_gpus + paid * (1 - self.metrics.utilisation)
        over = min(paid, planned) - Fraction(budget)
        return float(over) * price if over > 0 else None

    def plain(self) -> dict[str, Any]:
        """Return everything as plain values, for programs."""
        found = self.metrics
        return {
            "policy": self.policy,
            **plain_times(found, self.mean_jct_h),
            "mean_slowdown": found.mean_slowdown,
            "spend": found.cents / 100,
            "spend_per_h_interval": plain_interval(self.spend_per_h),
            "over_per_h": self.over_per_h,
            "mean_gpus_paid": float(found.mean_gpus_paid),
            "utilisation": float(found.utilisation),
            "path_bound_h": float(self.least.value),
            "ratio": float(self.ratio),
        }


def plain_times(found: FleetMetrics, mean: Interval | None) -> dict[str, Any]:
    """Return completion times as plain values, with the interval of their mean."""
    return {
        "jobs": found.jobs,
        "mean_jct_h": float(found.mean_jct_h),
        "mean_jct_interval_h": plain_interval(mean),
        "median_jct_h": float(found.median_jct_h),
        "p95_jct_h": float(found.p95_jct_h),
        "p99_jct_h": float(found.p99_jct_h),
        "late_share": None if found.late_share is None else float(found.late_share),
    }


def plain_interval(interval: Interval | None) -> dict[str, float] | None:
    """Return an interval as plain values, if there is one."""
    if interval is None:
        return None
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}


def measured(
    instance: RentalInstance,
    stream: JobStream,
    course: FleetCourse,
    spend: Interval | None,
    policy: str | RentalPlan,
) -> Simulated:
    """Return the results of a run of the jobs of a stream, by a plan or a method."""
    metrics = fleet_metrics(course)
    return Simulated(
        instance=instance,
        policy=policy if isinstance(policy, str) else policy.method,
        expected=None if isinstance(policy, str) else worth_of(instance, policy),
        metrics=metrics,
        mean_jct_h=mean_jct_of(course),
        spend_per_h=spend,
        least=path_bound(instance, stream, metrics.mean_gpus_paid, course.span_s),
    )


def mean_jct_of(course: FleetCourse) -> Interval | None:
    """Return the mean completion time in hours, with its interval if there are enough jobs."""
    if len(course.kinds) < ENOUGH:
        return None
    order = np.argsort(course.arrivals, kind="stable")
    hours = (course.ends - course.arrivals).astype(np.float64) * float(course.tick_s / 3600)
    weights = np.array([float(weight) for weight in course.weights])[course.kinds]
    return mean_of_jobs(hours[order], weights[order], CUT)


def path_bound(like: RentalInstance, stream: JobStream, gpus: Fraction, span_s: Fraction) -> Bound:
    """Return the certified bound for the jobs of a path and the given GPUs, over a span."""
    counts = np.bincount(stream.kind, minlength=len(stream.types)).tolist()
    rates = [count * 3600 / span_s for count in counts]
    ticks = [stream.work[stream.kind == i].sum(axis=0).tolist() for i in range(len(counts))]
    loads = [
        [work * Fraction(stream.tick_s) / span_s for work in own[: len(one.epochs)]]
        for own, one in zip(ticks, stream.types, strict=True)
    ]
    typed = replace(like, types=stream.types, budget_gpus=written(gpus, UP))
    return bound(own_rental(typed, rates, loads))


Progress = Callable[[int], None]
"""Called with the number of jobs that are done."""

ONE = Decimal(1)


def planned(
    instance: RentalInstance, path: Path, plan: RentalPlan, seed: int, progress: Progress | None
) -> tuple[Simulated, FleetLog | None]:
    """Simulate a plan. Return also the log if the path is an instance."""
    stream, fleet = path.stream, path.fleet
    played = simulate(
        stream,
        completed(plan, stream),
        seed=seed,
        marks=CUT.edges(0, int(stream.at[-1])).astype(np.int64),
        keep=fleet is not None,
        progress=progress,
    )
    spend = _spend(played, float(instance.price_per_gpu_h))
    course = _course(path, played, Fraction(instance.price_per_gpu_h))
    found = measured(instance, stream, course, spend, plan)
    if fleet is None or path.order is None:
        return found, None
    return found, to_log(fleet, path.order, played, plan.method)


def served(
    instance: RentalInstance, path: Path, method: str, seed: int, time_limit: float | None = None
) -> tuple[Simulated, FleetLog]:
    """Rent GPUs for the jobs of a path with a method for fleets.

    Raises:
        RefusedError: If it finds no log.
    """
    fleet = path.fleet
    assert fleet is not None, "methods for fleets need the path as an instance"
    answer = solve(fleet, method, seed=seed, time_limit=time_limit)
    log, verdict = answer.schedule, answer.verdict
    if log is None or not isinstance(verdict, FleetVerdict) or not answer.valid:
        why = answer.outcome.note or answer.outcome.termination.words or "no reason given"
        raise RefusedError(f"{fleet.name}: {method} has no valid log: {why}")
    course = course_of(fleet, verdict.ends, verdict.held, verdict.leased)
    spend = _lease_spend(fleet, log) if _long(path.stream) else None
    return measured(instance, path.stream, course, spend, answer.method.name), log


def completed(plan: RentalPlan, stream: JobStream) -> RentalPlan:
    """Return a plan for all types, including types without jobs."""
    known = {one.type: one for one in plan.types}
    types = []
    for one in stream.types:
        alone = tuple(Stretch(epoch=e, gpus=ONE) for e in range(len(one.epochs)))
        none = TypePlan(type=one.name, choices=(Choice(stretches=alone),))
        types.append(known.get(one.name, none))
    return replace(plan, types=tuple(types))


def _course(path: Path, played: FleetResult, price: Fraction) -> FleetCourse:
    stream, fleet = played.stream, path.fleet
    hours = Fraction(stream.tick_s) / 3600 / MILLI
    span_s = (int(stream.at[-1]) + 1) * Fraction(stream.tick_s)
    return FleetCourse(
        kinds=stream.kind,
        arrivals=stream.at,
        ends=played.end,
        alone=stream.work.sum(axis=1),
        weights=tuple(Fraction(one.weight) for one in stream.types),
        deadlines_h=deadlines_of(stream.types),
        tick_s=Fraction(stream.tick_s),
        span_s=span_s if fleet is None else Fraction(fleet.span_s),
        held_gpu_h=int(played.held.sum()) * hours,
        paid_gpu_h=played.paid * hours,
        price_per_gpu_h=price,
    )


def _long(stream: JobStream) -> bool:
    """Return True if there are enough jobs and ticks for batches in time."""
    return min(len(stream.at), int(stream.at[-1])) >= ENOUGH


def _spend(played: FleetResult, price: float) -> Interval | None:
    """Return the spend per hour, while jobs arrive."""
    ticks, rented = played.marks[:, 0], played.marks[:, 1]
    hours = float(played.stream.tick_s) / 3600
    if not _long(played.stream):
        return None
    return ratio_of(np.diff(rented) * (hours * price / MILLI), np.diff(ticks) * hours)


def _lease_spend(fleet: FleetInstance, log: FleetLog) -> Interval:
    """Return the same for a log, with leases by their actual duration."""
    price = float(fleet.price_per_gpu_h)
    last = float(max(job.arrival_s for job in fleet.jobs))
    return mean_over_time(
        np.array([float(lease.gpus) * price for lease in log.leases]),
        np.array([float(lease.start_s) for lease in log.leases]),
        np.array([float(lease.stop_s) for lease in log.leases]),
        CUT.edges(0.0, last),
    )


def violations(fleet: FleetInstance, log: FleetLog) -> list[str]:
    """Return the rules that a log breaks, by the judge."""
    return [f"{one.rule} at {one.where}" for one in check(fleet, log).violations]


@dataclass(frozen=True, slots=True, kw_only=True)
class TermsBudget:
    """A budget to plan for, and the cost per hour on the jobs that it was tried on."""

    gpus: Decimal
    """GPUs that jobs hold, on average: the budget of the plan."""
    spend_per_h: float
    allowed_per_h: float
    jobs: str
    """A description of these jobs."""

    @property
    def fits(self) -> bool:
        """True if the cost is within the budget. If not, no tried plan is cheaper."""
        return self.spend_per_h <= self.allowed_per_h

    def plain(self) -> dict[str, Any]:
        """Return everything as plain values, for programs."""
        return {
            "budget_gpus": float(self.gpus),
            "spend_per_h": self.spend_per_h,
            "allowed_per_h": self.allowed_per_h,
            "fits": self.fits,
        }


def budget_for_terms(
    given: RentalInstance | FleetInstance,
    instance: RentalInstance,
    drawing: Drawing,
    limits: Limits = NO_LIMITS,
) -> TermsBudget:
    """Return the largest budget whose plan costs at most the instance's budget on these terms.

    Plans are tried on different jobs than those simulated later, drawn with the next seed. A fleet
    uses itself. If no plan fits, the budget of the cheapest plan is returned.

    Raises:
        RefusedError: If no plan was tried within the time limit.
    """
    path, jobs = _practice(given, instance, drawing)
    price, allowed = float(instance.price_per_gpu_h), Fraction(instance.budget_gpus)
    least = least_use(instance)
    tried: list[TermsBudget] = []

    def fits(target: Fraction) -> bool | None:
        if target < least:
            return None
        gpus = written(target, UP)
        plan = solve(replace(instance, budget_gpus=gpus), time_limit=limits.left_s()).schedule
        if plan is None:
            return None
        ran, _ = planned(instance, path, plan, drawing.seed, None)
        paid = float(ran.metrics.mean_gpus_paid) * price
        spend = paid if ran.spend_per_h is None else ran.spend_per_h.mean
        found = TermsBudget(
            gpus=gpus, spend_per_h=spend, allowed_per_h=float(allowed) * price, jobs=jobs
        )
        tried.append(found)
        return found.fits

    try_targets(allowed, fits, limits.over)
    if not tried:
        raise RefusedError(
            f"{instance.name}: no plan was tried on these terms within the time limit"
        )
    fitting = [one for one in tried if one.fits]
    return fitting[-1] if fitting else min(tried, key=lambda one: one.spend_per_h)


def _practice(
    given: RentalInstance | FleetInstance, instance: RentalInstance, drawing: Drawing
) -> tuple[Path, str]:
    """Return the jobs on which plans are tried, and their description."""
    if isinstance(given, FleetInstance):
        return path_of(as_asked(given, instance)), "these jobs"
    other = replace(drawing, seed=drawing.seed + 1)
    return drawn_path(instance, other, as_fleet=False), f"jobs of seed {other.seed}"
