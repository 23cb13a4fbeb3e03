"""Backfill: jobs overtake the first ones that wait unless that makes them start later.

In EASY, the first job that finds no GPUs is promised the earliest tick by which the estimates of
running jobs free enough of them (Lifka 1995). With several promises, a profile has the GPUs that
are idle from each tick on.

If jobs may be stopped for jobs of higher priority, the queue goes by priority first. To a waiting
job, running jobs of lower priority are then as good as GPUs that are free. A job that is stopped
waits until the queue is served next.
"""

from ..jit import kernel
from .dispatch import find_place, in_group, known_by_free_gpus, make_room, sort_queue
from .records import WAITING, WHOLE, EngineLog, TraceData, TraceEngine
from .runs import estimate, speed_on, start_run

MOST_PRIORITY = 2**31
"""More than every priority."""


@kernel
def backfill(engine: TraceEngine) -> None:
    """Start jobs in the order of their ranks, past the first that has to wait if it may be.

    A job may overtake if it ends by the promised tick, or leaves enough GPUs for the first job.
    Only GPUs on servers that the first job may use count, of the kind that is promised to it. Jobs
    whose group would exceed its `most` are passed over without a promise, and no job takes what the
    group of the first needs then.
    """
    trace, data = engine.trace, engine.data
    counts = trace.counts[0]
    sort_queue(trace, engine.rules.stable)
    counts.stamp += 1
    everywhere, lower = trace.room.size == 1, engine.rules.stops_lower
    first, promised, spare, within, level, listed, there = -1, 0, 0, 0, 0, 0, 0
    room, above = counts.halves if lower else counts.free, MOST_PRIORITY
    for i in range(counts.ordered):
        if room < WHOLE:
            return
        job = trace.order[i]
        if not _may_start(engine, job):
            continue
        if not in_group(trace, data, job):
            continue
        need = data.halves[job]
        if lower and need <= room and data.priority[job] < above:
            above = data.priority[job]
            room = counts.free + _lower(trace, data, above)
        late = first >= 0 and counts.now + estimate(trace, data, job) > promised
        if late and lower and need <= min(room, spare) and data.priority[job] < level:
            level = data.priority[job]
            listed, free = _list_ends(engine, 0, level)
            spare = _free_by(trace, listed, promised, free) - data.halves[first]
        if first >= 0 and (need > room or (late and everywhere and need > spare)):
            continue
        same = late and trace.lives[job].group == trace.lives[first].group
        if same and need > within:
            continue
        pieces, used = 0, 0
        if need <= room:
            pieces = _find_or_stop(engine, job)
        if late:
            for k in range(pieces):
                if data.open_to[there, trace.chosen[k]]:
                    used += WHOLE * trace.taken[k]
        if pieces > 0 and (not late or used <= spare):
            start_run(engine, job, WHOLE, pieces)
            spare -= used
            room -= need
            within -= need if same else 0
        elif first < 0 and engine.rules.backfills > 0:
            first, level = job, data.priority[job]
            there = _best_promise(engine, job, level)
            listed, free = _list_ends(engine, there, level)
            promised = _promise(trace, listed, free, need)
            spare = _free_by(trace, listed, promised, free) - need
            within = _in_group_by(trace, data, job, promised)


@kernel
def _may_start(engine: TraceEngine, job: int) -> bool:
    """Return True if a job waits, was not stopped for other jobs just now, and can get its GPUs.

    While too many servers are out of service for a job, it is passed over without a promise.
    """
    trace, data, life = engine.trace, engine.data, engine.trace.lives[job]
    if life.status != WAITING or (life.stopped == trace.counts[0].now != life.struck):
        return False
    if trace.counts[0].out == 0:
        return True
    model = engine.model
    for k in range(data.kind_first[job], data.kind_first[job + 1]):
        there, halves = data.kind_set[k], 0
        for s in range(model.servers):
            if data.open_to[there, s] and trace.out[s] == 0:
                halves += model.links[s].gpus
        kind, width = data.set_kind[there], model.jobs[job].gpus
        may = not data.mixed or speed_on(model, data, job, width, WHOLE, kind) > 0.0
        if may and halves >= data.halves[job]:
            return True
    return False


@kernel
def _end(trace: EngineLog, data: TraceData, job: int) -> int:
    """Return the estimated end of a running job, a tick from now if it should have ended."""
    life = trace.lives[job]
    left = max(1, data.limits[job] - life.executed)
    return int(max(trace.counts[0].now + 1, life.working + left))


@kernel
def _lower(trace: EngineLog, data: TraceData, level: int) -> int:
    """Return the half GPUs of running jobs of lower priority."""
    held = 0
    for i in range(trace.counts[0].active):
        job = trace.active[i]
        if data.priority[job] < level:
            held += trace.lives[job].width * trace.lives[job].share
    return int(held)


@kernel
def _find_or_stop(engine: TraceEngine, job: int) -> int:
    """Choose free GPUs for a job, or stop jobs of lower priority for it, if the rules allow that.

    In one pass through the queue, less and less can be had in this way.
    """
    trace, data, pieces = engine.trace, engine.data, 0
    counts, width = trace.counts[0], engine.model.jobs[job].gpus
    if data.halves[job] <= counts.free:
        pieces = find_place(engine, job)
    if pieces > 0 or not engine.rules.stops_lower or trace.vain[-1, width] == counts.stamp:
        return int(pieces)
    listed = _list_lower(trace, data, data.priority[job])
    if listed > 0:
        pieces = make_room(engine, job, trace.kept, 0, listed, width, WHOLE)
    if pieces == 0 and known_by_free_gpus(data, engine.rules, job):
        trace.vain[-1, width] = counts.stamp
    return int(pieces)


