"""What became of each job of a `trace` schedule, to be compared with other simulators."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ...instances.trace.instance import JobRuns, TraceInstance, TraceJob, TraceSchedule


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTimes:
    """The times of a job, in seconds."""

    job: str
    gpus: int
    """GPUs that it asks for."""
    arrival_s: Fraction
    start_s: Fraction
    """When it first has GPUs."""
    end_s: Fraction
    jct_s: Fraction
    """From arrival to end."""
    waiting_s: Fraction
    """How much of this it has no GPUs, before its first start and between its runs."""
    preemptions: int
    """How often it was stopped."""
    moves: int
    """How often it went on with other GPUs than before."""


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
