"""The timeline of a `fleet` log: leases and holdings of jobs, in ticks."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ...instances.errors import plural
from ...instances.fleet import FleetInstance, FleetJob, FleetLog
from ..check.fleet import FleetLife as Lived
from ..check.fleet import FleetVerdict, counted, lives_of
from ..check.judge import Ticks
from ..drawing.shapes import number
from . import Bar, Life, Lives, Timeline, run_spans

MOST_LANES = 1000
"""Approximate maximum number of lanes of simultaneous bars. A GPU has up to 10 lanes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuStretch:
    """GPUs from `start` to `stop`, held by a job or leased, and usable from `works` on."""

    gpus: float
    start: int
    works: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetBars:
    """A job, by its index in the instance. `kind` is the index of its type."""

    number: int
    job: FleetJob
    kind: int
    arrival: int
    end: int | None
    runs: tuple[GpuStretch, ...]

    @property
    def name(self) -> str:
        """The name of the job."""
        return self.job.name

    @property
    def last(self) -> int:
        """Return the last tick that is known of it."""
        return max([self.arrival, self.end or 0, *(run.stop for run in self.runs)])


class FleetTimeline(Timeline):
    """Jobs and leases."""

    instance: FleetInstance
    schedule: FleetLog
    verdict: FleetVerdict

    @cached_property
    def _ticks(self) -> Ticks:
        return Ticks(self.instance.tick_s)

    @cached_property
    def jobs(self) -> tuple[FleetBars, ...]:
        """All jobs of the instance."""
        one, ticks = self.instance, self._ticks
        lives = {life.job.name: life for life in lives_of(one, self.schedule, ticks)}
        kinds, restart = {name: i for i, name in enumerate(self.types)}, ticks.at(one.rescale_s)
        return tuple(
            FleetBars(
                number=number,
                job=job,
                kind=kinds[job.type],
                arrival=ticks.at(job.arrival_s),
                end=lives[job.name].end if job.name in lives else None,
                runs=tuple(_runs(lives[job.name], restart)) if job.name in lives else (),
            )
            for number, job in enumerate(one.jobs)
        )

    @cached_property
    def leases(self) -> tuple[GpuStretch, ...]:
        """The leases accepted by the judge."""
        at, wait = self._ticks.at, self._ticks.at(self.instance.provision_s)
        some = ((float(o.gpus), at(o.start_s), at(o.stop_s)) for o in counted(self.schedule))
        return tuple(
            GpuStretch(gpus=gpus, start=start, works=min(stop, start + wait), stop=stop)
            for gpus, start, stop in some
        )

    @cached_property
    def tick(self) -> Fraction:
        """The length of a tick in seconds."""
        return Fraction(self.instance.tick_s)

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The names of the types of jobs."""
        return tuple(one.name for one in self.instance.types)

    @property
    def budget(self) -> float:
        """The GPUs that may be paid for, on average."""
        return float(self.instance.budget_gpus)

    @property
    def spend_part(self) -> float:
        """The part of the budget that is spent."""
        return float(self.verdict.spend / self.instance.budget)

    @cached_property
    def horizon(self) -> int:
        """Return the last tick to draw."""
        return max([1, *(lease.stop for lease in self.leases), *(job.last for job in self.jobs)])

    def hours(self, ticks: int) -> Fraction:
        """Return a number of ticks in hours."""
        return ticks * self.tick / 3600

    def value_text(self, value: Fraction) -> str:
        """Write a time in hours with four digits, as many as means are worth."""
        return f"{float(value):,.4g} h"

    def lives(self) -> Lives:
        """Return the jobs that run, in a band for each type, as high as they have GPUs."""
        most = max(float(lease.gpus) for lease in self.schedule.leases)
        lanes = max(1, min(10, int(MOST_LANES / most)))
        jobs = tuple(self._life(job, lanes) for job in self.jobs if job.runs)
        shown = f"{plural(len(jobs), 'job')} of {plural(len(self.types), 'type')}"
        return Lives(
            machines=tuple((name, 0) for name in self.types),
            jobs=jobs,
            unit="h",
            rate="GPUs",
            tick=self.tick / 3600,
            size=f"{shown}, drawn as high as their GPUs",
        )

    def _life(self, bars: FleetBars, lanes: int) -> Life:
        job, took = bars.job, "never ends"
        arrival = Fraction(job.arrival_s) / 3600
        if bars.end is not None:
            took = f"took {number(self.hours(bars.end) - arrival)} h"
        runs = f"arrives at {number(arrival)}, {plural(len(bars.runs), 'run')}"
        return Life(
            name=bars.name,
            about=f"type {job.type}, {runs}, {took}",
            start=bars.runs[0].start,
            end=bars.end,
            bars=tuple(
                Bar(
                    machine=bars.kind,
                    start=run.start,
                    end=run.stop,
                    units=max(1, round(lanes * run.gpus)),
                    what=_gpus(run.gpus),
                )
                for run in bars.runs
            ),
            spans=tuple(
                span
                for run in bars.runs
                for span in run_spans(run.start, run.works, run.stop, run.gpus, "works")
            ),
        )


def _gpus(gpus: float) -> str:
    return plural(int(gpus), "GPU") if gpus % 1 == 0 else f"{number(gpus)} GPUs"


def _runs(life: Lived, restart: int) -> Iterator[GpuStretch]:
    for place, held in enumerate(life.held):
        works = min(held.stop, held.start + restart) if place else held.start
        yield GpuStretch(gpus=float(held.gpus), start=held.start, works=works, stop=held.stop)
