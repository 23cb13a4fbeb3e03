"""The GPUs of a cluster one by one: who holds them, and how much work each was given."""

from typing import NamedTuple

import numpy as np

from ...simulation.events import end_job, start_job
from ...simulation.heaps import pop_least, push
from ...simulation.jit import entry, kernel
from ...simulation.makespan.admission import may_use
from ...simulation.model import Floats, Ints, Model
from ...simulation.progress import next_free, next_tick
from ...simulation.queue import next_end, pop
from ...simulation.state import State, new_state


class GpuState(NamedTuple):
    """A cluster whose GPUs are told apart, in the midst of a run.

    GPU g stands on ``server_of[g]``, has ``load[g]`` slots of estimated work behind it and
    is ``held[g]`` or idle; those of server s are ``gpus_from[s]`` to ``gpus_from[s+1] - 1``.
    Job j holds ``chosen[first[j]:first[j+1]]``, which lie in
    ``pieces[piece_first[j]:piece_last[j]]`` on `servers`. `idle` is a heap of ``tally[-1]``
    GPUs, least loaded first: with ``by_load`` all that are idle, else none between choices.
    """

    state: State
    server_of: Ints
    gpus_from: Ints
    load: Floats
    held: Ints
    first: Ints
    chosen: Ints
    piece_first: Ints
    piece_last: Ints
    servers: Ints
    pieces: Ints
    tally: Ints
    idle: Ints
    by_load: bool


@entry
def new_yard(model: Model, by_load: bool) -> GpuState:
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
    tally = np.zeros(model.servers + 2, np.int64)
    tally[-1] = total if by_load else 0
    return GpuState(
        new_state(model, room),
        server_of,
        gpus_from,
        np.zeros(total),
        np.zeros(total, np.int64),
        first,
        np.empty(room, np.int64),
        np.zeros(jobs, np.int64),
        np.zeros(jobs, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        tally,
        np.arange(total),
        by_load,
    )


@entry
def without_heap(yard: GpuState) -> GpuState:
    """Return the same cluster, from now on without the heap of all idle GPUs."""
    yard.tally[-1] = 0
    return GpuState(
        yard.state,
        yard.server_of,
        yard.gpus_from,
        yard.load,
        yard.held,
        yard.first,
        yard.chosen,
        yard.piece_first,
        yard.piece_last,
        yard.servers,
        yard.pieces,
        yard.tally,
        yard.idle,
        False,
    )


@kernel
def is_offered(model: Model, yard: GpuState, job: int, gpu: int, load: float) -> bool:
    """Say whether a job may take a GPU: idle, with at most `load`, on a server open to it."""
    idle = yard.held[gpu] == 0 and yard.load[gpu] <= load
    return bool(idle and may_use(model, job, yard.server_of[gpu]))


@kernel
def start_on_chosen(model: Model, yard: GpuState, job: int, work: float, now: float) -> None:
    """Start `job` on the GPUs in its part of `chosen`, adding `work` to their loads."""
    a = yard.tally[model.servers]
    used = a
    for i in range(yard.first[job], yard.first[job + 1]):
        gpu = yard.chosen[i]
        yard.held[gpu] = 1
        yard.load[gpu] += work
        server = yard.server_of[gpu]
        if yard.tally[server] == 0:
            yard.servers[used] = server
            used += 1
        yard.tally[server] += 1
    for k in range(a, used):
        yard.pieces[k] = yard.tally[yard.servers[k]]
        yard.tally[yard.servers[k]] = 0
    yard.tally[model.servers] = used
    yard.piece_first[job], yard.piece_last[job] = a, used
    start_job(model, yard.state, job, yard.servers, yard.pieces, a, used, now)


@kernel
def end_next(model: Model, yard: GpuState) -> int:
    """Let the running job that is due next end, and free its GPUs."""
    job = pop(yard.state)
    a, b = yard.piece_first[job], yard.piece_last[job]
    end_job(model, yard.state, job, yard.servers, yard.pieces, a, b)
    for i in range(yard.first[job], yard.first[job + 1]):
        yard.held[yard.chosen[i]] = 0
        if yard.by_load:
            put_back(yard, yard.chosen[i])
    return job


@kernel
def put_back(yard: GpuState, gpu: int) -> None:
    """Add a GPU to the heap of idle ones."""
    push(yard.idle, yard.tally[-1], yard.load, gpu)
    yard.tally[-1] += 1


@kernel
def take_lightest(yard: GpuState) -> int:
    """Take the least loaded GPU out of the heap of idle ones; ties by number."""
    gpu = pop_least(yard.idle, yard.tally[-1], yard.load)
    yard.tally[-1] -= 1
    return gpu


@kernel
def put_idle_ones(yard: GpuState, server: int, load: float) -> int:
    """Add the idle GPUs of `server` with at most `load` to the heap; return how many."""
    before = yard.tally[-1]
    for gpu in range(yard.gpus_from[server], yard.gpus_from[server + 1]):
        if yard.held[gpu] == 0 and yard.load[gpu] <= load:
            put_back(yard, gpu)
    return int(yard.tally[-1] - before)


@kernel
def advance(model: Model, yard: GpuState) -> float:
    """Move to the next end, let all jobs due by then end, and return the time."""
    return move_to(model, yard, next_free(model, yard.state))


@kernel
def move_to(model: Model, yard: GpuState, now: float) -> float:
    """Let all jobs due by `now` end, and return `now`."""
    while next_free(model, yard.state) <= now:
        end_next(model, yard)
    return now


@kernel
def wait_for(model: Model, yard: GpuState, job: int, now: float) -> float:
    """Move on, end by end, until `job` is released, and return the time."""
    release = model.jobs[job].release
    while now < release:
        if next_free(model, yard.state) <= release:
            now = advance(model, yard)
        else:
            now = move_to(model, yard, next_tick(model, release))
    return now


@kernel
def finish(model: Model, yard: GpuState) -> float:
    """Let all running jobs end and return the makespan; infinity if one never ends."""
    while next_end(yard.state) < np.inf:
        end_next(model, yard)
    last = 0.0
    for j in range(model.jobs.size):
        last = max(last, yard.state.runs[j].end)
    return last
