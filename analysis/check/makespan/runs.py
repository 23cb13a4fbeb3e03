"""What the schedule says will run: for every job, the one entry that counts.

And equations (7) to (9): what contention costs, seconds per iteration, iterations per slot.
What a contention model says about a ring is its slowdown b^e / B. A job that is spread on
no server uses the links inside its server: its B is b^i, its slowdown is 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from ....instances.cluster import ServerUplink
from ....instances.makespan.instance import Assignment, MakespanInstance, RingJob, Schedule
from ..judge import AnyVerdict


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RingRun:
    """A job with the start and the GPUs that count for time and capacity.

    `spread` are the servers on which the job is spread: those with more than none but fewer
    than all of the GPUs it asks for (equation 6).
    """

    job: RingJob
    index: int
    start: Fraction
    gpus: Mapping[str, int]
    spread: tuple[str, ...]
    claimed_end: Fraction | None


def pieces_of(entry: Assignment) -> dict[str, int]:
    """Add up the GPUs of an entry by server."""
    total: dict[str, int] = {}
    for server, count in entry.gpus:
        total[server] = total.get(server, 0) + count
    return total


def runs_of(instance: MakespanInstance, schedule: Schedule) -> tuple[RingRun, ...]:
    """Return the first usable entry of every job, in the order of the schedule.

    An entry is usable if job and servers are known and it holds at least one GPU. Unless
    progress is continuous, a start inside a slot counts from the next whole slot.
    """
    jobs = {job.name: job for job in instance.jobs}
    servers = {server.name for server in instance.cluster.servers}
    found: dict[str, RingRun] = {}
    for index, entry in enumerate(schedule.assignments):
        job = jobs.get(entry.job)
        gpus = {server: count for server, count in pieces_of(entry).items() if count > 0}
        if job is None or job.name in found or not gpus or not gpus.keys() <= servers:
            continue
        start = Fraction(entry.start_slot)
        if instance.progress != "continuous":
            start = Fraction(ceil(start))
        found[job.name] = RingRun(
            job=job,
            index=index,
            start=start,
            gpus=gpus,
            spread=tuple(server for server, count in gpus.items() if count < job.gpus),
            claimed_end=None if entry.end_slot is None else Fraction(entry.end_slot),
        )
    return tuple(found.values())


def uplink_slowdown(model: ServerUplink, rings: int) -> Fraction:
    """Return f(alpha, k) of (7) and (8) for a ring whose busiest server hosts `rings` rings."""
    k = max(Fraction(1), Fraction(model.share) * rings)
    return k + Fraction(model.degradation) * (k - 1)


def overhead_s(instance: MakespanInstance, run: RingRun) -> Fraction:
    """Return gamma: seconds lost per iteration to the number or fullness of servers."""
    unit = Fraction(instance.overhead_s)
    if instance.overhead == "paper":
        return unit * len(run.gpus)
    if len(run.gpus) < 2:
        return Fraction(0)
    return unit if instance.overhead == "step" else unit * max(run.gpus.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast a run works: the part of (8) that contention stretches, and the rest."""

    exchange_s: Fraction
    rest_s: Fraction
    slot_s: Fraction
    whole: bool

    def iteration_s(self, slowdown: Fraction) -> Fraction:
        """Return tau of (8)."""
        return self.exchange_s * slowdown + self.rest_s

    def iterations_per_slot(self, slowdown: Fraction) -> Fraction:
        """Return phi of (9), rounded down only if progress is `floor`."""
        rate = self.slot_s / self.iteration_s(slowdown)
        return Fraction(floor(rate)) if self.whole else rate


def pace_of(instance: MakespanInstance, run: RingRun) -> Pace:
    """Return the terms of (8): exchange; then reduction, overhead, forward, backward."""
    cluster, job = instance.cluster, run.job
    bandwidth = cluster.inter_bandwidth_gb_s if run.spread else cluster.intra_bandwidth_gb_s
    part = Fraction(job.gradient_gb) / job.gpus
    added = part * (job.gpus - 1)
    return Pace(
        exchange_s=2 * added / Fraction(bandwidth),
        rest_s=(added / Fraction(cluster.reduce_gb_s) if cluster.reduce_gb_s else Fraction(0))
        + overhead_s(instance, run)
        + Fraction(job.forward_s_per_sample) * job.batch_samples
        + Fraction(job.backward_s),
        slot_s=Fraction(instance.slot_s),
        whole=instance.progress == "floor",
    )


def usage_steps(
    runs: tuple[RingRun, ...], ends: Mapping[RingRun, Fraction]
) -> dict[str, dict[Fraction, int]]:
    """Return by server and moment how many GPUs more (or fewer) are in use from then on."""
    steps: dict[str, dict[Fraction, int]] = {}
    for run in runs:
        for server, count in run.gpus.items():
            at = steps.setdefault(server, {})
            at[run.start] = at.get(run.start, 0) + count
            if run in ends:
                at[ends[run]] = at.get(ends[run], 0) - count
    return steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A stretch of a job's life with constant contention.

    `slowdown` is b^e / B: 1 for a ring alone on its links, and for a job inside one server.
    The spans of a job that completes tile [its start, its end) in order.
    """

    job: str
    start: Fraction
    end: Fraction
    slowdown: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(AnyVerdict):
    """Every violation, and what the schedule costs as far as that can be said.

    Times are slots from 0. `ends` holds the jobs that complete. `makespan` is the latest end
    and `mean_completion` the mean end (releases are not subtracted); both are None unless
    every job of the instance completes.
    """

    ends: Mapping[str, Fraction]
    makespan: Fraction | None
    mean_completion: Fraction | None
    spans: tuple[Span, ...]

    @property
    def objective(self) -> Fraction | None:
        """The makespan."""
        return self.makespan
