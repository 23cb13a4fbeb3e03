"""The loop over events: jobs end, come, or change their rank, and the queue is served."""

import numpy as np

from ..heaps import next_end, pop
from ..jit import entry, kernel
from ..model import Ints
from ..progress import set_factor
from .backfill import backfill, backfill_many
from .build import NEVER, UNITS
from .dispatch import (
    ask,
    dispatch,
    dispatch_by_quota,
    dispatch_in_reach,
    enter,
    make_room,
    next_wake,
    sort_queue,
)
from .placement import choose, choose_kind
from .ranks import ASKED, MULTIFACTOR, charge_groups, rank_asked, rank_by_factors
from .records import RUNNING, WAITING, EngineLog, Rules, TraceEngine
from .runs import begin_next_phase, end_run, go_on, keep_checkpoint, start_run, stop_run, ticks_left

OVER, ASK, DECIDE, GROW, STUCK, PAUSE = range(6)
"""Reasons for which the loop stops: all jobs are done, ranks are needed, the policy decides, the
log is full, no waiting job can ever start, or it is time to look at the clock."""

OFTEN = 1000
"""Rounds of the loop after which it pauses."""


@entry
def advance(engine: TraceEngine) -> int:
    """Run until something has to be done in Python."""
    trace, rules = engine.trace, engine.rules
    counts = trace.counts[0]
    for _ in range(OFTEN):
        if counts.phase == 0:
            moment = _next_moment(engine)
            if moment == np.inf:
                return OVER if counts.finished == trace.lives.size else STUCK
            counts.now = int(moment)
            if rules.formula == MULTIFACTOR:
                charge_groups(engine)
            counts.happened = int(_happen(engine))
            counts.phase = 1
            if counts.asked > 0 and not rules.decides:
                if rules.formula == ASKED:
                    return ASK
                rank_asked(engine)
        _renew(engine)
        if _served(trace, rules):
            if _full(trace):
                return GROW
            if rules.decides:
                return DECIDE
            counts.started = 0
            if rules.formula == MULTIFACTOR:
                rank_by_factors(engine)
            if rules.backfills > 1:
                backfill_many(engine)
            elif rules.backfills == 1 or rules.stops_lower:
                backfill(engine)
            elif rules.reclaims:
                dispatch_by_quota(engine)
            elif rules.offers or trace.room.size > 1:
                dispatch_in_reach(engine)
            else:
                dispatch(engine)
            if _stuck(engine):
                return STUCK
        counts.phase = 0
    return PAUSE


