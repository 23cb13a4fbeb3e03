"""The exact judge of `makespan` schedules: timeline, rules, and verdict.

Equation numbers refer to the paper. The timeline is equation (9).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import ceil, floor

from ...instances.makespan import Assignment, MakespanInstance, RingJob, Schedule
from ...instances.regions import may_run
from .contention import (
    Pace,
    RingRun,
    Span,
    Verdict,
    pace_of,
    pieces_of,
    runs_of,
    sharing_of,
    usage_steps,
)
from .judge import ONE, Breaches, Rules, excesses, instance_digest, misclaimed, moment_text

ALONE = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RingTimes:
    """The ends of completed runs, the remaining iterations of other runs, and all spans."""

    ends: dict[RingRun, Fraction]
    left: dict[RingRun, Fraction]
    spans: tuple[Span, ...]


@dataclass(slots=True, kw_only=True)
class RingWork:
    """A run in progress: from `since` on, `owed - rate * moment` iterations are left.

    `end` is its end if rates stay constant, None for never.
    """

    pace: Pace
    since: Fraction
    slowdown: Fraction
    rate: Fraction
    owed: Fraction
    end: Fraction | None = None


class SlotClock:
    """Steps from moment to moment. Runs that end at a moment leave before other runs start."""

    def __init__(self, instance: MakespanInstance, runs: tuple[RingRun, ...]) -> None:
        """Begin at time 0 with runs that are to start."""
        self._instance = instance
        self._sharing = sharing_of(instance)
        self._moments: list[tuple[int, Fraction]] = []
        self._starting: dict[Fraction, list[RingRun]] = {}
        self._ending: dict[Fraction, list[RingRun]] = {}
        self.active: dict[RingRun, RingWork] = {}
        self.ends: dict[RingRun, Fraction] = {}
        self.spans: list[tuple[RingRun, Span]] = []
        for run in runs:
            self.add(run)

    def add(self, run: RingRun) -> None:
        """Let a run start. Its start has not passed."""
        self._plan(self._starting, run.start, run)

    def left(self, now: Fraction) -> dict[RingRun, Fraction]:
        """Return the iterations left of all running jobs. All moments before `now` are handled."""
        return {run: work.owed - work.rate * now for run, work in self.active.items()}

    def _plan(self, plan: dict[Fraction, list[RingRun]], moment: Fraction, run: RingRun) -> None:
        if moment not in plan:
            plan[moment] = []
            # Whole slots first: they compare much faster than long fractions.
            heappush(self._moments, (floor(moment), moment))
        plan[moment].append(run)

    @property
    def next(self) -> Fraction | None:
        """The next moment at which something may start or end."""
        return self._moments[0][1] if self._moments else None

    def go(self, until: Fraction | None = None) -> None:
        """Handle all moments in order of time, up to and including `until`."""
        while self._moments and (until is None or self._moments[0][1] <= until):
            _, now = heappop(self._moments)
            leaving = self._finish(now)
            joining = self._begin(now)
            if leaving or joining:
                for run, slowdown in self._sharing.change(leaving, joining).items():
                    self._slow(run, slowdown, now)

    def _finish(self, now: Fraction) -> list[RingRun]:
        gone = []
        for run in self._ending.pop(now, []):
            work = self.active.get(run)
            # Ends that were planned before contention changed are out of date.
            if work is not None and work.end == now:
                self._note_span(run, work, now)
                self.ends[run] = now
                del self.active[run]
                gone.append(run)
        return gone

    def _begin(self, now: Fraction) -> list[RingRun]:
        come = self._starting.pop(now, [])
        for run in come:
            pace = pace_of(self._instance, run)
            rate = pace.iterations_per_slot(ALONE)
            owed = run.job.iterations + rate * now
            self.active[run] = RingWork(pace=pace, since=now, slowdown=ALONE, rate=rate, owed=owed)
            self._expect(run, self.active[run])
        return come

    def _slow(self, run: RingRun, slowdown: Fraction, now: Fraction) -> None:
        work = self.active[run]
        if slowdown != work.slowdown:
            self._note_span(run, work, now)
            rate = work.pace.iterations_per_slot(slowdown)
            work.owed += (rate - work.rate) * now
            work.since, work.slowdown, work.rate = now, slowdown, rate
            self._expect(run, work)

    def _expect(self, run: RingRun, work: RingWork) -> None:
        if work.rate == 0:
            work.end = None
            return
        work.end = work.owed / work.rate
        if self._instance.progress != "continuous":
            work.end = Fraction(ceil(work.end))
        self._plan(self._ending, work.end, run)

    def _note_span(self, run: RingRun, work: RingWork, now: Fraction) -> None:
        if now > work.since:
            span = Span(job=run.job.name, start=work.since, end=now, slowdown=work.slowdown)
            self.spans.append((run, span))


def timeline(instance: MakespanInstance, runs: tuple[RingRun, ...]) -> RingTimes:
    """Simulate the runs under contention until all have ended or no run progresses."""
    clock = SlotClock(instance, runs)
    clock.go()
    # What is still active has rate 0, so what it owes is what is left.
    # The sort is stable: the spans of a run stay in order of time.
    spans = sorted(clock.spans, key=lambda pair: pair[0].index)
    return RingTimes(
        ends=clock.ends,
        left={run: work.owed for run, work in clock.active.items()},
        spans=tuple(span for _, span in spans),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MakespanCase:
    """The data of all rules: instance, schedule, usable runs, and their timeline."""

    instance: MakespanInstance
    schedule: Schedule
    runs: tuple[RingRun, ...]
    timeline: RingTimes
    makespan: Fraction | None

    def entries(self) -> Iterator[tuple[str, Assignment, RingJob]]:
        """Yield every entry of a known job: its place, the entry, the job."""
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
    """A job has exactly its requested number of GPUs (1)."""
    for where, entry, job in case.entries():
        given = sum(count for _, count in entry.gpus)
        if given != job.gpus:
            yield where, Fraction(abs(given - job.gpus))


def one_kind(case: MakespanCase) -> Breaches:
    """A job is on GPUs of one kind, on which it may run."""
    kinds = {server.name: server.gpu for server in case.instance.cluster.servers}
    if set(kinds.values()) == {None}:
        return
    for where, entry, job in case.entries():
        own = {kinds[name] for name, count in entry.gpus if name in kinds and count > 0}
        if len(own) > 1 or any(job.speed_on(gpu) is None for gpu in own):
            yield where, ONE


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


def held(case: MakespanCase) -> Breaches:
    """A job that holds GPUs at slot 0 starts there, at once."""
    for where, entry, job in case.entries():
        if job.held is not None:
            if entry.start_slot > 0:
                yield where, Fraction(entry.start_slot)
            if pieces_of(entry) != dict(job.held):
                yield where, ONE


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


RULES = Rules(
    instance_digest,
    known_names,
    every_job_once,
    no_preemption,
    no_migration,
    pieces,
    gang,
    one_kind,
    regions,
    capacity,
    release,
    held,
    whole_slots,
    completes,
    completion,
    makespan,
)


def check_makespan(instance: MakespanInstance, schedule: Schedule) -> Verdict:
    """Check a schedule against its instance, recomputing everything from the raw data.

    The judge continues after a violation. Time and capacity come from the first usable entry of
    every job, whatever errors it or other entries have. The instance must be accepted by the
    reader.

    Ends are exact. Under continuous progress, denominators grow with every relevant event. 1,000
    jobs under contention take seconds (`server_uplink`) or many minutes (`fluid`), while 20,000
    jobs with whole slots take well under 10 s.
    """
    runs = runs_of(instance, schedule)
    course = timeline(instance, runs)
    ends = {run.job.name: end for run, end in course.ends.items()}
    total = len(instance.jobs)
    complete = len(ends) == total
    makespan = max(ends.values()) if complete else None
    mean = sum(ends.values(), Fraction(0)) / total if complete else None
    case = MakespanCase(
        instance=instance, schedule=schedule, runs=runs, timeline=course, makespan=makespan
    )
    return Verdict(
        violations=RULES.violations(case),
        ends=ends,
        makespan=makespan,
        mean_completion=mean,
        spans=course.spans,
        runs=runs,
    )
