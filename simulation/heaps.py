"""Binary heaps in arrays that already exist: the item with the least key is on top."""

from .jit import kernel
from .model import Floats, Ints


@kernel
def _before(key: Floats | Ints, a: int, b: int) -> bool:
    return bool(key[a] < key[b] or (key[a] == key[b] and a < b))


@kernel
def push(heap: Ints, size: int, key: Floats | Ints, item: int) -> None:
    """Add `item` to the `size` items of the heap; equal keys come by number."""
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
