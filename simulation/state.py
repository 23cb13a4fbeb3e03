"""The state that kernels change: running jobs, their servers and their progress."""

from typing import NamedTuple

import numpy as np

from .jit import entry, kernel, record
from .model import FLUID, Ints, Model, Records

RUN = record(
    "units most first crossings mark place item",
    floats="start end due limit remaining since rate fixed_s factor error shared margin "
    "denominator",
)
"""A job's progress: `remaining` iterations at `since`, advancing at `rate` per slot, so that it is
`due`, and by `limit` at the latest. `place` is its slot in the queue, and `item` the job that holds
slot number j. The rounding error of `remaining` is at most all its work times the sum of `error`
and `shared`, the part of fair shares. From `margin` on, the error could have decided when it is
due. The error is a fraction whose denominator is at most `denominator`. `units` are its overhead
units."""

CROSSING = record("link owner after ahead")
"""A ring on a link, chained with the other rings there."""

LOAD = record("free rings head unfilled", floats="width error")
"""A link's free GPUs (if it is a server's), the rings on it, and the first of their chain.

`unfilled`, `width`, `error` and the links of `State` are scratch for sharing links.
"""

COUNTERS = record("queued used stamp")
"""The length of the queue, the crossings taken, and the latest mark."""


class State(NamedTuple):
    """Running jobs with their progress, and for every link the rings that cross it.

    A ring's crossings are ``first .. first + crossings``. The chains let an event visit the
    rings that share a link with it and no other.
    """

    runs: Records
    crossings: Records
    loads: Records
    counters: Records
    links: Ints


@entry
def new_state(model: Model, room: int) -> State:
    """Return the state before anything starts. `room` bounds the pieces of all jobs."""
    runs = np.zeros(model.jobs.size, RUN)
    for j in range(runs.size):
        runs[j].start = np.inf
        runs[j].end = np.inf
        runs[j].due = np.inf
        runs[j].limit = np.inf
        runs[j].remaining = model.jobs[j].iterations
        runs[j].place = -1
    loads = np.zeros(model.links.size, LOAD)
    for s in range(loads.size):
        loads[s].free = model.links[s].gpus
        loads[s].head = -1
    tiers = 3 if model.contention == FLUID else 1
    crossings = np.empty(tiers * room, CROSSING)
    return State(runs, crossings, loads, np.zeros(1, COUNTERS), np.empty(loads.size, np.int64))


@kernel
def cross(state: State, job: int, link: int) -> None:
    """Let the ring of `job` cross `link` from now on."""
    k = state.counters[0].used
    state.counters[0].used = k + 1
    state.runs[job].crossings += 1
    behind = state.loads[link].head
    crossing = state.crossings[k]
    crossing.link = link
    crossing.owner = job
    crossing.after = behind
    crossing.ahead = -1
    if behind >= 0:
        state.crossings[behind].ahead = k
    state.loads[link].head = k
    state.loads[link].rings += 1


@kernel
def uncross(state: State, job: int) -> None:
    """Take the ring of `job` off its links."""
    first = state.runs[job].first
    for k in range(first, first + state.runs[job].crossings):
        crossing = state.crossings[k]
        if crossing.ahead >= 0:
            state.crossings[crossing.ahead].after = crossing.after
        else:
            state.loads[crossing.link].head = crossing.after
        if crossing.after >= 0:
            state.crossings[crossing.after].ahead = crossing.ahead
        state.loads[crossing.link].rings -= 1
