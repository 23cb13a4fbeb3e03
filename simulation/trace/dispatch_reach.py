"""Serve the queue by rank where some jobs may use some servers only, or idle GPUs are offered.

Counting GPUs does not tell who fits there, or who waits for servers that come free later. So jobs
are placed one by one in the order of their ranks: who runs, stays; who waits takes GPUs that are
free or, where the rules allow it, held by jobs behind it. Of these, those at the end of the queue
are the first to go.

In the course of this, less and less can be had. So where a job finds no GPUs, those behind it
that want as many of the same servers find none either.
"""

from ..jit import kernel
from ..state import State
from .dispatch import ask
from .placement.place import PROFILE, choose
from .queue import sort_queue
from .records import RUNNING, WAITING, WHOLE, EngineLog, TraceData, TraceEngine
from .runs import start_run, stop_run


@kernel
def dispatch_in_reach(engine: TraceEngine) -> None:
    """Start, and where the rules allow it stop, jobs in the order of their ranks."""
    trace, data, rules = engine.trace, engine.data, engine.rules
    counts = trace.counts[0]
    sort_queue(trace, rules.stable)
    _count_room(engine)
    counts.stamp += 1
    for i in range(counts.ordered):
        if trace.room[0] < WHOLE:
            return
        job = trace.order[i]
        life = trace.lives[job]
        if life.status == WAITING:
            pieces, width, reach = 0, engine.model.jobs[job].gpus, data.reach[job]
            told = rules.placement != PROFILE or data.skew[job] > rules.skewed
            hopeless = told and trace.vain[reach, width] == counts.stamp
            if WHOLE * width <= trace.room[reach] and not hopeless:
                pieces = choose(engine, job, width, WHOLE)
                if pieces == 0 and rules.preempts:
                    pieces = make_room(engine, i, width, WHOLE)
                if pieces == 0 and told:
                    trace.vain[reach, width] = counts.stamp
            if pieces == 0:
                if rules.blocks:
                    return
                continue
            fresh = life.first < 0
            start_run(engine, job, WHOLE, pieces)
            if fresh and rules.starts:
                ask(trace, job)
            _use_room(trace, data, job)
        elif rules.preempts:
            _use_room(trace, data, job)


@kernel
def make_room(engine: TraceEngine, i: int, width: int, share: int) -> int:
    """Choose GPUs for a job of the queue that finds none free, and stop who held them behind it.

    From as late a place of the queue as possible all are asked to give theirs, and whoever then
    fits beside the job stays. If there is no such place, the number of servers is 0.
    """
    state, trace = engine.state, engine.trace
    job, first, last = trace.order[i], i + 1, trace.counts[0].ordered
    _hold_all(state, trace, first, last, -1)
    if choose(engine, job, width, share) == 0:
        _hold_all(state, trace, first, last, 1)
        return 0
    while last - first > 1:
        middle = (first + last) // 2
        _hold_all(state, trace, first, middle, 1)
        if choose(engine, job, width, share) > 0:
            first = middle
        else:
            _hold_all(state, trace, first, middle, -1)
            last = middle
    pieces = choose(engine, job, width, share)
    _take_chosen(state, trace, share, pieces)
    for k in range(first, trace.counts[0].ordered):
        other = trace.order[k]
        if trace.lives[other].status == RUNNING:
            stays = _fits_again(state, trace, other)
            _hold(state, trace, other, 1)
            if not stays:
                stop_run(engine.model, state, trace, other)
    _take_chosen(state, trace, -share, pieces)
    return int(pieces)


@kernel
def _count_room(engine: TraceEngine) -> None:
    """Write how much of every set of servers is free, or may become free."""
    model, trace = engine.model, engine.trace
    for k in range(trace.room.size):
        trace.room[k] = 0
        for s in range(model.servers):
            if engine.data.open_to[k, s]:
                free = engine.state.loads[s].free
                trace.room[k] += model.links[s].gpus if engine.rules.preempts else free


@kernel
def _use_room(trace: EngineLog, data: TraceData, job: int) -> None:
    """Count what a job holds as gone."""
    life = trace.lives[job]
    entry = trace.log[life.entry]
    for i in range(entry.first, entry.first + entry.pieces):
        for k in range(trace.room.size):
            if data.open_to[k, trace.servers[i]]:
                trace.room[k] -= trace.gpus[i] * life.share


@kernel
def _hold_all(state: State, trace: EngineLog, first: int, last: int, sign: int) -> None:
    """Let those that run in a part of the queue hold their GPUs again, or not for the moment."""
    for k in range(first, last):
        if trace.lives[trace.order[k]].status == RUNNING:
            _hold(state, trace, trace.order[k], sign)


@kernel
def _hold(state: State, trace: EngineLog, job: int, sign: int) -> None:
    """Let a job that runs hold its GPUs again, or with -1 not for the moment."""
    life = trace.lives[job]
    entry = trace.log[life.entry]
    for i in range(entry.first, entry.first + entry.pieces):
        state.loads[trace.servers[i]].free -= sign * trace.gpus[i] * life.share


@kernel
def _fits_again(state: State, trace: EngineLog, job: int) -> bool:
    life = trace.lives[job]
    entry = trace.log[life.entry]
    fits = True
    for i in range(entry.first, entry.first + entry.pieces):
        fits = fits and state.loads[trace.servers[i]].free >= trace.gpus[i] * life.share
    return fits


@kernel
def _take_chosen(state: State, trace: EngineLog, share: int, pieces: int) -> None:
    for i in range(pieces):
        state.loads[trace.chosen[i]].free -= trace.taken[i] * share
