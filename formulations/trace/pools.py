"""Pools of GPUs: those that some jobs may use alone, as their regions say, and all of them."""

from functools import lru_cache
from typing import NamedTuple

from ...instances import TraceInstance
from ...instances.regions import reach_of

MOST_POOLS = 64
"""More of them are not distinguished."""


class GpuPool(NamedTuple):
    """Half GPUs, and the jobs that may run nowhere else."""

    halves: int
    jobs: tuple[int, ...]


@lru_cache(maxsize=4)
def pools(instance: TraceInstance) -> tuple[GpuPool, ...]:
    """Return the servers of every job and all unions of such sets as pools, all GPUs first.

    If there are more than `MOST_POOLS`, some are missing. If not, whole GPUs for jobs can be found
    exactly if no pool is asked for more than it has (Gale 1957).
    """
    sets, numbers = reach_of(instance.servers, instance.jobs)
    found = dict.fromkeys(sets)
    queue = list(found)
    for one in queue:
        for other in list(found):
            if len(found) <= MOST_POOLS and one | other not in found:
                found[one | other] = None
                queue.append(one | other)
    return tuple(
        GpuPool(
            2 * sum(instance.servers[s].gpus for s in own),
            tuple(job for job, number in enumerate(numbers) if sets[number] <= own),
        )
        for own in found
    )
