"""Starting a job on chosen GPUs, and releasing its GPUs."""

import numpy as np

from ..events import recompute, take_links
from ..heaps import pop, put
from ..jit import kernel
from ..model import Model
from ..progress import set_due
from ..state import State, uncross
from .records import (
    DONE,
    HALF,
    RUNNING,
    RUNS_ON,
    STOPPED,
    WAITING,
    EngineLog,
    TraceData,
    TraceEngine,
)

TIERS = 3
"""Most links that a piece of a ring crosses."""


@kernel
def start_run(engine: TraceEngine, job: int, share: int, pieces: int) -> None:
    """Start `job` now on the first `pieces` of the chosen servers."""
    state, trace, data = engine.state, engine.trace, engine.data
    counts = trace.counts[0]
    now = counts.now
    life, run = trace.lives[job], state.runs[job]
    pause = 0
    if life.entry >= 0 and trace.log[life.entry].start < now:
        pause = data.resume if _same(trace, life.entry, share, pieces) else data.restart
    elif data.held.size > 0 and data.held[job] > 0:
        pause = _after_held(engine, job, share, pieces)
    a = _note(trace, job, share, pieces)
    width = 0
    for k in range(a, a + pieces):
        width += trace.gpus[k]
        state.loads[trace.servers[k]].free -= trace.gpus[k] * share
    counts.free -= width * share
    trace.group_held[life.group] += width * share
    life.width, life.share, life.status = width, share, RUNNING
    trace.moving[job] = True
    life.working = now + pause
    life.starts += 1
    if life.first < 0:
        life.first = now
    life.place = counts.active
    trace.active[life.place] = job
    counts.active += 1
    counts.started += 1
    run.start, run.since, run.factor, run.most, run.crossings = now, now + pause, 1.0, 0, 0
    run.limit = life.working + ticks_left(trace, job)
    if data.checkpoint > 0:
        trace.saved[job], trace.origin[job] = run.remaining, life.working
        goes_on = now == 0 and data.held.size > 0 and data.held[job] == RUNS_ON
        if goes_on and _on_held(engine, job, share, pieces):
            trace.saved[job] += data.unsaved_work[job]
            trace.origin[job] -= data.unsaved[job]
    _set_speed(engine, job, a, pieces)


@kernel
def _set_speed(engine: TraceEngine, job: int, a: int, pieces: int) -> None:
    """Compute the speed of a run that has just started, and its effect on other runs."""
    model, state, trace, data = engine.model, engine.state, engine.trace, engine.data
    life, run, fixed = trace.lives[job], state.runs[job], model.jobs[job]
    kind = data.server_kind[trace.servers[a]]
    alone = 1.0 / speed_on(model, data, job, life.width, life.share, kind)
    exchange = data.communication[job] * alone if pieces > 1 else 0.0
    run.fixed_s, fixed.transfer_s = alone, exchange
    if exchange == 0.0 or not data.shared:
        set_due(model, state, job, alone + exchange)
        return
    if state.counters[0].used + TIERS * pieces > state.crossings.size:
        _tidy_links(model, state, trace)
    run.first = state.counters[0].used
    _keep_checkpoints(engine)
    take_links(model, state, job, trace.servers, a, a + pieces)
    set_due(model, state, job, alone + exchange)
    recompute(model, state, job, float(trace.counts[0].now), True)


@kernel
def speed_on(model: Model, data: TraceData, job: int, width: int, share: int, kind: int) -> float:
    """Return the speed of a job on GPUs of a kind in one server, 0 if it may not run there."""
    speed = 1.0 if width == model.jobs[job].gpus else 0.0
    for k in range(data.speed_first[job], data.speed_first[job + 1]):
        if data.speed_gpus[k] == width and (data.speed_kind[k] == kind or data.speed_kind[k] < 0):
            speed = data.speeds[k]
    return float(speed * data.packed[job] if share == HALF else speed)


@kernel
def stop_run(engine: TraceEngine, job: int) -> None:
    """Take its GPUs from a job that has not done all its work."""
    state, trace = engine.state, engine.trace
    put(state, job, -1.0)
    pop(state)
    run, now = state.runs[job], trace.counts[0].now
    run.remaining -= run.rate * max(now - run.since, 0.0)
    trace.lives[job].stopped = now
    _leave(engine, job, WAITING)
    trace.log[trace.lives[job].entry].stop = now


