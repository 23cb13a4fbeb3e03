"""The judge of `fleet` logs: runs over time, leases and their cost, the rules, and the verdict.

Times are seconds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache

from ...instances.fleet import FleetInstance, FleetJob, FleetJobRuns, FleetLog, Lease
from ...instances.rental import JobType
from .judge import (
    ONE,
    AnyVerdict,
    Breaches,
    JobLife,
    Rules,
    RunsCase,
    Ticks,
    after_end,
    arrival,
    backward,
    claimed_ends,
    entered_once,
    excesses,
    in_order,
    instance_digest,
    misclaimed,
    off_ticks,
)
from .rental import misfit, speed_of

FULL = 10**6
"""The rate on one GPU."""


Rates = Callable[[str, int, Decimal], int]
"""The rate of a job by its type, its epoch and its GPUs."""


def rates_of(types: Sequence[JobType]) -> Rates:
    """Return the rates of jobs, rounded to the nearest, ties to even, at least one."""
    epochs = {one.name: one.epochs for one in types}

    @cache
    def rate(kind: str, epoch: int, gpus: Decimal) -> int:
        return max(1, round(FULL * speed_of(epochs[kind][epoch].speedup, gpus)))

    return rate


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetHolding:
    """A run as it came to pass, in ticks: the job holds `gpus` from `start` to `stop`."""

    start: int
    stop: int
    gpus: Decimal


@dataclass(slots=True, kw_only=True)
class FleetLife(JobLife):
    """A job in time, with the units of work that are left in each epoch."""

    job: FleetJob
    left: list[int]
    epoch: int = 0
    held: list[FleetHolding] = field(default_factory=list)

    def work(self, gpus: Decimal, works: int, stop: int | None, rates: Rates) -> int:
        """Work from `works` on, at most until `stop`, and return the end of the run."""
        now = works
        while self.epoch < len(self.left):
            rate = rates(self.job.type, self.epoch, gpus)
            done = now - (-self.left[self.epoch] // rate)
            if stop is not None and done > stop:
                self.left[self.epoch] -= rate * max(0, stop - now)
                return stop
            self.left[self.epoch] = 0
            self.epoch, now = self.epoch + 1, done
        self.end = now
        return now


def lives_of(instance: FleetInstance, log: FleetLog, ticks: Ticks) -> tuple[FleetLife, ...]:
    """Simulate the first entry of every known job, in the order of the log."""
    jobs = {job.name: job for job in instance.jobs}
    rates, restart = rates_of(instance.types), ticks.at(instance.rescale_s)
    lives: dict[str, FleetLife] = {}
    for i, entry in enumerate(log.jobs):
        if entry.job in jobs and entry.job not in lives:
            job = jobs[entry.job]
            left = [FULL * ticks.at(work) for work in job.work_s]
            lives[job.name] = FleetLife(job=job, entry=i, left=left)
            _live(lives[job.name], entry, ticks, rates, restart)
    return tuple(lives.values())


def _live(life: FleetLife, entry: FleetJobRuns, ticks: Ticks, rates: Rates, restart: int) -> None:
    """Yield the runs that stop after their start, with times rounded up to ticks."""
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


PARTS = 1000
"""Parts of a GPU that can be held."""


def counted(log: FleetLog) -> list[Lease]:
    """Return the leases that stop after their start."""
    return [lease for lease in log.leases if lease.stop_s > lease.start_s]


def billed(instance: FleetInstance, log: FleetLog, ticks: Ticks) -> list[tuple[Decimal, int]]:
    """Return the GPUs of each lease, and for how many ticks they are paid for."""
    unit = 1 if instance.billing_s is None else ticks.at(instance.billing_s)
    lengths = (
        (lease.gpus, ticks.at(lease.stop_s) - ticks.at(lease.start_s)) for lease in counted(log)
    )
    return [(gpus, -(-length // unit) * unit) for gpus, length in lengths]


def gpu_hours(stretches: Iterable[tuple[Decimal, int]], ticks: Ticks) -> Fraction:
    """Add up GPUs times hours."""
    lengths: dict[Decimal, int] = {}
    for gpus, length in stretches:
        lengths[gpus] = lengths.get(gpus, 0) + length
    total = sum((Fraction(gpus) * length for gpus, length in lengths.items()), Fraction(0))
    return total * ticks.seconds / 3600


def steps_of(
    instance: FleetInstance, log: FleetLog, held: Iterable[FleetHolding], ticks: Ticks
) -> dict[int, int]:
    """Return at which ticks, and by how many thousandths, GPUs held less GPUs of use change.

    GPUs are counted in thousandths, rounded against the log: up for runs, down for leases.
    """
    steps: dict[int, int] = {}
    wait = ticks.at(instance.provision_s)
    for lease in counted(log):
        start, stop = ticks.at(lease.start_s) + wait, ticks.at(lease.stop_s)
        if start < stop:
            above, below = lease.gpus.as_integer_ratio()
            gpus = PARTS * above // below
            steps[start] = steps.get(start, 0) - gpus
            steps[stop] = steps.get(stop, 0) + gpus
    for one in held:
        above, below = one.gpus.as_integer_ratio()
        gpus = -(-PARTS * above // below)
        steps[one.start] = steps.get(one.start, 0) + gpus
        steps[one.stop] = steps.get(one.stop, 0) - gpus
    return steps


THOUSANDTH = Decimal("0.001")


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetCase(RunsCase):
    """The same, with the cost of all leases."""

    spend: Fraction


def known_names(case: FleetCase) -> Breaches:
    """Every job that the log names is in the instance."""
    for i, entry in enumerate(case.schedule.jobs):
        if entry.job not in case.jobs:
            yield case.place(i), ONE


def logged_once(case: FleetCase) -> Breaches:
    """Every job has one entry."""
    yield from entered_once(case)


def ticks(case: FleetCase) -> Breaches:
    """Runs and leases start and stop at whole ticks."""
    for i, k, run, _ in case.runs():
        yield from off_ticks(case, case.place(i, k), run)
    for i, lease in enumerate(case.schedule.leases):
        yield from off_ticks(case, f"leases[{i}]", lease)


def order(case: FleetCase) -> Breaches:
    """Runs and leases stop after their start, and a job's runs follow each other."""
    yield from in_order(case)
    for i, lease in enumerate(case.schedule.leases):
        yield from backward(case, f"leases[{i}]", lease)


