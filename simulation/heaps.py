"""Binary heaps in arrays that already exist: items by key, running jobs by when they are due."""

from .jit import kernel
from .model import Floats, Ints, Records
from .state import State


@kernel
def _before(key: Floats | Ints, a: int, b: int) -> bool:
    return bool(key[a] < key[b] or (key[a] == key[b] and a < b))


@kernel
def push(heap: Ints, size: int, key: Floats | Ints, item: int) -> None:
    """Add `item` to the `size` items of the heap, equal keys by number."""
    slot = size
    while slot > 0 and _before(key, item, heap[(slot - 1) >> 1]):
        heap[slot] = heap[(slot - 1) >> 1]
        slot = (slot - 1) >> 1
    heap[slot] = item


@kernel
def pop_least(heap: Ints, size: int, key: Floats | Ints) -> int:
    """Take the top out of the `size` items of the heap and return it."""
    top, last, slot = heap[0], heap[size - 1], 0
    size -= 1
    while 2 * slot + 1 < size:
        child = 2 * slot + 1
        if child + 1 < size and _before(key, heap[child + 1], heap[child]):
            child += 1
        if not _before(key, heap[child], last):
            break
        heap[slot] = heap[child]
        slot = child
    heap[slot] = last
    return int(top)


@kernel
def _due_before(runs: Records, a: int, b: int) -> bool:
    return runs[a].due < runs[b].due or (runs[a].due == runs[b].due and a < b)


@kernel
def _sift(runs: Records, size: int, job: int, slot: int) -> None:
    """Move `job` from `slot` up or down to its place."""
    while slot > 0:
        parent = (slot - 1) >> 1
        above = runs[parent].item
        if not _due_before(runs, job, above):
            break
        runs[slot].item = above
        runs[above].place = slot
        slot = parent
    while True:
        child = 2 * slot + 1
        if child >= size:
            break
        if child + 1 < size and _due_before(runs, runs[child + 1].item, runs[child].item):
            child += 1
        below = runs[child].item
        if not _due_before(runs, below, job):
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
    _sift(runs, counters.queued, job, slot)


@kernel
def pop(state: State) -> int:
    """Take out the job that is due first."""
    runs = state.runs
    top = runs[0].item
    runs[top].place = -1
    state.counters[0].queued -= 1
    size = state.counters[0].queued
    if size > 0:
        _sift(runs, size, runs[size].item, 0)
    return int(top)


@kernel
def next_end(state: State) -> float:
    """Return when the next running job is due, or infinity without such a job."""
    if state.counters[0].queued == 0:
        return float("inf")
    return float(state.runs[state.runs[0].item].due)
