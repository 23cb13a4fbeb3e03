"""The workload of a trace, changed as asked: fewer jobs, other communication, other loads."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from ...instances import RackServer, TraceInstance, TraceJob
from ...instances.errors import InputError, Problem, plural
from ...instances.regions import may_run
from .asked import COMMAND, ClusterSize, not_known, parts, wrong

NAMED = 3
"""An error names at most this many jobs."""


def first_jobs(trace: TraceInstance, count: int | None) -> TraceInstance:
    """Return the trace with only the given number of jobs, those that arrive first."""
    if count is None or count >= len(trace.jobs):
        return trace
    ranked = sorted(range(len(trace.jobs)), key=lambda i: trace.jobs[i].arrival_s)
    kept = sorted(ranked[:count])
    return replace(trace, jobs=tuple(trace.jobs[i] for i in kept))


def talking(trace: TraceInstance, words: str | None) -> TraceInstance:
    """Return the trace with other communication: of all jobs, or of those that train a model."""
    if words is None:
        return trace
    pairs = [word.rpartition("=") for word in parts("--communication", words)]
    of = {model: _amount("--communication", text) for model, _, text in pairs}
    models = sorted({job.model for job in trace.jobs if job.model})
    for model in of.keys() - {*models, ""}:
        raise not_known("--communication", model, models or ["numbers alone: no job has a model"])

    def talk(job: TraceJob) -> TraceJob:
        value = of.get(job.model or "", of.get(""))
        return job if value is None else replace(job, communication=value)

    return replace(trace, jobs=tuple(map(talk, trace.jobs)))


def loads_of(words: str) -> dict[str, Decimal]:
    """Return the factors by which arrivals come faster."""
    loads = {word: _amount("--load", word) for word in parts("--load", words)}
    for word, load in loads.items():
        if not load:
            raise wrong("--load", word, "a number above 0", "1 leaves arrivals as they are")
    return loads


def fitting(trace: TraceInstance, clusters: list[ClusterSize], *, drop: bool) -> TraceInstance:
    """Return the trace without jobs that want more GPUs than some cluster has for them.

    They are left out of all clusters, so that all run the same jobs.

    Raises:
        InputError: If there are such jobs and they are not to be dropped.
    """
    for cluster in sorted(clusters, key=lambda cluster: cluster.gpus):
        room = rooms_of(cluster.servers)
        large = {job.name: job for job in trace.jobs if job.gpus > room(job)}
        if large and (not drop or len(large) == len(trace.jobs)):
            named = list(large.values())[:NAMED]
            some = ", ".join(f"{job.name!r} ({job.gpus})" for job in named)
            more = f" and {len(large) - NAMED:,} more" if len(large) > NAMED else ""
            bound = any(job.allowed_regions for job in large.values())
            of = "there are in their regions" if bound else f"its {plural(cluster.gpus, 'GPU')}"
            expected = f"room for every job; {some}{more} want more than {of}"
            advice = "enlarge it, or give --largest drop" if not drop else "enlarge it"
            raise InputError(COMMAND, [Problem("--clusters", cluster.name, expected, advice)])
        if large:
            jobs = tuple(job for job in trace.jobs if job.name not in large)
            trace = replace(trace, jobs=jobs)
    return trace


def rooms_of(servers: tuple[RackServer, ...]) -> Callable[[TraceJob], int]:
    """Return what tells the GPUs of all servers that a job may use."""
    known: dict[tuple[str, ...] | None, int] = {}

    def room(job: TraceJob) -> int:
        if job.allowed_regions not in known:
            own = (server.gpus for server in servers if may_run(job, server))
            known[job.allowed_regions] = sum(own)
        return known[job.allowed_regions]

    return room


def at_load(trace: TraceInstance, load: Decimal) -> TraceInstance:
    """Return the trace with arrivals that come so much faster, to the nearest tick."""
    if load == 1:
        return trace
    per = Fraction(load) * Fraction(trace.tick_s)
    jobs = tuple(
        replace(job, arrival_s=round(Fraction(job.arrival_s) / per) * trace.tick_s)
        for job in trace.jobs
    )
    return replace(trace, jobs=jobs)


def on_servers(trace: TraceInstance, servers: tuple[RackServer, ...]) -> TraceInstance:
    """Return the trace on other servers; widths beyond all their GPUs are left out.

    So are regions that are not there.
    """
    known, room = {server.region for server in servers}, rooms_of(servers)

    def fit(job: TraceJob) -> TraceJob:
        if job.allowed_regions is not None:
            there = tuple(name for name in job.allowed_regions if name in known)
            job = replace(job, allowed_regions=there)
        kept = tuple(width for width in job.speeds if width.gpus <= room(job))
        return job if len(kept) == len(job.speeds) else replace(job, speeds=kept)

    return replace(trace, servers=servers, jobs=tuple(map(fit, trace.jobs)))


def _amount(option: str, text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or not 0 <= value <= 1000:
        raise wrong(option, text, "a number from 0 to 1000", "write one such as 0.5")
    return value