@kernel
def _list_lower(trace: EngineLog, data: TraceData, level: int) -> int:
    """List the running jobs of lower priority, and return their number.

    The first to be stopped comes last: of the lowest priority, the one that started last.
    """
    size = 0
    for i in range(trace.counts[0].active):
        job = trace.active[i]
        if data.priority[job] >= level:
            continue
        slot = size
        while slot > 0 and _stops_before(trace, data, trace.kept[slot - 1], job):
            trace.kept[slot] = trace.kept[slot - 1]
            slot -= 1
        trace.kept[slot] = job
        size += 1
    return int(size)


@kernel
def _stops_before(trace: EngineLog, data: TraceData, job: int, other: int) -> bool:
    """Return True if a running job is stopped before another one."""
    start, later = (
        trace.log[trace.lives[job].entry].start,
        trace.log[trace.lives[other].entry].start,
    )
    if data.priority[job] != data.priority[other]:
        return bool(data.priority[job] < data.priority[other])
    return bool(start > later or (start == later and job > other))


@kernel
def _list_ends(engine: TraceEngine, reach: int, level: int) -> tuple[int, int]:
    """List when running jobs free how much of a set of servers, and return what is free now.

    Before that comes the number of listed jobs. If jobs of lower priority than `level` may be
    stopped, what they hold counts as free.
    """
    trace, data, listed = engine.trace, engine.data, 0
    free = trace.counts[0].free if reach == 0 else 0
    for s in range(engine.model.servers):
        if reach > 0 and data.open_to[reach, s]:
            free += engine.state.loads[s].free
    for i in range(trace.counts[0].active):
        job = trace.active[i]
        life = trace.lives[job]
        held = life.width * life.share if reach == 0 else _held(trace, data, job, reach)
        if engine.rules.stops_lower and data.priority[job] < level:
            free += held
            continue
        trace.ends[listed], trace.freeing[listed] = _end(trace, data, job), held
        listed += 1
    return listed, int(free)


@kernel
def _best_promise(engine: TraceEngine, job: int, level: int) -> int:
    """Return the servers, those of a kind, on which enough is free first: by number of the set.

    If nobody who runs there frees enough, it is not promised on this kind.
    """
    trace, data = engine.trace, engine.data
    a, b = data.kind_first[job], data.kind_first[job + 1]
    best, soonest = data.kind_set[a], -1
    if b == a + 1:
        return int(best)
    need, width = data.halves[job], engine.model.jobs[job].gpus
    for k in range(a, b):
        there = data.kind_set[k]
        if speed_on(engine.model, data, job, width, WHOLE, data.set_kind[there]) == 0.0:
            continue
        listed, free = _list_ends(engine, there, level)
        tick = _promise(trace, listed, free, need)
        enough = _free_by(trace, listed, tick, free) >= need
        if enough and (soonest < 0 or tick < soonest):
            best, soonest = there, tick
    return int(best)


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
def _promise(trace: EngineLog, listed: int, free: int, need: int) -> int:
    """Return the first listed end by which enough is free, or 0 if none is listed."""
    low = high = trace.ends[0] if listed > 0 else 0
    for i in range(listed):
        low, high = min(low, trace.ends[i]), max(high, trace.ends[i])
    while low < high:
        middle = (low + high) // 2
        if _free_by(trace, listed, middle, free) >= need:
            high = middle
        else:
            low = middle + 1
    return int(low)


@kernel
def _free_by(trace: EngineLog, listed: int, tick: int, free: int) -> int:
    """Return the half GPUs that are free once the listed jobs are over that end by a tick."""
    for i in range(listed):
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
        if other.group == group and _end(trace, data, trace.active[i]) <= tick:
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
    counts.stamp += 1
    size, left, level, lower = 0, engine.rules.backfills, 0, engine.rules.stops_lower
    room, above = counts.halves if lower else counts.free, MOST_PRIORITY
    for i in range(counts.ordered):
        if room < WHOLE:
            return
        job = trace.order[i]
        if not _may_start(engine, job):
            continue
        need, limit, slot, pieces = data.halves[job], estimate(trace, data, job), 0, 0
        if lower and need <= room and data.priority[job] < above:
            above = data.priority[job]
            room = counts.free + _lower(trace, data, above)
        if left == 0 and need > room:
            continue
        if size > 0:
            if lower and data.priority[job] < level:
                size = _count_running(engine, size, data.priority[job], level)
                level = data.priority[job]
            slot = _earliest(trace, size, 0, need, limit)
        if slot == 0 and need <= room:
            pieces = _find_or_stop(engine, job)
        if pieces > 0:
            start_run(engine, job, WHOLE, pieces)
            room -= need
        elif left == 0:
            continue
        else:
            left -= 1
            if size == 0:
                level = data.priority[job]
                trace.ends[0], trace.freeing[0] = counts.now, counts.halves
                size = _count_running(engine, 1, level, MOST_PRIORITY)
            if slot == 0 and size > 1:
                slot = _earliest(trace, size, 1, need, limit)
        if size > 0:
            size = _reserve(trace, size, slot, need, limit)


@kernel
def _count_running(engine: TraceEngine, size: int, level: int, above: int) -> int:
    """Take running jobs of some priorities out of the profile, and return the number of ticks.

    The priorities are from `level` to less than `above`. Without stops, all jobs count.
    """
    trace, data = engine.trace, engine.data
    for i in range(trace.counts[0].active):
        job = trace.active[i]
        held = trace.lives[job].width * trace.lives[job].share
        if not engine.rules.stops_lower or level <= data.priority[job] < above:
            last, size = _split(trace, size, _end(trace, data, job))
            for k in range(last):
                trace.freeing[k] -= held
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
