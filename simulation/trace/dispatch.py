"""Serve the queue by rank: who is worse is stopped, who is better starts.

Some jobs may use some servers only, and idle GPUs may be offered to jobs that run.
"""

import numpy as np

from ..jit import kernel
from ..model import Ints
from ..state import State
from .placement import PROFILE, SJF_BCO, choose
from .records import DONE, RUNNING, WAITING, WHOLE, EngineLog, Rules, TraceData, TraceEngine
from .runs import start_run, stop_run


@kernel
def enter(trace: EngineLog, job: int) -> None:
    """Append an arriving job, whose rank is still unknown."""
    trace.lives[job].status = WAITING
    trace.order[trace.counts[0].ordered] = job
    trace.moving[job] = True
    trace.counts[0].ordered += 1


@kernel
def sort_queue(trace: EngineLog, stable: bool) -> None:
    """Put the jobs in order of rank, and remove finished jobs.

    Ties go by number, or `stable`: whoever stood in front before stays there.

    Little changes from one time to the next, so each job moves from the end to its place. The rank
    of a job that is not `moving` stands beside it in the queue.
    """
    counts, order, levels, values = trace.counts[0], trace.order, trace.levels, trace.values
    now, kept, last_level, last_value = counts.now, 0, 0, -np.inf
    for i in range(counts.ordered):
        job, level, value = order[i], levels[i], values[i]
        if trace.moving[job]:
            life = trace.lives[job]
            if life.status == DONE:
                continue
            level, value = life.level, life.key
            trace.moving[job] = False
            if life.slope != 0.0:
                worked = life.executed
                if life.status == RUNNING:
                    worked += max(0, now - life.working)
                    trace.moving[job] = True
                value += life.slope * worked
        slot = kept
        if level == last_level and value > last_value:  # Mostly so, and fast.
            last_value = value
        else:
            while slot > 0 and (
                level < levels[slot - 1]
                or (
                    level == levels[slot - 1]
                    and (
                        value < values[slot - 1]
                        or (value == values[slot - 1] and not stable and job < order[slot - 1])
                    )
                )
            ):
                order[slot] = order[slot - 1]
                levels[slot], values[slot] = levels[slot - 1], values[slot - 1]
                slot -= 1
            if slot == kept:
                last_level, last_value = level, value
        order[slot], levels[slot], values[slot] = job, level, value
        kept += 1
    counts.ordered = kept


@kernel
def next_wake(trace: EngineLog) -> float:
    """Return the first tick at which the rank of a job that waits may change by that."""
    first = np.inf
    for i in range(trace.counts[0].ordered):
        life = trace.lives[trace.order[i]]
        if life.status == WAITING:
            first = min(first, life.wake)
    return float(first)


@kernel
def dispatch(engine: TraceEngine) -> None:
    """Start, and where the rules allow it stop, jobs in the order of their ranks.

    Whoever would exceed the `most` of the group is passed over. If a placement by free GPUs alone
    finds none, it finds none until some are freed.
    """
    trace, data, rules = engine.trace, engine.data, engine.rules
    counts = trace.counts[0]
    sort_queue(trace, rules.stable)
    left = counts.ordered
    if rules.preempts:
        left = _keep(trace, data, rules)
        _stop_others(engine)
    left -= counts.active  # Only these wait and may start.
    for i in range(counts.ordered):
        if counts.free < WHOLE or left == 0:
            return
        job = trace.order[i]
        fits = data.halves[job] <= counts.free
        if not (fits or rules.blocks) or (rules.preempts and trace.kept[job] != counts.stamp):
            continue
        life = trace.lives[job]
        if life.status != WAITING:
            continue
        left -= 1
        if not in_group(trace, data, job):
            continue
        pieces = find_place(engine, job) if fits else 0
        if pieces > 0:
            fresh = life.first < 0
            start_run(engine, job, WHOLE, pieces)
            if fresh and rules.starts:
                ask(trace, job)
        elif rules.blocks:
            return


@kernel
def in_group(trace: EngineLog, data: TraceData, job: int) -> bool:
    """Return True if the group of a job holds no more than its `most` once the job starts."""
    group = trace.lives[job].group
    return bool(trace.group_held[group] + data.halves[job] <= data.most[group])


