"""LBSGF, least busy server-GPU first: a large job of SJF-BCO takes GPUs of few servers.

Its pool is the shortest prefix of the servers, by average load, that has lambda times the
GPUs of the job. From the idle GPUs there it takes the least loaded. Loads grow only when
a job starts, and no job starts before the one at the head of the line, so its pool stays
what it is while it waits, and only servers of the pool move when it starts.
"""

from typing import NamedTuple

import numpy as np

from ...simulation import Model
from ...simulation.heaps import pop_least, push
from ...simulation.jit import kernel
from ...simulation.makespan.admission import may_use
from ...simulation.model import Floats, Ints
from ...simulation.queue import next_end
from .dispatch import JobList
from .gpus import GpuState, advance, put_idle_ones, start_on_chosen, take_lightest, wait_for


class ServerPools(NamedTuple):
    """The pool of job j has ``wanted[j]`` GPUs or more.

    The rest is room for a number per server: its average load, the heap of servers by it, and the
    pool of the job at the head of the line.
    """

    wanted: Ints
    average: Floats
    servers: Ints
    pool: Ints


@kernel
def serve_from_pools(
    model: Model, cluster: GpuState, pools: ServerPools, jobs: JobList, now: float
) -> float:
    """Start the jobs; return the last start, infinity if the limit is too low."""
    line_up(model, cluster, pools)
    for job in jobs.order:
        size = take_pool(model, pools, job)
        now = wait_for(model, cluster, job, now)
        while not from_pool(model, cluster, job, jobs.limit - jobs.work[job], pools.pool[:size]):
            if next_end(cluster.state) == np.inf:
                return np.inf
            now = advance(model, cluster)
        start_on_chosen(model, cluster, job, jobs.work[job], now)
        put_pool_back(model, cluster, pools, size)
    return now


@kernel
def line_up(model: Model, cluster: GpuState, pools: ServerPools) -> None:
    """Make the heap of all servers."""
    for server in range(model.servers):
        pools.average[server] = _average(cluster, server)
        push(pools.servers, server, pools.average, server)


@kernel
def put_pool_back(model: Model, cluster: GpuState, pools: ServerPools, size: int) -> None:
    """Put the `size` servers of the pool back into the heap, with the loads they have now."""
    for k in range(size):
        server = pools.pool[k]
        pools.average[server] = _average(cluster, server)
        push(pools.servers, model.servers - size + k, pools.average, server)


@kernel
def _average(cluster: GpuState, server: int) -> float:
    a, b = cluster.gpus_from[server], cluster.gpus_from[server + 1]
    total = 0.0
    for gpu in range(a, b):
        total += cluster.load[gpu]
    return float(total / (b - a))


@kernel
def take_pool(model: Model, pools: ServerPools, job: int) -> int:
    """Move the least loaded servers from the heap to the pool; return how many.

    Those that the job may not use come along, but do not count.
    """
    size, left = 0, pools.wanted[job]
    while left > 0 and size < model.servers:
        server = pop_least(pools.servers, model.servers - size, pools.average)
        pools.pool[size] = server
        if may_use(model, job, server):
            left -= model.links[server].gpus
        size += 1
    return size


@kernel
def from_pool(model: Model, cluster: GpuState, job: int, load: float, pool: Ints) -> bool:
    """Choose the least loaded idle GPUs of the pool with at most `load` each, if enough."""
    a, b = cluster.first[job], cluster.first[job + 1]
    idle, enough = 0, False
    for server in pool:
        if may_use(model, job, server):
            idle += cluster.state.loads[server].free
    if idle >= b - a:
        idle = 0
        for server in pool:
            if may_use(model, job, server):
                idle += put_idle_ones(cluster, server, load)
        enough = idle >= b - a
        for i in range(a, b if enough else a):
            cluster.chosen[i] = take_lightest(cluster)
        cluster.counts[0].heap = 0
    return enough
