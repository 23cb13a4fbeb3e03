"""Jobs that are bound to the same regions form a group, by a number; servers that it may use."""

from dataclasses import replace

from ...instances import MakespanInstance, Server
from ...instances.regions import Regions

MOST_GROUPS = 62
"""They are bits of a number."""


def groups(instance: MakespanInstance) -> dict[Regions | None, int]:
    """Return the regions of every group, and its number; jobs that may run anywhere are 0."""
    bound = [None, *(job.allowed_regions for job in instance.jobs)]
    return {regions: number for number, regions in enumerate(dict.fromkeys(bound))}


def open_bits(instance: MakespanInstance) -> list[int]:
    """Return for each server the groups that may use it, as bits."""
    known = groups(instance).items()
    return [
        sum(1 << group for regions, group in known if regions is None or server.region in regions)
        for server in instance.cluster.servers
    ]


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
