"""What judges of jobs that run, stop and run again share: where runs stand, rules about moments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .judge import ONE, Breaches, Ticks, misclaimed, repeated


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsCase:
    """All that the rules look at: instance, schedule, and what comes of the runs that count.

    Each of the `lives` has its `job`, the `entry` where it stands, when it ended, the runs that
    began before the one before them stopped, with the ticks, and those when no work was left.
    """

    instance: Any
    schedule: Any
    jobs: Mapping[str, Any]
    ticks: Ticks
    lives: Sequence[Any]
    ends: Mapping[str, Fraction]
    mean_jct: Fraction | None

    def entries(self) -> Iterator[tuple[int, Any]]:
        """Yield every entry of a known job: where it stands, and the job."""
        for i, entry in enumerate(self.schedule.jobs):
            if entry.job in self.jobs:
                yield i, self.jobs[entry.job]

    def runs(self) -> Iterator[tuple[int, int, Any, Any]]:
        """Yield every run of a known job: where its entry stands, where it does, run and job."""
        for i, job in self.entries():
            for k, run in enumerate(self.schedule.jobs[i].runs):
                yield i, k, run, job

    def place(self, entry: int, run: int | None = None) -> str:
        """Say where an entry or a run stands."""
        where = f"jobs[{entry}], job {self.schedule.jobs[entry].job}"
        return where if run is None else f"{where}, runs[{run}]"


def off_ticks(case: RunsCase, where: str, stretch: Any) -> Breaches:
    """Yield the start or stop of a stretch that is no whole tick."""
    for name, moment in (("start", stretch.start_s), ("stop", stretch.stop_s)):
        if moment is not None and case.ticks.split(moment)[1]:
            yield f"{where}, {name}", Fraction(moment) % case.ticks.seconds


def backward(case: RunsCase, where: str, stretch: Any) -> Breaches:
    """Yield the place of a stretch that does not stop after its start."""
    if stretch.stop_s is not None and stretch.stop_s <= stretch.start_s:
        yield where, Fraction(stretch.start_s) - Fraction(stretch.stop_s) + case.ticks.seconds


def entered_once(case: RunsCase) -> Breaches:
    """Yield further entries of a job, and jobs without one."""
    yield from repeated((case.place(i), job.name) for i, job in case.entries())
    named = {entry.job for entry in case.schedule.jobs}
    yield from ((f"job {job.name}", ONE) for job in case.instance.jobs if job.name not in named)


def in_order(case: RunsCase) -> Breaches:
    """Yield runs that stop too early or start too early."""
    for i, k, run, _ in case.runs():
        yield from backward(case, case.place(i, k), run)
    for life in case.lives:
        for early, overlap in life.overlaps:
            yield case.place(life.entry, early), overlap * case.ticks.seconds


def arrival(case: RunsCase) -> Breaches:
    """No job runs before it arrives."""
    for i, k, run, job in case.runs():
        if run.start_s < job.arrival_s:
            yield case.place(i, k), Fraction(job.arrival_s) - Fraction(run.start_s)


def after_end(case: RunsCase) -> Breaches:
    """No run starts when its job has no work left."""
    for life in case.lives:
        for run in life.idle:
            yield case.place(life.entry, run), ONE


def claimed_ends(case: RunsCase) -> Breaches:
    """Yield ends that are claimed and differ."""
    for life in case.lives:
        claimed = case.schedule.jobs[life.entry].end_s
        yield from misclaimed(case.place(life.entry), claimed, case.ends.get(life.job.name))
