"""Spread: over as many servers as possible, the emptiest first, a GPU on each in turn."""

from ...jit import kernel
from ...model import Model
from ...state import State
from ..records import Trace


@kernel
def spread(model: Model, state: State, trace: Trace, width: int, share: int) -> int:
    """Choose GPUs evenly; return the number of servers, 0 if there are not enough."""
    pieces, left = 0, width
    while left > 0:
        best, room = -1, 0
        for s in range(model.servers):
            free = state.loads[s].free // share
            for i in range(pieces):
                if trace.chosen[i] == s:
                    free = 0
            if free > room:
                best, room = s, free
        if best < 0:
            break
        trace.chosen[pieces], trace.taken[pieces] = best, 1
        left -= 1
        pieces += 1
    while left > 0:
        before = left
        for i in range(pieces):
            if left > 0 and state.loads[trace.chosen[i]].free // share > trace.taken[i]:
                trace.taken[i] += 1
                left -= 1
        if left == before:
            return 0
    return pieces
