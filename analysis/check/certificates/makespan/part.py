"""An instance for rules: servers by their GPUs, jobs with their minimum slots."""

from bisect import bisect_left
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import ceil, floor
from typing import NamedTuple

from .....instances.cluster import Server, ServerUplink
from .....instances.makespan import MakespanInstance, RingJob
from .....instances.regions import may_run
from ..reading import ProofStep, StepError


class TimedRing(NamedTuple):
    """A job, from when on it may run, and its least seconds per iteration and slots in all.

    `widest_s` would be its least seconds if every server had the widest uplink.
    """

    job: RingJob
    release: Fraction
    seconds: Fraction
    slots: Fraction
    widest_s: Fraction


class ProofPart(NamedTuple):
    """An instance, or its part in some regions, with the largest servers first."""

    instance: MakespanInstance
    sizes: tuple[int, ...]
    jobs: tuple[TimedRing, ...]
    kinds: frozenset[str | None]
    """The kinds of GPUs of its servers."""

    def speed(self, job: RingJob) -> Decimal:
        """Return the largest speed of one of its jobs on its kinds of GPUs."""
        speeds = (job.speed_on(kind) for kind in self.kinds)
        return max(speed for speed in speeds if speed is not None)

    @property
    def gpus(self) -> int:
        """All GPUs."""
        return sum(self.sizes)

    @property
    def slotted(self) -> bool:
        """True if jobs start and end at whole slots."""
        return self.instance.progress != "continuous"

    def rounded(self, end: Fraction) -> Fraction:
        """Return the first moment from `end` on at which a job may end."""
        return Fraction(ceil(end)) if self.slotted else end

    def released(self, since: Fraction) -> list[TimedRing]:
        """Return the jobs released from a slot on. At least one must exist."""
        found = [one for one in self.jobs if one.release >= since]
        if not found:
            raise StepError(f"no job is released at slot {since} or later")
        return found


def part_of(instance: MakespanInstance, step: ProofStep) -> ProofPart:
    """Return the instance for rules, restricted to `regions` if the step names some.

    Jobs bound to these regions must run there, independent of all other jobs.
    """
    named = "regions" in step.values
    return _part(instance, frozenset(step.texts("regions")) if named else None)


@lru_cache(maxsize=4)
def _part(instance: MakespanInstance, regions: frozenset[str] | None) -> ProofPart:
    servers, jobs = instance.cluster.servers, instance.jobs
    if regions is not None:
        servers = tuple(one for one in servers if one.region in regions)
        jobs = tuple(
            job for job in jobs if job.allowed_regions and regions.issuperset(job.allowed_regions)
        )
    if not servers or not jobs:
        raise StepError("no servers are in these regions, or no jobs are bound to them")
    sizes = sorted((one.gpus for one in servers), reverse=True)
    continuous = instance.progress == "continuous"
    known, found = dict[object, ByKind](), list[TimedRing]()
    for job in jobs:
        if job.allowed_regions not in known:
            known[job.allowed_regions] = _by_kind([one for one in servers if may_run(job, one)])
        fastest = list(_fastest(instance, job, known[job.allowed_regions]))
        seconds, widest_s = min(alone for alone, _ in fastest), min(wide for _, wide in fastest)
        slots = slots_of(instance, job, seconds)
        if slots is None:
            raise StepError(f"job {job.name!r} does no iteration in a slot")
        release = Fraction(job.release_slot)
        release = release if continuous else Fraction(ceil(release))
        found.append(TimedRing(job, release, seconds, slots, widest_s))
    return ProofPart(instance, tuple(sizes), tuple(found), frozenset(one.gpu for one in servers))


ByKind = dict[str | None, dict[Fraction, list[int]]]
"""By kind of GPUs and uplink, the GPUs of the servers with this uplink or a wider one."""


def _by_kind(servers: list[Server]) -> ByKind:
    """Return the sizes of servers by their kinds and uplinks."""
    kinds = {one.gpu for one in servers}
    return {kind: _by_uplink([one for one in servers if one.gpu == kind]) for kind in kinds}


