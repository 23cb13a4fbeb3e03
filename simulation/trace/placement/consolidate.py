"""Consolidate: as few servers as could hold the job if all were free, or none."""

from ...jit import kernel
from ...model import Model
from ...state import State
from ..records import WHOLE, Trace


@kernel
def consolidate(model: Model, state: State, trace: Trace, width: int, share: int) -> int:
    """Choose the fewest servers; return their number, 0 if so few have not enough free GPUs."""
    return int(fullest(model, state, trace, width, share, _fewest(model, width)))


@kernel
def fullest(
    model: Model, state: State, trace: Trace, width: int, share: int, most: int
) -> int:
    """Choose at most `most` servers, those with most free GPUs first; return how many.

    What is left for the last goes where fewest GPUs stay free.
    """
    pieces, left = 0, width
    while left > 0:
        if pieces == most:
            return 0
        best, room = -1, 0
        for s in range(model.servers):
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
def _fewest(model: Model, width: int) -> int:
    """Return how many servers could hold so many GPUs if they were free, the largest first."""
    count, left, above = 0, width, 1 << 60
    while left > 0:
        size, same = 0, 0
        for s in range(model.servers):
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
def _taken(trace: Trace, pieces: int, server: int) -> bool:
    found = False
    for i in range(pieces):
        found = found or trace.chosen[i] == server
    return found
