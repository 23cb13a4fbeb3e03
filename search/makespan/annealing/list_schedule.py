"""From an order of jobs and a rule for each to a schedule: list scheduling with overtaking.

At every event the waiting jobs try to start on idle GPUs in their order. A job without a place by
its rule lets other jobs overtake, unless it is a barrier. The engine keeps the clock, so contention
is exact. The kernel allocates no memory, and abandons a schedule once it is certain to exceed the
limit.
"""

from typing import NamedTuple

import numpy as np

from ....simulation import Model
from ....simulation.events import end_job, start_job
from ....simulation.heaps import next_end, pop
from ....simulation.jit import entry, kernel
from ....simulation.makespan.evaluate import PlacedStarts
from ....simulation.model import Floats, Ints, open_to
from ....simulation.progress import next_free, next_tick
from ....simulation.state import State, new_state
from .placement_rules import (
    LEVELS,
    RULES,
    ServerLists,
    choose,
    fill,
    idle,
    new_lists,
    put_back,
    take_off,
)

BARRIER = RULES
"""Added to a job's rule: no job behind it in the order overtakes it."""


class DecodingScratch(NamedTuple):
    """All scratch memory of decoding, allocated once.

    Jobs with the same GPUs, group and rule are of one kind, ``size[j]`` plus the rule: if one finds
    no place at a moment, no job of the kind does. `after` chains the waiting jobs. `least` has the
    fewest slots of each job. For each group, `largest` has the GPUs of the largest server that it
    may use.
    """

    state: State
    lists: ServerLists
    release: Floats
    releases: Floats
    least: Floats
    size: Ints
    after: Ints
    failed: Ints
    waiting: Ints
    gpus: int
    largest: Ints
    given: PlacedStarts
    """The pieces of jobs with a given place. They start at their `release` or once it is free."""


def new_scratch(model: Model, least: Floats) -> DecodingScratch:
    """Return the arrays for an instance. `least` has the fewest slots of each job."""
    jobs, may, gpus = model.jobs, open_to(model), model.links["gpus"][: model.servers]
    release = np.array([next_tick(model, float(slot)) for slot in jobs["release"]])
    sizes = jobs["gpus"] * len(may) + jobs["group"]
    distinct, lists = np.unique(sizes), new_lists(model)
    nothing = np.empty(0, np.int64)
    return DecodingScratch(
        new_state(model, lists.holds.servers.size),
        lists,
        release,
        np.unique(release),
        least,
        np.searchsorted(distinct, sizes) * RULES,
        np.empty(jobs.size + 1, np.int64),
        np.zeros(distinct.size * RULES, np.int64),
        np.zeros(distinct.size * RULES, np.int64),
        int(gpus.sum()),
        np.where(may, gpus, 0).max(axis=1),
        PlacedStarts(np.empty(0), np.zeros(jobs.size + 1, np.int64), nothing, nothing),
    )


def with_given(scratch: DecodingScratch, given: PlacedStarts, since: float) -> DecodingScratch:
    """Let jobs that have pieces in `given` begin there, and no other before a moment."""
    release = np.where(np.diff(given.first) > 0, given.start, np.maximum(scratch.release, since))
    return scratch._replace(release=release, releases=np.unique(release), given=given)


@kernel
def decode(
    model: Model, scratch: DecodingScratch, order: Ints, rules: Ints, goal: float, allowed: float
) -> float:
    """Schedule all jobs and return the makespan.

    Returns infinity if some job never ends, or as soon as it is certain that more than
    `allowed` GPU-slots would be worked after `goal`.
    """
    live = _prepare(model, scratch, order, rules)
    now, event, coming = scratch.releases[0], 0, 0
    work = 0.0
    for j in range(order.size):
        work += model.jobs[j].gpus * scratch.least[j]
    lost, over = work - max(0.0, goal - now) * scratch.gpus - allowed, -allowed
    while True:
        event += 1
        live, over = _offer(model, scratch, rules, now, event, live, goal, over)
        if live == 0:
            break
        while coming < scratch.releases.size and scratch.releases[coming] <= now:
            coming += 1
        soonest = next_free(model, scratch.state)
        if coming < scratch.releases.size:
            soonest = min(soonest, scratch.releases[coming])
        lost += max(0.0, min(soonest, goal) - now) * idle(scratch.lists, LEVELS)
        if over > 0.0 or lost > 0.0 or soonest == np.inf:
            return np.inf
        now = soonest
        lost += _end_until(model, scratch, now)
    _end_until(model, scratch, np.inf)
    makespan = 0.0
    for j in range(order.size):
        makespan = max(makespan, scratch.state.runs[j].end)
    return makespan


