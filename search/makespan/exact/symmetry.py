"""Which jobs and which servers of an instance are alike?"""

from dataclasses import replace

import numpy as np

from ....instances import FluidLinks, MakespanInstance
from ....simulation.model import Ints


def equal_before(instance: MakespanInstance) -> list[int]:
    """Return for every job the last job before it that differs in name only, or -1."""
    nameless = [replace(job, name="") for job in instance.jobs]
    return [
        max((i for i in range(j) if nameless[i] == one), default=-1)
        for j, one in enumerate(nameless)
    ]


def first_equal(before: list[int], job: int) -> int:
    """Return the first job that is equal to `job`, given the last equal one before each."""
    while before[job] >= 0:
        job = before[job]
    return job


def server_kinds(instance: MakespanInstance) -> tuple[Ints, Ints]:
    """Return the GPUs of the servers, and equal numbers for servers that are alike."""
    leaf = {}
    if isinstance(instance.contention, FluidLinks):
        leaf = {name: leaf.name for leaf in instance.contention.leaves for name in leaf.servers}
    bound = any(job.allowed_regions for job in instance.jobs)
    looks = [
        (server.gpus, leaf.get(server.name), server.region if bound else None)
        for server in instance.cluster.servers
    ]
    gpus = np.array([look[0] for look in looks], dtype=np.int64)
    return gpus, np.array([looks.index(look) for look in looks], dtype=np.int64)
