"""The GPUs of a cluster one by one: who holds them, and how much work each was given."""

from typing import NamedTuple

import numpy as np

from ...simulation.events import end_job, start_job
from ...simulation.heaps import next_end, pop, pop_least, push
from ...simulation.jit import entry, kernel, record
from ...simulation.makespan.evaluate import HeldPieces, PlacedStarts, new_holds
from ...simulation.model import Floats, Ints, Model, Records, may_use
from ...simulation.progress import next_free, next_tick
from ...simulation.state import State, new_state

GPU_COUNTS = record("used heap by_load")
"""The pieces handed out, the length of the heap, and whether it has all idle GPUs."""


class GpuState(NamedTuple):
    """A cluster whose GPUs are distinguished, during a run.

    GPU g stands on ``server_of[g]``, has ``load[g]`` slots of estimated work behind it and is
    ``held[g]`` or idle. Server s has GPUs ``gpus_from[s]`` to ``gpus_from[s+1] - 1``. Job j holds
    ``chosen[first[j]:first[j+1]]``, its pieces in `holds`. `idle` is a heap of ``counts[0].heap``
    GPUs, least loaded first. It has all idle GPUs, or is empty between choices. `here` are the GPUs
    by server that a job starts on.
    """

    state: State
    server_of: Ints
    gpus_from: Ints
    load: Floats
    held: Ints
    first: Ints
    chosen: Ints
    holds: HeldPieces
    counts: Records
    here: Ints
    idle: Ints


@entry
def new_gpus(model: Model, by_load: bool) -> GpuState:
    """Return an idle cluster."""
    jobs = model.jobs.size
    first = np.zeros(jobs + 1, np.int64)
    for j in range(jobs):
        first[j + 1] = first[j] + model.jobs[j].gpus
    gpus_from = np.zeros(model.servers + 1, np.int64)
    for s in range(model.servers):
        gpus_from[s + 1] = gpus_from[s] + model.links[s].gpus
    room, total = first[jobs], gpus_from[model.servers]
    server_of = np.empty(total, np.int64)
    for s in range(model.servers):
        server_of[gpus_from[s] : gpus_from[s + 1]] = s
    counts = np.zeros(1, GPU_COUNTS)
    counts[0].heap, counts[0].by_load = total if by_load else 0, by_load
    return GpuState(
        new_state(model, room),
        server_of,
        gpus_from,
        np.zeros(total),
        np.zeros(total, np.int64),
        first,
        np.empty(room, np.int64),
        new_holds(model, room),
        counts,
        np.zeros(model.servers, np.int64),
        np.arange(total),
    )


@kernel
def choose_held(cluster: GpuState, held: PlacedStarts) -> bool:
    """Choose GPUs for the jobs that have pieces in `held`, and return True if there are any.

    The GPUs are marked as held, so no two jobs get the same.
    """
    for job in range(held.first.size - 1):
        i = cluster.first[job]
        for k in range(held.first[job], held.first[job + 1]):
            server, left = held.servers[k], held.pieces[k]
            for gpu in range(cluster.gpus_from[server], cluster.gpus_from[server + 1]):
                if left > 0 and cluster.held[gpu] == 0:
                    cluster.held[gpu], cluster.chosen[i] = 1, gpu
                    left, i = left - 1, i + 1
    return held.servers.size > 0


@kernel
def begin(model: Model, cluster: GpuState, held: PlacedStarts, work: Floats) -> None:
    """Start the jobs that have pieces in `held`, at slot 0."""
    if not choose_held(cluster, held):
        return
    for job in range(held.first.size - 1):
        if held.first[job] < held.first[job + 1]:
            start_on_chosen(model, cluster, job, work[job], 0.0)
    refill(cluster)


@kernel
def refill(cluster: GpuState) -> None:
    """Make the heap of all idle GPUs again, if there is one."""
    if cluster.counts[0].by_load:
        cluster.counts[0].heap = 0
        for gpu in range(cluster.load.size):
            if cluster.held[gpu] == 0:
                put_back(cluster, gpu)


