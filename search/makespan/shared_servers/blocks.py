"""Shared-server patterns as blocks that jobs are annealed over, and servers used in turn.

The number of servers is seldom a sum of whole patterns. Therefore a few servers may have other
patterns first: five, say, one pattern of rings of 5 GPUs, and then one of two servers and one of
three. The jobs that go first are chosen so that all lanes end nearly at once. Together they are
treated as one more job, a bundle, with a block around all other blocks of these servers.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from ....instances import MakespanInstance, RingJob, ServerUplink
from ....simulation import PlacedStarts, make_plan
from ....simulation.model import Ints, iteration_s, parts, slots_needed, slowdown
from ..annealing import block_plans
from ..annealing.blocks import NEVER, Blocks, new_blocks
from .choice import PatternChoice, SortedPattern
from .patterns import PatternBlock, ServerPattern


class BlockSort(NamedTuple):
    """Determinants of the length of a job of `gpus` GPUs: servers, most GPUs on one, slowdown."""

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

    def sorted(self, pattern: ServerPattern, gpus: int) -> SortedPattern:
        """Return a pattern with the sorts of its blocks, on servers of `gpus` GPUs."""
        pairs = zip(pattern.blocks, pattern.rings, strict=True)
        sorts = (self._sort(block, rings, gpus) for block, rings in pairs)
        return SortedPattern(
            pattern, tuple(self._known.setdefault(s, len(self._known)) for s in sorts)
        )

    def _sort(self, block: PatternBlock, rings: int, gpus: int) -> BlockSort:
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
    patterns: Iterable[SortedPattern],
    slots: Ints,
    sizes: Sequence[int],
    jobs: Ints,
    gpus: int,
    servers: int,
) -> Blocks:
    """Return the blocks of these patterns, one after the other, on servers of `gpus` GPUs.

    Jobs have ``jobs[j]`` GPUs, one of `sizes`, and take ``slots[j, sort]`` in blocks.
    """
    alike: dict[tuple[tuple[int, ...], ...], int] = {}
    rows, first = list[tuple[int, ...]](), 0
    for pattern, sorts in patterns:
        pairs = list(zip(pattern.blocks, sorts, strict=True))
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
        first += pattern.servers * gpus
    level, low, high, begin, end, sort, inside = np.array(sorted(rows), np.int64).T
    return new_blocks(
        len(sizes),
        low=low,
        high=high,
        begin=begin,
        end=end,
        level=level,
        sort=sort,
        inside=inside,
        server=np.repeat(np.arange(servers), gpus),
        unit=1,
        rank=np.searchsorted(sizes, jobs),
        slots=slots,
    )


class Bundle(NamedTuple):
    """Jobs that go first on the first `leaves`: by `slots` all of them have ended.

    Each of `jobs` has a start, and the leaf where it begins. Their lanes are idle for `idle`
    GPU-slots before that.
    """

    leaves: int
    slots: int
    jobs: dict[int, tuple[int, int]]
    idle: int


class BundledBlocks(NamedTuple):
    """Blocks for jobs that are in no bundle, by number in `rest`, and for a bundle, the last."""

    blocks: Blocks
    rest: Ints
    bundle: Bundle | None


def blocks_with_bundle(
    choice: PatternChoice, slots: Ints, jobs: Ints, gpus: int, servers: int
) -> BundledBlocks:
    """Return the blocks of chosen patterns, if jobs have ``jobs[j]`` GPUs, and servers `gpus`."""
    bundle, sizes = _bundle_of(choice, slots, gpus), np.unique(jobs).tolist()
    rest = np.setdiff1d(np.arange(jobs.size), list(bundle.jobs) if bundle else [])
    patterns = choice.all_the_time()
    blocks = blocks_of(patterns, slots[rest], sizes, jobs[rest], gpus, servers)
    return BundledBlocks(_with(bundle, blocks) if bundle else blocks, rest, bundle)


def _bundle_of(choice: PatternChoice, slots: Ints, gpus: int) -> Bundle | None:
    """Choose jobs, which take ``slots[j, sort]``, for the lanes of the first patterns."""
    at, free = 0, set(range(len(slots)))
    jobs, ends = dict[int, tuple[int, int]](), list[tuple[int, int]]()
    for one in choice.first:
        for block, sort in one.lanes():
            start = 0
            for job in _nearest(slots[:, sort], free, choice.until):
                jobs[job] = (start, at + block.begin)
                start += int(slots[job, sort])
            free -= set(jobs)
            ends.append((start, block.gpus))
        at += one.pattern.servers * gpus
    if not jobs:
        return None
    leaves, most = (
        gpus * sum(one.pattern.servers for one in choice.then),
        max(end for end, _ in ends),
    )
    return Bundle(leaves, most, jobs, sum((most - end) * held for end, held in ends))


def _nearest(slots: Ints, jobs: Iterable[int], target: int) -> tuple[int, ...]:
    """Return jobs that together come nearest to a target from below, rather long ones."""
    sums: dict[int, tuple[int, ...]] = {0: ()}
    for job in sorted(jobs, key=lambda j: (-slots[j], j)):
        if slots[job] < NEVER:
            more = {at + int(slots[job]): (*some, job) for at, some in sums.items()}
            sums = {at: some for at, some in more.items() if at <= target} | sums
    return sums[max(sums)]


def _with(bundle: Bundle, blocks: Blocks) -> Blocks:
    """Return the blocks and one more for the bundle, around all other blocks on its leaves."""
    level, slots = len(blocks.at), np.pad(blocks.slots, (0, 1), constant_values=NEVER)
    slots[-1, -1] = bundle.slots
    return new_blocks(
        level + 1,
        low=np.append(blocks.low, 0),
        high=np.append(blocks.high, bundle.leaves),
        begin=np.append(blocks.begin, 0),
        end=np.append(blocks.end, bundle.leaves),
        level=np.append(blocks.level, level),
        sort=np.append(blocks.sort, slots.shape[1] - 1),
        inside=np.append(blocks.inside, 0),
        server=blocks.server,
        unit=blocks.unit,
        rank=np.append(blocks.rank, level),
        slots=slots,
    )


def plan_of(bundled: BundledBlocks, sizes: Ints, where: Ints) -> PlacedStarts:
    """Return the plan of a layout, in which a bundle is the jobs that it has."""
    blocks, rest, bundle = bundled
    plan = block_plans.plan_of(blocks, where)
    starts, placed = [0.0] * sizes.size, [list[tuple[int, int]]() for _ in sizes]
    for i, job in enumerate(rest.tolist()):
        span = slice(plan.first[i], plan.first[i + 1])
        servers, pieces = plan.servers[span].tolist(), plan.pieces[span].tolist()
        starts[job], placed[job] = float(plan.start[i]), list(zip(servers, pieces, strict=True))
    for job, (start, begin) in bundle.jobs.items() if bundle else ():
        held = Counter(blocks.server[begin : begin + sizes[job]].tolist())
        starts[job], placed[job] = float(start), list(held.items())
    return make_plan(starts, placed)
