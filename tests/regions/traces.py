"""Trace instances with regions, drawn or made by hand."""

from dataclasses import replace
from random import Random
from typing import Any

from trace_optimum import cluster

from ringyard.instances import TraceInstance, TraceJob, validate

PLACES = ("east", "north", "west")


def scattered(instance: TraceInstance, seed: int) -> TraceInstance:
    """Return an instance with servers in up to three regions, or in none, and jobs bound to some.

    A job is bound to regions that hold every number of GPUs that it may have.
    """
    rng = Random(f"regions {seed}")
    names = PLACES[: rng.randint(2, 3)]
    servers = tuple(
        replace(server, region=rng.choice([*names, *names, None])) for server in instance.servers
    )
    known = sorted({server.region for server in servers if server.region})

    def bound(job: TraceJob) -> TraceJob:
        own = tuple(name for name in known if rng.random() < 0.6)
        room = sum(server.gpus for server in servers if server.region in own)
        most = max(job.gpus, *(width.gpus for width in job.speeds), 0)
        return replace(job, allowed_regions=own) if own and most <= room else job

    made = replace(instance, servers=servers, jobs=tuple(map(bound, instance.jobs)))
    validate(made)
    return made


def placed(jobs: list[TraceJob], *servers: tuple[int, str | None], **more: Any) -> TraceInstance:
    """Return an instance on servers of so many GPUs in regions."""
    made = cluster(jobs, *(gpus for gpus, _ in servers), **more)
    pairs = zip(made.servers, servers, strict=True)
    return replace(made, servers=tuple(replace(one, region=region) for one, (_, region) in pairs))


def anywhere(instance: TraceInstance) -> TraceInstance:
    """Return the instance with no job bound."""
    jobs = tuple(replace(job, allowed_regions=None) for job in instance.jobs)
    return replace(instance, jobs=jobs)
