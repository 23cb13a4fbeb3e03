"""The dispatch loop of SJF-BCO and its baselines, and the choice of idle GPUs in it.

Jobs are served in a fixed order. The next job gets its number of idle GPUs from those whose load
stays within the limit. Until there are enough, every later job waits and the clock moves to the
next end. The policies differ in *which* GPUs they prefer.

FA-FFP (fragment-aware first-fit packing) is for small jobs of SJF-BCO. The pseudo-code uses the
least loaded GPUs of the whole cluster. The text describes packing into occupied servers, which is
the other mode here.

LBSGF (least busy server-GPU first) is for large jobs, which use GPUs of few servers. The pool of a
job is the shortest prefix of the servers, by average load, with lambda times its GPUs. The job gets
the least loaded idle GPUs there. Loads grow only when a job starts, and jobs start in order, so the
pool is fixed while the job waits. Only servers of the pool move when it starts.
"""

from typing import NamedTuple

import numpy as np

from ...simulation import Model, PlacedStarts
from ...simulation.heaps import next_end, pop_least, push
from ...simulation.jit import entry, kernel
from ...simulation.makespan.evaluate import gather, make_plan
from ...simulation.model import Floats, Ints, may_use
from .gpus import (
    GpuState,
    advance,
    begin,
    finish,
    is_offered,
    new_gpus,
    put_back,
    put_idle_ones,
    start_on_chosen,
    take_lightest,
    wait_for,
)

BY_RANK, BY_LOAD, BY_CHANCE, BY_FIT = 0, 1, 2, 3
"""Preferred GPUs: the first in cluster order, the least loaded, any, the tightest server."""


NOBODY = make_plan([], [])
"""No job holds GPUs at slot 0."""


class JobList(NamedTuple):
    """Jobs as they are served, with their estimated work, under a load limit.

    Jobs that hold GPUs at slot 0 are in `held`, with their pieces, and not in `order`. Their work
    counts as load.
    """

    order: Ints
    work: Floats
    limit: float
    prefer: int
    """Preferred GPUs."""
    chance: Floats
    """A number in [0, 1) per requested GPU, if random numbers are used."""
    held: PlacedStarts = NOBODY


class Dispatched(NamedTuple):
    """A run of the loop: the plan, and its makespan (infinite if the limit was too low)."""

    plan: PlacedStarts
    makespan: float


@entry
def dispatch(model: Model, jobs: JobList) -> Dispatched:
    """Run the loop once."""
    cluster = new_gpus(model, jobs.prefer == BY_LOAD)
    begin(model, cluster, jobs.held, jobs.work)
    makespan = serve(model, cluster, jobs)
    if makespan < np.inf:
        makespan = finish(model, cluster)
    return Dispatched(gather(cluster.state, cluster.holds), makespan)


@kernel
def serve(model: Model, cluster: GpuState, jobs: JobList) -> float:
    """Start the jobs, and return the last start, or infinity if the limit is too low."""
    now, work = 0.0, jobs.work
    for job in jobs.order:
        now = wait_for(model, cluster, job, now)
        while not choose(model, cluster, job, jobs):
            if next_end(cluster.state) == np.inf:
                return np.inf
            now = advance(model, cluster)
        start_on_chosen(model, cluster, job, work[job], now)
    return now


@kernel
def choose(model: Model, cluster: GpuState, job: int, jobs: JobList) -> bool:
    """Choose idle GPUs within the limit for `job`, and return True if there are enough."""
    load, prefer = jobs.limit - jobs.work[job], jobs.prefer
    if prefer == BY_LOAD:
        return lightest(model, cluster, job, load)
    if prefer == BY_FIT:
        return tightest(model, cluster, job, load)
    if prefer == BY_RANK:
        return _foremost(model, cluster, job, load)
    return _any(model, cluster, job, load, jobs.chance)


@kernel
def _foremost(model: Model, cluster: GpuState, job: int, load: float) -> bool:
    i, b = cluster.first[job], cluster.first[job + 1]
    for gpu in range(cluster.load.size):
        if is_offered(model, cluster, job, gpu, load):
            cluster.chosen[i] = gpu
            i += 1
            if i == b:
                return True
    return False


