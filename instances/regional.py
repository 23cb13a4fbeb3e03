"""The same instance with regions: servers dealt out to them, and some jobs bound to one."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Annotated, TypeVar

from .cluster import Server
from .makespan.instance import MakespanInstance, RingJob
from .online.instance import Machine, OnlineInstance, TrainingJob, has_room
from .reading.vocabulary import Range
from .trace.instance import RackServer, TraceInstance, TraceJob

Local = Annotated[Decimal, Range(0, 1)]
"""Share of the jobs that may run in one region only."""

Somewhere = TypeVar("Somewhere", MakespanInstance, OnlineInstance, TraceInstance)
Place = TypeVar("Place", Server, Machine, RackServer)
Job = TypeVar("Job", RingJob, TrainingJob, TraceJob)


def with_regions(instance: Somewhere, regions: int, local: Decimal, seed: int) -> Somewhere:
    """Deal the servers out to regions `r0`, `r1`, .. in turn, and bind a share of the jobs.

    Each job is bound with chance ``local``, to one of the regions that it fits in with equal
    chances; a larger share binds the same jobs to the same regions, and more. With one region
    nothing changes. The draws are the regions' own: all other data stay as they are.
    """
    if regions == 1:
        return instance
    luck = Random(f"regions {seed}")
    if isinstance(instance, MakespanInstance):
        servers = _dealt(instance.cluster.servers, regions)
        return replace(
            instance,
            cluster=replace(instance.cluster, servers=servers),
            jobs=_bound(instance.jobs, servers, local, luck, _has_gpus),
        )
    if isinstance(instance, TraceInstance):
        racked = _dealt(instance.servers, regions)
        bound = _bound(instance.jobs, racked, local, luck, _has_most_gpus)
        return replace(instance, servers=racked, jobs=bound)
    machines = _dealt(instance.machines, regions)
    asking = _bound(instance.jobs, machines, local, luck, has_room)
    return replace(instance, machines=machines, jobs=asking)


def _dealt(places: tuple[Place, ...], regions: int) -> tuple[Place, ...]:
    return tuple(replace(place, region=f"r{i % regions}") for i, place in enumerate(places))


def _bound(
    jobs: tuple[Job, ...],
    places: tuple[Place, ...],
    local: Decimal,
    luck: Random,
    fits: Callable[[Job, tuple[Place, ...]], bool],
) -> tuple[Job, ...]:
    """Draw which jobs are bound, and to which of the regions that have room for them."""
    inside: dict[str, list[Place]] = {}
    for place in places:
        inside.setdefault(str(place.region), []).append(place)
    bound: list[Job] = []
    for job in jobs:
        chance, which = luck.random(), luck.random()
        roomy = [name for name, own in inside.items() if fits(job, tuple(own))]
        if roomy and chance < local:
            job = replace(job, allowed_regions=(roomy[int(which * len(roomy))],))
        bound.append(job)
    return tuple(bound)


def _has_gpus(job: RingJob, servers: tuple[Server, ...]) -> bool:
    return job.gpus <= sum(server.gpus for server in servers)


def _has_most_gpus(job: TraceJob, servers: tuple[RackServer, ...]) -> bool:
    most = max([job.gpus, *(width.gpus for width in job.speeds)])
    return most <= sum(server.gpus for server in servers)
