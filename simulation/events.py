"""The two events: a job starts on its servers, a job ends and leaves them."""

import numpy as np

from .contention import recompute
from .jit import kernel
from .model import FLUID, MAX_WORKERS, PAPER, Ints, Model
from .progress import ROUNDING
from .queue import put
from .state import State, cross, uncross


@kernel
def start_job(
    model: Model, state: State, job: int, servers: Ints, pieces: Ints, a: int, b: int, now: float
) -> None:
    """Start `job` at `now` with ``pieces[i]`` GPUs on ``servers[i]`` for i from a to b - 1."""
    touched, most = b - a, 0
    for i in range(a, b):
        state.loads[servers[i]].free -= pieces[i]
        most = max(most, pieces[i])
    run, fixed = state.runs[job], model.jobs[job]
    run.start = now
    run.since = now
    run.first = state.counters[0].used
    if touched == 1:
        put(state, job, now + fixed.alone)
        return
    run.units = 1
    if model.overhead == PAPER:
        run.units = touched
    elif model.overhead == MAX_WORKERS:
        run.units = most
    run.fixed_s = fixed.spread_s + run.units * model.overhead_s
    run.error, run.shared, run.margin, run.denominator = ROUNDING, 0.0, np.inf, 1.0
    run.factor, run.most = 0.0, 0
    take_links(model, state, job, servers, a, b)
    recompute(model, state, job, now, True)


@kernel
def take_links(model: Model, state: State, job: int, servers: Ints, a: int, b: int) -> None:
    """Let the ring of `job` cross the links between the servers ``a .. b - 1`` of a list."""
    for i in range(a, b):
        cross(state, job, servers[i])
    if model.contention == FLUID:
        leaves, spines = False, False
        first = model.links[servers[a]]
        for i in range(a, b):
            leaves = leaves or model.links[servers[i]].leaf != first.leaf
            spines = spines or model.links[servers[i]].spine != first.spine
        for i in range(a, b):
            if leaves:
                _cross_once(state, job, model.links[servers[i]].leaf)
            if spines:
                _cross_once(state, job, model.links[servers[i]].spine)


@kernel
def _cross_once(state: State, job: int, link: int) -> None:
    for c in range(state.runs[job].first, state.counters[0].used):
        if state.crossings[c].link == link:
            return
    cross(state, job, link)


@kernel
def end_job(
    model: Model, state: State, job: int, servers: Ints, pieces: Ints, a: int, b: int
) -> None:
    """Let `job` end when it is due, giving back its GPUs, given as in `start_job`."""
    now = state.runs[job].due
    state.runs[job].end = now
    for i in range(a, b):
        state.loads[servers[i]].free += pieces[i]
    if state.runs[job].crossings > 0:
        uncross(state, job)
        recompute(model, state, job, now, False)
