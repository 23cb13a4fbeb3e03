"""As few servers as are possible now, of one rack if that takes no more."""

from ...jit import kernel
from ...state import State
from ..records import EngineLog, TraceData, TraceEngine


@kernel
def fewest_servers(engine: TraceEngine, width: int, share: int, most: int) -> int:
    """Choose as few servers as are possible now; return how many, 0 if more than `most`.

    Of racks that hold the job on so few, the one with the fewest free GPUs is taken.
    """
    data, servers = engine.data, engine.model.servers
    pieces = fullest(engine, width, share, most, 0, servers)
    racks = data.rack_first.size - 1
    if pieces < 2 or racks == 1:
        return pieces
    best, spare = -1, 0
    for rack in range(racks):
        a, b = data.rack_first[rack], data.rack_first[rack + 1]
        if fullest(engine, width, share, pieces, a, b) > 0:
            free = _free(engine.state, data, share, a, b)
            if best < 0 or free < spare:
                best, spare = rack, free
    a, b = 0, servers
    if best >= 0:
        a, b = data.rack_first[best], data.rack_first[best + 1]
    return fullest(engine, width, share, pieces, a, b)


@kernel
def fullest(engine: TraceEngine, width: int, share: int, most: int, a: int, b: int) -> int:
    """Choose at most `most` of the servers ``a .. b - 1``, counted rack by rack; return how many.

    Those with most free GPUs come first. What is left for the last goes where fewest stay free.
    """
    state, trace, data = engine.state, engine.trace, engine.data
    pieces, left = 0, width
    while left > 0:
        if pieces == most:
            return 0
        best, room = -1, 0
        for k in range(a, b):
            s = data.by_rack[k]
            free = state.loads[s].free // share
            if free == 0 or _taken(trace, pieces, s):
                continue
            both = free >= left and room >= left
            if best < 0 or (free < room if both else free > room):
                best, room = s, free
        if best < 0:
            return 0
        trace.chosen[pieces], trace.taken[pieces] = best, min(room, left)
        left -= min(room, left)
        pieces += 1
    return pieces


@kernel
def _taken(trace: EngineLog, pieces: int, server: int) -> bool:
    found = False
    for i in range(pieces):
        found = found or trace.chosen[i] == server
    return found


@kernel
def _free(state: State, data: TraceData, share: int, a: int, b: int) -> int:
    total = 0
    for k in range(a, b):
        total += state.loads[data.by_rack[k]].free // share
    return total
