"""Assign GPUs to all jobs first, busy or not, and run the clock afterwards.

Jobs come in a fixed order, and each is assigned GPUs by their loads alone. Afterwards a job starts
once all its GPUs are free, regardless of other waiting jobs. If two jobs could start, the one
assigned first does.

While a job waits, at least one of its GPUs is busy. It watches a busy GPU and is re-examined when
that GPU becomes free, in turn with the other jobs that watch it.
"""

from typing import NamedTuple

import numpy as np

from ...simulation import Model, PlacedStarts
from ...simulation.heaps import pop_least, push
from ...simulation.jit import entry, kernel, record
from ...simulation.makespan.evaluate import gather
from ...simulation.model import Floats, Ints, Records
from ...simulation.progress import next_free, next_tick
from .dispatch import (
    BY_LOAD,
    JobList,
    ServerPools,
    choose,
    from_pool,
    line_up,
    put_pool_back,
    take_pool,
)
from .gpus import (
    GpuState,
    choose_held,
    drop_heap,
    end_next,
    finish,
    new_gpus,
    put_back,
    refill,
    start_on_chosen,
)


class Assigned(NamedTuple):
    """The plan, its makespan, and the estimated work assigned to each GPU.

    If the load limit was too low for all jobs, no job has started, and the makespan is infinite.
    """

    plan: PlacedStarts
    makespan: float
    load: Floats


WATCH_COUNTS = record("ready")


class Watch(NamedTuple):
    """The GPUs that waiting jobs watch.

    Waiting jobs that watch GPU g form a heap by `rank` of ``size[g]`` in `heaps` from ``start[g]``
    on. `ready` is a heap of ``counts[0].ready`` jobs to examine now. `source` is the GPU that a job
    there has watched, or -1.
    """

    rank: Ints
    heaps: Ints
    start: Ints
    size: Ints
    ready: Ints
    counts: Records
    source: Ints


@entry
def run_ahead(model: Model, jobs: JobList, split: int, wanted: Ints) -> Assigned:
    """Assign GPUs, to the jobs behind the first `split` from pools, then let the jobs run."""
    total, gpus = model.jobs.size, model.links["gpus"][: model.servers].sum()
    cluster = new_gpus(model, jobs.prefer == BY_LOAD)
    average, servers = np.empty(model.servers), np.empty(model.servers, np.int64)
    pools = ServerPools(wanted, average, servers, np.empty(model.servers, np.int64))
    makespan, admitted = np.inf, _assign(model, cluster, jobs, split, pools)
    load, rank, start = cluster.load.copy(), np.zeros(total, np.int64), np.zeros(gpus + 1, np.int64)
    if admitted:
        rank[jobs.order] = 1 + np.arange(jobs.order.size)
        for gpu in cluster.chosen:
            start[gpu + 1] += 1
        watch = Watch(
            rank,
            np.empty(cluster.chosen.size, np.int64),
            np.cumsum(start),
            np.zeros(gpus, np.int64),
            np.empty(total, np.int64),
            np.zeros(1, WATCH_COUNTS),
            np.full(total, -1),
        )
        drop_heap(cluster)
        makespan = _dispatch(model, cluster, watch, np.argsort(model.jobs["release"]))
    return Assigned(gather(cluster.state, cluster.holds), makespan, load)


@kernel
def _assign(model: Model, cluster: GpuState, jobs: JobList, split: int, pools: ServerPools) -> bool:
    """Let jobs choose GPUs and add their work, and return True if the limit admits all jobs."""
    if choose_held(cluster, jobs.held):
        for job in range(model.jobs.size):
            if jobs.held.first[job] < jobs.held.first[job + 1]:
                for i in range(cluster.first[job], cluster.first[job + 1]):
                    cluster.load[cluster.chosen[i]] += jobs.work[job]
        cluster.held[:] = 0
        refill(cluster)
    for job in jobs.order[:split]:
        if not choose(model, cluster, job, jobs):
            return False
        _add_work(cluster, job, jobs.work[job])
    if split < jobs.order.size:
        drop_heap(cluster)
        line_up(model, cluster, pools)
    for job in jobs.order[split:]:
        size = take_pool(model, pools, job)
        load = jobs.limit - jobs.work[job]
        if not from_pool(model, cluster, job, load, pools.pool[:size]):
            return False
        _add_work(cluster, job, jobs.work[job])
        put_pool_back(model, cluster, pools, size)
    return True


@kernel
def _add_work(cluster: GpuState, job: int, work: float) -> None:
    for i in range(cluster.first[job], cluster.first[job + 1]):
        cluster.load[cluster.chosen[i]] += work
        if cluster.counts[0].by_load:
            put_back(cluster, cluster.chosen[i])


@kernel
def _dispatch(model: Model, cluster: GpuState, watch: Watch, coming: Ints) -> float:
    """Start all jobs, `coming` ones after their releases, and return the makespan."""
    now, arrived = 0.0, 0
    while True:
        while (
            arrived < coming.size and next_tick(model, model.jobs[coming[arrived]].release) <= now
        ):
            _look_at(watch, coming[arrived])
            arrived += 1
        _start_ready(model, cluster, watch, now)
        now = next_free(model, cluster.state)
        if arrived < coming.size:
            now = min(now, next_tick(model, model.jobs[coming[arrived]].release))
        if now == np.inf:
            return finish(model, cluster)
        while next_free(model, cluster.state) <= now:
            job = end_next(model, cluster)
            for i in range(cluster.first[job], cluster.first[job + 1]):
                _freed(watch, cluster.chosen[i])


@kernel
def _look_at(watch: Watch, job: int) -> None:
    push(watch.ready, watch.counts[0].ready, watch.rank, job)
    watch.counts[0].ready += 1


@kernel
def _freed(watch: Watch, gpu: int) -> None:
    """Look at the first job that watches `gpu`, if any."""
    if watch.size[gpu] > 0:
        heap = watch.heaps[watch.start[gpu] : watch.start[gpu + 1]]
        job = pop_least(heap, watch.size[gpu], watch.rank)
        watch.size[gpu] -= 1
        watch.source[job] = gpu
        _look_at(watch, job)


@kernel
def _start_ready(model: Model, cluster: GpuState, watch: Watch, now: float) -> None:
    """Start ready jobs whose GPUs are all free. Each other job watches a busy GPU from now on."""
    while watch.counts[0].ready > 0:
        job = pop_least(watch.ready, watch.counts[0].ready, watch.rank)
        watch.counts[0].ready -= 1
        busy = _busy(cluster, job)
        if busy < 0:
            start_on_chosen(model, cluster, job, 0.0, now)
            continue
        heap = watch.heaps[watch.start[busy] : watch.start[busy + 1]]
        push(heap, watch.size[busy], watch.rank, job)
        watch.size[busy] += 1
        if watch.source[job] >= 0 and cluster.held[watch.source[job]] == 0:
            _freed(watch, watch.source[job])


@kernel
def _busy(cluster: GpuState, job: int) -> int:
    """Return a busy GPU of `job`, or -1."""
    for i in range(cluster.first[job], cluster.first[job + 1]):
        if cluster.held[cluster.chosen[i]]:
            return int(cluster.chosen[i])
    return -1