@kernel
def find_place(engine: TraceEngine, job: int) -> int:
    """Choose GPUs for a job that may start, unless it is known that there are none."""
    trace, data, rules = engine.trace, engine.data, engine.rules
    width, reach, freed = engine.model.jobs[job].gpus, data.reach[job], trace.counts[0].freed
    known = known_by_free_gpus(data, rules, job)
    if known and trace.vain[reach, width] == freed:
        return 0
    pieces = choose(engine, job, width, WHOLE)
    if pieces == 0 and known and rules.placement != SJF_BCO:
        trace.vain[reach, width] = freed
    return int(pieces)


@kernel
def known_by_free_gpus(data: TraceData, rules: Rules, job: int) -> bool:
    """Return True if the free GPUs alone decide whether the placement finds some for a job."""
    return bool(rules.placement != PROFILE or data.skew[job] > rules.skewed)


@kernel
def _keep(trace: EngineLog, data: TraceData, rules: Rules) -> int:
    """Mark the jobs that fit in the order of their ranks, by GPUs alone, and return how many."""
    counts, kept = trace.counts[0], 0
    counts.stamp += 1
    room, left = counts.halves, trace.group_left
    for k in range(left.size):
        left[k] = data.most[k]
    for i in range(counts.ordered):
        job = trace.order[i]
        need = data.halves[job]
        group = trace.lives[job].group if left.size > 1 else 0
        if need > left[group]:
            continue
        if need <= room:
            room -= need
            left[group] -= need
            trace.kept[job] = counts.stamp
            kept += 1
            if room < WHOLE:
                return kept
        elif rules.blocks:
            return kept
    return kept


@kernel
def _stop_others(engine: TraceEngine) -> None:
    trace = engine.trace
    for i in range(trace.counts[0].active - 1, -1, -1):
        job = trace.active[i]
        if trace.kept[job] != trace.counts[0].stamp:
            stop_run(engine, job)


@kernel
def ask(trace: EngineLog, job: int) -> None:
    """List a job whose rank is needed."""
    trace.moving[job] = True
    trace.asked[trace.counts[0].asked] = job
    trace.counts[0].asked += 1


@kernel
def dispatch_in_reach(engine: TraceEngine) -> None:
    """Start, and where the rules allow it stop, jobs in the order of their ranks.

    Counting GPUs does not show which jobs fit there, or wait for servers that come free later. Jobs
    are placed one by one in the order of their ranks. A running job stays. A waiting job gets free
    GPUs or, if the rules allow it, GPUs of jobs behind it. Of these, those at the end of the queue
    are the first to go.

    In the course of this, less and less can be had. If a job finds no GPUs, no job behind it that
    wants the same number on the same servers finds any.
    """
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
            if not in_group(trace, data, job):
                continue
            pieces, width, reach = 0, engine.model.jobs[job].gpus, data.reach[job]
            known = known_by_free_gpus(data, rules, job)
            hopeless = known and trace.vain[reach, width] == counts.stamp
            if WHOLE * width <= trace.room[reach] and not hopeless:
                pieces = choose(engine, job, width, WHOLE)
                if pieces == 0 and rules.preempts:
                    last = counts.ordered
                    pieces = make_room(engine, job, trace.order, i + 1, last, width, WHOLE)
                if pieces == 0 and known:
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
def make_room(
    engine: TraceEngine, job: int, listed: Ints, first: int, end: int, width: int, share: int
) -> int:
    """Choose GPUs for a job that finds none free, and stop the listed jobs that hold them.

    The jobs from the latest possible place of the list on give up their GPUs, and each one that
    still fits with the job stays. If there is no such place, the number of servers is 0.
    """
    state, trace, last = engine.state, engine.trace, end
    _hold_all(state, trace, listed, first, last, -1)
    if choose(engine, job, width, share) == 0:
        _hold_all(state, trace, listed, first, last, 1)
        return 0
    while last - first > 1:
        middle = (first + last) // 2
        _hold_all(state, trace, listed, first, middle, 1)
        if choose(engine, job, width, share) > 0:
            first = middle
        else:
            _hold_all(state, trace, listed, first, middle, -1)
            last = middle
    pieces = choose(engine, job, width, share)
    _take_chosen(state, trace, share, pieces)
    for k in range(first, end):
        other = listed[k]
        if trace.lives[other].status == RUNNING:
            _stop_unless_it_fits(engine, other)
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
                whole = engine.rules.preempts and trace.out[s] == 0
                trace.room[k] += model.links[s].gpus if whole else free


