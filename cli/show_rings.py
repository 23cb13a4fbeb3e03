"""What `ringyard show` says of a `makespan` instance."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from .output import say, table

if TYPE_CHECKING:
    from ..instances import MakespanInstance


def show_cluster(problem: "MakespanInstance") -> None:
    """Print servers, bandwidths and contention."""
    servers = problem.cluster.servers
    sizes = Counter(server.gpus for server in servers)
    mix = ", ".join(f"{count} x {size}" for size, count in sorted(sizes.items()))
    say(f"cluster: {len(servers)} servers, {sum(s.gpus for s in servers)} GPUs ({mix})")
    net = problem.cluster
    say(
        f"  {net.intra_bandwidth_gb_s} GB/s inside a server, {net.inter_bandwidth_gb_s} GB/s "
        f"between servers, reducing at {net.reduce_gb_s} GB/s"
    )
    say(f"  contention {_fields(problem.contention)}")
    say(
        f"  progress {problem.progress}, slots of {problem.slot_s} s, "
        f"overhead {problem.overhead} x {problem.overhead_s} s"
    )


def _fields(noun: Any) -> str:
    from ..instances.encode import plain

    parts = plain(noun)
    model = parts.pop("model")
    shown = [f"{k} {len(v) if isinstance(v, list) else v}" for k, v in parts.items()]
    return f"{model}: " + ", ".join(shown)


def show_jobs(problem: "MakespanInstance", most: int) -> None:
    """Print the mix of jobs, and the first of them."""
    from ..simulation.extremes import extremes

    gangs = Counter(job.gpus for job in problem.jobs)
    mix = ", ".join(f"{count} x {size}" for size, count in sorted(gangs.items()))
    say(f"jobs: {len(problem.jobs)}, GPUs ({mix})")
    rows = [
        [
            job.name,
            job.gpus,
            job.iterations,
            extreme.least_slots,
            extreme.most_slots,
            float(job.release_slot),
        ]
        for job, extreme in list(zip(problem.jobs, extremes(problem), strict=True))[:most]
    ]
    if rows:
        table(["  job", "gpus", "iterations", "fastest", "slowest", "release"], rows)
    if len(problem.jobs) > most:
        say(f"  ... and {len(problem.jobs) - most} more (--jobs N shows more)")
