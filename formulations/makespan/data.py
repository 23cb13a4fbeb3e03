"""The exact numbers that all slotted programs of an instance share."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import NamedTuple

from ...instances import MakespanInstance, ServerUplink
from ...instances.reading.vocabulary import Pieces
from ...instances.regions import may_run
from ...simulation.makespan.evaluate import extremes, unsupported
from ...simulation.model import iteration_s, open_sizes, overhead_units, parts, slowdown


class ProgramJob(NamedTuple):
    """A job in the programs. `least` is its fewest slots over all placements."""

    gpus: int
    iterations: int | Fraction
    release: int
    least: int
    held: Pieces = ()
    """The GPUs that it holds at slot 0, by server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramData:
    """An instance in slots 0 .. horizon - 1, by which all jobs must have ended."""

    instance: MakespanInstance
    horizon: int
    sizes: dict[str, int]
    """GPUs of each server, by name."""
    tasks: dict[str, ProgramJob]
    """The jobs, by name."""
    regions: dict[str, str | None]
    """Region of each server."""
    closed: dict[str, frozenset[str]]
    """The servers that a job may not use, for jobs that are bound to regions."""
    open_sizes: dict[str, tuple[int, ...]]
    """GPUs of the servers that a job may use, the largest first."""

    def rate(self, job: str, servers: int, most: int, rings: int) -> Fraction:
        """Return the iterations per slot (9) of a ring on the given number of servers.

        It has at most `most` GPUs on one of them, and its busiest server has `rings` spread rings,
        itself included. That number has no meaning for a ring inside one server.
        """
        return _rate(self.instance, job, servers, most, rings)

    def units(self, servers: int, most: int) -> int:
        """Return the factor of the overhead: rates depend on (units, rings) only."""
        return overhead_units(self.instance.overhead, servers, most)

    def room(self, job: str, server: str) -> int:
        """Return the GPUs of a server, or 0 if the job may not use it."""
        return 0 if server in self.closed.get(job, ()) else self.sizes[server]

    def spreads(self, job: str) -> bool:
        """Return True if a job can have GPUs on two servers."""
        return self.tasks[job].gpus > 1 and len(self.open_sizes[job]) > 1

    def fits(self, job: str) -> bool:
        """Return True if a job fits into one server."""
        return self.tasks[job].gpus <= self.open_sizes[job][0]

    def site(self, server: str) -> str | None:
        """Return the region of a server if that matters to a job."""
        return self.regions[server] if self.closed else None

    @property
    def most_rings(self) -> int:
        """The most spread rings that one server can have."""
        return min(max(self.sizes.values()), sum(self.spreads(job) for job in self.tasks))

    def starts(self, job: str) -> range:
        """Return the slots in which a job may start."""
        task = self.tasks[job]
        return range(task.release, self.horizon - task.least + 1)

    def fewest(self, job: str) -> int:
        """Return the fewest slots of a job, on the GPUs that it holds if it holds some."""
        task = self.tasks[job]
        if not task.held:
            return task.least
        return ceil(task.iterations / self.rate(job, *_shape(task.held), 1))

    def active(self) -> Iterator[tuple[str, int]]:
        """Yield the jobs and slots in which they may work."""
        for job, task in self.tasks.items():
            yield from ((job, slot) for slot in range(task.release, self.horizon))


def refuses_slots(instance: MakespanInstance) -> str | None:
    """Return why no program with slots and uplink contention states `instance`, or None."""
    if reason := unsupported(instance):
        return reason
    if instance.progress == "continuous":
        return "slot-indexed programs cannot express continuous time, so use `local-search`"
    if not isinstance(instance.contention, ServerUplink):
        return (
            "fair sharing of links depends on all rings at once, and these programs express "
            "`server_uplink` contention only, so use `local-search`"
        )
    return stuck_where_held(instance)


def stuck_where_held(instance: MakespanInstance) -> str | None:
    """Name a job that does no iteration, even alone, on the GPUs that it holds at slot 0."""
    for job in instance.jobs:
        if job.held and not _rate(instance, job.name, *_shape(job.held), 1):
            return f"job {job.name!r} does no iteration on the GPUs that it holds; lengthen slot_s"
    return None


def _shape(pieces: Pieces) -> tuple[int, int]:
    """Return the number of servers, and the most GPUs on one of them."""
    return len(pieces), max(count for _, count in pieces)


def data_of(instance: MakespanInstance, horizon: int | None = None) -> ProgramData:
    """Return the numbers of an instance. The default `horizon` runs jobs one by one."""
    least = [int(extreme.least_slots or 0) for extreme in extremes(instance)]
    sizes = open_sizes(instance)
    return ProgramData(
        instance=instance,
        horizon=serial_horizon(instance) if horizon is None else horizon,
        sizes={server.name: server.gpus for server in instance.cluster.servers},
        tasks={
            job.name: ProgramJob(
                job.gpus, job.iterations, int(job.release_slot), slots, job.held or ()
            )
            for job, slots in zip(instance.jobs, least, strict=True)
        },
        regions={server.name: server.region for server in instance.cluster.servers},
        closed=_closed(instance),
        open_sizes={job.name: sizes[job.allowed_regions] for job in instance.jobs},
    )


def _closed(instance: MakespanInstance) -> dict[str, frozenset[str]]:
    servers = instance.cluster.servers
    return {
        job.name: frozenset(server.name for server in servers if not may_run(job, server))
        for job in instance.jobs
        if job.allowed_regions is not None
    }


def serial_horizon(instance: MakespanInstance) -> int:
    """Return the makespan of running the jobs one by one after the last release.

    Each job is then alone on its fastest servers, so a schedule of this length exists. Jobs that
    hold GPUs at slot 0 run before, beside each other: in every slot, one of them gets on.
    """
    last = max(int(job.release_slot) for job in instance.jobs)
    slots = (
        extreme.least_slots if job.held is None else extreme.most_slots or job.iterations
        for job, extreme in zip(instance.jobs, extremes(instance), strict=True)
    )
    return last + sum(ceil(count or 0) for count in slots)


@lru_cache(maxsize=100_000)
def _rate(instance: MakespanInstance, job: str, servers: int, most: int, rings: int) -> Fraction:
    one = next(one for one in instance.jobs if one.name == job)
    share = Fraction(getattr(instance.contention, "share", 1))
    degradation = Fraction(getattr(instance.contention, "degradation", 0))
    factor = slowdown(share, degradation, rings)
    seconds = iteration_s(instance, parts(instance, one), servers, most, factor)
    rate = Fraction(instance.slot_s) / seconds
    return Fraction(floor(rate)) if instance.progress == "floor" else rate
