"""What happened to each job: the whole numbers that all metrics are sums and ranks of."""

from dataclasses import dataclass
from itertools import pairwise

from ...instances.errors import RefusedError
from ...instances.trace.instance import TraceInstance, TraceJob
from ..check.trace.judge import TraceVerdict
from ..check.trace.ticks import Ticks
from ..check.trace.timeline import TraceHolding


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFacts:
    """A job from its arrival to its end, in ticks.

    ``halves`` is what it held, in half GPUs, and ``spread_halves`` the part of it in runs over
    several servers.
    """

    job: TraceJob
    arrival: int
    duration: int
    start: int
    end: int
    holding: int
    restarting: int
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
        message = "only valid schedules have metrics; mend it"
        raise RefusedError(f"the schedule breaks {broken.rule} at {broken.where}; {message}")
    runs: dict[str, list[TraceHolding]] = {}
    for held in verdict.held:
        runs.setdefault(held.run.job.name, []).append(held)
    ticks = Ticks(instance.tick_s)
    return [_facts(job, runs[job.name], ticks) for job in instance.jobs]


def _facts(job: TraceJob, runs: list[TraceHolding], ticks: Ticks) -> JobFacts:
    stops = [(old, new) for old, new in pairwise(runs) if not _goes_on(old, new)]
    taken = [(held, held.run.width * held.run.each) for held in runs]
    return JobFacts(
        job=job,
        arrival=ticks.at(job.arrival_s),
        duration=ticks.at(job.duration_s),
        start=runs[0].start,
        end=runs[-1].stop,
        holding=sum(held.stop - held.start for held in runs),
        restarting=sum(held.works - held.start for held in runs),
        halves=sum(halves * (held.stop - held.start) for held, halves in taken),
        spread_halves=sum(
            halves * (held.stop - held.start) for held, halves in taken if len(held.run.pieces) > 1
        ),
        preemptions=len(stops),
        migrations=sum(old.run.pieces != new.run.pieces for old, new in stops),
    )


def _goes_on(old: TraceHolding, new: TraceHolding) -> bool:
    """Say whether a run only continues the one before it."""
    same = old.run.pieces == new.run.pieces and old.run.half == new.run.half
    return same and old.stop == new.start
