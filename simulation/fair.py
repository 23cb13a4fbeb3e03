"""Max-min fair sharing of links by progressive filling."""

import numpy as np

from .jit import kernel
from .model import Model
from .progress import SAME, set_factor, shared_error
from .state import STAMP, State


@kernel
def share_links(model: Model, state: State, job: int, now: float, joined: bool) -> None:
    """Give max-min fair rates to the part of the network that `job` can influence.

    Rings not yet filled stand at the front of `scratch`.
    """
    unfilled = _connected(state, job, joined)
    error = shared_error(unfilled)
    for i in range(unfilled):
        first = state.runs[state.scratch[i]].first
        for c in range(first, first + state.runs[state.scratch[i]].crossings):
            link = state.crossings[c].link
            state.loads[link].width = model.links[link].width
            state.loads[link].unfilled = state.loads[link].rings
    while unfilled > 0:
        tightest = _tightest(state, unfilled)
        level = state.loads[tightest].width / state.loads[tightest].unfilled
        kept = 0
        for i in range(unfilled):
            ring = state.scratch[i]
            if _crosses(state, ring, tightest):
                if state.runs[ring].error < error:
                    state.runs[ring].error += error
                _fill(model, state, ring, level, now)
            else:
                state.scratch[kept] = ring
                kept += 1
        unfilled = kept


@kernel
def _fill(model: Model, state: State, ring: int, level: float, now: float) -> None:
    first = state.runs[ring].first
    for c in range(first, first + state.runs[ring].crossings):
        load = state.loads[state.crossings[c].link]
        load.width = max(0.0, load.width - level)
        load.unfilled -= 1
    run = state.runs[ring]
    if run.doubt or abs(run.factor * level - 1.0) > SAME:
        set_factor(model, state, ring, 1.0 / level, now)


@kernel
def _tightest(state: State, unfilled: int) -> int:
    """Return the link with the least fair share among those of unfilled rings."""
    level, tightest = np.inf, -1
    for i in range(unfilled):
        first = state.runs[state.scratch[i]].first
        for c in range(first, first + state.runs[state.scratch[i]].crossings):
            load = state.loads[state.crossings[c].link]
            if load.width < level * load.unfilled:
                level, tightest = load.width / load.unfilled, state.crossings[c].link
    return tightest


@kernel
def _crosses(state: State, ring: int, link: int) -> bool:
    first = state.runs[ring].first
    for c in range(first, first + state.runs[ring].crossings):
        if state.crossings[c].link == link:
            return True
    return False


@kernel
def _connected(state: State, job: int, joined: bool) -> int:
    """Put the rings joined to the links of `job` through shared links in `scratch`.

    Returns their number; `job` is among them if it has `joined` rather than left.
    """
    state.counters[STAMP] += 1
    stamp = state.counters[STAMP]
    found = state.scratch
    found[0] = job
    state.runs[job].mark = stamp
    count, seen = 1, 0
    while seen < count:
        run = state.runs[found[seen]]
        seen += 1
        for c in range(run.first, run.first + run.crossings):
            k = state.loads[state.crossings[c].link].head
            while k >= 0:
                other = state.crossings[k].owner
                if state.runs[other].mark != stamp:
                    state.runs[other].mark = stamp
                    found[count] = other
                    count += 1
                k = state.crossings[k].after
    if not joined:
        count -= 1
        found[0] = found[count]
    return count
