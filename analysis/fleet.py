"""Metrics that compare strategies for renting GPUs, with intervals of long-run averages.

Intervals come from batch means of one long run. Consecutive jobs are correlated, but means over
long stretches are nearly independent. Source: Law and Carson 1979, and Iglehart 1975 for ratios.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..instances import FleetInstance, JobType
from ..instances.errors import InputError, Problem, raise_any
from ..instances.reading.encode import as_number
from .check.fleet import FleetVerdict
from .intervals import LEVEL, Interval
from .trace import ranked

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCut:
    """The division of a run into a warm-up, which is left out, and batches of equal length."""

    warm_up: float = 0.1
    batches: int = 25

    def __post_init__(self) -> None:
        """Refuse a cut without data to average or batches to compare."""
        problems = []
        if not 0 <= self.warm_up < 1:
            expected = "a part from 0 to below 1"
            problems.append(Problem("warm_up", self.warm_up, expected, "give 0.1, for example"))
        if self.batches < 2:
            advice = "give 20 to 30"
            problems.append(Problem("batches", self.batches, "an integer at least 2", advice))
        raise_any("batch means", problems)

    def edges(self, begin: float, end: float) -> Floats:
        """Return the limits of the batches within the run."""
        return np.linspace(begin + self.warm_up * (end - begin), end, self.batches + 1)


USUAL = BatchCut()


def mean_of_jobs(values: Floats, weights: Floats | None = None, cut: BatchCut = USUAL) -> Interval:
    """Return the weighted mean of values in order of arrival, with its interval.

    Raises:
        InputError: If there are fewer values than batches.
    """
    if len(values) * (1 - cut.warm_up) < cut.batches:
        expected = f"at least one for each of {cut.batches} batches after the warm-up"
        problem = Problem("jobs", len(values), expected, "let more jobs arrive")
        raise InputError("batch means", [problem])
    at = cut.edges(0, len(values)).astype(np.int64)
    weighing = np.ones(len(values)) if weights is None else weights
    first = at[:-1]
    sums = np.add.reduceat((values * weighing)[: at[-1]], first)
    return ratio_of(sums, np.add.reduceat(weighing[: at[-1]], first))


def mean_over_time(levels: Floats, since: Floats, until: Floats, edges: Floats) -> Interval:
    """Return the mean over time of a sum of levels, each held from one time until another."""
    held = np.array([np.dot(levels, np.clip(at, since, until) - since) for at in edges])
    return ratio_of(np.diff(held), np.diff(edges))


def ratio_of(sums: Floats, sizes: Floats) -> Interval:
    """Return the sum of sums over the sum of sizes, batch by batch, with its interval.

    The interval is Student's t on each batch's deviation from its share, with one degree of freedom
    fewer than there are batches. For equal sizes it is the interval of plain means.
    """
    from scipy.special import stdtrit

    count, ratio = len(sums), float(sums.sum() / sizes.sum())
    spread = float(np.std(sums - ratio * sizes, ddof=1) / sizes.mean())
    half = float(stdtrit(count - 1, (1 + LEVEL) / 2)) * spread / count**0.5
    return Interval(mean=ratio, low=ratio - half, high=ratio + half, count=count)


Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCourse:
    """The course of jobs and GPUs, by the judge or the simulation.

    For each job: its type, and in ticks its arrival, its end and its time on one GPU. For each
    type: its weight and its deadline. GPU-hours are held by jobs or billed for leases.
    """

    kinds: Ints
    arrivals: Ints
    ends: Ints
    alone: Ints
    weights: tuple[Fraction, ...]
    deadlines_h: tuple[Fraction | None, ...]
    tick_s: Fraction
    span_s: Fraction
    held_gpu_h: Fraction
    paid_gpu_h: Fraction
    price_per_gpu_h: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetMetrics:
    """Times of jobs and the cost, all exact except the slowdowns.

    The mean weights jobs by their type. A slowdown is a job's time over its time on one GPU, below
    1 for a job with several GPUs. ``late_share`` is the share of the jobs with a deadline that end
    after it, None without deadlines. ``mean_gpus_*`` are averages over the span.
    """

    jobs: int
    mean_jct_h: Fraction
    median_jct_h: Fraction
    p95_jct_h: Fraction
    p99_jct_h: Fraction
    late_share: Fraction | None
    mean_slowdown: float
    p95_slowdown: float
    mean_gpus_held: Fraction
    mean_gpus_paid: Fraction
    utilisation: Fraction
    spend: Fraction

    @property
    def cents(self) -> int:
        """The spend in whole cents, with half a cent rounded up."""
        return int(self.spend * 100 + Fraction(1, 2))


def course_of(
    instance: FleetInstance, ends: Mapping[str, Fraction], held: Fraction, leased: Fraction
) -> FleetCourse:
    """Return the course of a path's jobs, of whose log a judge said this."""
    tick, place = Fraction(instance.tick_s), {t.name: i for i, t in enumerate(instance.types)}
    jobs = instance.jobs
    return FleetCourse(
        kinds=np.array([place[job.type] for job in jobs], dtype=np.int64),
        arrivals=_ticks([Fraction(job.arrival_s) for job in jobs], tick),
        ends=_ticks([ends[job.name] for job in jobs], tick),
        alone=_ticks([Fraction(sum(job.work_s)) for job in jobs], tick),
        weights=tuple(Fraction(one.weight) for one in instance.types),
        deadlines_h=deadlines_of(instance.types),
        tick_s=tick,
        span_s=Fraction(instance.span_s),
        held_gpu_h=held,
        paid_gpu_h=leased,
        price_per_gpu_h=Fraction(instance.price_per_gpu_h),
    )


