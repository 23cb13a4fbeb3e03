"""Metrics of GPU cluster schedulers, and the facts behind them.

Metrics are sums and ranks of facts of each job, and of the idle capacity.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import fsum
from typing import Any, TypeVar

from ...instances.errors import RefusedError
from ...instances.reading.encode import as_number
from ...instances.trace import JobRuns, TraceInstance, TraceJob, TraceSchedule
from ..check.judge import Ticks
from ..check.trace import TraceVerdict
from ..check.trace_runs import FULL, TraceHolding, steps_of
from ..rows import by_key
from .fairness import EXACTLY_UNFAIR, UNFAIR, fair_ratios, group_fairness, static_ratios


def fragmentation(
    instance: TraceInstance, runs: Iterable[TraceHolding], first: int, last: int
) -> tuple[Fraction, Fraction]:
    """Return the share of idle GPU-time in fragments between two ticks, and idle GPU-ticks.

    An idle GPU of a server is in a fragment for a job that needs more GPUs there than are idle: the
    smaller of the job's request and the server's GPUs. The share is the mean over the jobs of the
    instance, as in the fragmentation measure of Weng et al., *Beware of Fragmentation* (FGD, USENIX
    ATC 2023). It is 0 if no GPU is ever idle.
    """
    steps = steps_of(instance, runs)
    asked = sorted(job.gpus for job in instance.jobs)
    idle = broken = 0
    for machine in instance.servers:
        too_small = _too_small(asked, machine.gpus)
        for free, ticks in _spells(steps[machine.name], 2 * machine.gpus, first, last):
            idle += free * ticks
            broken += free * ticks * too_small[free // 2]
    share = Fraction(broken, idle * len(asked)) if idle else Fraction(0)
    return share, Fraction(idle, 2)


def _too_small(asked: list[int], gpus: int) -> list[int]:
    """Return, by the idle GPUs of a server, how many of the jobs want more of them."""
    return [len(asked) - bisect_right(asked, idle) for idle in range(gpus)] + [0]


def _spells(
    steps: dict[int, int], capacity: int, first: int, last: int
) -> Iterable[tuple[int, int]]:
    """Yield the free part of a server, with its number of ticks."""
    free, since = capacity, first
    for tick in sorted(steps):
        yield free, tick - since
        free -= steps[tick]
        since = tick
    yield free, last - since


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """A job from its arrival to its end, in ticks.

    ``lost`` is work lost in outages, in millionths of a tick's work.
    ``halves`` is its GPU-time in half GPUs, and ``spread_halves`` the part of it in multi-server
    runs.
    """

    job: TraceJob
    arrival: int
    duration: int
    start: int
    end: int
    holding: int
    restarting: int
    lost: int
    halves: int
    spread_halves: int
    preemptions: int
    migrations: int


def facts_of(instance: TraceInstance, verdict: TraceVerdict) -> list[JobFacts]:
    """Return the facts of all jobs under a valid schedule.

    Raises:
        RefusedError: If the schedule breaks a rule.
    """
    if not verdict.valid:
        broken = verdict.violations[0]
        message = "only valid schedules have metrics, so correct it"
        raise RefusedError(f"the schedule breaks {broken.rule} at {broken.where}: {message}")
    runs = by_key(verdict.held, lambda held: held.run.job.name)
    ticks = Ticks(instance.tick_s)
    return [_facts(job, runs[job.name], ticks) for job in instance.jobs]


def _facts(job: TraceJob, runs: list[TraceHolding], ticks: Ticks) -> JobFacts:
    stops = [
        (old, new)
        for old, new in pairwise(runs)
        if (old.run.pieces, old.run.half, old.stop) != (new.run.pieces, new.run.half, new.start)
    ]
    taken = [(held, held.run.width * held.run.each) for held in runs]
    return JobFacts(
        job=job,
        arrival=ticks.at(job.arrival_s),
        duration=max(1, ticks.at(job.duration_s - job.done_s)),
        start=runs[0].start,
        end=runs[-1].stop,
        holding=sum(held.stop - held.start for held in runs),
        restarting=sum(held.works - held.start for held in runs),
        lost=sum(held.lost for held in runs),
        halves=sum(halves * (held.stop - held.start) for held, halves in taken),
        spread_halves=sum(
            halves * (held.stop - held.start) for held, halves in taken if len(held.run.pieces) > 1
        ),
        preemptions=len(stops),
        migrations=sum(old.run.pieces != new.run.pieces for old, new in stops),
    )


COLUMNS = (
    "median_jct_s",
    "p95_jct_s",
    "p99_jct_s",
    "mean_queueing_s",
    "median_queueing_s",
    "p95_queueing_s",
    "p99_queueing_s",
    "mean_waiting_s",
    "mean_slowdown",
    "p95_slowdown",
    "worst_unfairness",
    "unfair_share",
    "worst_ftf",
    "unfair_fraction",
    "late_share",
    "group_fairness",
    "makespan_s",
    "utilisation",
    "utilisation_arriving",
    "fragmentation",
    "spread_share",
    "goodput",
    "lost_s",
    "lost_gpu_s",
)
"""Metrics that are columns of a row, in addition to `preemptions`."""

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """Metrics of the selected jobs, and then of the cluster.

    All are exact except slowdowns and unfairness. A median or percentile is the time of a job, by
    nearest rank. ``queueing`` is from arrival to first start, ``waiting`` all time without GPUs.
    """

    jobs: int
    mean_jct_s: Fraction
    median_jct_s: Fraction
    p95_jct_s: Fraction
    p99_jct_s: Fraction
    max_jct_s: Fraction
    mean_queueing_s: Fraction
    median_queueing_s: Fraction
    p95_queueing_s: Fraction
    p99_queueing_s: Fraction
    mean_waiting_s: Fraction
    mean_slowdown: float
    p95_slowdown: float
    worst_unfairness: float
    unfair_share: Fraction
    worst_ftf: Fraction
    """Largest finish-time fairness ratio by the contention factor of Shockwave's simulator."""
    unfair_fraction: Fraction
    """Share of the jobs with such a ratio above 1.05."""
    late_share: Fraction | None
    """Share of the jobs with a deadline that miss it, None if there are none."""
    preemptions: int
    preempted_jobs: int
    migrations: int
    restart_s: Fraction
    lost_s: Fraction
    """Work lost in outages, as time at full speed."""
    lost_gpu_s: Fraction
    """The same as GPU-time: each job's lost time on its requested GPUs."""
    goodput: Fraction
    """Work, as time at full speed on the requested GPUs, over the GPU-time that jobs hold."""
    spread_share: Fraction
    makespan_s: Fraction
    utilisation: Fraction
    utilisation_arriving: Fraction | None
    """Utilisation while jobs arrive, None if all arrive at once."""
    useful_utilisation: Fraction
    fragmentation: Fraction
    group_fairness: Fraction | None
    """Jain's index of the groups' GPU-time over their shares while jobs arrive, or from the first
    start on if all arrive at once. None for fewer than two groups."""


