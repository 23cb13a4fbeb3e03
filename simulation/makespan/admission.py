"""Which servers a job may use: jobs that are bound to the same regions form a group."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...instances import MakespanInstance, Server
from ...instances.regions import Regions
from ..jit import kernel

if TYPE_CHECKING:
    from ..model import Model

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


def open_to(model: "Model") -> NDArray[np.bool_]:
    """Return for each group (down) the servers that it may use."""
    group = np.arange(model.jobs["group"].max() + 1)
    found: NDArray[np.bool_] = (model.links["open"][: model.servers] >> group[:, None] & 1) > 0
    return found


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
    return bool(model.links[server].open >> group & 1)