@kernel
def end_run(engine: TraceEngine, job: int) -> None:
    """Let a job end that has done all its work and is no longer due."""
    state, trace = engine.state, engine.trace
    state.runs[job].remaining = 0.0
    trace.lives[job].end = trace.counts[0].now
    _leave(engine, job, DONE)
    entry = trace.log[trace.lives[job].entry]
    entry.stop, entry.ended = trace.counts[0].now, 1


@kernel
def begin_next_phase(engine: TraceEngine, job: int) -> bool:
    """Let the next phase of a running job begin now, unless it is in its last one."""
    model, state, trace, data = engine.model, engine.state, engine.trace, engine.data
    if data.phase_first.size == 0 or trace.phase[job] + 1 == data.phase_first[job + 1]:
        return False
    trace.phase[job] += 1
    run, now, life = state.runs[job], trace.counts[0].now, trace.lives[job]
    run.since, run.remaining = now, data.phase_work[trace.phase[job]]
    trace.later[job] -= run.remaining
    if data.checkpoint > 0:
        trace.saved[job], trace.origin[job] = run.remaining, now
    _change_speeds(trace, data, job)
    entry, fixed = trace.log[life.entry], model.jobs[job]
    kind = data.server_kind[trace.servers[entry.first]]
    run.fixed_s = 1.0 / speed_on(model, data, job, life.width, life.share, kind)
    fixed.transfer_s = data.communication[job] * run.fixed_s if entry.pieces > 1 else 0.0
    run.limit = np.inf  # Its rank is asked for now, and with it the limit.
    set_due(model, state, job, run.fixed_s + fixed.transfer_s * run.factor)
    return True


@kernel
def _change_speeds(trace: EngineLog, data: TraceData, job: int) -> None:
    """Give a job the speeds of its present phase, and put its fastest kind of GPUs first."""
    phase, first = trace.phase[job], data.speed_first[job]
    for k in range(data.speed_first[job + 1] - first):
        data.speeds[first + k] = data.phase_speeds[data.phase_row[phase] + k]
    first = data.kind_first[job]
    for k in range(data.phase_set_first[phase + 1] - data.phase_set_first[phase]):
        data.kind_set[first + k] = data.phase_sets[data.phase_set_first[phase] + k]


@kernel
def _leave(engine: TraceEngine, job: int, status: int) -> None:
    """Record its work, and release GPUs and links."""
    state, trace = engine.state, engine.trace
    counts = trace.counts[0]
    now, life = counts.now, trace.lives[job]
    done = max(0, now - life.working)
    life.executed += done
    life.attained += done * life.width
    life.status = status
    trace.moving[job] = True
    entry = trace.log[life.entry]
    for k in range(entry.first, entry.first + entry.pieces):
        server, held = trace.servers[k], trace.gpus[k]
        state.loads[server].free += held * life.share
        trace.used[server] += held * (now - entry.start)
    counts.free += life.width * life.share
    trace.group_held[life.group] -= life.width * life.share
    counts.freed += 1
    last = trace.active[counts.active - 1]
    trace.active[life.place] = last
    trace.lives[last].place = life.place
    counts.active -= 1
    if state.runs[job].crossings > 0:
        _keep_checkpoints(engine)
        uncross(state, job)
        recompute(engine.model, state, job, float(now), False)


@kernel
def keep_checkpoint(engine: TraceEngine, job: int) -> int:
    """Note the work that was left at a job's last checkpoint, and return the ticks since then.

    It has had its present rate since it was noted last, or it was noted at the change.
    """
    trace, life, run = engine.trace, engine.trace.lives[job], engine.state.runs[job]
    if trace.counts[0].now <= life.working:
        return 0
    since = (trace.counts[0].now - trace.origin[job]) % engine.data.checkpoint
    last = trace.counts[0].now - since
    if last > run.since:
        trace.saved[job] = run.remaining - run.rate * (last - run.since)
    return int(since)