def metrics_of(
    instance: TraceInstance,
    verdict: TraceVerdict,
    only: Callable[[TraceJob], bool] = lambda job: True,
) -> Metrics:
    """Return the metrics of a verdict, restricted to the jobs in ``only``.

    Raises:
        RefusedError: If the schedule breaks a rule, or no job is selected.
    """
    tick = Fraction(instance.tick_s)
    every = facts_of(instance, verdict)
    facts = [fact for fact in every if only(fact.job)]
    if not facts:
        raise RefusedError("there is no such job. Name a job of the trace.")
    jct = sorted(fact.end - fact.arrival for fact in facts)
    queueing = sorted(fact.start - fact.arrival for fact in facts)
    waiting = [fact.end - fact.arrival - fact.holding for fact in facts]
    ratios = fair_ratios([(f.arrival, f.end, f.duration, f.job.gpus) for f in every], instance.gpus)
    unfairness = [one for one, fact in zip(ratios, every, strict=True) if only(fact.job)]
    times = [(fact.end - fact.arrival, fact.duration) for fact in facts]
    static = static_ratios(times, len(every), instance.gpus)
    late = [
        (fact.end - fact.arrival) * tick > Fraction(fact.job.due_s)
        for fact in facts
        if fact.job.due_s is not None
    ]
    slowdowns = sorted((fact.end - fact.arrival) / fact.duration for fact in facts)
    first, last = min(fact.arrival for fact in every), max(fact.end for fact in every)
    newest = max(fact.arrival for fact in every)
    share, idle = fragmentation(instance, verdict.held, first, last)
    all_gpu_ticks = instance.gpus * (last - first)
    return Metrics(
        jobs=len(facts),
        mean_jct_s=_mean(jct) * tick,
        median_jct_s=ranked(jct, 50) * tick,
        p95_jct_s=ranked(jct, 95) * tick,
        p99_jct_s=ranked(jct, 99) * tick,
        max_jct_s=jct[-1] * tick,
        mean_queueing_s=_mean(queueing) * tick,
        median_queueing_s=ranked(queueing, 50) * tick,
        p95_queueing_s=ranked(queueing, 95) * tick,
        p99_queueing_s=ranked(queueing, 99) * tick,
        mean_waiting_s=_mean(waiting) * tick,
        mean_slowdown=fsum(slowdowns) / len(slowdowns),
        p95_slowdown=ranked(slowdowns, 95),
        worst_unfairness=max(unfairness),
        unfair_share=Fraction(sum(one > UNFAIR for one in unfairness), len(facts)),
        worst_ftf=max(static),
        unfair_fraction=Fraction(sum(one > EXACTLY_UNFAIR for one in static), len(facts)),
        late_share=Fraction(sum(late), len(late)) if late else None,
        preemptions=sum(fact.preemptions for fact in facts),
        preempted_jobs=sum(fact.preemptions > 0 for fact in facts),
        migrations=sum(fact.migrations for fact in facts),
        restart_s=sum(fact.restarting for fact in facts) * tick,
        lost_s=Fraction(sum(fact.lost for fact in facts), FULL) * tick,
        lost_gpu_s=Fraction(sum(fact.job.gpus * fact.lost for fact in facts), FULL) * tick,
        goodput=Fraction(
            2 * sum(f.job.gpus * f.duration for f in facts), sum(f.halves for f in facts)
        ),
        spread_share=Fraction(sum(f.spread_halves for f in facts), sum(f.halves for f in facts)),
        makespan_s=(last - first) * tick,
        utilisation=1 - idle / all_gpu_ticks,
        utilisation_arriving=_held(instance, verdict, first, newest),
        useful_utilisation=Fraction(sum(f.job.gpus * f.duration for f in every), all_gpu_ticks),
        fragmentation=share,
        group_fairness=group_fairness(
            instance, verdict.held, first, newest if newest > first else last
        ),
    )


