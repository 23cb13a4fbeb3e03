"""The first servers in order that will do, all of one rack: idle ones, and one for the rest.

As the placement `yarn` of Tiresias' public simulator, where a rack is a switch. Servers there all
have as many GPUs; here those of the largest size of a rack are the ones that are taken whole.
"""

from ...jit import kernel
from ..records import WHOLE, TraceEngine


@kernel
def first_fit(engine: TraceEngine, job: int, width: int, share: int) -> int:
    """Choose GPUs in the first rack that has them; return the number of servers, 0 if none has."""
    racks = engine.data.rack_first
    for rack in range(racks.size - 1):
        pieces = _in_rack(engine, job, width, share, racks[rack], racks[rack + 1])
        if pieces > 0:
            return int(pieces)
    return 0


@kernel
def _in_rack(engine: TraceEngine, job: int, width: int, share: int, a: int, b: int) -> int:
    """Choose as many idle servers of the largest size as the job fills, and one for the rest."""
    loads, trace, by_rack = engine.state.loads, engine.trace, engine.data.by_rack
    size = _largest(engine, job, a, b)
    if size == 0:
        return 0
    pieces, full, rest = 0, width // size, width % size
    for k in range(a, b):
        if pieces < full and loads[by_rack[k]].free == size * WHOLE:
            trace.chosen[pieces], trace.taken[pieces] = by_rack[k], size
            pieces += 1
    if pieces < full:
        return 0
    for k in range(a, b):
        taken = False
        for i in range(full):
            taken = taken or trace.chosen[i] == by_rack[k]
        if rest > 0 and not taken and loads[by_rack[k]].free // share >= rest:
            trace.chosen[pieces], trace.taken[pieces] = by_rack[k], rest
            return pieces + 1
    return 0 if rest > 0 else pieces


@kernel
def _largest(engine: TraceEngine, job: int, a: int, b: int) -> int:
    """Return the GPUs of the largest server of a rack that the job may use; 0 if there is none."""
    model, data, size = engine.model, engine.data, 0
    for k in range(a, b):
        if data.open_to[data.reach[job], data.by_rack[k]]:
            size = max(size, model.links[data.by_rack[k]].gpus // WHOLE)
    return size
