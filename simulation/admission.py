"""Which servers a job may use: jobs that are bound to the same regions form a group."""

from dataclasses import replace
from typing import TYPE_CHECKING

from ..instances import MakespanInstance, Server
from ..instances.regions import Regions
from .jit import kernel

if TYPE_CHECKING:
    from .model import Model


def groups(instance: MakespanInstance) -> dict[Regions | None, int]:
    """Return the regions of every group, and its number; jobs that may run anywhere are 0."""
    bound = [None, *(job.allowed_regions for job in instance.jobs)]
    return {regions: number for number, regions in enumerate(dict.fromkeys(bound))}


def open_sizes(instance: MakespanInstance) -> dict[Regions | None, tuple[int, ...]]:
    """Return the GPUs of the servers that each group may use, the largest first."""
    return {
        regions: tuple(sorted((one.gpus for one in open_servers(instance, regions)), reverse=True))
        for regions in groups(instance)
    }


def open_servers(instance: MakespanInstance, regions: Regions | None) -> tuple[Server, ...]:
    """Return the servers in some regions, all if that is None."""
    servers = instance.cluster.servers
    return tuple(one for one in servers if regions is None or one.region in regions)


def unbound(instance: MakespanInstance) -> MakespanInstance:
    """Return the same instance with jobs that may run anywhere."""
    if not any(job.allowed_regions for job in instance.jobs):
        return instance
    jobs = tuple(replace(job, allowed_regions=None) for job in instance.jobs)
    return replace(instance, jobs=jobs)


@kernel
def may_use(model: "Model", job: int, server: int) -> bool:
    """Say whether a job may use a server."""
    return is_open(model, model.jobs[job].group, server)


@kernel
def is_open(model: "Model", group: int, server: int) -> bool:
    """Say whether the jobs of a group may use a server."""
    return bool(group == 0 or model.opens[group, server])