@kernel
def _use_room(trace: EngineLog, data: TraceData, job: int) -> None:
    """Mark the GPUs of a job as taken."""
    life = trace.lives[job]
    entry = trace.log[life.entry]
    for i in range(entry.first, entry.first + entry.pieces):
        for k in range(trace.room.size):
            if data.open_to[k, trace.servers[i]]:
                trace.room[k] -= trace.gpus[i] * life.share


@kernel
def _hold_all(
    state: State, trace: EngineLog, listed: Ints, first: int, last: int, sign: int
) -> None:
    """Let running jobs in a part of a list hold their GPUs, or release them temporarily."""
    for k in range(first, last):
        if trace.lives[listed[k]].status == RUNNING:
            _hold(state, trace, listed[k], sign)


@kernel
def _hold(state: State, trace: EngineLog, job: int, sign: int) -> None:
    """Let a running job hold its GPUs, or with -1 release them for the moment."""
    life = trace.lives[job]
    entry = trace.log[life.entry]
    for i in range(entry.first, entry.first + entry.pieces):
        state.loads[trace.servers[i]].free -= sign * trace.gpus[i] * life.share


@kernel
def _stop_unless_it_fits(engine: TraceEngine, job: int) -> None:
    """Give a running job its GPUs back, and stop it if another job has taken some of them."""
    stays = _fits_again(engine.state, engine.trace, job)
    _hold(engine.state, engine.trace, job, 1)
    if not stays:
        stop_run(engine, job)


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


@kernel
def dispatch_by_quota(engine: TraceEngine) -> None:
    """Start the jobs that fit into the quotas of their groups, then those that borrow idle GPUs.

    Both are in the order of their ranks. The former stop jobs of groups that exceed their quotas.
    """
    trace, data = engine.trace, engine.data
    counts = trace.counts[0]
    sort_queue(trace, engine.rules.stable)
    for borrows in (False, True):
        i = 0
        while i < counts.ordered:
            if borrows and counts.free < WHOLE:
                return
            job = trace.order[i]
            i += 1
            life, need = trace.lives[job], data.halves[job]
            if life.status != WAITING or not in_group(trace, data, job):
                continue
            if borrows == (trace.group_held[life.group] + need <= data.quotas[life.group]):
                continue
            pieces = find_place(engine, job) if need <= counts.free else 0
            if pieces == 0 and not borrows:
                pieces = _reclaim(engine, job)
                # Groups that lost GPUs may be within their quotas again.
                i = 0 if pieces > 0 else i
            if pieces > 0:
                start_run(engine, job, WHOLE, pieces)


@kernel
def _reclaim(engine: TraceEngine, job: int) -> int:
    """Choose GPUs for a job, and stop the jobs of groups above their quotas that hold them.

    If all of these are not enough, none is stopped, and the number of servers is 0.
    """
    state, trace = engine.state, engine.trace
    free, stops, pieces = trace.counts[0].free, 0, 0
    trace.counts[0].stamp += 1
    for k in range(trace.group_left.size):
        trace.group_left[k] = trace.group_held[k]
    while pieces == 0:
        other = _last_borrower(trace, engine.data)
        if other < 0:
            break
        life = trace.lives[other]
        trace.ends[stops], trace.kept[other] = other, trace.counts[0].stamp
        stops += 1
        trace.group_left[life.group] -= life.width * life.share
        free += life.width * life.share
        _hold(state, trace, other, -1)
        if engine.data.halves[job] <= free:
            pieces = choose(engine, job, engine.model.jobs[job].gpus, WHOLE)
    _take_chosen(state, trace, WHOLE, pieces)
    for k in range(stops - 1, -1, -1):
        _stop_unless_it_fits(engine, trace.ends[k])
    _take_chosen(state, trace, -WHOLE, pieces)
    return int(pieces)


@kernel
def _last_borrower(trace: EngineLog, data: TraceData) -> int:
    """Return the running job of a group above its quota that goes first, or -1 if none is left.

    It has the worst level, then the latest start, then the largest number.
    """
    last, level, start = -1, 0, 0
    for i in range(trace.counts[0].active):
        job = trace.active[i]
        life = trace.lives[job]
        if (
            trace.kept[job] == trace.counts[0].stamp
            or trace.group_left[life.group] <= data.quotas[life.group]
        ):
            continue
        begun = trace.log[life.entry].start
        if (
            last < 0
            or life.level > level
            or (life.level == level and (begun > start or (begun == start and job > last)))
        ):
            last, level, start = job, life.level, begun
    return int(last)
