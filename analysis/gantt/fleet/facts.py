"""What a chart of a `fleet` log tells: what is leased, and what each job holds when, in ticks."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ....instances.fleet.instance import FleetInstance
from ....instances.fleet.schedule import FleetLog
from ...check import FleetVerdict
from ...check.fleet.leases import counted
from ...check.fleet.timeline import FleetLife, lives_of
from ...check.trace.ticks import Ticks


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """GPUs from `start` to `stop`: held by a job, or leased; of use from `works` on."""

    gpus: float
    start: int
    works: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetBars:
    """A job, by its place in the instance; `kind` is the place of its type."""

    number: int
    name: str
    kind: int
    arrival: int
    end: int | None
    runs: tuple[Stretch, ...]

    @property
    def last(self) -> int:
        """Return the last tick that is known of it."""
        return max([self.arrival, self.end or 0, *(run.stop for run in self.runs)])


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetFacts:
    """All that is drawn; `tick` is the length of a tick in seconds, `budget` is in GPUs."""

    instance: str
    method: str
    types: tuple[str, ...]
    jobs: tuple[FleetBars, ...]
    leases: tuple[Stretch, ...]
    budget: float
    spend_part: float
    tick: Fraction
    mean_jct: Fraction | None
    bound: Fraction | None
    faults: tuple[tuple[str, int], ...]

    @property
    def horizon(self) -> int:
        """Return the last tick to draw."""
        return max([1, *(lease.stop for lease in self.leases), *(job.last for job in self.jobs)])

    @property
    def gap(self) -> float | None:
        """Return how far the mean is above the bound, as a part of the mean."""
        if self.faults or self.bound is None or not self.mean_jct:
            return None
        return float((self.mean_jct - self.bound) / self.mean_jct)

    def hours(self, ticks: int) -> Fraction:
        """Return a number of ticks in hours."""
        return ticks * self.tick / 3600


def gather_fleet(
    instance: FleetInstance, log: FleetLog, verdict: FleetVerdict, bound: Fraction | None
) -> FleetFacts:
    """Collect what the chart of a `fleet` log tells."""
    ticks = Ticks(instance.tick_s)
    return FleetFacts(
        instance=instance.name,
        method=log.method,
        types=tuple(one.name for one in instance.types),
        jobs=tuple(_jobs(instance, log, ticks)),
        leases=tuple(_leases(instance, log, ticks)),
        budget=float(instance.budget_gpus),
        spend_part=float(verdict.spend / instance.budget),
        tick=Fraction(instance.tick_s),
        mean_jct=verdict.mean_jct,
        bound=bound,
        faults=tuple(Counter(fault.rule for fault in verdict.violations).most_common()),
    )


def _jobs(instance: FleetInstance, log: FleetLog, ticks: Ticks) -> Iterator[FleetBars]:
    lives = {life.job.name: life for life in lives_of(instance, log, ticks)}
    kinds = {one.name: i for i, one in enumerate(instance.types)}
    restart = ticks.at(instance.rescale_s)
    for number, job in enumerate(instance.jobs):
        life = lives.get(job.name)
        yield FleetBars(
            number=number,
            name=job.name,
            kind=kinds[job.type],
            arrival=ticks.at(job.arrival_s),
            end=None if life is None else life.end,
            runs=() if life is None else tuple(_runs(life, restart)),
        )


def _runs(life: FleetLife, restart: int) -> Iterator[Stretch]:
    for place, held in enumerate(life.held):
        works = min(held.stop, held.start + restart) if place else held.start
        yield Stretch(gpus=float(held.gpus), start=held.start, works=works, stop=held.stop)


def _leases(instance: FleetInstance, log: FleetLog, ticks: Ticks) -> Iterator[Stretch]:
    wait = ticks.at(instance.provision_s)
    for lease in counted(log):
        start, stop = ticks.at(lease.start_s), ticks.at(lease.stop_s)
        works = min(stop, start + wait)
        yield Stretch(gpus=float(lease.gpus), start=start, works=works, stop=stop)
