"""The numbers by which schedulers of deep-learning clusters are compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum
from typing import Any, TypeVar

from ...instances.errors import RefusedError
from ...instances.reading.encode import as_number
from ...instances.trace.instance import TraceInstance, TraceJob
from ..check.trace.judge import TraceVerdict
from .facts import facts_of, fragmentation

COLUMNS = (
    "median_jct_s",
    "p95_jct_s",
    "p99_jct_s",
    "mean_queueing_s",
    "mean_waiting_s",
    "makespan_s",
    "utilisation",
    "utilisation_arriving",
    "fragmentation",
    "spread_share",
)
"""Those that are columns of a row; `preemptions` is another."""

N = TypeVar("N", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Metrics:
    """What a schedule gives the jobs asked about, then what it makes of the cluster.

    All are exact but the slowdowns. A median or percentile is the time of a job, by nearest rank.
    ``queueing`` is from arrival to first start, ``waiting`` all time without GPUs.
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
    mean_waiting_s: Fraction
    mean_slowdown: float
    p95_slowdown: float
    preemptions: int
    preempted_jobs: int
    migrations: int
    restart_s: Fraction
    spread_share: Fraction
    makespan_s: Fraction
    utilisation: Fraction
    utilisation_arriving: Fraction | None
    """While jobs arrive; None if all arrive at once."""
    useful_utilisation: Fraction
    fragmentation: Fraction


def metrics_of(
    instance: TraceInstance,
    verdict: TraceVerdict,
    only: Callable[[TraceJob], bool] = lambda job: True,
) -> Metrics:
    """Return the metrics of what the judge found; ``only`` says which jobs are asked about.

    Raises:
        RefusedError: If the schedule breaks a rule, or no job is asked about.
    """
    tick = Fraction(instance.tick_s)
    every = facts_of(instance, verdict)
    facts = [fact for fact in every if only(fact.job)]
    if not facts:
        raise RefusedError("there is no such job; ask about others")
    jct = sorted(fact.end - fact.arrival for fact in facts)
    queueing = sorted(fact.start - fact.arrival for fact in facts)
    waiting = [fact.end - fact.arrival - fact.holding for fact in facts]
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
        mean_waiting_s=_mean(waiting) * tick,
        mean_slowdown=fsum(slowdowns) / len(slowdowns),
        p95_slowdown=ranked(slowdowns, 95),
        preemptions=sum(fact.preemptions for fact in facts),
        preempted_jobs=sum(fact.preemptions > 0 for fact in facts),
        migrations=sum(fact.migrations for fact in facts),
        restart_s=sum(fact.restarting for fact in facts) * tick,
        spread_share=Fraction(sum(f.spread_halves for f in facts), sum(f.halves for f in facts)),
        makespan_s=(last - first) * tick,
        utilisation=1 - idle / all_gpu_ticks,
        utilisation_arriving=_held(instance, verdict, first, newest),
        useful_utilisation=Fraction(sum(f.job.gpus * f.duration for f in every), all_gpu_ticks),
        fragmentation=share,
    )


def columns(instance: TraceInstance, verdict: TraceVerdict) -> dict[str, Any]:
    """Return what a row has beside the objective."""
    if not verdict.valid:
        return {}
    metrics = metrics_of(instance, verdict)
    numbers = {name: as_number(getattr(metrics, name)) for name in COLUMNS}
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
    """Return the least value that is no less than a percentage of all: the nearest rank."""
    return ordered[-(-percent * len(ordered) // 100) - 1]
