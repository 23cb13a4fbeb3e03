"""What the schedule says will run, the first entry of every job, and how fast each run works."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ....instances.cluster import ServerUplink
from ....instances.trace.instance import TraceInstance, TraceJob, TraceRun, TraceSchedule
from ..judge import Ticks
from ..sharing import FluidSharing, NoSharing, RingSharing, UplinkSharing, UplinkTree


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GangRun:
    """A run that counts for time and capacity; `start` and `stop` are ticks.

    `spread` are its servers if it crosses their uplinks: if they are two or more and the job
    has anything to exchange.
    """

    job: TraceJob
    index: int
    start: int
    stop: int | None
    pieces: Mapping[str, int]
    width: int
    half: bool
    spread: tuple[str, ...]

    @property
    def each(self) -> int:
        """Half GPUs that it takes of each of its GPUs."""
        return 1 if self.half else 2


@dataclass(frozen=True, slots=True, kw_only=True)
class GangRuns:
    """A job, where its first entry stands, and the runs of it that count."""

    job: TraceJob
    index: int
    runs: tuple[GangRun, ...]


def plans_of(
    instance: TraceInstance, schedule: TraceSchedule, ticks: Ticks
) -> tuple[GangRuns, ...]:
    """Return the first entry of every known job, in the order of the schedule.

    A run counts if its servers are known, it holds at least one GPU and it stops after its
    start. A time between two ticks counts as the second of them.
    """
    jobs = {job.name: job for job in instance.jobs}
    servers = {server.name for server in instance.servers}
    found: dict[str, GangRuns] = {}
    for index, entry in enumerate(schedule.jobs):
        job = jobs.get(entry.job)
        if job is None or job.name in found:
            continue
        runs = (_run_of(job, k, run, servers, ticks) for k, run in enumerate(entry.runs))
        counted = tuple(run for run in runs if run is not None)
        found[job.name] = GangRuns(job=job, index=index, runs=counted)
    return tuple(found.values())


def _run_of(
    job: TraceJob, index: int, run: TraceRun, servers: set[str], ticks: Ticks
) -> GangRun | None:
    pieces: dict[str, int] = {}
    for server, count in run.gpus:
        if count > 0:
            pieces[server] = pieces.get(server, 0) + count
    start = ticks.at(run.start_s)
    stop = None if run.stop_s is None else ticks.at(run.stop_s)
    if not pieces or not pieces.keys() <= servers or (stop is not None and stop <= start):
        return None
    crosses = len(pieces) > 1 and job.communication > 0
    return GangRun(
        job=job,
        index=index,
        start=start,
        stop=stop,
        pieces=pieces,
        width=sum(pieces.values()),
        half=run.share == "half",
        spread=tuple(pieces) if crosses else (),
    )


FULL = 10**6
"""The rate at full speed."""

ONE = Decimal(1)


def sharing_of(instance: TraceInstance) -> RingSharing[GangRun]:
    """Return how the rings of an instance slow each other down, with no ring present."""
    if isinstance(instance.contention, ServerUplink):
        return UplinkSharing(instance.contention)
    if instance.fluid is not None:
        return FluidSharing(UplinkTree(instance.fluid, Fraction(1)), Fraction(1))
    return NoSharing()


def factors_of(run: GangRun) -> tuple[Decimal, Decimal]:
    """Return what its width and its share make of a run's speed.

    A width or share that its job may not have is taken to cost nothing: it breaks a rule.
    """
    job = run.job
    width = ONE
    if run.width != job.gpus:
        width = next((entry.speed for entry in job.speeds if entry.gpus == run.width), ONE)
    return width, ONE if not run.half or job.packed_speed is None else job.packed_speed


class GangRates:
    """The rates of runs; each is worked out once."""

    def __init__(self) -> None:
        """Know none."""
        self._known: dict[tuple[Decimal, Decimal, Decimal, Fraction], int] = {}

    def of(self, run: GangRun, slowdown: Fraction) -> int:
        """Return the rate under a slowdown of its links, which is 0 if it crosses none.

        It is rounded to the nearest, halves to even; none is less than one.
        """
        width, packed = factors_of(run)
        if width == packed == ONE and not slowdown:
            return FULL  # as most runs have it
        key = width, packed, run.job.communication, slowdown
        if key not in self._known:
            alone = Fraction(width) * Fraction(packed)
            speed = alone / (1 + Fraction(run.job.communication) * slowdown)
            self._known[key] = max(1, round(FULL * speed))
        return self._known[key]
