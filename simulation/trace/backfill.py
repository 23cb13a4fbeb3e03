"""Backfill: jobs overtake the first ones that wait unless that makes them start later.

In EASY, the first job that finds no GPUs is promised the earliest tick by which the estimates of
running jobs free enough of them (Lifka 1995). With several promises, a profile has the GPUs that
are idle from each tick on.
"""

from ..jit import kernel
from .dispatch import find_place, in_group, sort_queue
from .records import WAITING, WHOLE, EngineLog, TraceData, TraceEngine
from .runs import start_run


@kernel
def backfill(engine: TraceEngine) -> None:
    """Start jobs in the order of their ranks, past the first that has to wait if it may be.

    A job may overtake if it ends by the promised tick, or leaves enough GPUs for the first job.
    Only GPUs on servers that the first job may use count. Jobs whose group would exceed its `most`
    are passed over without a promise, and no job takes what the group of the first needs then.
    """
    trace, data = engine.trace, engine.data
    counts = trace.counts[0]
    sort_queue(trace, engine.rules.stable)
    everywhere = trace.room.size == 1
    first, promised, spare, within = -1, 0, 0, 0
    for i in range(counts.ordered):
        if counts.free < WHOLE:
            return
        job = trace.order[i]
        if trace.lives[job].status != WAITING or not in_group(trace, data, job):
            continue
        late = first >= 0 and counts.now + data.limits[job] > promised
        if first >= 0 and (
            data.halves[job] > counts.free or (late and everywhere and data.halves[job] > spare)
        ):
            continue
        same = late and trace.lives[job].group == trace.lives[first].group
        if same and data.halves[job] > within:
            continue
        pieces, used = 0, 0
        if data.halves[job] <= counts.free:
            pieces = find_place(engine, job)
        if late:
            for k in range(pieces):
                if data.open_to[data.reach[first], trace.chosen[k]]:
                    used += WHOLE * trace.taken[k]
        if pieces > 0 and (not late or used <= spare):
            start_run(engine, job, WHOLE, pieces)
            spare -= used
            within -= data.halves[job] if same else 0
        elif first < 0:
            first = job
            free = _list_ends(engine, data.reach[job])
            promised = _promise(trace, free, data.halves[job])
            spare = _free_by(trace, promised, free) - data.halves[job]
            within = _in_group_by(trace, data, job, promised)


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


@kernel
def _in_group_by(trace: EngineLog, data: TraceData, job: int, tick: int) -> int:
    """Return the half GPUs that others of its group may hold beside a job that starts at a tick."""
    group = trace.lives[job].group
    left = data.most[group] - trace.group_held[group] - data.halves[job]
    for i in range(trace.counts[0].active):
        other = trace.lives[trace.active[i]]
        if other.group == group and trace.ends[i] <= tick:
            left += other.width * other.share
    return int(left)


@kernel
def backfill_many(engine: TraceEngine) -> None:
    """Start the jobs that delay none of the promises, which the first waiting jobs get.

    The profile is made for the first promise. Before, GPUs that are idle stay idle.
    """
    trace, data = engine.trace, engine.data
    counts = trace.counts[0]
    sort_queue(trace, engine.rules.stable)
    size, left = 0, engine.rules.backfills
    for i in range(counts.ordered):
        if counts.free < WHOLE:
            return
        job = trace.order[i]
        if trace.lives[job].status != WAITING:
            continue
        need, limit, slot, pieces = data.halves[job], data.limits[job], 0, 0
        if size > 0:
            slot = _earliest(trace, size, 0, need, limit)
        if slot == 0 and need <= counts.free:
            pieces = find_place(engine, job)
        if pieces > 0:
            start_run(engine, job, WHOLE, pieces)
        elif left == 0:
            continue
        else:
            left -= 1
            if size == 0:
                size = _open_profile(engine)
            if slot == 0 and size > 1:
                slot = _earliest(trace, size, 1, need, limit)
        if size > 0:
            size = _reserve(trace, size, slot, need, limit)


@kernel
def _open_profile(engine: TraceEngine) -> int:
    """Write which half GPUs are idle from which tick on, and return the number of ticks."""
    trace = engine.trace
    counts, size = trace.counts[0], 1
    trace.ends[0], trace.freeing[0] = counts.now, counts.free
    for i in range(counts.active):
        life = trace.lives[trace.active[i]]
        end = max(counts.now + 1, life.first + engine.data.limits[trace.active[i]])
        slot, size = _split(trace, size, end)
        for k in range(slot, size):
            trace.freeing[k] += life.width * life.share
    return int(size)


@kernel
def _split(trace: EngineLog, size: int, tick: int) -> tuple[int, int]:
    """Return the place of a tick in the profile, to which it is added, and the new size."""
    slot = size
    while trace.ends[slot - 1] > tick:
        slot -= 1
    if trace.ends[slot - 1] == tick:
        return slot - 1, size
    for k in range(size, slot, -1):
        trace.ends[k], trace.freeing[k] = trace.ends[k - 1], trace.freeing[k - 1]
    trace.ends[slot], trace.freeing[slot] = tick, trace.freeing[slot - 1]
    return slot, size + 1


@kernel
def _earliest(trace: EngineLog, size: int, slot: int, need: int, limit: int) -> int:
    """Return the first place in the profile from which enough is idle for long enough."""
    k = slot
    while k < size and trace.ends[k] < trace.ends[slot] + limit:
        if trace.freeing[k] < need:
            slot = k + 1
        k += 1
    return int(slot)


@kernel
def _reserve(trace: EngineLog, size: int, slot: int, need: int, limit: int) -> int:
    """Take half GPUs out of the profile from a place on, and return its size."""
    last, size = _split(trace, size, trace.ends[slot] + limit)
    for k in range(slot, last):
        trace.freeing[k] -= need
    return int(size)
