"""Servers that are cut in turn: jobs that go first on them, as one job on all of these.

Whole cells seldom come out even with the servers there are. So a few of these may be cut otherwise
first: five, say, into a cell of rings of 5 GPUs, and into one of two servers and one of three
afterwards. The jobs that go first are chosen so that all lanes end nearly at once. Together they
are one job more, a bundle, with a block around all others of these servers.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from ...simulation import PlacedStarts, make_plan
from ...simulation.model import Ints
from . import nested
from .blocks import NEVER, Blocks
from .cells_blocks import blocks_of
from .cells_choice import CellChoice


class Bundle(NamedTuple):
    """Jobs that go first on the first `leaves`: until `slots` all of them have ended.

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

    @property
    def idle(self) -> int:
        """GPU-slots that lanes of the bundle are idle before all of them end."""
        return self.bundle.idle if self.bundle else 0


def blocks_with_bundle(
    choice: CellChoice, slots: Ints, jobs: Ints, gpus: int, servers: int
) -> BundledBlocks:
    """Return the blocks of chosen cells, if jobs have ``jobs[j]`` GPUs, and servers `gpus`."""
    bundle, sizes = _bundle_of(choice, slots, gpus), np.unique(jobs).tolist()
    rest = np.setdiff1d(np.arange(jobs.size), list(bundle.jobs) if bundle else [])
    cells = choice.all_the_time()
    blocks = blocks_of(cells, slots[rest], sizes, jobs[rest], gpus, servers)
    return BundledBlocks(_with(bundle, blocks) if bundle else blocks, rest, bundle)


def _bundle_of(choice: CellChoice, slots: Ints, gpus: int) -> Bundle | None:
    """Choose jobs, which take ``slots[j, sort]``, for the lanes of the cells that come first."""
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
        at += one.cell.servers * gpus
    if not jobs:
        return None
    leaves, most = gpus * sum(one.cell.servers for one in choice.then), max(end for end, _ in ends)
    return Bundle(leaves, most, jobs, sum((most - end) * held for end, held in ends))


def _nearest(slots: Ints, jobs: Iterable[int], target: int) -> tuple[int, ...]:
    """Return jobs that together come nearest to a target from below, rather long ones."""
    ways: dict[int, tuple[int, ...]] = {0: ()}
    for job in sorted(jobs, key=lambda j: (-slots[j], j)):
        if slots[job] < NEVER:
            more = {at + int(slots[job]): (*way, job) for at, way in ways.items()}
            ways = {at: way for at, way in more.items() if at <= target} | ways
    return ways[max(ways)]


def _with(bundle: Bundle, blocks: Blocks) -> Blocks:
    """Return blocks that are for a bundle as well: it has its own, around all there."""
    level, last, jobs = blocks.first.size - 1, blocks.low.size, blocks.rank.size
    at = np.full(blocks.server.size, -1, np.int64)
    at[: bundle.leaves] = last
    slots = np.pad(blocks.slots, (0, 1), constant_values=NEVER)
    slots[-1, -1] = bundle.slots
    return blocks._replace(
        low=np.append(blocks.low, 0),
        high=np.append(blocks.high, bundle.leaves),
        begin=np.append(blocks.begin, 0),
        end=np.append(blocks.end, bundle.leaves),
        level=np.append(blocks.level, level),
        sort=np.append(blocks.sort, slots.shape[1] - 1),
        inside=np.append(blocks.inside, 0),
        first=np.append(blocks.first, last + 1),
        at=np.vstack((blocks.at, at)),
        rank=np.append(blocks.rank, level),
        slots=slots,
        jobs=np.append(blocks.jobs, jobs),
        start=np.append(blocks.start, jobs + 1),
    )


def plan_of(bundled: BundledBlocks, sizes: Ints, where: Ints) -> PlacedStarts:
    """Return the plan of a layout, in which a bundle is the jobs that it has."""
    blocks, rest, bundle = bundled
    plan = nested.plan_of(blocks, where)
    starts, placed = [0.0] * sizes.size, [list[tuple[int, int]]() for _ in sizes]
    for i, job in enumerate(rest.tolist()):
        span = slice(plan.first[i], plan.first[i + 1])
        servers, pieces = plan.servers[span].tolist(), plan.pieces[span].tolist()
        starts[job], placed[job] = float(plan.start[i]), list(zip(servers, pieces, strict=True))
    for job, (start, begin) in bundle.jobs.items() if bundle else ():
        held = Counter(blocks.server[begin : begin + sizes[job]].tolist())
        starts[job], placed[job] = float(start), list(held.items())
    return make_plan(starts, placed)
