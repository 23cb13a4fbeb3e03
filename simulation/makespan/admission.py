"""Which servers the jobs of a group may use."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...instances import MakespanInstance, Server
from ...instances.regions import Regions
from ..jit import kernel
from .groups import groups

if TYPE_CHECKING:
    from ..model import Model


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
