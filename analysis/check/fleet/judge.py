"""From `fleet` instance and log to the verdict."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.fleet.instance import FleetInstance, FleetLog
from ..judge import AnyVerdict, Ticks, violations_of
from .leases import billed, gpu_hours
from .rules import ALL, FleetCase
from .timeline import FleetLife, lives_of


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetVerdict(AnyVerdict):
    """Every violation, when the jobs end, and what is held and paid for until then.

    `ends`, in seconds, has the jobs that end; `mean_jct`, the weighted mean of end less arrival
    in hours, is None unless every job of the instance does. `spend` is the cost of all leases,
    `held` the GPU-hours of runs and `leased` those that are paid for.
    """

    ends: Mapping[str, Fraction]
    mean_jct: Fraction | None
    spend: Fraction
    held: Fraction
    leased: Fraction

    @property
    def objective(self) -> Fraction | None:
        """The mean completion time."""
        return self.mean_jct


def check_fleet(instance: FleetInstance, log: FleetLog) -> FleetVerdict:
    """Check a log against its instance, recomputing everything from the raw data.

    The judge goes on after a violation. What counts is the first entry of every job, and of it
    the runs that stop after their start, as of leases. A run that starts too early for the one
    before it starts when that stops; on less than one GPU a job is as fast as on one. The
    instance must be one that the reader accepts.
    """
    ticks = Ticks(instance.tick_s)
    lives = lives_of(instance, log, ticks)
    leased = gpu_hours(billed(instance, log, ticks), ticks)
    spend = leased * Fraction(instance.price_per_gpu_h)
    ends = {life.job.name: life.end * ticks.seconds for life in lives if life.end is not None}
    case = FleetCase(
        instance=instance,
        schedule=log,
        jobs={job.name: job for job in instance.jobs},
        ticks=ticks,
        lives=lives,
        ends=ends,
        mean_jct=_mean_hours(instance, lives, ticks),
        spend=spend,
    )
    held = ((one.gpus, one.stop - one.start) for life in lives for one in life.held)
    return FleetVerdict(
        violations=violations_of(case, ALL),
        ends=ends,
        mean_jct=case.mean_jct,
        spend=spend,
        held=gpu_hours(held, ticks),
        leased=leased,
    )


def _mean_hours(
    instance: FleetInstance, lives: Iterable[FleetLife], ticks: Ticks
) -> Fraction | None:
    """Return the mean completion time, each job weighted by its type."""
    counts = dict.fromkeys((one.name for one in instance.types), 0)
    sums = dict(counts)
    for life in lives:
        if life.end is not None:
            counts[life.job.type] += 1
            sums[life.job.type] += life.end - ticks.at(life.job.arrival_s)
    if sum(counts.values()) < len(instance.jobs):
        return None
    weights = {one.name: Fraction(one.weight) for one in instance.types}
    total = sum(weights[name] * ticks_all for name, ticks_all in sums.items())
    return total * ticks.seconds / 3600 / sum(weights[name] * counts[name] for name in counts)
