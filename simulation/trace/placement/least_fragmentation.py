"""Least fragmentation: the servers with fewest free GPUs are filled first."""

from ...jit import kernel
from ..records import TraceEngine


@kernel
def least_fragmentation(engine: TraceEngine, width: int, share: int) -> int:
    """Fill servers, those with fewest free GPUs first; return how many are used."""
    state, trace, servers = engine.state, engine.trace, engine.model.servers
    pieces, left, below = 0, width, 0
    while left > 0:
        level = _next_level(engine, share, below)
        if level == 0:
            return 0
        for s in range(servers):
            if left > 0 and state.loads[s].free // share == level:
                trace.chosen[pieces], trace.taken[pieces] = s, min(level, left)
                left -= trace.taken[pieces]
                pieces += 1
        below = level
    return pieces


@kernel
def _next_level(engine: TraceEngine, share: int, below: int) -> int:
    """Return the least number of free GPUs above `below` that a server has; 0 if none has."""
    level = 0
    for s in range(engine.model.servers):
        free = engine.state.loads[s].free // share
        if free > below and (level == 0 or free < level):
            level = free
    return level
