"""What `ringyard show` says of a `makespan` instance."""

from collections import Counter
from typing import Any

from ...families.contracts import Said
from ...instances import MakespanInstance
from ...instances.errors import plural
from ...instances.reading.encode import as_number, exact_text, plain
from ..shared.output import cell, say, show_rows
from ..shared.verdict_words import exact_texts
from .words import mix

SAID = Said(
    parts=lambda verdict: {
        "mean_completion": as_number(verdict.mean_completion),
        "mean_completion_exact": exact_text(verdict.mean_completion),
        "ends": exact_texts(verdict.ends),
    },
    beside=lambda verdict: ("mean end", _mean(verdict)),
    rest=lambda verdict: f", mean end {cell(verdict.mean_completion)} slots",
)


def _mean(verdict: Any) -> str:
    mean = verdict.mean_completion
    return "-" if mean is None else f"{float(mean):.2f} slots"


def _show_cluster(problem: MakespanInstance) -> None:
    """Print servers, bandwidths and contention."""
    servers = problem.cluster.servers
    size = f"{plural(len(servers), 'server')}, {plural(sum(s.gpus for s in servers), 'GPU')}"
    say(f"cluster: {size} ({mix(server.gpus for server in servers)})")
    net = problem.cluster
    reducing = f"reducing at {net.reduce_gb_s} GB/s" if net.reduce_gb_s else "no time to reduce"
    say(
        f"  {net.intra_bandwidth_gb_s} GB/s inside a server, {net.inter_bandwidth_gb_s} GB/s "
        f"between servers, {reducing}"
    )
    regions = Counter(server.region for server in servers if server.region)
    if regions:
        gpus = {name: sum(s.gpus for s in servers if s.region == name) for name in regions}
        places = (
            f"{name} ({plural(n, 'server')}, {plural(gpus[name], 'GPU')})"
            for name, n in regions.items()
        )
        say(f"  regions {', '.join(places)}")
    say(f"  contention {_fields(problem.contention)}")
    say(
        f"  progress {problem.progress}, slots of {problem.slot_s} s, "
        f"overhead {problem.overhead} x {problem.overhead_s} s"
    )


def _fields(noun: Any) -> str:
    parts = plain(noun)
    model = parts.pop("model")
    shown = [f"{k} {len(v) if isinstance(v, list) else v}" for k, v in parts.items()]
    return f"{model}: " + ", ".join(shown)


def show_rings(problem: MakespanInstance, most: int) -> None:
    """Print the cluster, the mix of jobs, and the first of them."""
    from ...simulation.makespan.extremes import extremes

    _show_cluster(problem)
    say(f"jobs: {len(problem.jobs)}, GPUs ({mix(job.gpus for job in problem.jobs)})")
    bound = any(job.allowed_regions for job in problem.jobs)
    rows = [
        [
            job.name,
            job.gpus,
            job.iterations,
            extreme.least_slots,
            extreme.most_slots,
            float(job.release_slot),
            *([", ".join(job.allowed_regions or ("any",))] if bound else []),
        ]
        for job, extreme in list(zip(problem.jobs, extremes(problem), strict=True))[:most]
    ]
    heads = ["  job", "gpus", "iterations", "fastest", "slowest", "release"]
    show_rows(heads + ["regions"] * bound, rows, len(problem.jobs))