def _by_uplink(servers: list[Server]) -> dict[Fraction, list[int]]:
    """Return for each uplink the GPUs of the servers with this one or a wider one."""
    return {
        Fraction(least): sorted((one.gpus for one in servers if one.uplink >= least), reverse=True)
        for least in {one.uplink for one in servers}
    }


def _fastest(
    instance: MakespanInstance, job: RingJob, known: ByKind
) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the seconds per iteration alone, on uplinks that are as wide and on the widest.

    Of the servers of a ring, the narrowest uplink counts.
    """
    for kind, by_uplink in known.items():
        speed = job.speed_on(kind)
        for width, largest in by_uplink.items():
            if speed is not None and job.gpus <= sum(largest):
                units, inside = _units(instance.overhead, job.gpus, largest), job.gpus <= largest[0]
                widest_s = iteration_s(instance, job, units, inside=inside, speed=speed)
                lost = Fraction(0) if inside else transfer_s(job, _uplink(instance))
                yield widest_s + lost * (1 / width - 1), widest_s


def iteration_s(
    instance: MakespanInstance,
    job: RingJob,
    units: int,
    *,
    inside: bool = False,
    speed: Decimal | None = None,
) -> Fraction:
    """Return (8): seconds per iteration with some units of overhead and no contention.

    By default the job computes as fast as on its best kind of GPUs.
    """
    cluster = instance.cluster
    gb_s = Fraction(cluster.intra_bandwidth_gb_s) if inside else _uplink(instance)
    seconds = transfer_s(job, gb_s) + units * Fraction(instance.overhead_s)
    seconds += job.compute_s(job.best_speed if speed is None else speed)
    if cluster.reduce_gb_s is not None:
        seconds += _sent_gb(job) / Fraction(cluster.reduce_gb_s)
    return seconds


def _uplink(instance: MakespanInstance) -> Fraction:
    """Return the bandwidth of the widest uplink."""
    return Fraction(instance.cluster.inter_bandwidth_gb_s)


def _sent_gb(job: RingJob) -> Fraction:
    return Fraction(job.gradient_gb) * (job.gpus - 1) / job.gpus


def transfer_s(job: RingJob, gb_s: Fraction) -> Fraction:
    """Return the first term of (8): the seconds for a ring to send all its data twice."""
    return 2 * _sent_gb(job) / gb_s


def slower_s(instance: MakespanInstance, model: ServerUplink, job: RingJob, rings: int) -> Fraction:
    """Return by (6) to (8) the seconds that a ring loses if its busiest server has `rings`."""
    k = max(Fraction(1), Fraction(model.share) * rings)
    lost = k + Fraction(model.degradation) * (k - 1) - 1
    return lost * transfer_s(job, Fraction(instance.cluster.inter_bandwidth_gb_s))


def slots_of(instance: MakespanInstance, job: RingJob, seconds: Fraction) -> Fraction | None:
    """Return the slots of all iterations, None if no iteration fits into a slot."""
    rate = iterations_per_slot(instance, seconds)
    if not rate:
        return None
    slots = job.iterations / rate
    return slots if instance.progress == "continuous" else Fraction(ceil(slots))


def iterations_per_slot(instance: MakespanInstance, seconds: Fraction) -> Fraction:
    """Return (9) for the seconds per iteration."""
    rate = Fraction(instance.slot_s) / seconds
    return Fraction(floor(rate)) if instance.progress == "floor" else rate


def _units(overhead: str, gpus: int, sizes: list[int]) -> int:
    """Return the minimum units of overhead."""
    if gpus <= sizes[0]:
        return int(overhead == "paper")
    if overhead == "step":
        return 1
    if overhead == "paper":
        return next(n for n, held in enumerate(accumulate(sizes), 1) if held >= gpus)
    return bisect_left(range(sizes[0]), gpus, key=lambda most: sum(min(s, most) for s in sizes))
