"""What all metrics are sums and ranks of: the facts of each job, and of the idle capacity."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from ...instances.errors import RefusedError
from ...instances.trace.instance import TraceInstance, TraceJob
from ..by_key import by_key
from ..check.judge import Ticks
from ..check.trace.judge import TraceVerdict
from ..check.trace.timeline import TraceHolding, steps_of


def fragmentation(
    instance: TraceInstance, runs: Iterable[TraceHolding], first: int, last: int
) -> tuple[Fraction, Fraction]:
    """Return the share of idle GPU-time in fragments between two ticks, and idle GPU-ticks.

    An idle GPU of a server is in a fragment for a job that wants more GPUs there than are idle:
    all that the job asks for, or all that the server has if those are fewer. The share is the
    mean over the jobs of the instance, as in the fragmentation measure of Weng et al., *Beware of
    Fragmentation* (FGD, USENIX ATC 2023). It is 0 if nothing is ever idle.
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
    """Yield what is free of a server, and for how many ticks."""
    free, since = capacity, first
    for tick in sorted(steps):
        yield free, tick - since
        free -= steps[tick]
        since = tick
    yield free, last - since


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
