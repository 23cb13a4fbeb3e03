"""The rules of a schedule: one function each, named as the rule, its docstring the rule.

A rule yields (where, amount) for every breach. Equation numbers are those of the paper.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ....instances.makespan.instance import Assignment, MakespanInstance, RingJob, Schedule
from ....instances.regions import may_run
from ..judge import (
    ONE,
    Breaches,
    Rule,
    excesses,
    instance_digest,
    misclaimed,
    moment_text,
)
from .runs import RingRun, pieces_of, usage_steps
from .timeline import RingTimes


@dataclass(frozen=True, slots=True, kw_only=True)
class MakespanCase:
    """All that the rules look at: instance, schedule, the runs that count, their timeline."""

    instance: MakespanInstance
    schedule: Schedule
    runs: tuple[RingRun, ...]
    timeline: RingTimes
    makespan: Fraction | None

    def entries(self) -> Iterator[tuple[str, Assignment, RingJob]]:
        """Yield every entry of a known job: where it stands, the entry, the job."""
        jobs = {job.name: job for job in self.instance.jobs}
        for i, entry in enumerate(self.schedule.assignments):
            if entry.job in jobs:
                yield f"assignments[{i}], job {entry.job}", entry, jobs[entry.job]

    def repeats(self) -> Iterator[tuple[str, Assignment, Assignment]]:
        """Yield every further entry of a known job, with the job's first entry."""
        first: dict[str, Assignment] = {}
        for where, entry, _ in self.entries():
            if entry.job in first:
                yield where, entry, first[entry.job]
            else:
                first[entry.job] = entry


def known_names(case: MakespanCase) -> Breaches:
    """Every job and server that the schedule names is in the instance."""
    jobs = {job.name for job in case.instance.jobs}
    servers = {server.name for server in case.instance.cluster.servers}
    for i, entry in enumerate(case.schedule.assignments):
        if entry.job not in jobs:
            yield f"assignments[{i}], job {entry.job}", ONE
        for server in pieces_of(entry):
            if server not in servers:
                yield f"assignments[{i}], server {server}", ONE


def every_job_once(case: MakespanCase) -> Breaches:
    """Every job of the instance has an entry in the schedule."""
    named = {entry.job for entry in case.schedule.assignments}
    for job in case.instance.jobs:
        if job.name not in named:
            yield f"job {job.name}", ONE


def no_preemption(case: MakespanCase) -> Breaches:
    """A job keeps working once started: no second entry on the same GPUs (3)."""
    for where, entry, first in case.repeats():
        if pieces_of(entry) == pieces_of(first):
            yield where, ONE


def no_migration(case: MakespanCase) -> Breaches:
    """A job keeps its GPUs: no second entry on other GPUs (3)."""
    for where, entry, first in case.repeats():
        if pieces_of(entry) != pieces_of(first):
            yield where, ONE


def pieces(case: MakespanCase) -> Breaches:
    """A piece is one GPU or more (5)."""
    for where, entry, _ in case.entries():
        for server, count in entry.gpus:
            if count < 1:
                yield f"{where}, server {server}", Fraction(1 - count)


def gang(case: MakespanCase) -> Breaches:
    """A job has exactly the GPUs it asks for (1)."""
    for where, entry, job in case.entries():
        held = sum(count for _, count in entry.gpus)
        if held != job.gpus:
            yield where, Fraction(abs(held - job.gpus))


def regions(case: MakespanCase) -> Breaches:
    """A job uses only servers in regions that it may run in."""
    servers = {server.name: server for server in case.instance.cluster.servers}
    for where, entry, job in case.entries():
        for name, count in entry.gpus:
            if name in servers and not may_run(job, servers[name]) and count > 0:
                yield f"{where}, server {name}", Fraction(count)


def capacity(case: MakespanCase) -> Breaches:
    """No server has more GPUs in use than it has, at any moment (2)."""
    steps = usage_steps(case.runs, case.timeline.ends)
    for server in case.instance.cluster.servers:
        for excess in excesses(steps.get(server.name, {}), server.gpus):
            end = "..." if excess.end is None else moment_text(excess.end)
            where = f"server {server.name}, slots [{moment_text(excess.start)}, {end})"
            yield where, Fraction(excess.gpus)


def release(case: MakespanCase) -> Breaches:
    """No job starts before its release."""
    for where, entry, job in case.entries():
        early = Fraction(job.release_slot) - Fraction(entry.start_slot)
        if early > 0:
            yield where, early


def whole_slots(case: MakespanCase) -> Breaches:
    """Jobs start at whole slots, unless progress is continuous."""
    for where, entry, _ in case.entries():
        part = Fraction(entry.start_slot) % 1
        if part and case.instance.progress != "continuous":
            yield where, part


def completes(case: MakespanCase) -> Breaches:
    """Every job that starts gets all its iterations done (9)."""
    for run, left in case.timeline.left.items():
        yield f"assignments[{run.index}], job {run.job.name}", left


def completion(case: MakespanCase) -> Breaches:
    """A claimed end is the end that (6) to (9) give."""
    for run in case.runs:
        where = f"assignments[{run.index}], job {run.job.name}"
        yield from misclaimed(where, run.claimed_end, case.timeline.ends.get(run))


def makespan(case: MakespanCase) -> Breaches:
    """A claimed makespan is the latest end of a job."""
    yield from misclaimed("makespan", case.schedule.makespan, case.makespan)


ALL: tuple[Rule, ...] = (
    instance_digest,
    known_names,
    every_job_once,
    no_preemption,
    no_migration,
    pieces,
    gang,
    regions,
    capacity,
    release,
    whole_slots,
    completes,
    completion,
    makespan,
)
"""Every rule, in the order in which violations are reported."""

RULES: dict[str, str] = {rule.__name__: str(rule.__doc__) for rule in ALL}
"""What each rule says, by its name."""