@kernel
def drop_heap(cluster: GpuState) -> None:
    """Do without the heap of all idle GPUs from now on."""
    cluster.counts[0].heap = cluster.counts[0].by_load = 0


@kernel
def is_offered(model: Model, cluster: GpuState, job: int, gpu: int, load: float) -> bool:
    """Return True if a job may take a GPU: idle, with at most `load`, on a server open to it."""
    idle = cluster.held[gpu] == 0 and cluster.load[gpu] <= load
    return bool(idle and may_use(model, job, cluster.server_of[gpu]))


@kernel
def start_on_chosen(model: Model, cluster: GpuState, job: int, work: float, now: float) -> None:
    """Start `job` on the GPUs in its part of `chosen`, adding `work` to their loads."""
    holds, a = cluster.holds, cluster.counts[0].used
    used = a
    for i in range(cluster.first[job], cluster.first[job + 1]):
        gpu = cluster.chosen[i]
        cluster.held[gpu] = 1
        cluster.load[gpu] += work
        server = cluster.server_of[gpu]
        if cluster.here[server] == 0:
            holds.servers[used] = server
            used += 1
        cluster.here[server] += 1
    for k in range(a, used):
        holds.pieces[k] = cluster.here[holds.servers[k]]
        cluster.here[holds.servers[k]] = 0
    cluster.counts[0].used = used
    holds.begin[job], holds.stop[job] = a, used
    start_job(model, cluster.state, job, holds.servers, holds.pieces, a, used, now)


@kernel
def end_next(model: Model, cluster: GpuState) -> int:
    """Let the running job that is due next end, and free its GPUs."""
    job, holds = pop(cluster.state), cluster.holds
    a, b = holds.begin[job], holds.stop[job]
    end_job(model, cluster.state, job, holds.servers, holds.pieces, a, b)
    for i in range(cluster.first[job], cluster.first[job + 1]):
        cluster.held[cluster.chosen[i]] = 0
        if cluster.counts[0].by_load:
            put_back(cluster, cluster.chosen[i])
    return job


@kernel
def put_back(cluster: GpuState, gpu: int) -> None:
    """Add a GPU to the heap of idle ones."""
    push(cluster.idle, cluster.counts[0].heap, cluster.load, gpu)
    cluster.counts[0].heap += 1


@kernel
def take_lightest(cluster: GpuState) -> int:
    """Remove the least loaded GPU, ties by number, from the heap of idle ones."""
    gpu = pop_least(cluster.idle, cluster.counts[0].heap, cluster.load)
    cluster.counts[0].heap -= 1
    return gpu


@kernel
def put_idle_ones(cluster: GpuState, server: int, load: float) -> int:
    """Add the idle GPUs of `server` with at most `load` to the heap, and return their number."""
    before = cluster.counts[0].heap
    for gpu in range(cluster.gpus_from[server], cluster.gpus_from[server + 1]):
        if cluster.held[gpu] == 0 and cluster.load[gpu] <= load:
            put_back(cluster, gpu)
    return int(cluster.counts[0].heap - before)


@kernel
def advance(model: Model, cluster: GpuState) -> float:
    """Move to the next end, let all jobs due by then end, and return the time."""
    return move_to(model, cluster, next_free(model, cluster.state))


@kernel
def move_to(model: Model, cluster: GpuState, now: float) -> float:
    """Let all jobs due by `now` end, and return `now`."""
    while next_free(model, cluster.state) <= now:
        end_next(model, cluster)
    return now


@kernel
def wait_for(model: Model, cluster: GpuState, job: int, now: float) -> float:
    """Move on, end by end, until `job` is released, and return the time."""
    release = model.jobs[job].release
    while now < release:
        if next_free(model, cluster.state) <= release:
            now = advance(model, cluster)
        else:
            now = move_to(model, cluster, next_tick(model, release))
    return now


@kernel
def finish(model: Model, cluster: GpuState) -> float:
    """Let all running jobs end and return the makespan, or infinity if one never ends."""
    while next_end(cluster.state) < np.inf:
        end_next(model, cluster)
    last = 0.0
    for j in range(model.jobs.size):
        last = max(last, cluster.state.runs[j].end)
    return last
