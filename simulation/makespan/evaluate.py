"""Evaluate a complete plan: given starts and GPUs per server, when does each job end?"""

from typing import NamedTuple

import numpy as np

from ..events import end_job, start_job
from ..jit import entry, kernel
from ..model import Floats, Ints, Model
from ..queue import next_end, pop
from ..state import State, new_state


class PlacedStarts(NamedTuple):
    """Starts and pieces: job j has ``pieces[first[j]:first[j+1]]`` on the same `servers`."""

    start: Floats
    first: Ints
    servers: Ints
    pieces: Ints


class HeldPieces(NamedTuple):
    """What started jobs hold: job j the pieces ``begin[j] .. stop[j] - 1`` of its `servers`."""

    begin: Ints
    stop: Ints
    servers: Ints
    pieces: Ints


class Result(NamedTuple):
    """Ends of all jobs (infinite if never), the makespan, and the deepest overbooking."""

    end: Floats
    makespan: float
    excess: int


@entry
def evaluate(model: Model, plan: PlacedStarts) -> Result:
    """Run `plan` through contention and progress; needs no feasibility, reports `excess`."""
    state = new_state(model, plan.servers.size)
    end = np.empty(plan.start.size)
    excess = _run(model, state, plan, np.argsort(plan.start), end)
    return Result(end, end.max(), excess)


@kernel
def _run(model: Model, state: State, plan: PlacedStarts, order: Ints, end: Floats) -> int:
    excess = 0
    for job in order:
        now = plan.start[job]
        while next_end(state) <= now:
            _end_first(model, state, plan)
        a, b = plan.first[job], plan.first[job + 1]
        start_job(model, state, job, plan.servers, plan.pieces, a, b, now)
        for i in range(a, b):
            excess = max(excess, -state.loads[plan.servers[i]].free)
    while next_end(state) < np.inf:
        _end_first(model, state, plan)
    for j in range(end.size):
        end[j] = state.runs[j].end
    return excess


@kernel
def _end_first(model: Model, state: State, plan: PlacedStarts) -> None:
    job = pop(state)
    a, b = plan.first[job], plan.first[job + 1]
    end_job(model, state, job, plan.servers, plan.pieces, a, b)


@entry
def new_holds(model: Model, room: int) -> HeldPieces:
    """Return room for so many pieces of all jobs."""
    begin, stop = np.zeros(model.jobs.size, np.int64), np.zeros(model.jobs.size, np.int64)
    return HeldPieces(begin, stop, np.empty(room, np.int64), np.empty(room, np.int64))


@entry
def gather(state: State, holds: HeldPieces) -> PlacedStarts:
    """Return what has been started as a plan."""
    begin, stop, jobs = holds.begin, holds.stop, holds.begin.size
    start, first = np.empty(jobs), np.zeros(jobs + 1, np.int64)
    for j in range(jobs):
        start[j] = state.runs[j].start
        first[j + 1] = first[j] + stop[j] - begin[j]
    own_servers, own_pieces = np.empty(first[jobs], np.int64), np.empty(first[jobs], np.int64)
    for j in range(jobs):
        for i in range(stop[j] - begin[j]):
            own_servers[first[j] + i] = holds.servers[begin[j] + i]
            own_pieces[first[j] + i] = holds.pieces[begin[j] + i]
    return PlacedStarts(start, first, own_servers, own_pieces)
