"""The entry point of the placements, which are kernels."""

from ...jit import kernel
from ..records import EngineLog, TraceEngine
from ..runs import estimate, speed_on
from .by_free_gpus import consolidate, fewest_servers, first_fit, least_fragmentation, spread
from .by_load import contention, sjf_bco

PACK, CONSOLIDATE, SPREAD, LEAST_FRAGMENTATION, PROFILE, CONTENTION, SJF_BCO, FIRST_FIT = range(8)

PLACEMENTS: dict[str, int] = {
    "pack": PACK,
    "consolidate": CONSOLIDATE,
    "spread": SPREAD,
    "least-fragmentation": LEAST_FRAGMENTATION,
    "profile": PROFILE,
    "contention": CONTENTION,
    "sjf-bco": SJF_BCO,
    "first-fit": FIRST_FIT,
}
"""Placements by name."""


@kernel
def choose(engine: TraceEngine, job: int, width: int, share: int) -> int:
    """Choose GPUs for a job, and return the number of servers, 0 if the placement finds none.

    All are of one kind. The kind on which the job is fastest comes first.
    """
    data, pieces = engine.data, 0
    for k in range(data.kind_first[job], data.kind_first[job + 1]):
        if pieces == 0:
            pieces = choose_within(engine, job, width, share, data.kind_set[k])
    return int(pieces)


@kernel
def choose_kind(engine: TraceEngine, job: int, width: int, share: int, kind: int) -> int:
    """Choose GPUs of a kind for a job, as `choose` does."""
    data, pieces = engine.data, 0
    for k in range(data.kind_first[job], data.kind_first[job + 1]):
        if data.set_kind[data.kind_set[k]] == kind:
            pieces = choose_within(engine, job, width, share, data.kind_set[k])
    return int(pieces)


@kernel
def choose_within(engine: TraceEngine, job: int, width: int, share: int, number: int) -> int:
    """Choose GPUs for a job on one of its sets of servers, as `choose` does.

    If jobs have estimates, servers that are known to be out before the estimated end come last.
    """
    data, pieces = engine.data, 0
    engine.trace.counts[0].within = number
    if data.mixed and speed_on(engine.model, data, job, width, share, data.set_kind[number]) == 0.0:
        return 0
    if data.foresees:
        if _hide(engine, number, engine.trace.counts[0].now + estimate(engine.trace, data, job)):
            pieces = _chosen(engine, job, width, share)
        _show(engine)
    if pieces == 0:
        if number > 0:
            _hide(engine, number, 0)
        pieces = _chosen(engine, job, width, share)
        if number > 0:
            _show(engine)
    _by_server(engine.trace, pieces)
    return int(pieces)


@kernel
def _chosen(engine: TraceEngine, job: int, width: int, share: int) -> int:
    kind = engine.rules.placement
    if kind == PROFILE:
        skewed = engine.data.skew[job] > engine.rules.skewed
        kind = CONSOLIDATE if skewed else LEAST_FRAGMENTATION
    if kind == PACK:
        pieces = fewest_servers(engine, width, share, engine.model.servers)
    elif kind == CONSOLIDATE:
        pieces = consolidate(engine, width, share)
    elif kind == SPREAD:
        pieces = spread(engine, width, share)
    elif kind == CONTENTION:
        pieces = contention(engine, job, width, share)
    elif kind == SJF_BCO:
        pieces = sjf_bco(engine, width, share)
    elif kind == FIRST_FIT:
        pieces = first_fit(engine, width, share)
    else:
        pieces = least_fragmentation(engine, width, share)
    return int(pieces)


@kernel
def _hide(engine: TraceEngine, number: int, end: int) -> bool:
    """Make servers outside a set, or known to be out before a tick, look full.

    Return True if there are such outages.
    """
    loads, data, found = engine.state.loads, engine.data, False
    for s in range(engine.model.servers):
        engine.trace.hidden[s] = loads[s].free
        soon = engine.trace.next_out[s] < end
        found = found or soon
        if soon or not data.open_to[number, s]:
            loads[s].free = 0
    return found


@kernel
def _show(engine: TraceEngine) -> None:
    for s in range(engine.model.servers):
        engine.state.loads[s].free = engine.trace.hidden[s]


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
