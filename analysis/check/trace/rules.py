"""The rules of a `trace` schedule: one function each, its docstring the rule.

A rule yields (where, amount) for every breach; times are seconds.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from ....instances.trace.instance import TraceInstance, TraceJob, TraceRun, TraceSchedule
from ..judge import Ticks, excesses, instance_digest
from .runs import FULL
from .timeline import GangLife, steps_of

ONE = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceCase:
    """All that the rules look at: instance, schedule, and what comes of the runs that count."""

    instance: TraceInstance
    schedule: TraceSchedule
    jobs: Mapping[str, TraceJob]
    ticks: Ticks
    lives: tuple[GangLife, ...]
    ends: Mapping[str, Fraction]
    mean_jct: Fraction | None

    def entries(self) -> Iterator[tuple[int, TraceJob]]:
        """Yield every entry of a known job: where it stands, and the job."""
        for i, entry in enumerate(self.schedule.jobs):
            if entry.job in self.jobs:
                yield i, self.jobs[entry.job]

    def runs(self) -> Iterator[tuple[int, int, TraceRun, TraceJob]]:
        """Yield every run of a known job: where its entry stands, where it does, run and job."""
        for i, job in self.entries():
            for k, run in enumerate(self.schedule.jobs[i].runs):
                yield i, k, run, job

    def place(self, entry: int, run: int | None = None) -> str:
        """Say where an entry or a run stands."""
        where = f"jobs[{entry}], job {self.schedule.jobs[entry].job}"
        return where if run is None else f"{where}, runs[{run}]"


Breaches = Iterator[tuple[str, Fraction]]
Rule = Callable[[TraceCase], Breaches]


def known_names(case: TraceCase) -> Breaches:
    """Every job and server that the schedule names is in the instance."""
    servers = {server.name for server in case.instance.servers}
    for i, entry in enumerate(case.schedule.jobs):
        if entry.job not in case.jobs:
            yield case.place(i), ONE
        for k, run in enumerate(entry.runs):
            for server, _ in run.gpus:
                if server not in servers:
                    yield f"{case.place(i, k)}, server {server}", ONE


def planned_once(case: TraceCase) -> Breaches:
    """Every job has one entry."""
    seen: set[str] = set()
    for i, job in case.entries():
        if job.name in seen:
            yield case.place(i), ONE
        seen.add(job.name)
    for job in case.instance.jobs:
        if job.name not in seen:
            yield f"job {job.name}", ONE


def ticks(case: TraceCase) -> Breaches:
    """Runs start and stop at whole ticks."""
    for i, k, run, _ in case.runs():
        for name, moment in (("start", run.start_s), ("stop", run.stop_s)):
            if moment is not None and case.ticks.split(moment)[1]:
                yield f"{case.place(i, k)}, {name}", Fraction(moment) % case.ticks.seconds


def order(case: TraceCase) -> Breaches:
    """A run stops after its start, and a job's next run starts no earlier than that."""
    for i, k, run, _ in case.runs():
        if run.stop_s is not None and run.stop_s <= run.start_s:
            late = Fraction(run.start_s) - Fraction(run.stop_s)
            yield case.place(i, k), late + case.ticks.seconds
    for life in case.lives:
        for early, overlap in life.overlaps:
            yield case.place(life.plan.index, early.index), overlap * case.ticks.seconds


def arrival(case: TraceCase) -> Breaches:
    """No job runs before it arrives."""
    for i, k, run, job in case.runs():
        if run.start_s < job.arrival_s:
            yield case.place(i, k), Fraction(job.arrival_s) - Fraction(run.start_s)


def pieces(case: TraceCase) -> Breaches:
    """A piece is one GPU or more."""
    for i, k, run, _ in case.runs():
        for server, count in run.gpus:
            if count < 1:
                yield f"{case.place(i, k)}, server {server}", Fraction(1 - count)


def gang(case: TraceCase) -> Breaches:
    """A run has exactly the GPUs its job asks for, or another number that its `speeds` name."""
    for i, k, run, job in case.runs():
        held = sum(count for _, count in run.gpus)
        if held != job.gpus:
            may = [job.gpus, *(width.gpus for width in job.speeds)]
            if held not in may:
                yield case.place(i, k), Fraction(min(abs(held - width) for width in may))


def regions(case: TraceCase) -> Breaches:
    """A job is only on servers in regions that it may run in."""
    places = {server.name: server.region for server in case.instance.servers}
    for i, k, run, job in case.runs():
        if job.allowed_regions is not None:
            for server, _ in run.gpus:
                if server in places and places[server] not in job.allowed_regions:
                    yield f"{case.place(i, k)}, server {server}", ONE


def packing(case: TraceCase) -> Breaches:
    """Only a job with a `packed_speed` takes half of its GPUs."""
    for i, k, run, job in case.runs():
        if run.share == "half" and job.packed_speed is None:
            yield case.place(i, k), ONE


def capacity(case: TraceCase) -> Breaches:
    """No server has more GPUs in use than it has, at any moment."""
    steps = steps_of(case.instance, (held for life in case.lives for held in life.held))
    for server in case.instance.servers:
        for excess in excesses(steps[server.name], 2 * server.gpus):
            end = "..." if excess.end is None else case.ticks.text(excess.end)
            where = f"server {server.name}, seconds [{case.ticks.text(excess.start)}, {end})"
            yield where, Fraction(excess.gpus, 2)


def completes(case: TraceCase) -> Breaches:
    """The runs of a job do all its work; the amount is what is left, at full speed."""
    for life in case.lives:
        if life.end is None:
            yield case.place(life.plan.index), Fraction(life.left, FULL) * case.ticks.seconds


def after_end(case: TraceCase) -> Breaches:
    """No run starts when its job has no work left."""
    for life in case.lives:
        for run in life.idle:
            yield case.place(life.plan.index, run.index), ONE


def claims(case: TraceCase) -> Breaches:
    """A claimed end is that of the job's work; a claimed mean is that of the completion times."""
    for life in case.lives:
        claimed = case.schedule.jobs[life.plan.index].end_s
        end = case.ends.get(life.plan.job.name)
        if claimed is not None and end is not None and Fraction(claimed) != end:
            yield case.place(life.plan.index), abs(Fraction(claimed) - end)
    mean, said = case.mean_jct, case.schedule.mean_jct_s
    if said is not None and mean is not None and Fraction(said) != mean:
        yield "mean_jct_s", abs(Fraction(said) - mean)


ALL: tuple[Rule, ...] = (
    instance_digest,
    known_names,
    planned_once,
    ticks,
    order,
    arrival,
    pieces,
    gang,
    regions,
    packing,
    capacity,
    completes,
    after_end,
    claims,
)
"""Every rule, in the order in which violations are reported."""

RULES: dict[str, str] = {rule.__name__: str(rule.__doc__) for rule in ALL}
"""What each rule says, by its name."""
