"""Placements by present load: the least load of SJF-BCO, and the least contention."""

from ...jit import kernel
from ...model import FLUID, Model
from ...state import State
from ..records import WHOLE, EngineLog, TraceEngine
from ..runs import speed_on
from .by_free_gpus import fewest_servers, fullest, idle_gpus, least_fragmentation


@kernel
def sjf_bco(engine: TraceEngine, width: int, share: int) -> int:
    """Choose GPUs, and return the number of servers, 0 if there are not enough.

    The load of a GPU is all its past work, because job lengths are unknown here. GPUs of a server
    are not distinguished: all have the mean of their server.

    A job on up to `kappa` GPUs takes those with the least load of all. A larger one takes them
    from the shortest prefix of the servers, by load, that has as many GPUs, busy or not.
    """
    model, state, trace, data = engine.model, engine.state, engine.trace, engine.data
    _weigh(engine)
    small, pool = width <= engine.rules.kappa, 0
    pieces, left, last = 0, width, -1
    while left > 0 and (small or pool < width):
        last = _next(engine, share, last, small)
        if last < 0:
            return 0
        if not data.open_to[trace.counts[0].within, last]:
            continue
        pool += model.links[last].gpus // WHOLE
        free = min(left, idle_gpus(state, last, share))
        if free > 0:
            trace.chosen[pieces], trace.taken[pieces] = last, free
            left -= free
            pieces += 1
    return pieces if left == 0 else 0


@kernel
def _weigh(engine: TraceEngine) -> None:
    """Write the GPU-ticks that each server has given per GPU, next to its links."""
    model, state, trace = engine.model, engine.state, engine.trace
    now = trace.counts[0].now
    for s in range(model.servers):
        state.loads[s].width = trace.used[s]
    for i in range(trace.counts[0].active):
        entry = trace.log[trace.lives[trace.active[i]].entry]
        for k in range(entry.first, entry.first + entry.pieces):
            state.loads[trace.servers[k]].width += trace.gpus[k] * (now - entry.start)
    for s in range(model.servers):
        state.loads[s].width *= WHOLE / model.links[s].gpus


@kernel
def _next(engine: TraceEngine, share: int, last: int, idle: bool) -> int:
    """Return the server that comes after `last` by load, ties by number, -1 without one.

    Servers without a free GPU are passed over if it has to be `idle`.
    """
    best, state = -1, engine.state
    for s in range(engine.model.servers):
        if (idle and state.loads[s].free < share) or (last >= 0 and not _before(state, last, s)):
            continue
        if best < 0 or _before(state, s, best):
            best = s
    return best


@kernel
def _before(state: State, a: int, b: int) -> bool:
    one, two = state.loads[a].width, state.loads[b].width
    return bool(one < two or (one == two and a < b))


@kernel
def gpus_lost(engine: TraceEngine, job: int, width: int, share: int, pieces: int) -> float:
    """Return the GPUs whose work would be lost if a job took the chosen servers, two or more.

    The slow-down that a link causes is equation (6) with one ring more, or, if links are shared
    fairly, one over an equal share. The engine finds the same loss, unless a ring leaves part of
    its share of a link unused because another link limits it.
    """
    model, state, trace, data = engine.model, engine.state, engine.trace, engine.data
    state.counters[0].stamp += 1
    stamp, across, slowest = state.counters[0].stamp, _across(model, trace, pieces), 1.0
    for i in range((2 if across else 1) * pieces):
        link = _link(model, trace, pieces, i)
        state.loads[link].unfilled = -stamp
        if data.shared:
            slowest = max(slowest, _slowdown(model, state, link))
    kind = data.server_kind[trace.chosen[0]]
    alone = 1.0 / speed_on(model, data, job, width, share, kind)
    lost = width * _part_lost(alone, data.communication[job] * alone, 0.0, slowest)
    for i in range((2 if across else 1) * pieces):
        k = state.loads[_link(model, trace, pieces, i)].head
        while k >= 0:
            ring = state.crossings[k].owner
            k = state.crossings[k].after
            if state.runs[ring].mark != stamp:
                state.runs[ring].mark = stamp
                lost += trace.lives[ring].width * _disturbed(model, state, ring, stamp)
    return float(lost)


