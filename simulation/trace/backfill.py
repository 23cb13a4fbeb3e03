"""EASY backfill: jobs overtake the first one that waits unless that makes it start later.

The first job that finds no GPUs is promised the earliest tick by which the estimates of running
jobs free enough of them (Lifka 1995).
"""

from ..jit import kernel
from .dispatch import known_by_free_gpus, sort_queue
from .placement import SJF_BCO, choose
from .records import WAITING, WHOLE, EngineLog, TraceData, TraceEngine
from .runs import start_run


@kernel
def backfill(engine: TraceEngine) -> None:
    """Start jobs in the order of their ranks, past the first that has to wait if it may be.

    A job may overtake if it ends by the promised tick, or leaves enough GPUs for the first job.
    Only GPUs on servers that the first job may use count.
    """
    model, trace, data, rules = engine.model, engine.trace, engine.data, engine.rules
    counts = trace.counts[0]
    sort_queue(trace, rules.stable)
    everywhere = trace.room.size == 1
    first, promised, spare = -1, 0, 0
    for i in range(counts.ordered):
        if counts.free < WHOLE:
            return
        job = trace.order[i]
        if trace.lives[job].status != WAITING:
            continue
        late = first >= 0 and counts.now + data.limits[job] > promised
        if first >= 0 and (
            data.halves[job] > counts.free or (late and everywhere and data.halves[job] > spare)
        ):
            continue
        width, reach, pieces, used = model.jobs[job].gpus, data.reach[job], 0, 0
        known = known_by_free_gpus(data, rules, job)
        if data.halves[job] <= counts.free and not (
            known and trace.vain[reach, width] == counts.freed
        ):
            pieces = choose(engine, job, width, WHOLE)
            if pieces == 0 and known and rules.placement != SJF_BCO:
                trace.vain[reach, width] = counts.freed
        if late:
            for k in range(pieces):
                if data.open_to[data.reach[first], trace.chosen[k]]:
                    used += WHOLE * trace.taken[k]
        if pieces > 0 and (not late or used <= spare):
            start_run(engine, job, WHOLE, pieces)
            spare -= used
        elif first < 0:
            first = job
            free = _list_ends(engine, data.reach[job])
            promised = _promise(trace, free, data.halves[job])
            spare = _free_by(trace, promised, free) - data.halves[job]


@kernel
def _list_ends(engine: TraceEngine, reach: int) -> int:
    """List when running jobs free how much of a set of servers, and return what is free now.

    A job that has reached its estimate is expected to end a tick from now.
    """
    trace, data = engine.trace, engine.data
    counts = trace.counts[0]
    for i in range(counts.active):
        job = trace.active[i]
        life = trace.lives[job]
        trace.ends[i] = max(counts.now + 1, life.first + data.limits[job])
        trace.freeing[i] = life.width * life.share
        if reach > 0:
            trace.freeing[i] = _held(trace, data, job, reach)
    if reach == 0:
        return int(counts.free)
    free = 0
    for s in range(engine.model.servers):
        if data.open_to[reach, s]:
            free += engine.state.loads[s].free
    return int(free)


@kernel
def _held(trace: EngineLog, data: TraceData, job: int, reach: int) -> int:
    """Return the half GPUs of a set of servers that a job holds."""
    life, held = trace.lives[job], 0
    entry = trace.log[life.entry]
    for k in range(entry.first, entry.first + entry.pieces):
        if data.open_to[reach, trace.servers[k]]:
            held += trace.gpus[k] * life.share
    return int(held)


@kernel
def _promise(trace: EngineLog, free: int, need: int) -> int:
    """Return the first listed end by which enough is free, or 0 if no job runs."""
    active = trace.counts[0].active
    low = high = trace.ends[0] if active > 0 else 0
    for i in range(active):
        low, high = min(low, trace.ends[i]), max(high, trace.ends[i])
    while low < high:
        middle = (low + high) // 2
        if _free_by(trace, middle, free) >= need:
            high = middle
        else:
            low = middle + 1
    return int(low)


@kernel
def _free_by(trace: EngineLog, tick: int, free: int) -> int:
    """Return the half GPUs that are free once the jobs are over that end by a tick."""
    for i in range(trace.counts[0].active):
        if trace.ends[i] <= tick:
            free += trace.freeing[i]
    return int(free)
