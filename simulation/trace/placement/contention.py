"""Contention: where the job, and those whose links it would share, lose least.

What is looked at: as few servers as possible, as few as possible in each rack, and those with the
fewest rings. A job that exchanges nothing goes where it leaves the fewest fragments.
"""

from ...jit import kernel
from ..records import TraceEngine
from .fewest_servers import fewest_servers, fullest
from .gpus_lost import gpus_lost
from .least_fragmentation import least_fragmentation

FEWEST, QUIETEST = -2, -1
"""What is looked at beside the racks, which are 0, 1, .."""


@kernel
def contention(engine: TraceEngine, job: int, width: int, share: int) -> int:
    """Choose GPUs; return the number of servers, 0 if there are not enough."""
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
            free = load.free // share
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
    """Say whether one server comes after another."""
    if rings != rings_2:
        return rings > rings_2
    if free != free_2:
        return free < free_2
    return server > server_2
