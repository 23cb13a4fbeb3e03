"""List scheduling of jobs whose servers are assigned: who fits where it belongs overtakes.

At every event the waiting jobs are looked at in their order; a job starts if its servers have
the GPUs that it is to have there.
"""

import numpy as np

from ...simulation import Model, PlacedStarts
from ...simulation.events import end_job, start_job
from ...simulation.jit import entry, kernel
from ...simulation.model import Floats, Ints
from ...simulation.progress import next_free, next_tick
from ...simulation.queue import next_end, pop
from ...simulation.state import State, new_state


def dispatch_assigned(model: Model, order: Ints, gpus: Ints) -> tuple[PlacedStarts, float]:
    """Return the plan and its makespan; `gpus` has a row for each job, a column for each server."""
    jobs, servers = np.nonzero(gpus)
    first = np.searchsorted(jobs, np.arange(len(gpus) + 1))
    pieces = np.ascontiguousarray(gpus[jobs, servers])
    start, makespan = _dispatch(model, order, first, servers, pieces)
    return PlacedStarts(start, first, servers, pieces), float(makespan)


@entry
def _dispatch(
    model: Model, order: Ints, first: Ints, servers: Ints, pieces: Ints
) -> tuple[Floats, float]:
    """Return the starts of all jobs, and the makespan: infinity if some job never ends."""
    state = new_state(model, servers.size)
    makespan = _serve(model, state, order.copy(), first, servers, pieces)
    return state.runs["start"].copy(), makespan


@kernel
def _serve(
    model: Model, state: State, waiting: Ints, first: Ints, servers: Ints, pieces: Ints
) -> float:
    count, now = waiting.size, 0.0
    while count > 0:
        kept, soonest = 0, np.inf
        for i in range(count):
            job = waiting[i]
            a, b = first[job], first[job + 1]
            release = next_tick(model, model.jobs[job].release)
            if release <= now and _fits(state, servers, pieces, a, b):
                start_job(model, state, job, servers, pieces, a, b, now)
                continue
            if release > now:
                soonest = min(soonest, release)
            waiting[kept] = job
            kept += 1
        count, now = kept, min(soonest, next_free(model, state))
        if now == np.inf and count > 0:
            return np.inf
        _end_until(model, state, first, servers, pieces, now)
    _end_until(model, state, first, servers, pieces, np.inf)
    makespan = 0.0
    for j in range(model.jobs.size):
        makespan = max(makespan, state.runs[j].end)
    return makespan


@kernel
def _fits(state: State, servers: Ints, pieces: Ints, a: int, b: int) -> bool:
    short = 0
    for i in range(a, b):
        short += state.loads[servers[i]].free < pieces[i]
    return short == 0


@kernel
def _end_until(
    model: Model, state: State, first: Ints, servers: Ints, pieces: Ints, now: float
) -> None:
    while next_free(model, state) <= now and next_end(state) < np.inf:
        job = pop(state)
        end_job(model, state, job, servers, pieces, first[job], first[job + 1])
