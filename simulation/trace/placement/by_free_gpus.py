"""Placements by the free GPUs of servers: few servers, first fit, least fragmentation, spread."""

from ...jit import kernel
from ...state import State
from ..records import WHOLE, EngineLog, TraceData, TraceEngine


@kernel
def fewest_servers(engine: TraceEngine, width: int, share: int, most: int) -> int:
    """Choose the fewest servers possible now, and return their number, 0 if more than `most`.

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
    """Choose at most `most` of the servers ``a .. b - 1`` by rack, and return their number.

    Those with most free GPUs come first. The last part goes to the server with the fewest GPUs left
    free.
    """
    state, trace, data = engine.state, engine.trace, engine.data
    pieces, left = 0, width
    while left > 0:
        if pieces == most:
            return 0
        best, room = -1, 0
        for k in range(a, b):
            s = data.by_rack[k]
            free = idle_gpus(state, s, share)
            if free == 0 or _taken(trace, pieces, s):
                continue
            both = free >= left and room >= left
            if best < 0 or (free < room if both else free > room):
                best, room = s, free
                if room == left:
                    break
        if best < 0:
            return 0
        trace.chosen[pieces], trace.taken[pieces] = best, min(room, left)
        left -= min(room, left)
        pieces += 1
    return pieces


@kernel
def idle_gpus(state: State, server: int, share: int) -> int:
    """Return the number of workers that still fit on a server if each takes 1 or 2 half GPUs."""
    return int(state.loads[server].free >> (share - 1))  # A division would take far longer.


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
        total += idle_gpus(state, data.by_rack[k], share)
    return total


@kernel
def consolidate(engine: TraceEngine, width: int, share: int) -> int:
    """Choose the fewest servers, and return their number, 0 if these have too few free GPUs."""
    least = _least(engine, width)
    return int(fewest_servers(engine, width, share, least))


@kernel
def _least(engine: TraceEngine, width: int) -> int:
    """Return how many servers could hold so many GPUs if they were free, the largest first."""
    model, within = engine.model, engine.trace.counts[0].within
    count, left, above = 0, width, 1 << 60
    while left > 0:
        size, same = 0, 0
        for s in range(model.servers):
            if not engine.data.open_to[within, s]:
                continue
            gpus = model.links[s].gpus // WHOLE
            if size < gpus < above:
                size, same = gpus, 0
            if gpus == size:
                same += 1
        if size == 0:
            return model.servers
        need = min(same, -(-left // size))
        count += need
        left -= need * size
        above = size
    return count


@kernel
def first_fit(engine: TraceEngine, width: int, share: int) -> int:
    """Choose GPUs in the first rack with enough, and return the number of servers, 0 without one.

    As the placement `yarn` of Tiresias' public simulator, where a rack is a switch. In the paper,
    all servers have the same number of GPUs. Here the largest servers of a rack are the ones that
    are used whole.
    """
    racks = engine.data.rack_first
    for rack in range(racks.size - 1):
        pieces = _in_rack(engine, width, share, racks[rack], racks[rack + 1])
        if pieces > 0:
            return int(pieces)
    return 0


@kernel
def _in_rack(engine: TraceEngine, width: int, share: int, a: int, b: int) -> int:
    """Choose the idle largest servers that the job fills, and one for its remaining GPUs."""
    state, trace, by_rack = engine.state, engine.trace, engine.data.by_rack
    size = _largest(engine, a, b)
    if size == 0:
        return 0
    pieces, full, rest = 0, width // size, width % size
    for k in range(a, b):
        if pieces < full and state.loads[by_rack[k]].free == size * WHOLE:
            trace.chosen[pieces], trace.taken[pieces] = by_rack[k], size
            pieces += 1
    if pieces < full:
        return 0
    for k in range(a, b):
        taken = False
        for i in range(full):
            taken = taken or trace.chosen[i] == by_rack[k]
        if rest > 0 and not taken and idle_gpus(state, by_rack[k], share) >= rest:
            trace.chosen[pieces], trace.taken[pieces] = by_rack[k], rest
            return pieces + 1
    return 0 if rest > 0 else pieces


@kernel
def _largest(engine: TraceEngine, a: int, b: int) -> int:
    """Return the GPUs of the largest server of a rack that the job may use, 0 without one."""
    model, data, size = engine.model, engine.data, 0
    within = engine.trace.counts[0].within
    for k in range(a, b):
        if data.open_to[within, data.by_rack[k]]:
            size = max(size, model.links[data.by_rack[k]].gpus // WHOLE)
    return size


@kernel
def least_fragmentation(engine: TraceEngine, width: int, share: int) -> int:
    """Fill servers, fewest free GPUs first, and return the number used."""
    state, trace, servers = engine.state, engine.trace, engine.model.servers
    pieces, left, below = 0, width, 0
    while left > 0:
        level = _level_above(engine, share, below)
        if level == 0:
            return 0
        for s in range(servers):
            if idle_gpus(state, s, share) == level:
                trace.chosen[pieces], trace.taken[pieces] = s, min(level, left)
                left -= trace.taken[pieces]
                pieces += 1
                if left == 0:
                    break
        below = level
    return pieces


@kernel
def _level_above(engine: TraceEngine, share: int, below: int) -> int:
    """Return the least number of free GPUs above `below` that a server has, 0 without one."""
    level = 0
    for s in range(engine.model.servers):
        free = idle_gpus(engine.state, s, share)
        if free > below and (level == 0 or free < level):
            level = free
            if level == below + 1:
                break
    return level


@kernel
def spread(engine: TraceEngine, width: int, share: int) -> int:
    """Choose GPUs evenly, and return the number of servers, 0 if there are not enough."""
    state, trace, servers = engine.state, engine.trace, engine.model.servers
    pieces, left, above = 0, width, 1 << 60
    while left > 0:
        level = _level_below(engine, share, above)
        if level == 0:
            break
        for s in range(servers):
            if left > 0 and idle_gpus(state, s, share) == level:
                trace.chosen[pieces], trace.taken[pieces] = s, 1
                left -= 1
                pieces += 1
        above = level
    while left > 0:
        before = left
        for i in range(pieces):
            if left > 0 and idle_gpus(state, trace.chosen[i], share) > trace.taken[i]:
                trace.taken[i] += 1
                left -= 1
        if left == before:
            return 0
    return pieces


@kernel
def _level_below(engine: TraceEngine, share: int, above: int) -> int:
    """Return the largest number of free GPUs below `above` that a server has, 0 without one."""
    level = 0
    for s in range(engine.model.servers):
        free = idle_gpus(engine.state, s, share)
        if level < free < above:
            level = free
    return level