def deadlines_of(types: Sequence[JobType]) -> tuple[Fraction | None, ...]:
    """Return in how many hours jobs are wanted, by type."""
    wanted = (one.deadline_h for one in types)
    return tuple(None if hours is None else Fraction(hours) for hours in wanted)


def _ticks(seconds: list[Fraction], tick: Fraction) -> Ints:
    return np.array([int(one / tick) for one in seconds], dtype=np.int64)


def fleet_metrics(course: FleetCourse) -> FleetMetrics:
    """Return the metrics of a course."""
    stays = course.ends - course.arrivals
    hours, span_h = course.tick_s / 3600, course.span_s / 3600
    ordered, slowdowns = np.sort(stays).tolist(), np.sort(stays / course.alone)
    return FleetMetrics(
        jobs=len(stays),
        mean_jct_h=_mean(stays, course) * hours,
        median_jct_h=ranked(ordered, 50) * hours,
        p95_jct_h=ranked(ordered, 95) * hours,
        p99_jct_h=ranked(ordered, 99) * hours,
        late_share=_late(stays, course),
        mean_slowdown=float(slowdowns.mean()),
        p95_slowdown=ranked(slowdowns.tolist(), 95),
        mean_gpus_held=course.held_gpu_h / span_h,
        mean_gpus_paid=course.paid_gpu_h / span_h,
        utilisation=course.held_gpu_h / course.paid_gpu_h,
        spend=course.paid_gpu_h * course.price_per_gpu_h,
    )


def columns(instance: FleetInstance, verdict: FleetVerdict) -> dict[str, Any]:
    """Return the row columns other than the objective."""
    known = {"mean_gpus": as_number(verdict.leased / (Fraction(instance.span_s) / 3600))}
    if not verdict.valid:
        return known
    metrics = fleet_metrics(course_of(instance, verdict.ends, verdict.held, verdict.leased))
    return known | {
        "median_jct_s": as_number(3600 * metrics.median_jct_h),
        "p95_jct_s": as_number(3600 * metrics.p95_jct_h),
        "p99_jct_s": as_number(3600 * metrics.p99_jct_h),
        "late_share": None if metrics.late_share is None else as_number(metrics.late_share),
        "utilisation": as_number(metrics.utilisation),
    }


def _late(stays: Ints, course: FleetCourse) -> Fraction | None:
    """Return the share of the jobs with a deadline that end strictly after it."""
    late = count = 0
    for kind, hours in enumerate(course.deadlines_h):
        if hours is not None:
            own = stays[course.kinds == kind]
            late += int(np.count_nonzero(own > hours * 3600 // course.tick_s))
            count += len(own)
    return Fraction(late, count) if count else None


def _mean(stays: Ints, course: FleetCourse) -> Fraction:
    """Return the mean of whole numbers, weighted by type, exactly."""
    total = count = Fraction(0)
    for kind, weight in enumerate(course.weights):
        own = stays[course.kinds == kind]
        total += weight * int(own.sum())
        count += weight * len(own)
    return total / count