@kernel
def _disturbed(model: Model, state: State, ring: int, stamp: int) -> float:
    """Return the part of its speed that a ring would lose."""
    run = state.runs[ring]
    slowest = run.factor
    for c in range(run.first, run.first + run.crossings):
        link = state.crossings[c].link
        if state.loads[link].unfilled == -stamp:
            slowest = max(slowest, _slowdown(model, state, link))
    return _part_lost(run.fixed_s, model.jobs[ring].transfer_s, run.factor, slowest)


@kernel
def _part_lost(fixed_s: float, transfer_s: float, before: float, after: float) -> float:
    return 1.0 - (fixed_s + transfer_s * before) / (fixed_s + transfer_s * after)


@kernel
def _slowdown(model: Model, state: State, link: int) -> float:
    """Return the slow-down that a link causes once it has one ring more."""
    rings = state.loads[link].rings + 1
    if model.contention == FLUID:
        return float(max(1.0, rings / model.links[link].width))
    return float(model.slowdowns[rings])


@kernel
def _across(model: Model, trace: EngineLog, pieces: int) -> bool:
    """Return True if the chosen servers stand in several racks whose links are shared."""
    first = model.links[trace.chosen[0]].leaf
    found = False
    for i in range(1, pieces):
        found = found or model.links[trace.chosen[i]].leaf != first
    return found


@kernel
def _link(model: Model, trace: EngineLog, pieces: int, i: int) -> int:
    """Return the uplink of a chosen server, or the link of its rack."""
    if i < pieces:
        return int(trace.chosen[i])
    return int(model.links[trace.chosen[i - pieces]].leaf)


FEWEST, QUIETEST = -2, -1
"""Candidates in addition to the racks, which are 0, 1, .."""


@kernel
def contention(engine: TraceEngine, job: int, width: int, share: int) -> int:
    """Choose GPUs, and return the number of servers, 0 if there are not enough.

    The candidates: the fewest servers, the fewest in each rack, and the servers with the fewest
    rings. A job without communication goes to the servers that leave the fewest fragments.

    The cost of a choice of servers: the loss of the job itself and of the rings that it would
    disturb.
    """
    if engine.data.communication[job] == 0.0:
        return int(least_fragmentation(engine, width, share))
    pieces = _candidate(engine, width, share, FEWEST)
    if pieces < 2:
        return pieces
    best, count, least = FEWEST, pieces, 0.0
    for which in range(FEWEST, engine.data.rack_first.size - 1):
        pieces = _candidate(engine, width, share, which)
        if pieces > 0:
            lost = gpus_lost(engine, job, width, share, pieces)
            close = 1e-9 * (least + lost)
            fewer = lost <= least + close and pieces < count
            if which == FEWEST or lost < least - close or fewer:
                best, count, least = which, pieces, lost
    return _candidate(engine, width, share, best)


@kernel
def _candidate(engine: TraceEngine, width: int, share: int, which: int) -> int:
    servers, racks = engine.model.servers, engine.data.rack_first
    if which == FEWEST:
        return int(fewest_servers(engine, width, share, servers))
    if which == QUIETEST:
        return _quietest(engine, width, share)
    return int(fullest(engine, width, share, servers, racks[which], racks[which + 1]))


@kernel
def _quietest(engine: TraceEngine, width: int, share: int) -> int:
    """Choose the servers with the fewest rings, of those with as few the emptiest."""
    state, trace = engine.state, engine.trace
    pieces, left, last_rings, last_free, last = 0, width, -1, 0, -1
    while left > 0:
        best, rings, room = -1, 0, 0
        for s in range(engine.model.servers):
            load = state.loads[s]
            free = idle_gpus(state, s, share)
            if free == 0 or not _after(load.rings, free, s, last_rings, last_free, last):
                continue
            if best < 0 or _after(rings, room, best, load.rings, free, s):
                best, rings, room = s, load.rings, free
        if best < 0:
            return 0
        trace.chosen[pieces], trace.taken[pieces] = best, min(room, left)
        left -= min(room, left)
        pieces += 1
        last_rings, last_free, last = rings, room, best
    return pieces


@kernel
def _after(rings: int, free: int, server: int, rings_2: int, free_2: int, server_2: int) -> bool:
    """Return True if one server comes after another."""
    if rings != rings_2:
        return rings > rings_2
    if free != free_2:
        return free < free_2
    return server > server_2
