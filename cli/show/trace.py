"""What `ringyard show` says of a `trace` instance."""

from collections import Counter
from decimal import Decimal

from ...families.contracts import Said
from ...instances import TraceInstance
from ...instances.errors import plural
from ...instances.reading.encode import plain
from ..shared.output import say, show_rows, timed
from ..shared.verdict_words import exact_texts
from .words import mix, quantiles

SAID = Said(
    parts=lambda verdict: {"ends": exact_texts(verdict.ends)},
    beside=lambda verdict: ("ended", f"{plural(len(verdict.ends), 'job')}"),
    rest=lambda verdict: f", {plural(len(verdict.ends), 'job')} ended",
)


def _show_cluster(problem: TraceInstance) -> None:
    """Print servers and racks, time, costs and contention."""
    racks = len({server.rack for server in problem.servers})
    say(
        f"cluster: {plural(len(problem.servers), 'server')}, {plural(problem.gpus, 'GPU')} "
        f"({mix(server.gpus for server in problem.servers)}), {plural(racks, 'rack')}"
    )
    say(
        f"  ticks of {problem.tick_s} s; running again costs {problem.restart_s} s, "
        f"{problem.resume} s on the same GPUs"
    )
    _show_regions(problem)
    if problem.contention is None:
        say("  contention none")
    else:
        fields = plain(problem.contention)
        model = fields.pop("model")
        say(f"  contention {model}: " + ", ".join(f"{key} {fields[key]}" for key in fields))


def _show_regions(problem: TraceInstance) -> None:
    """Print the regions of servers, if they have any."""
    gpus: Counter[str] = Counter()
    for server in problem.servers:
        gpus[server.region or "none"] += server.gpus
    if any(server.region for server in problem.servers):
        told = ", ".join(f"{region} {count} GPUs" for region, count in sorted(gpus.items()))
        say(f"  regions: {told}")


def show_trace(problem: TraceInstance, most: int) -> None:
    """Print the cluster, the mix of jobs, how much work arrives when, and the first jobs."""
    _show_cluster(problem)
    jobs = problem.jobs
    say(f"jobs: {len(jobs)}, GPUs ({mix(job.gpus for job in jobs)})")
    first, last = min(job.arrival_s for job in jobs), max(job.arrival_s for job in jobs)
    work = float(sum(job.gpus * job.duration_s for job in jobs))
    there = float(last - first) * problem.gpus
    load = f", {100 * work / there:.0f} % of what the cluster has in that time" if there else ""
    say(f"  arrive from {first} s to {timed(last)}; they need {work:,.0f} GPU-seconds{load}")
    say(f"  durations in s, at {quantiles(job.duration_s for job in jobs)}")
    for words, count in (
        ("may share their GPUs", sum(job.packed_speed is not None for job in jobs)),
        ("may run on other numbers of GPUs", sum(bool(job.speeds) for job in jobs)),
        ("have a loss curve", sum(job.curve is not None for job in jobs)),
        ("may run in some regions only", sum(job.allowed_regions is not None for job in jobs)),
    ):
        if count:
            say(f"  {count} {words}")
    bound = any(job.allowed_regions for job in jobs)
    rows = [
        [
            job.name,
            _short(job.arrival_s),
            job.gpus,
            _short(job.duration_s),
            job.model,
            float(job.communication),
            *([", ".join(job.allowed_regions or ("any",))] if bound else []),
        ]
        for job in jobs[:most]
    ]
    head = ["  job", "arrives", "gpus", "duration", "model", "communication"]
    show_rows(head + ["regions"] * bound, rows, len(jobs))


def _short(seconds: Decimal) -> int | float:
    return int(seconds) if seconds == int(seconds) else float(seconds)
