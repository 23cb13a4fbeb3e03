"""Equal jobs, servers that are alike, and placements listed up to such symmetry."""

from dataclasses import replace

import numpy as np

from ....instances import FluidLinks, MakespanInstance
from ....simulation.jit import kernel
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


@kernel
def place_first(pieces: Ints, room: Ints, twin: Ints, first: int, gpus: int) -> bool:
    """Put `gpus` on servers `first` and behind, as many as possible on the first of them.

    Server s takes up to ``room[s]``, and no more than its twin before it, ``twin[s]``, if any.
    """
    for s in range(first, room.size):
        most = min(room[s], gpus)
        if twin[s] >= 0:
            most = min(most, pieces[twin[s]])
        pieces[s] = most
        gpus -= most
    return bool(gpus == 0)


@kernel
def place_next(pieces: Ints, room: Ints, twin: Ints) -> bool:
    """Advance to the next placement in descending lexicographic order, or False if none is left."""
    rest = 0
    for s in range(room.size - 1, -1, -1):
        if pieces[s] > 0:
            pieces[s] -= 1
            if place_first(pieces, room, twin, s + 1, rest + 1):
                return True
            rest += pieces[s] + 1
    return False
