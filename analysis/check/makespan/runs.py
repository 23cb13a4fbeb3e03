"""What the schedule says will run: for every job, the one entry that counts."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ....instances.makespan.instance import MakespanInstance, RingJob
from ....instances.makespan.schedule import Assignment, Schedule


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
