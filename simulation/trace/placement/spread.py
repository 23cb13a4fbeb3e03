"""Spread: over as many servers as possible, the emptiest first, a GPU on each in turn."""

from ...jit import kernel
from ..records import TraceEngine


@kernel
def spread(engine: TraceEngine, width: int, share: int) -> int:
    """Choose GPUs evenly; return the number of servers, 0 if there are not enough."""
    state, trace, servers = engine.state, engine.trace, engine.model.servers
    pieces, left, above = 0, width, 1 << 60
    while left > 0:
        level = _next_level(engine, share, above)
        if level == 0:
            break
        for s in range(servers):
            if left > 0 and state.loads[s].free // share == level:
                trace.chosen[pieces], trace.taken[pieces] = s, 1
                left -= 1
                pieces += 1
        above = level
    while left > 0:
        before = left
        for i in range(pieces):
            if left > 0 and state.loads[trace.chosen[i]].free // share > trace.taken[i]:
                trace.taken[i] += 1
                left -= 1
        if left == before:
            return 0
    return pieces


@kernel
def _next_level(engine: TraceEngine, share: int, above: int) -> int:
    """Return the largest number of free GPUs below `above` that a server has; 0 if none has."""
    level = 0
    for s in range(engine.model.servers):
        free = engine.state.loads[s].free // share
        if level < free < above:
            level = free
    return level
