"""Cells as blocks: what sort each block of a cell is of, and where the blocks of all cells lie."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from ...instances import MakespanInstance, RingJob, ServerUplink
from ...simulation.iteration import iteration_s, parts, slots_needed, slowdown
from ...simulation.model import Ints
from .blocks import NEVER, Blocks
from .cells_program import SortedCell
from .cells_shapes import CellBlock, ServerCell


class BlockSort(NamedTuple):
    """What counts for jobs of `gpus` GPUs in a block: servers, GPUs on one at most, slowdown."""

    gpus: int
    servers: int
    most: int
    slower: Fraction


class BlockSorts:
    """The sorts that blocks are of, by number."""

    def __init__(self, instance: MakespanInstance, network: ServerUplink) -> None:
        """Begin without any."""
        self._instance, self._network = instance, network
        self._known: dict[BlockSort, int] = {}

    def sorted(self, cell: ServerCell, gpus: int) -> SortedCell:
        """Return the sorts of a cell's blocks, on servers of so many GPUs."""
        pairs = zip(cell.blocks, cell.rings, strict=True)
        sorts = (self._sort(block, rings, gpus) for block, rings in pairs)
        return SortedCell(cell, tuple(self._known.setdefault(s, len(self._known)) for s in sorts))

    def _sort(self, block: CellBlock, rings: int, gpus: int) -> BlockSort:
        _, held = np.unique(np.arange(block.begin, block.end) // gpus, return_counts=True)
        network = self._network
        slower = slowdown(Fraction(network.share), Fraction(network.degradation), rings)
        return BlockSort(block.gpus, held.size, int(held.max()), slower)

    def slots(self) -> Ints:
        """Return the slots of every job in blocks of every sort."""
        found = np.full((len(self._instance.jobs), len(self._known)), NEVER, np.int64)
        for j, job in enumerate(self._instance.jobs):
            for sort, number in self._known.items():
                if sort.gpus == job.gpus:
                    found[j, number] = self._slots(job, sort)
        return found

    def _slots(self, job: RingJob, sort: BlockSort) -> int:
        terms = parts(self._instance, job)
        seconds = iteration_s(self._instance, terms, sort.servers, sort.most, sort.slower)
        need = slots_needed(self._instance, job, seconds)
        return NEVER if need is None else ceil(need)


def blocks_of(
    cells: Iterable[SortedCell],
    slots: Ints,
    sizes: Sequence[int],
    jobs: Ints,
    gpus: int,
    servers: int,
) -> Blocks:
    """Return the blocks of these cells, one after the other, on servers of so many GPUs.

    Jobs have ``jobs[j]`` GPUs, one of `sizes`, and take ``slots[j, sort]`` in blocks.
    """
    alike: dict[tuple[tuple[int, ...], ...], int] = {}
    rows, first = list[tuple[int, ...]](), 0
    for cell, sorts in cells:
        pairs = list(zip(cell.blocks, sorts, strict=True))
        for block, sort in pairs:
            level = sizes.index(block.gpus)
            inner = sorted(
                (one.low - block.low, one.high - block.low, one.begin - block.low, its)
                for one, its in pairs
                if block.low <= one.low and one.high <= block.high and one.gpus <= block.gpus
            )
            inside = alike.setdefault(tuple(inner), 1 + len(alike))
            places = (block.low, block.high, block.begin, block.end)
            rows.append((level, *(first + place for place in places), sort, inside))
        first += cell.servers * gpus
    level, low, high, begin, end, sort, inside = np.array(sorted(rows), np.int64).T
    at = np.full((len(sizes), servers * gpus), -1, np.int64)
    for b in range(low.size):
        at[level[b], low[b] : high[b]] = b
    rank = np.searchsorted(sizes, jobs)
    return Blocks(
        low=low,
        high=high,
        begin=begin,
        end=end,
        level=level,
        sort=sort,
        inside=inside,
        first=np.searchsorted(level, np.arange(len(sizes) + 1)),
        at=at,
        server=np.repeat(np.arange(servers), gpus),
        unit=1,
        rank=rank,
        slots=slots,
        jobs=np.argsort(rank, kind="stable"),
        start=np.searchsorted(np.sort(rank), np.arange(len(sizes) + 1)),
    )
