"""A long run of a way to rent GPUs: what was measured, and the least its own jobs could take."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...analysis.fleet.batch_means import BatchCut, mean_of_jobs
from ...analysis.fleet.metrics import FleetCourse, FleetMetrics, fleet_metrics
from ...analysis.intervals import Interval
from ...instances import Bound, RentalInstance, RentalPlan
from ...policies.rental.plan import PlanWorth, worth_of
from ...run import bound
from ...simulation.fleet import JobStream
from .asked import UP, own_rental, written

ENOUGH = 100
"""Of fewer jobs, or ticks, there are no intervals."""

CUT = BatchCut()
"""The start of a run that intervals leave out, and the batches of the rest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """What a run came to; intervals leave out its start, the metrics nothing."""

    instance: RentalInstance
    """The streams and the budget."""
    policy: str
    expected: PlanWorth | None
    """What the policy's plan is worth in the long run, if it has a plan."""
    metrics: FleetMetrics
    mean_jct_h: Interval | None
    spend_per_h: Interval | None
    least: Bound
    """No log of these jobs that costs as much has a smaller mean completion time."""

    @property
    def ratio(self) -> Fraction:
        """The mean completion time over the least that is possible."""
        return self.metrics.mean_jct_h / self.least.value

    @property
    def over_per_h(self) -> float | None:
        """What an hour costs above the budget; None if that is no more than chance explains.

        With an interval all of it has to lie above the budget. Without, as much counts as the plan
        would cost with what is paid for here and not held. A log of a method for fleets keeps to
        the budget, or is refused.
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
    """Return what a run of the jobs of a stream came to, by a plan or a method."""
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
    """Return the mean completion time in hours, with its interval, where jobs are enough."""
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