def makespan(instance: TraceInstance, verdict: TraceVerdict) -> Fraction:
    """Return the time from the first arrival to the last end in seconds."""
    return metrics_of(instance, verdict).makespan_s


def columns(instance: TraceInstance, verdict: TraceVerdict) -> dict[str, Any]:
    """Return the row columns other than the objective."""
    if not verdict.valid:
        return {}
    metrics = metrics_of(instance, verdict)
    values = {name: getattr(metrics, name) for name in COLUMNS}
    numbers = {
        name: value if isinstance(value, float) else as_number(value)
        for name, value in values.items()
    }
    return {**numbers, "preemptions": metrics.preemptions}


def _held(instance: TraceInstance, verdict: TraceVerdict, first: int, last: int) -> Fraction | None:
    """Return the part of all GPU-time between two ticks that jobs hold."""
    if first == last:
        return None
    halves = sum(
        one.run.width * one.run.each * max(0, min(one.stop, last) - max(one.start, first))
        for one in verdict.held
    )
    return Fraction(halves, 2 * instance.gpus * (last - first))


def _mean(values: Sequence[int]) -> Fraction:
    """Return the exact mean."""
    return Fraction(sum(values), len(values))


def ranked(ordered: Sequence[N], percent: int) -> N:
    """Return the smallest value of at least a percentage of all: the nearest rank."""
    return ordered[-(-percent * len(ordered) // 100) - 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTimes:
    """The times of a job, in seconds."""

    job: str
    gpus: int
    """Number of GPUs that it requests."""
    arrival_s: Fraction
    start_s: Fraction
    """When it first has GPUs."""
    end_s: Fraction
    jct_s: Fraction
    """Time from arrival to end."""
    waiting_s: Fraction
    """Time without GPUs, before its first start and between its runs."""
    preemptions: int
    """Number of its preemptions."""
    moves: int
    """Number of times that it resumed on different GPUs."""


def job_times(
    instance: TraceInstance, schedule: TraceSchedule, ends: Mapping[str, Fraction]
) -> Iterator[JobTimes]:
    """Yield the times of the jobs that end, in the order of the instance.

    Args:
        instance: The instance.
        schedule: A schedule of it that the judge accepts.
        ends: When the jobs end, by the judge.
    """
    plans = {plan.job: plan for plan in schedule.jobs}
    for job in instance.jobs:
        if job.name in ends:
            yield _times(job, plans[job.name], ends[job.name])


def _times(job: TraceJob, plan: JobRuns, end: Fraction) -> JobTimes:
    held = sum(
        (
            (end if run.stop_s is None else min(Fraction(run.stop_s), end)) - Fraction(run.start_s)
            for run in plan.runs
        ),
        Fraction(0),
    )
    took = end - Fraction(job.arrival_s)
    pairs = zip(plan.runs, plan.runs[1:], strict=False)
    return JobTimes(
        job=job.name,
        gpus=job.gpus,
        arrival_s=Fraction(job.arrival_s),
        start_s=Fraction(plan.runs[0].start_s),
        end_s=end,
        jct_s=took,
        waiting_s=took - held,
        preemptions=len(plan.runs) - 1,
        moves=sum(before.gpus != after.gpus for before, after in pairs),
    )