@kernel
def _any(model: Model, cluster: GpuState, job: int, load: float, chance: Floats) -> bool:
    """Draw without replacement from the GPUs that qualify, collected in `idle`."""
    count = 0
    for gpu in range(cluster.load.size):
        if is_offered(model, cluster, job, gpu, load):
            cluster.idle[count] = gpu
            count += 1
    if count < cluster.first[job + 1] - cluster.first[job]:
        return False
    for i in range(cluster.first[job], cluster.first[job + 1]):
        drawn = int(chance[i] * count)
        count -= 1
        cluster.chosen[i] = cluster.idle[drawn]
        cluster.idle[drawn] = cluster.idle[count]
    return True


NO_GPU = -1


@kernel
def lightest(model: Model, cluster: GpuState, job: int, load: float) -> bool:
    """Choose the least loaded idle GPUs, each with at most `load`, from their heap.

    GPUs closed to the job are kept behind the heap meanwhile.
    """
    a, b, top = cluster.first[job], cluster.first[job + 1], cluster.counts[0].heap
    if top < b - a:
        return False
    i = a
    while i < b and cluster.counts[0].heap > 0:
        gpu = take_lightest(cluster)
        closed = not may_use(model, job, cluster.server_of[gpu])
        cluster.idle[cluster.counts[0].heap] = gpu if closed else NO_GPU
        if not closed:
            cluster.chosen[i] = gpu
            i += 1
    for k in range(cluster.counts[0].heap, top):
        if cluster.idle[k] != NO_GPU:
            put_back(cluster, cluster.idle[k])
    if i == b and cluster.load[cluster.chosen[b - 1]] <= load:
        return True
    for k in range(a, i):
        put_back(cluster, cluster.chosen[k])
    return False


@kernel
def tightest(model: Model, cluster: GpuState, job: int, load: float) -> bool:
    """Choose GPUs with at most `load`, in one server if possible, preferably an occupied one.

    Among servers that hold the whole job, the one with the fewest available GPUs is used. Otherwise
    the one with the most gives them all, and the search continues for the remaining GPUs.
    """
    i, b = cluster.first[job], cluster.first[job + 1]
    if _idle(model, cluster, job) < b - i:
        return False
    while i < b:
        server = _best_server(model, cluster, job, b - i, load)
        if server < 0:
            break
        count = min(put_idle_ones(cluster, server, load), b - i)
        for _ in range(count):
            cluster.chosen[i] = take_lightest(cluster)
            cluster.held[cluster.chosen[i]] = 1
            i += 1
        cluster.counts[0].heap = 0
    for k in range(cluster.first[job], i):
        cluster.held[cluster.chosen[k]] = 0
    return bool(i == b)


@kernel
def _idle(model: Model, cluster: GpuState, job: int) -> int:
    total = 0
    for server in range(model.servers):
        if may_use(model, job, server):
            total += cluster.state.loads[server].free
    return total


@kernel
def _best_server(model: Model, cluster: GpuState, job: int, need: int, load: float) -> int:
    """Return the server that provides the next GPUs, or -1."""
    best, most, offer = -1, 0, 0
    for server in range(model.servers):
        free = cluster.state.loads[server].free
        occupied = int(free < model.links[server].gpus)
        if free == 0 or _rank(free, need, occupied) < most or not may_use(model, job, server):
            continue
        found = _eligible(cluster, server, load)
        rank = _rank(found, need, occupied)
        closer = found < offer if found >= need else found > offer
        if found > 0 and (rank > most or (rank == most and closer)):
            best, most, offer = server, rank, found
    return best


@kernel
def _rank(found: int, need: int, occupied: int) -> int:
    return 1 + occupied + (2 if found >= need else 0)


@kernel
def _eligible(cluster: GpuState, server: int, load: float) -> int:
    count = 0
    for gpu in range(cluster.gpus_from[server], cluster.gpus_from[server + 1]):
        if cluster.held[gpu] == 0 and cluster.load[gpu] <= load:
            count += 1
    return count


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
    """Start the jobs, and return the last start, or infinity if the limit is too low."""
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
    """Move the least loaded servers from the heap to the pool, and return their number.

    Servers closed to the job move along without being counted.
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