@kernel
def _keep_checkpoints(engine: TraceEngine) -> None:
    """Note the last checkpoints of all jobs whose rate may change now."""
    if engine.data.checkpoint > 0:
        for i in range(engine.trace.counts[0].active):
            job = engine.trace.active[i]
            if engine.state.runs[job].crossings > 0:
                keep_checkpoint(engine, job)


@kernel
def estimate(trace: EngineLog, data: TraceData, job: int) -> int:
    """Return the estimated ticks of a run that starts now: what is left, and a restart."""
    life, limit = trace.lives[job], data.limits[job]
    if life.entry >= 0 or (data.held.size > 0 and data.held[job] > 0):
        limit = data.restart + max(1, limit - life.executed)
    return int(limit)


@kernel
def ticks_left(trace: EngineLog, job: int) -> float:
    """Return the ticks of work after which the rank of a running job must be recomputed."""
    life = trace.lives[job]
    had = life.attained + max(0, trace.counts[0].now - life.working) * life.width
    return float(max(1.0, np.ceil((life.until - had) / life.width)))


@kernel
def _same(trace: EngineLog, entry: int, share: int, pieces: int) -> bool:
    """Return True if the chosen GPUs equal those of a run in the log, both by server."""
    old = trace.log[entry]
    if old.share != share or old.pieces != pieces:
        return False
    for i in range(pieces):
        k = old.first + i
        if trace.servers[k] != trace.chosen[i] or trace.gpus[k] != trace.taken[i]:
            return False
    return True


@kernel
def _after_held(engine: TraceEngine, job: int, share: int, pieces: int) -> int:
    """Return the cost of a job's first run, which follows one before time 0."""
    data = engine.data
    if not _on_held(engine, job, share, pieces):
        return data.restart
    if engine.trace.counts[0].now > 0 or data.held[job] == STOPPED:
        return data.resume
    return int(data.held_cost[job])


@kernel
def _on_held(engine: TraceEngine, job: int, share: int, pieces: int) -> bool:
    """Return True if the chosen servers and GPUs are those of its run before time 0."""
    trace, data = engine.trace, engine.data
    first = data.held_first[job]
    same = data.held_share[job] == share and data.held_first[job + 1] - first == pieces
    for i in range(pieces if same else 0):
        k = first + i
        same = same and data.held_server[k] == trace.chosen[i]
        same = same and data.held_gpus[k] == trace.taken[i]
    return bool(same)


@kernel
def go_on(engine: TraceEngine) -> None:
    """Let the runs go on that hold their GPUs at time 0, unless a server is out of service."""
    trace, data = engine.trace, engine.data
    for job in range(data.held.size):
        if data.held[job] == RUNS_ON:
            first, pieces = data.held_first[job], data.held_first[job + 1] - data.held_first[job]
            out = 0
            for i in range(pieces):
                out += trace.out[data.held_server[first + i]]
                trace.chosen[i] = data.held_server[first + i]
                trace.taken[i] = data.held_gpus[first + i]
            if out == 0:
                start_run(engine, job, data.held_share[job], pieces)


@kernel
def _note(trace: EngineLog, job: int, share: int, pieces: int) -> int:
    """Write the run into the log, and return the index of its first piece."""
    counts = trace.counts[0]
    e, a = counts.logged, counts.pieced
    for i in range(pieces):
        trace.servers[a + i], trace.gpus[a + i] = trace.chosen[i], trace.taken[i]
    entry = trace.log[e]
    entry.job, entry.start, entry.stop = job, counts.now, -1
    entry.first, entry.pieces, entry.share, entry.ended = a, pieces, share, 0
    counts.logged += 1
    counts.pieced += pieces
    trace.lives[job].entry = e
    return int(a)


@kernel
def _tidy_links(model: Model, state: State, trace: EngineLog) -> None:
    """Rewrite the links of the active rings, so that links of ended rings use no room."""
    for link in range(state.loads.size):
        state.loads[link].head, state.loads[link].rings = -1, 0
    state.counters[0].used = 0
    for i in range(trace.counts[0].active):
        job = trace.active[i]
        run = state.runs[job]
        if run.crossings > 0:
            entry = trace.log[trace.lives[job].entry]
            run.first, run.crossings = state.counters[0].used, 0
            take_links(model, state, job, trace.servers, entry.first, entry.first + entry.pieces)
