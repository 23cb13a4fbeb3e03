"""SJF-BCO with a proof: every job is assigned its GPUs first, then jobs start as these get free.

Jobs come by number of GPUs, ascending. Each is assigned the least loaded GPUs of the whole
cluster, busy or not, without a limit on loads. Afterwards the clock runs: a job starts once
all its GPUs are free, whichever others still wait; where two could start, the one assigned
first does. Overtaking is what the printed proof needs and the printed loop does not allow.

While a job waits, at least one of its GPUs is busy. It watches one that is, and is looked at
again when that one gets free, in turn with the others that watch it.
"""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from ...instances import MakespanInstance, Outcome, Stop
from ...simulation import Model, PlacedStarts, build_model
from ...simulation.heaps import pop_least, push
from ...simulation.jit import entry, kernel
from ...simulation.makespan.evaluate import gather
from ...simulation.model import Floats, Ints, Records
from ...simulation.progress import next_free, next_tick
from ...simulation.records import record
from ..request import Request
from .fa_ffp import lightest
from .gpus import GpuState, drop_heap, end_next, finish, new_gpus, put_back, start_on_chosen
from .incumbent import NEVER, Incumbent
from .load_limit import Estimate, Ties, estimates, order_by_gpus


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the assignment goes by."""

    estimate: Annotated[Estimate, "execution time at the slowest, or at the fastest"] = "slowest"
    ties: Annotated[Ties, "who is first among jobs of as many GPUs"] = "longest"


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return the one schedule there is; nothing in it is random."""
    model, work = build_model(instance), estimates(instance, request.options.estimate)
    order = order_by_gpus(instance, work, request.options.ties)
    best = Incumbent(instance, request.limits, "sjf-bco-proved")
    found = assign_and_dispatch(model, order, work)
    best.offer(found.plan, found.makespan)
    return best.outcome(Stop.DONE, NEVER)


class Assigned(NamedTuple):
    """The plan, its makespan, and for every GPU the estimated work assigned to it."""

    plan: PlacedStarts
    makespan: float
    load: Floats


WATCH_COUNTS = record("ready")


class Watch(NamedTuple):
    """Who waits for which GPU.

    Waiting jobs that watch GPU g are a heap by `rank` of ``size[g]`` in `heaps` from
    ``start[g]`` on; `ready` is a heap of ``counts[0].ready`` jobs to look at
    now. `source` is the GPU that a job there has watched, -1 if none.
    """

    rank: Ints
    heaps: Ints
    start: Ints
    size: Ints
    ready: Ints
    counts: Records
    source: Ints


@entry
def assign_and_dispatch(model: Model, order: Ints, work: Floats) -> Assigned:
    """Assign GPUs to the jobs in `order`, then let them start as their GPUs get free."""
    jobs, gpus = model.jobs.size, model.links["gpus"][: model.servers].sum()
    cluster = new_gpus(model, True)
    start = np.zeros(gpus + 1, np.int64)
    for job in order:
        _assign(model, cluster, job, work[job])
        for i in range(cluster.first[job], cluster.first[job + 1]):
            start[cluster.chosen[i] + 1] += 1
    load, rank = cluster.load.copy(), np.empty(jobs, np.int64)
    rank[order] = np.arange(jobs)
    watch = Watch(
        rank,
        np.empty(cluster.chosen.size, np.int64),
        np.cumsum(start),
        np.zeros(gpus, np.int64),
        np.empty(jobs, np.int64),
        np.zeros(1, WATCH_COUNTS),
        np.full(jobs, -1),
    )
    drop_heap(cluster)
    makespan = _dispatch(model, cluster, watch, np.argsort(model.jobs["release"]))
    return Assigned(gather(cluster.state, cluster.holds), makespan, load)


@kernel
def _assign(model: Model, cluster: GpuState, job: int, work: float) -> None:
    """Let `job` choose the least loaded GPUs, and add `work` to them."""
    lightest(model, cluster, job, np.inf)
    for i in range(cluster.first[job], cluster.first[job + 1]):
        cluster.load[cluster.chosen[i]] += work
        put_back(cluster, cluster.chosen[i])


@kernel
def _dispatch(model: Model, cluster: GpuState, watch: Watch, coming: Ints) -> float:
    """Start all jobs, those of `coming` after their releases, and return the makespan."""
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
    """Start every ready job whose GPUs are all free; the others watch a busy one from now on."""
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
    """Return a GPU of `job` that is busy, -1 if none is."""
    for i in range(cluster.first[job], cluster.first[job + 1]):
        if cluster.held[cluster.chosen[i]]:
            return int(cluster.chosen[i])
    return -1