@kernel
def _next_moment(engine: TraceEngine) -> float:
    """Return the next tick at which something happens or the queue is served."""
    trace, data, rules = engine.trace, engine.data, engine.rules
    counts = trace.counts[0]
    moment = next_end(engine.state)
    k = counts.arrived
    if k < data.arrivals.size:
        moment = min(moment, float(trace.lives[data.arrivals[k]].arrival))
    k = counts.outage
    if k < data.outages.size and counts.finished < trace.lives.size:
        moment = min(moment, float(data.outages[k]))
    if rules.wakes:
        moment = min(moment, max(next_wake(trace), counts.now + 1.0))
    here = counts.ordered > 0 and counts.finished < counts.arrived
    waits = counts.finished + counts.active < counts.arrived
    if rules.interval > 0 and here and (waits or rules.decides):
        sooner = max(counts.now, counts.again - 1)
        grid = (sooner // rules.interval + 1) * rules.interval
        if counts.again < NEVER:
            moment = min(moment, float(grid))
    return moment


@kernel
def _happen(engine: TraceEngine) -> bool:
    """Let jobs end and come at this tick, and note whose rank changes."""
    state, trace, data = engine.state, engine.trace, engine.data
    counts = trace.counts[0]
    now, events = counts.now, 0
    while next_end(state) <= now:
        job = pop(state)
        run = state.runs[job]
        events += 1
        done = run.remaining - run.rate * max(now - run.since, 0.0) <= 0.0
        if done and not begin_next_phase(engine, job):
            end_run(engine, job)
            counts.finished += 1
        else:
            ask(trace, job)
    events += _pass_outages(engine)
    while counts.arrived < data.arrivals.size:
        job = data.arrivals[counts.arrived]
        if trace.lives[job].arrival > now:
            break
        enter(trace, job)
        ask(trace, job)
        events += 1
        counts.arrived += 1
    if now == 0 and data.held.size > 0 and counts.logged == 0:
        go_on(engine)
    if engine.rules.wakes:
        for i in range(counts.ordered):
            life = trace.lives[trace.order[i]]
            if life.status == WAITING and life.wake <= now:
                life.wake = np.inf
                ask(trace, trace.order[i])
                events += 1
    counts.events += events
    if events > 0:
        counts.again = 0
    return events > 0


@kernel
def _pass_outages(engine: TraceEngine) -> int:
    """Let outages end, then begin at this tick, and return their number."""
    trace, data = engine.trace, engine.data
    counts, passed = trace.counts[0], 0
    while counts.outage < data.outages.size and data.outages[counts.outage] <= counts.now:
        k = counts.outage
        server, begins = data.outage_servers[k], data.outage_begins[k]
        if begins:
            _stop_all(engine, server)
        sign = 1 if begins else -1
        halves = sign * engine.model.links[server].gpus
        engine.state.loads[server].free -= halves
        counts.free -= halves
        counts.halves -= halves
        counts.out += sign
        counts.freed += 1
        trace.out[server] = 1 if begins else 0
        trace.next_out[server] = data.outage_next[k]
        counts.outage += 1
        passed += 1
    return passed


@kernel
def _stop_all(engine: TraceEngine, server: int) -> None:
    """Stop the jobs on a server. Their ranks are needed again."""
    trace, data = engine.trace, engine.data
    counts = trace.counts[0]
    for i in range(counts.active - 1, -1, -1):
        job = trace.active[i]
        if not _uses(trace, job, server):
            continue
        life = trace.lives[job]
        lost = keep_checkpoint(engine, job) if data.checkpoint > 0 else 0
        stop_run(engine, job)
        life.struck = counts.now
        _lose(engine, job, lost)
        if data.checkpoint > 0:
            engine.state.runs[job].remaining = trace.saved[job]
        ask(trace, job)


@kernel
def _lose(engine: TraceEngine, job: int, lost: int) -> None:
    """Take the service of a stopped run since its last checkpoint back.

    Service before time 0 was counted as work at full speed on the requested GPUs.
    """
    trace, data = engine.trace, engine.data
    life = trace.lives[job]
    worked = min(lost, max(0, trace.counts[0].now - life.working))
    before = 0
    if worked < lost:
        before = int(data.unsaved_work[job] // UNITS)
    life.executed -= worked + before
    life.attained -= worked * life.width + before * engine.model.jobs[job].gpus


@kernel
def _uses(trace: EngineLog, job: int, server: int) -> bool:
    """Return True if a running job holds GPUs of a server."""
    entry, uses = trace.log[trace.lives[job].entry], False
    for k in range(entry.first, entry.first + entry.pieces):
        uses = uses or trace.servers[k] == server
    return uses


@kernel
def _renew(engine: TraceEngine) -> None:
    """Release jobs whose rank has arrived. The next request is due in time."""
    model, state, trace = engine.model, engine.state, engine.trace
    counts = trace.counts[0]
    for i in range(counts.asked):
        job = trace.asked[i]
        life = trace.lives[job]
        if life.status == RUNNING:
            now = float(counts.now)
            if engine.data.checkpoint > 0:
                keep_checkpoint(engine, job)
            state.runs[job].limit = max(now, float(life.working)) + ticks_left(trace, job)
            set_factor(model, state, job, state.runs[job].factor, now)
    counts.asked = 0


@kernel
def _served(trace: EngineLog, rules: Rules) -> bool:
    if rules.events and trace.counts[0].happened > 0:
        return True
    return rules.interval > 0 and trace.counts[0].now % rules.interval == 0


@kernel
def _full(trace: EngineLog) -> bool:
    """Return True if the log may have no room for all that can start now."""
    most = trace.active.size
    return bool(
        trace.counts[0].logged + most > trace.log.size
        or trace.counts[0].pieced + most > trace.servers.size
    )


@kernel
def _stuck(engine: TraceEngine) -> bool:
    """Return True if no job runs, started or arrives, and time changes no decision."""
    trace, rules = engine.trace, engine.rules
    counts = trace.counts[0]
    idle = counts.active == 0 and counts.started == 0
    return bool(
        idle
        and counts.finished < trace.lives.size
        and counts.arrived == trace.lives.size
        and counts.outage == engine.data.outages.size
        and counts.asked == 0
        and (not rules.wakes or next_wake(trace) == np.inf)
    )


CHOOSE = -1
"""The number of pieces of a job whose GPUs the placement chooses. With kind k it is ``-2 - k``."""


@entry
def carry_out(engine: TraceEngine, orders: Ints) -> None:
    """Stop jobs, then start others unless they run or their placement finds no GPUs.

    `orders` has the number of stops, the jobs to stop, and for each start its job, width, share,
    number of pieces, and these as server and GPUs. Without pieces the GPUs are chosen.
    """
    trace = engine.trace
    for i in range(1, orders[0] + 1):
        stop_run(engine, orders[i])
    first_of_few = trace.room.size > 1
    if first_of_few:
        sort_queue(trace, False)
    i = orders[0] + 1
    while i < orders.size:
        job, width, share, pieces = orders[i], orders[i + 1], orders[i + 2], orders[i + 3]
        i += 4
        for k in range(pieces):
            trace.chosen[k], trace.taken[k] = orders[i], orders[i + 1]
            i += 2
        if trace.lives[job].status == RUNNING:
            continue
        if pieces < CHOOSE:
            pieces = choose_kind(engine, job, width, share, CHOOSE - 1 - pieces)
        elif pieces == CHOOSE:
            pieces = choose(engine, job, width, share)
            if pieces == 0 and first_of_few:
                first, last = _place(trace, job) + 1, trace.counts[0].ordered
                pieces = make_room(engine, job, trace.order, first, last, width, share)
        if pieces > 0:
            start_run(engine, job, share, pieces)


@kernel
def _place(trace: EngineLog, job: int) -> int:
    """Return the place of a job in the queue."""
    place = 0
    while trace.order[place] != job:
        place += 1
    return place


start_now, choose_now = entry(start_run), entry(choose)
"""Kernels called from Python."""