@kernel
def _prepare(model: Model, scratch: DecodingScratch, order: Ints, rules: Ints) -> int:
    """Restore the state before any start, and return the number of waiting kinds."""
    state = scratch.state
    for j in range(model.jobs.size):
        run = state.runs[j]
        run.start = np.inf
        run.end = np.inf
        run.due = np.inf
        run.remaining = model.jobs[j].iterations
        run.crossings = 0
        run.mark = 0
        run.place = -1
    for s in range(state.loads.size):
        state.loads[s].free = model.links[s].gpus
        state.loads[s].rings = 0
        state.loads[s].head = -1
    counters = state.counters[0]
    counters.queued, counters.used, counters.stamp = 0, 0, 0
    fill(state, scratch.lists)
    scratch.failed[:] = 0
    scratch.waiting[:] = 0
    previous, live = order.size, 0
    first = scratch.given.first
    # Jobs with a given place come before other jobs choose.
    for turn in range(1 if first[-1] == 0 else 0, 2):
        for job in order:
            if (first[job] == first[job + 1]) == turn:
                scratch.after[previous] = job
                previous = job
                kind = scratch.size[job] + rules[job] % RULES
                live += scratch.waiting[kind] == 0
                scratch.waiting[kind] += 1
    scratch.after[previous] = -1
    return live


@kernel
def _offer(
    model: Model,
    scratch: DecodingScratch,
    rules: Ints,
    now: float,
    event: int,
    live: int,
    goal: float,
    over: float,
) -> tuple[int, float]:
    """Start jobs that fit, and return the number of waiting kinds, and the work after `goal`."""
    lists, given, failures = scratch.lists, scratch.given, 0
    previous = scratch.after.size - 1
    job = scratch.after[previous]
    while job >= 0 and failures < live and idle(lists, LEVELS) > 0:
        kind = scratch.size[job] + rules[job] % RULES
        a = b = lists.tally[0].used
        if scratch.release[job] <= now:
            if given.first[job] < given.first[job + 1]:
                b = _take_given(scratch.state, lists, given, job)
            elif scratch.failed[kind] != event:
                largest = scratch.largest[model.jobs[job].group]
                b = choose(model, scratch.state, lists, job, rules[job] % RULES, largest)
                if b == a:
                    scratch.failed[kind] = event
                    failures += 1
        if b > a:
            _start(model, scratch, job, b, now)
            over += max(0.0, now + scratch.least[job] - goal) * model.jobs[job].gpus
            scratch.waiting[kind] -= 1
            live -= scratch.waiting[kind] == 0
            scratch.after[previous] = scratch.after[job]
        elif rules[job] >= BARRIER and given.first[job] == given.first[job + 1]:
            break
        else:
            previous = job
        job = scratch.after[previous]
    return live, over


@kernel
def _take_given(state: State, lists: ServerLists, given: PlacedStarts, job: int) -> int:
    """Append the pieces given for a job to those in use, if they are free, and return the end."""
    a, first, last = lists.tally[0].used, given.first[job], given.first[job + 1]
    for i in range(first, last):
        if state.loads[given.servers[i]].free < given.pieces[i]:
            return int(a)
    for i in range(first, last):
        lists.holds.servers[a + i - first] = given.servers[i]
        lists.holds.pieces[a + i - first] = given.pieces[i]
    return int(a + last - first)


@kernel
def _start(model: Model, scratch: DecodingScratch, job: int, b: int, now: float) -> None:
    lists, holds, a = scratch.lists, scratch.lists.holds, scratch.lists.tally[0].used
    holds.begin[job], holds.stop[job], lists.tally[0].used = a, b, b
    for i in range(a, b):
        take_off(scratch.state, lists, holds.servers[i])
    start_job(model, scratch.state, job, holds.servers, holds.pieces, a, b, now)
    for i in range(a, b):
        put_back(scratch.state, lists, holds.servers[i])


@kernel
def _end_until(model: Model, scratch: DecodingScratch, now: float) -> float:
    """End all jobs due by `now`, and return the GPU-slots they used beyond the least."""
    lists, holds, lost = scratch.lists, scratch.lists.holds, 0.0
    while next_free(model, scratch.state) <= now and next_end(scratch.state) < np.inf:
        job = pop(scratch.state)
        a, b = holds.begin[job], holds.stop[job]
        for i in range(a, b):
            take_off(scratch.state, lists, holds.servers[i])
        end_job(model, scratch.state, job, holds.servers, holds.pieces, a, b)
        for i in range(a, b):
            put_back(scratch.state, lists, holds.servers[i])
        run = scratch.state.runs[job]
        lost += model.jobs[job].gpus * (run.end - run.start - scratch.least[job])
    return lost


@entry
def list_schedule(
    model: Model, scratch: DecodingScratch, order: Ints, rules: Ints, goal: float, allowed: float
) -> float:
    """Decode once as `decode` does. The schedule is left in the arrays."""
    return decode(model, scratch, order, rules, goal, allowed)
