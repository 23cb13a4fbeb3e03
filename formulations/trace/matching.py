"""GPUs for jobs that may use some servers only, one by one; others give way where they can."""

from collections.abc import Mapping

from ...instances import TraceInstance
from ...instances.regions import reach_of

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
