"""From `trace` instance and schedule to the verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.trace.instance import TraceInstance, TraceSchedule
from ..judge import AnyVerdict, Ticks, violations_of
from ..runs import RunsCase
from .rules import ALL
from .runs import plans_of
from .timeline import TraceHolding, lives_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceVerdict(AnyVerdict):
    """Every violation, when the jobs end, and what they held until then.

    `ends`, in seconds, has the jobs that end; `mean_jct`, the mean of end less arrival, is None
    unless every job of the instance does. `held` has the runs of each job in order of time.
    """

    ends: Mapping[str, Fraction]
    mean_jct: Fraction | None
    held: tuple[TraceHolding, ...]

    @property
    def objective(self) -> Fraction | None:
        """The mean completion time."""
        return self.mean_jct


def check_trace(instance: TraceInstance, schedule: TraceSchedule) -> TraceVerdict:
    """Check a schedule against its instance, recomputing everything from the raw data.

    The judge goes on after a violation. What counts is the first entry of every job, and of it
    the runs with known servers, GPUs and a stop after the start. A run that starts too early for
    the one before it starts when that stops; one with a width or share that its job may not have
    loses no speed by it. The instance must be one that the reader accepts.
    """
    ticks = Ticks(instance.tick_s)
    lives = lives_of(instance, plans_of(instance, schedule, ticks), ticks)
    ended = [(life.plan.job, life.end) for life in lives if life.end is not None]
    ends = {job.name: end * ticks.seconds for job, end in ended}
    mean_jct = None
    if len(ended) == len(instance.jobs):
        total = sum(end - ticks.at(job.arrival_s) for job, end in ended)
        mean_jct = total * ticks.seconds / len(ended)
    case = RunsCase(
        instance=instance,
        schedule=schedule,
        jobs={job.name: job for job in instance.jobs},
        ticks=ticks,
        lives=lives,
        ends=ends,
        mean_jct=mean_jct,
    )
    return TraceVerdict(
        violations=violations_of(case, ALL),
        ends=ends,
        mean_jct=mean_jct,
        held=tuple(held for life in lives for held in life.held),
    )
