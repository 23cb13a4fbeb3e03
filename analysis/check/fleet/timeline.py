"""The runs in time: when each really starts, works and stops, and when each job ends."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from ....instances.fleet.instance import FleetInstance, FleetJob, FleetJobRuns, FleetLog
from ....instances.rental.instance import JobType
from ..judge import Ticks
from ..rental.speed import speed_of

FULL = 10**6
"""The rate on one GPU."""


class FleetRates:
    """The rates of jobs by type, epoch and GPUs; each is worked out once."""

    def __init__(self, types: Sequence[JobType]) -> None:
        """Take the types; know no rate."""
        self._epochs = {one.name: one.epochs for one in types}
        self._known: dict[tuple[str, int, Decimal], int] = {}

    def of(self, kind: str, epoch: int, gpus: Decimal) -> int:
        """Return the rate of a job of some type in an epoch.

        It is rounded to the nearest, halves to even; none is less than one.
        """
        key = kind, epoch, gpus
        if key not in self._known:
            speed = speed_of(self._epochs[kind][epoch].speedup, gpus)
            self._known[key] = max(1, round(FULL * speed))
        return self._known[key]


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetHolding:
    """A run as it came to pass, in ticks: the job holds `gpus` from `start` to `stop`."""

    start: int
    stop: int
    gpus: Decimal


@dataclass(slots=True, kw_only=True)
class FleetLife:
    """A job in time: the units of work left in each epoch, what it held, when it ended.

    `overlaps` are its runs that start before the run before them stops, and by how many ticks;
    `idle` are those that start when no work is left.
    """

    job: FleetJob
    entry: int
    left: list[int]
    epoch: int = 0
    held: list[FleetHolding] = field(default_factory=list)
    end: int | None = None
    overlaps: list[tuple[int, int]] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)

    def work(self, gpus: Decimal, works: int, stop: int | None, rates: FleetRates) -> int:
        """Work from `works` on, at most until `stop`; return when the run is over."""
        now = works
        while self.epoch < len(self.left):
            rate = rates.of(self.job.type, self.epoch, gpus)
            done = now - (-self.left[self.epoch] // rate)
            if stop is not None and done > stop:
                self.left[self.epoch] -= rate * max(0, stop - now)
                return stop
            self.left[self.epoch] = 0
            self.epoch, now = self.epoch + 1, done
        self.end = now
        return now


def lives_of(instance: FleetInstance, log: FleetLog, ticks: Ticks) -> tuple[FleetLife, ...]:
    """Let the first entry of every known job run, in the order of the log."""
    jobs = {job.name: job for job in instance.jobs}
    rates, restart = FleetRates(instance.types), ticks.at(instance.rescale_s)
    lives: dict[str, FleetLife] = {}
    for i, entry in enumerate(log.jobs):
        if entry.job in jobs and entry.job not in lives:
            job = jobs[entry.job]
            left = [FULL * ticks.at(work) for work in job.work_s]
            lives[job.name] = FleetLife(job=job, entry=i, left=left)
            _live(lives[job.name], entry, ticks, rates, restart)
    return tuple(lives.values())


def _live(
    life: FleetLife, entry: FleetJobRuns, ticks: Ticks, rates: FleetRates, restart: int
) -> None:
    """Go through the runs that stop after their start; a time between two ticks is the second."""
    now = 0
    for k, start, stop, gpus in _counted(entry, ticks):
        if start < now:
            life.overlaps.append((k, now - start))
        elif life.end is not None:
            life.idle.append(k)
        start = max(start, now)
        if life.end is None and (stop is None or start < stop):
            works = start + restart if life.held else start
            now = life.work(gpus, works, stop, rates)
            life.held.append(FleetHolding(start=start, stop=now, gpus=gpus))


def _counted(entry: FleetJobRuns, ticks: Ticks) -> Iterator[tuple[int, int, int | None, Decimal]]:
    for k, run in enumerate(entry.runs):
        start = ticks.at(run.start_s)
        stop = None if run.stop_s is None else ticks.at(run.stop_s)
        if stop is None or stop > start:
            yield k, start, stop, run.gpus
