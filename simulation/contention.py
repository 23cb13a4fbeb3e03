"""Contention models: what the rings around an event get, and whose pace it changes.

Each model is a kernel called after a ring took its links or left them; `recompute` picks
it. A new model adds its noun to `instances/cluster.py`, its kernel here, and its exact
twin to the judge.
"""

from .fair import share_links
from .jit import kernel
from .model import FLUID, Model
from .progress import in_doubt, set_factor
from .state import State


@kernel
def recompute(model: Model, state: State, job: int, now: float, joined: bool) -> None:
    """Update every running ring that shares a link with the ring of `job`."""
    if model.contention == FLUID:
        share_links(model, state, job, now)
    else:
        _busiest_uplink(model, state, job, now, joined)


@kernel
def _busiest_uplink(model: Model, state: State, job: int, now: float, joined: bool) -> None:
    """Equations (6) and (7): the server with the most spread rings sets the pace."""
    state.counters[0].stamp += 1
    stamp = state.counters[0].stamp
    first = state.runs[job].first
    for c in range(first, first + state.runs[job].crossings):
        load = state.loads[state.crossings[c].link]
        k = load.head
        while k >= 0:
            ring = state.crossings[k].owner
            k = state.crossings[k].after
            run = state.runs[ring]
            if run.mark == stamp or (
                run.most >= load.rings if joined else run.most != load.rings + 1
            ):
                continue
            run.mark = stamp
            most = _busiest(state, ring)
            if most == run.most:
                continue
            run.most = most
            factor = model.slowdowns[most]
            if in_doubt(run) or factor != run.factor:
                set_factor(model, state, ring, factor, now)


@kernel
def _busiest(state: State, ring: int) -> int:
    first, most = state.runs[ring].first, 1
    for d in range(first, first + state.runs[ring].crossings):
        most = max(most, state.loads[state.crossings[d].link].rings)
    return most
