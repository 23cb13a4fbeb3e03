"""The door to the placements: which GPUs a job gets."""

from ...jit import kernel
from ...model import Model
from ...state import State
from ..records import EngineLog, Rules, TraceData
from .consolidate import consolidate
from .contention import contention
from .least_fragmentation import least_fragmentation
from .pack import pack
from .sjf_bco import sjf_bco
from .spread import spread

PACK, CONSOLIDATE, SPREAD, LEAST_FRAGMENTATION, PROFILE, CONTENTION, SJF_BCO = range(7)

PLACEMENTS: dict[str, int] = {
    "pack": PACK,
    "consolidate": CONSOLIDATE,
    "spread": SPREAD,
    "least-fragmentation": LEAST_FRAGMENTATION,
    "profile": PROFILE,
    "contention": CONTENTION,
    "sjf-bco": SJF_BCO,
}
"""Placements by name."""


@kernel
def choose(
    model: Model,
    state: State,
    trace: EngineLog,
    data: TraceData,
    rules: Rules,
    job: int,
    width: int,
    share: int,
) -> int:
    """Choose GPUs for a job; return the number of servers, 0 if the placement finds none."""
    bound = data.reach[job] > 0
    if bound:
        _hide(model, state, trace, data, job)
    pieces = _chosen(model, state, trace, data, rules, job, width, share)
    if bound:
        _show(model, state, trace)
    _by_server(trace, pieces)
    return int(pieces)


@kernel
def _chosen(
    model: Model,
    state: State,
    trace: EngineLog,
    data: TraceData,
    rules: Rules,
    job: int,
    width: int,
    share: int,
) -> int:
    kind = rules.placement
    if kind == PROFILE:
        kind = CONSOLIDATE if data.skew[job] > rules.skewed else LEAST_FRAGMENTATION
    if kind == PACK:
        pieces = pack(model, state, trace, data, width, share)
    elif kind == CONSOLIDATE:
        pieces = consolidate(model, state, trace, data, job, width, share)
    elif kind == SPREAD:
        pieces = spread(model, state, trace, width, share)
    elif kind == CONTENTION:
        pieces = contention(model, state, trace, data, job, width, share)
    elif kind == SJF_BCO:
        pieces = sjf_bco(model, state, trace, data, job, width, share, rules.kappa)
    else:
        pieces = least_fragmentation(model, state, trace, width, share)
    return int(pieces)


@kernel
def _hide(model: Model, state: State, trace: EngineLog, data: TraceData, job: int) -> None:
    """Let servers that a job may not use look as if nothing of them were free."""
    for s in range(model.servers):
        trace.hidden[s] = state.loads[s].free
        if not data.open_to[data.reach[job], s]:
            state.loads[s].free = 0


@kernel
def _show(model: Model, state: State, trace: EngineLog) -> None:
    for s in range(model.servers):
        state.loads[s].free = trace.hidden[s]


@kernel
def _by_server(trace: EngineLog, pieces: int) -> None:
    """Order the chosen servers by number, so that equal choices look equal."""
    for i in range(1, pieces):
        server, held, slot = trace.chosen[i], trace.taken[i], i
        while slot > 0 and trace.chosen[slot - 1] > server:
            trace.chosen[slot] = trace.chosen[slot - 1]
            trace.taken[slot] = trace.taken[slot - 1]
            slot -= 1
        trace.chosen[slot], trace.taken[slot] = server, held