def widths(case: FleetCase) -> Breaches:
    """A run has 1 to 1,000,000 GPUs, in thousandths, or whole ones if `widths` is "whole"."""
    grain = Decimal(1) if case.instance.widths == "whole" else THOUSANDTH
    for i, k, run, _ in case.runs():
        over = misfit(run.gpus, grain)
        if over:
            yield case.place(i, k), over


def nodes(case: FleetCase) -> Breaches:
    """A lease is of whole nodes, or of thousandths of a GPU if there are no nodes."""
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
    """The runs of a job do all its work. The amount is the remaining work, on one GPU."""
    for life in case.lives:
        if life.end is None:
            yield case.place(life.entry), Fraction(sum(life.left), FULL) * case.ticks.seconds


def budget(case: FleetCase) -> Breaches:
    """All leases together cost at most the budget. The amount is money."""
    over = case.spend - case.instance.budget
    if over > 0:
        yield "leases", over


def claims(case: FleetCase) -> Breaches:
    """A claimed end, mean completion time or cost is the result of the runs and leases."""
    yield from claimed_ends(case)
    yield from misclaimed("mean_jct_h", case.schedule.mean_jct_h, case.mean_jct)
    yield from misclaimed("spend", case.schedule.spend, case.spend)


RULES = Rules(
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetVerdict(AnyVerdict):
    """Every violation, the ends of jobs, and the GPU-hours held and paid for.

    `ends`, in seconds, has the jobs that end. `mean_jct`, the weighted mean of end minus arrival in
    hours, is None unless every job of the instance ends. `spend` is the cost of all leases, `held`
    the GPU-hours of runs and `leased` the paid GPU-hours.
    """

    ends: Mapping[str, Fraction]
    mean_jct: Fraction | None
    spend: Fraction
    held: Fraction
    leased: Fraction

    @property
    def objective(self) -> Fraction | None:
        """The mean completion time."""
        return self.mean_jct


def check_fleet(instance: FleetInstance, log: FleetLog) -> FleetVerdict:
    """Check a log against its instance, recomputing everything from the raw data.

    The judge continues after a violation. It uses the first entry of every job, and the runs and
    leases that stop after their start. A run that starts before its predecessor stops is moved to
    that stop. On less than one GPU, a job is as fast as on one. The instance must be accepted by
    the reader.
    """
    ticks = Ticks(instance.tick_s)
    lives = lives_of(instance, log, ticks)
    leased = gpu_hours(billed(instance, log, ticks), ticks)
    spend = leased * Fraction(instance.price_per_gpu_h)
    ends = {life.job.name: life.end * ticks.seconds for life in lives if life.end is not None}
    case = FleetCase(
        instance=instance,
        schedule=log,
        jobs={job.name: job for job in instance.jobs},
        ticks=ticks,
        lives=lives,
        ends=ends,
        mean_jct=_mean_hours(instance, lives, ticks),
        spend=spend,
    )
    held = ((one.gpus, one.stop - one.start) for life in lives for one in life.held)
    return FleetVerdict(
        violations=RULES.violations(case),
        ends=ends,
        mean_jct=case.mean_jct,
        spend=spend,
        held=gpu_hours(held, ticks),
        leased=leased,
    )


def _mean_hours(
    instance: FleetInstance, lives: Iterable[FleetLife], ticks: Ticks
) -> Fraction | None:
    """Return the mean completion time, each job weighted by its type."""
    counts = dict.fromkeys((one.name for one in instance.types), 0)
    sums = dict(counts)
    for life in lives:
        if life.end is not None:
            counts[life.job.type] += 1
            sums[life.job.type] += life.end - ticks.at(life.job.arrival_s)
    if sum(counts.values()) < len(instance.jobs):
        return None
    weights = {one.name: Fraction(one.weight) for one in instance.types}
    total = sum(weights[name] * ticks_all for name, ticks_all in sums.items())
    return total * ticks.seconds / 3600 / sum(weights[name] * counts[name] for name in counts)
