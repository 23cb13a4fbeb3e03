"""The rules of a `fleet` log: one function each, its docstring the rule.

A rule yields (where, amount) for every breach; times are seconds.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from ....instances.fleet.instance import FleetInstance, FleetJob, FleetLog, FleetRun
from ..judge import Ticks, excesses, instance_digest
from ..rental.speed import misfit
from .leases import PARTS, steps_of
from .timeline import FULL, FleetLife

ONE = Fraction(1)
THOUSANDTH = Decimal("0.001")


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCase:
    """All that the rules look at: instance, log, and what comes of the runs that count."""

    instance: FleetInstance
    schedule: FleetLog
    jobs: Mapping[str, FleetJob]
    ticks: Ticks
    lives: tuple[FleetLife, ...]
    ends: Mapping[str, Fraction]
    mean_jct: Fraction | None
    spend: Fraction

    def entries(self) -> Iterator[tuple[int, FleetJob]]:
        """Yield every entry of a known job: where it stands, and the job."""
        for i, entry in enumerate(self.schedule.jobs):
            if entry.job in self.jobs:
                yield i, self.jobs[entry.job]

    def runs(self) -> Iterator[tuple[int, int, FleetRun, FleetJob]]:
        """Yield every run of a known job: where its entry stands, where it does, run and job."""
        for i, job in self.entries():
            for k, run in enumerate(self.schedule.jobs[i].runs):
                yield i, k, run, job

    def place(self, entry: int, run: int | None = None) -> str:
        """Say where an entry or a run stands."""
        where = f"jobs[{entry}], job {self.schedule.jobs[entry].job}"
        return where if run is None else f"{where}, runs[{run}]"


Breaches = Iterator[tuple[str, Fraction]]
Rule = Callable[[FleetCase], Breaches]


def known_names(case: FleetCase) -> Breaches:
    """Every job that the log names is in the instance."""
    for i, entry in enumerate(case.schedule.jobs):
        if entry.job not in case.jobs:
            yield case.place(i), ONE


def logged_once(case: FleetCase) -> Breaches:
    """Every job has one entry."""
    seen: set[str] = set()
    for i, job in case.entries():
        if job.name in seen:
            yield case.place(i), ONE
        seen.add(job.name)
    for job in case.instance.jobs:
        if job.name not in seen:
            yield f"job {job.name}", ONE


def ticks(case: FleetCase) -> Breaches:
    """Runs and leases start and stop at whole ticks."""
    for i, k, run, _ in case.runs():
        for name, moment in (("start", run.start_s), ("stop", run.stop_s)):
            if moment is not None and case.ticks.split(moment)[1]:
                yield f"{case.place(i, k)}, {name}", Fraction(moment) % case.ticks.seconds
    for i, lease in enumerate(case.schedule.leases):
        for name, moment in (("start", lease.start_s), ("stop", lease.stop_s)):
            if case.ticks.split(moment)[1]:
                yield f"leases[{i}], {name}", Fraction(moment) % case.ticks.seconds


def order(case: FleetCase) -> Breaches:
    """Runs and leases stop after their start, and a job's runs follow each other."""
    for i, k, run, _ in case.runs():
        if run.stop_s is not None and run.stop_s <= run.start_s:
            late = Fraction(run.start_s) - Fraction(run.stop_s)
            yield case.place(i, k), late + case.ticks.seconds
    for life in case.lives:
        for early, overlap in life.overlaps:
            yield case.place(life.entry, early), overlap * case.ticks.seconds
    for i, lease in enumerate(case.schedule.leases):
        if lease.stop_s <= lease.start_s:
            late = Fraction(lease.start_s) - Fraction(lease.stop_s)
            yield f"leases[{i}]", late + case.ticks.seconds


def arrival(case: FleetCase) -> Breaches:
    """No job runs before it arrives."""
    for i, k, run, job in case.runs():
        if run.start_s < job.arrival_s:
            yield case.place(i, k), Fraction(job.arrival_s) - Fraction(run.start_s)


def widths(case: FleetCase) -> Breaches:
    """A run has 1 to 1,000,000 GPUs, in thousandths, or whole ones if `widths` is "whole"."""
    grain = Decimal(1) if case.instance.widths == "whole" else THOUSANDTH
    for i, k, run, _ in case.runs():
        over = misfit(run.gpus, grain)
        if over:
            yield case.place(i, k), over


def nodes(case: FleetCase) -> Breaches:
    """A lease is of whole nodes, or of thousandths of a GPU if there are none."""
    node = case.instance.node_gpus
    grain = Fraction(1, PARTS) if node is None else Fraction(node)
    for i, lease in enumerate(case.schedule.leases):
        over = Fraction(lease.gpus) % grain
        if over or lease.gpus <= 0:
            yield f"leases[{i}]", min(over, grain - over) or grain - Fraction(lease.gpus)


def capacity(case: FleetCase) -> Breaches:
    """Runs hold no more GPUs than leases have ready, at any moment."""
    held = (one for life in case.lives for one in life.held)
    steps = steps_of(case.instance, case.schedule, held, case.ticks)
    for excess in excesses(steps, 0):
        end = "..." if excess.end is None else case.ticks.text(excess.end)
        yield f"seconds [{case.ticks.text(excess.start)}, {end})", Fraction(excess.gpus, PARTS)


def completes(case: FleetCase) -> Breaches:
    """The runs of a job do all its work; the amount is what is left, on one GPU."""
    for life in case.lives:
        if life.end is None:
            yield case.place(life.entry), Fraction(sum(life.left), FULL) * case.ticks.seconds


def after_end(case: FleetCase) -> Breaches:
    """No run starts when its job has no work left."""
    for life in case.lives:
        for run in life.idle:
            yield case.place(life.entry, run), ONE


def budget(case: FleetCase) -> Breaches:
    """All leases together cost no more than the budget; the amount is money."""
    over = case.spend - case.instance.budget
    if over > 0:
        yield "leases", over


def claims(case: FleetCase) -> Breaches:
    """A claimed end, mean completion time or cost is what comes of the runs and leases."""
    for life in case.lives:
        claimed = case.schedule.jobs[life.entry].end_s
        end = case.ends.get(life.job.name)
        if claimed is not None and end is not None and Fraction(claimed) != end:
            yield case.place(life.entry), abs(Fraction(claimed) - end)
    mean, said = case.mean_jct, case.schedule.mean_jct_h
    if said is not None and mean is not None and Fraction(said) != mean:
        yield "mean_jct_h", abs(Fraction(said) - mean)
    paid = case.schedule.spend
    if paid is not None and Fraction(paid) != case.spend:
        yield "spend", abs(Fraction(paid) - case.spend)


ALL: tuple[Rule, ...] = (
    instance_digest,
    known_names,
    logged_once,
    ticks,
    order,
    arrival,
    widths,
    nodes,
    capacity,
    completes,
    after_end,
    budget,
    claims,
)
"""Every rule, in the order in which violations are reported."""

RULES: dict[str, str] = {rule.__name__: str(rule.__doc__) for rule in ALL}
"""What each rule says, by its name."""
