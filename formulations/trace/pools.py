"""Pools of GPUs that some jobs may use alone, as their regions say; jobs matched to servers."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ...instances import TraceInstance
from ...instances.regions import reach_of

MOST_POOLS = 64
"""More of them are not distinguished."""


class GpuPool(NamedTuple):
    """Half GPUs, the jobs that may run nowhere else, and its servers; both by number."""

    halves: int
    jobs: tuple[int, ...]
    servers: tuple[int, ...]


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
            tuple(sorted(own)),
        )
        for own in found
    )


Held = dict[int, dict[int, int]]
"""GPUs of jobs by server, all by number."""


def matched(instance: TraceInstance, widths: Mapping[int, int]) -> Held:
    """Return GPUs for jobs of the given sizes, which fit by the counts of `pools`."""
    sets, numbers = reach_of(instance.servers, instance.jobs)
    free = {s: server.gpus for s, server in enumerate(instance.servers)}
    open_to = {job: sorted(sets[numbers[job]]) for job in widths}
    held: Held = {job: dict.fromkeys(open_to[job], 0) for job in widths}
    for job, width in widths.items():
        for _ in range(width):
            _give_one(job, held, free)
    return {job: {s: count for s, count in own.items() if count} for job, own in held.items()}


def _give_one(job: int, held: Held, free: dict[int, int]) -> None:
    """Give a job one GPU more; on the shortest way to a free one, each job gets the next's.

    Such a way is an augmenting path of a bipartite matching.
    """
    came: dict[int, tuple[int, int | None]] = dict.fromkeys(held[job], (job, None))
    queue = list(came)
    for server in queue:
        if free[server]:
            break
        for other, own in held.items():
            if own.get(server):
                fresh = [there for there in own if there not in came]
                came |= dict.fromkeys(fresh, (other, server))
                queue += fresh
    free[server] -= 1
    end: int | None = server
    while end is not None:
        taker, before = came[end]
        held[taker][end] += 1
        if before is not None:
            held[taker][before] -= 1
        end = before
