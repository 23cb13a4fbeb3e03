"""The rules of a `trace` schedule: one function each, its docstring the rule.

A rule yields (where, amount) for every breach; times are seconds.
"""

from fractions import Fraction

from ..judge import ONE, Breaches, Rule, excesses, instance_digest, misclaimed
from ..runs import RunsCase, after_end, arrival, claimed_ends, entered_once, in_order, off_ticks
from .runs import FULL
from .timeline import steps_of


def known_names(case: RunsCase) -> Breaches:
    """Every job and server that the schedule names is in the instance."""
    servers = {server.name for server in case.instance.servers}
    for i, entry in enumerate(case.schedule.jobs):
        if entry.job not in case.jobs:
            yield case.place(i), ONE
        for k, run in enumerate(entry.runs):
            for server, _ in run.gpus:
                if server not in servers:
                    yield f"{case.place(i, k)}, server {server}", ONE


def planned_once(case: RunsCase) -> Breaches:
    """Every job has one entry."""
    yield from entered_once(case)


def ticks(case: RunsCase) -> Breaches:
    """Runs start and stop at whole ticks."""
    for i, k, run, _ in case.runs():
        yield from off_ticks(case, case.place(i, k), run)


def order(case: RunsCase) -> Breaches:
    """A run stops after its start, and a job's next run starts no earlier than that."""
    yield from in_order(case)


def pieces(case: RunsCase) -> Breaches:
    """A piece is one GPU or more."""
    for i, k, run, _ in case.runs():
        for server, count in run.gpus:
            if count < 1:
                yield f"{case.place(i, k)}, server {server}", Fraction(1 - count)


def gang(case: RunsCase) -> Breaches:
    """A run has exactly the GPUs its job asks for, or another number that its `speeds` name."""
    for i, k, run, job in case.runs():
        held = sum(count for _, count in run.gpus)
        if held != job.gpus:
            may = [job.gpus, *(width.gpus for width in job.speeds)]
            if held not in may:
                yield case.place(i, k), Fraction(min(abs(held - width) for width in may))


def regions(case: RunsCase) -> Breaches:
    """A job is only on servers in regions that it may run in."""
    places = {server.name: server.region for server in case.instance.servers}
    for i, k, run, job in case.runs():
        if job.allowed_regions is not None:
            for server, _ in run.gpus:
                if server in places and places[server] not in job.allowed_regions:
                    yield f"{case.place(i, k)}, server {server}", ONE


def packing(case: RunsCase) -> Breaches:
    """Only a job with a `packed_speed` takes half of its GPUs."""
    for i, k, run, job in case.runs():
        if run.share == "half" and job.packed_speed is None:
            yield case.place(i, k), ONE


def capacity(case: RunsCase) -> Breaches:
    """No server has more GPUs in use than it has, at any moment."""
    steps = steps_of(case.instance, (held for life in case.lives for held in life.held))
    for server in case.instance.servers:
        for excess in excesses(steps[server.name], 2 * server.gpus):
            end = "..." if excess.end is None else case.ticks.text(excess.end)
            where = f"server {server.name}, seconds [{case.ticks.text(excess.start)}, {end})"
            yield where, Fraction(excess.gpus, 2)


def completes(case: RunsCase) -> Breaches:
    """The runs of a job do all its work; the amount is what is left, at full speed."""
    for life in case.lives:
        if life.end is None:
            yield case.place(life.entry), Fraction(life.left, FULL) * case.ticks.seconds


def claims(case: RunsCase) -> Breaches:
    """A claimed end is that of the job's work; a claimed mean is that of the completion times."""
    yield from claimed_ends(case)
    yield from misclaimed("mean_jct_s", case.schedule.mean_jct_s, case.mean_jct)


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
