"""What a chart tells: the stint of each job on its GPUs, and the numbers of the headline."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from operator import mul

from ....instances.cluster import Server
from ....instances.makespan.instance import MakespanInstance, RingJob
from ....instances.makespan.schedule import Schedule
from ...check import Span, Verdict
from ...check.makespan.runs import runs_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Stint:
    """A job's time on its GPUs.

    `number` is the job's place in the instance. `pieces` are the GPUs it has, by the place of
    their server in the cluster. `end` is None if it never ends.
    """

    number: int
    job: RingJob
    start: Fraction
    end: Fraction | None
    pieces: tuple[tuple[int, int], ...]
    spans: tuple[Span, ...]

    @property
    def is_ring(self) -> bool:
        """Say whether it uses several servers, so that its ring crosses the network."""
        return len(self.pieces) > 1

    @property
    def gpus(self) -> int:
        """Count the GPUs it has."""
        return sum(count for _, count in self.pieces)

    @property
    def mean_slowdown(self) -> float:
        """Return the mean of its slowdown over time."""
        slots = [float(span.end - span.start) for span in self.spans]
        slowdowns = [float(span.slowdown) for span in self.spans]
        return sum(map(mul, slots, slowdowns)) / sum(slots) if slots else 1.0

    @property
    def worst_slowdown(self) -> float:
        """Return the greatest slowdown it ever has."""
        return float(max((span.slowdown for span in self.spans), default=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that is drawn: servers, stints by start, and the numbers above them.

    `ended` counts the jobs that complete, `faults` the violations by rule, and `left_out` the
    entries of the schedule that cannot be drawn.
    """

    instance: str
    method: str
    servers: tuple[Server, ...]
    stints: tuple[Stint, ...]
    jobs: int
    ended: int
    slot_s: str
    whole_slots: bool
    makespan: Fraction | None
    bound: Fraction | None
    faults: tuple[tuple[str, int], ...]
    left_out: int

    @property
    def gap(self) -> float | None:
        """Return how far the makespan is above the bound, as a part of the makespan."""
        if self.faults or self.bound is None or not self.makespan:
            return None
        return float((self.makespan - self.bound) / self.makespan)


def gather(
    instance: MakespanInstance, schedule: Schedule, verdict: Verdict, bound: Fraction | None
) -> Facts:
    """Collect what the chart tells."""
    stints = _stints(instance, schedule, verdict)
    return Facts(
        instance=instance.name,
        method=schedule.method,
        servers=instance.cluster.servers,
        stints=stints,
        jobs=len(instance.jobs),
        ended=len(verdict.ends),
        slot_s=f"{instance.slot_s.normalize():f}",
        whole_slots=instance.progress != "continuous",
        makespan=verdict.makespan,
        bound=bound,
        faults=tuple(Counter(fault.rule for fault in verdict.violations).most_common()),
        left_out=len(schedule.assignments) - len(stints),
    )


def _stints(instance: MakespanInstance, schedule: Schedule, verdict: Verdict) -> tuple[Stint, ...]:
    servers = {server.name: i for i, server in enumerate(instance.cluster.servers)}
    jobs = {job.name: i for i, job in enumerate(instance.jobs)}
    spans: dict[str, list[Span]] = {}
    for span in verdict.spans:
        spans.setdefault(span.job, []).append(span)
    stints = [
        Stint(
            number=jobs[run.job.name],
            job=run.job,
            start=run.start,
            end=verdict.ends.get(run.job.name),
            pieces=tuple(sorted((servers[name], count) for name, count in run.gpus.items())),
            spans=tuple(spans.get(run.job.name, ())),
        )
        for run in runs_of(instance, schedule)
    ]
    return tuple(sorted(stints, key=lambda stint: (stint.start, stint.number)))
