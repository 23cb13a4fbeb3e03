"""Shared-server patterns: a few equal servers in a line, cut into lanes whose rings cross servers.

If job sizes do not fill servers exactly, rings must share some of them. A pattern defines this
sharing. Its GPUs stand in a line. Lanes of the sizes of jobs fill it until no job has room behind
them, and no lane ends between two servers, else it would be two patterns. Smaller blocks lie inside
a lane, and larger ones around lanes, which leave GPUs idle. All blocks are nested or disjoint, so
that jobs that go from large blocks to small ones leave no GPU idle in between
(`annealing/blocks.py`).
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple


class PatternBlock(NamedTuple):
    """A block for jobs of `gpus` GPUs, which has the leaves ``low .. high - 1`` of a pattern.

    Its jobs hold `gpus` leaves from `begin` on. The other leaves are idle meanwhile.
    """

    low: int
    high: int
    gpus: int
    begin: int

    @property
    def end(self) -> int:
        """The leaf after the last one that its jobs hold."""
        return self.begin + self.gpus


class ServerPattern(NamedTuple):
    """A number of servers, the lanes on them, and all blocks.

    On the busiest server of ``blocks[i]`` there are never more than ``rings[i]`` rings at once, if
    it is a ring itself; 0 means a block inside one server.
    """

    servers: int
    lanes: tuple[int, ...]
    blocks: tuple[PatternBlock, ...]
    rings: tuple[int, ...]

    def whole_lanes(self) -> list[int]:
        """Return the indices of the blocks that are whole lanes."""
        lanes = set(zip(accumulate(self.lanes), self.lanes, strict=True))
        pairs = enumerate(self.blocks)
        return [i for i, b in pairs if (b.high, b.gpus) in lanes and b.high - b.low == b.gpus]


def patterns_of(sizes: Sequence[int], gpus: int, servers: int) -> Iterator[ServerPattern]:
    """Yield the patterns of some servers of `gpus` GPUs each, for jobs of ascending `sizes`."""
    seen = set[tuple[int, ...]]()
    for lanes in _lanes(sizes, gpus, servers, ()):
        if lanes[::-1] in seen:
            continue
        seen.add(lanes)
        blocks = tuple(_blocks(lanes, sizes, gpus))
        rings = tuple(_most_rings(block, blocks, gpus) for block in blocks)
        yield ServerPattern(servers, lanes, blocks, rings)


def _lanes(
    sizes: Sequence[int], gpus: int, servers: int, begun: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """Yield the sequences of lanes that fill a line to its end, or until no job has room behind.

    Only rings lie on two servers, and two adjacent lanes on a server could not be one.
    """
    at, total = sum(begun), servers * gpus
    before = begun[-1] if begun else 0
    for size in sizes:
        end = at + size
        whole = size > gpus or _within(at, end, gpus)
        finer = before and before + size in sizes and _within(at - before, end, gpus)
        if total - sizes[0] < end <= total and end > total - gpus and whole and not finer:
            yield (*begun, size)
        elif end < total and end % gpus and whole and not finer:
            yield from _lanes(sizes, gpus, servers, (*begun, size))


def _within(low: int, high: int, gpus: int) -> bool:
    """Return True if the leaves are all on one server."""
    return low // gpus == (high - 1) // gpus


def _blocks(lanes: tuple[int, ...], sizes: Sequence[int], gpus: int) -> Iterator[PatternBlock]:
    low = 0
    for size in lanes:
        yield from _inside(low, size, sizes, gpus)
        low += size
    yield from _around(0, lanes, sizes, gpus)[0]


def _inside(low: int, size: int, sizes: Sequence[int], gpus: int) -> Iterator[PatternBlock]:
    """Yield a block and those inside it: the next smaller one, and the blocks that fit with it."""
    yield PatternBlock(low, low + size, size, low)
    high = low + size
    smaller = [one for one in sizes if one < size and (one > gpus) == (size > gpus)]
    if smaller:
        rest = size - smaller[-1]
        if size <= gpus or _within(high - rest, high, gpus):
            yield from _inside(low, smaller[-1], sizes, gpus)
            yield from _filled(high - rest, high, sizes, gpus)
            return
        if _within(low, low + rest, gpus):
            yield from _inside(low + rest, smaller[-1], sizes, gpus)
            yield from _filled(low, low + rest, sizes, gpus)
            return
    if size > gpus:
        yield from _filled(low, high, sizes, gpus)


def _filled(low: int, high: int, sizes: Sequence[int], gpus: int) -> Iterator[PatternBlock]:
    """Yield the largest blocks, each inside one server, that fill these leaves in turn."""
    while low < high:
        room = min(high, (low // gpus + 1) * gpus) - low
        size = max((one for one in sizes if one <= room), default=0)
        if size:
            yield from _inside(low, size, sizes, gpus)
        low += size or room


def _around(
    low: int, lanes: tuple[int, ...], sizes: Sequence[int], gpus: int
) -> tuple[list[PatternBlock], int]:
    """Return blocks of rings around two lanes or more, by halves, and the largest job in them."""
    if len(lanes) == 1:
        return [], lanes[0]
    half, high = len(lanes) // 2, low + sum(lanes)
    middle = low + sum(lanes[:half])
    first, most = _around(low, lanes[:half], sizes, gpus)
    second, other = _around(middle, lanes[half:], sizes, gpus)
    top = max(most, other)
    found = []
    for size in sizes:
        if max(top, gpus) < size <= high - low:
            begin = min(range(low, high - size + 1), key=lambda at: _bends(at, size, gpus))
            found.append(PatternBlock(low, high, size, begin))
            top = size
    return first + second + found, top


def _bends(begin: int, size: int, gpus: int) -> tuple[int, int]:
    """Return the servers of a ring less one, and the GPUs before it on its first server."""
    return (begin + size - 1) // gpus - begin // gpus, begin % gpus


def _most_rings(block: PatternBlock, blocks: Sequence[PatternBlock], gpus: int) -> int:
    """Return the most rings that can be on the busiest server of a ring at once."""
    if _within(block.begin, block.end, gpus):
        return 0
    others = [one for one in blocks if one.high <= block.low or one.low >= block.high]
    others.sort(key=lambda one: one.high - one.low)
    most = 1
    for server in range(block.begin // gpus, (block.end - 1) // gpus + 1):
        apart: list[PatternBlock] = []
        for one in others:
            if _crosses(one, server, gpus) and _free_of(one, apart):
                apart.append(one)
        most = max(most, 1 + len(apart))
    return most


def _crosses(block: PatternBlock, server: int, gpus: int) -> bool:
    """Return True if a ring has some GPUs, but not all of its GPUs, on a server."""
    there = block.begin < (server + 1) * gpus and block.end > server * gpus
    return there and not _within(block.begin, block.end, gpus)


def _free_of(block: PatternBlock, others: Sequence[PatternBlock]) -> bool:
    return all(one.high <= block.low or one.low >= block.high for one in others)
