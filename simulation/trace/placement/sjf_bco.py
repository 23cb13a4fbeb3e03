"""SJF-BCO's placement: small jobs on the least loaded GPUs, large ones on the least loaded servers.

The load of a GPU is the work it was ever given, as far as it is done by now: nobody knows how long
jobs last here. GPUs of a server are not told apart, so that all have the mean of their server.
"""

from ...jit import kernel
from ...state import State
from ..records import WHOLE, TraceEngine


@kernel
def sjf_bco(engine: TraceEngine, job: int, width: int, share: int) -> int:
    """Choose GPUs; return the number of servers, 0 if there are not enough.

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
        if not data.open_to[data.reach[job], last]:
            continue
        pool += model.links[last].gpus // WHOLE
        free = min(left, state.loads[last].free // share)
        if free > 0:
            trace.chosen[pieces], trace.taken[pieces] = last, free
            left -= free
            pieces += 1
    return pieces if left == 0 else 0


@kernel
def _weigh(engine: TraceEngine) -> None:
    """Write the GPU-ticks that each server has given, for each of its GPUs, beside its links."""
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
    """Return the server that comes after `last` by load, ties by number; -1 if none does.

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
