"""The running jobs as a binary heap by the time they are due; every step is logarithmic."""

from .jit import kernel
from .model import Records
from .state import State


@kernel
def _before(runs: Records, a: int, b: int) -> bool:
    return runs[a].due < runs[b].due or (runs[a].due == runs[b].due and a < b)


@kernel
def _settle(runs: Records, size: int, job: int, slot: int) -> None:
    """Move `job` from `slot` up or down to where it belongs."""
    while slot > 0:
        parent = (slot - 1) >> 1
        above = runs[parent].item
        if not _before(runs, job, above):
            break
        runs[slot].item = above
        runs[above].place = slot
        slot = parent
    while True:
        child = 2 * slot + 1
        if child >= size:
            break
        if child + 1 < size and _before(runs, runs[child + 1].item, runs[child].item):
            child += 1
        below = runs[child].item
        if not _before(runs, below, job):
            break
        runs[slot].item = below
        runs[below].place = slot
        slot = child
    runs[slot].item = job
    runs[job].place = slot


@kernel
def put(state: State, job: int, due: float) -> None:
    """Add `job` to the queue, or move it if it is inside."""
    counters = state.counters[0]
    runs = state.runs
    runs[job].due = due
    slot = runs[job].place
    if slot < 0:
        slot = counters.queued
        counters.queued += 1
    _settle(runs, counters.queued, job, slot)


@kernel
def pop(state: State) -> int:
    """Take out the job that is due first."""
    runs = state.runs
    top = runs[0].item
    runs[top].place = -1
    state.counters[0].queued -= 1
    size = state.counters[0].queued
    if size > 0:
        _settle(runs, size, runs[size].item, 0)
    return int(top)


@kernel
def next_end(state: State) -> float:
    """Return when the next running job is due; infinity if none is or ever will be."""
    if state.counters[0].queued == 0:
        return float("inf")
    return float(state.runs[state.runs[0].item].due)
