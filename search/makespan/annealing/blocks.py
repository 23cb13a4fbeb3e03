"""A cluster cut into nested blocks, for jobs whose sizes divide one another.

Servers are halved (or cut as the next size requires) down to the smallest job. Whole servers are
joined for blocks that are larger than a server. A job fills a block of its own size. Two blocks are
nested or disjoint, so jobs that fill blocks from large to small leave no GPU idle between them. No
two rings share an uplink, so a job takes the same time as alone.
"""

from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from ....instances import FluidLinks, MakespanInstance
from ....simulation.model import Ints, iteration_s, parts, slots_needed

NEVER = 10**12
"""Slots of a job that does not end in a block."""


class Blocks(NamedTuple):
    """Blocks as arrays: block b covers the leaves ``low[b] .. high[b] - 1`` at ``level[b]``.

    Blocks of level l are ``first[l] .. first[l+1] - 1``. ``at[l, leaf]`` is the one there, or -1.
    Job j belongs to level ``rank[j]`` and takes ``slots[j, sort[b]]`` in block b. Blocks of one
    sort have equal times. Two blocks of one level `inside` one server have equal content. The jobs
    of level l are ``jobs[start[l]:start[l+1]]``.
    """

    low: Ints
    high: Ints
    begin: Ints
    end: Ints
    level: Ints
    sort: Ints
    inside: Ints
    first: Ints
    at: Ints
    server: Ints
    unit: int
    rank: Ints
    slots: Ints
    jobs: Ints
    start: Ints


def new_blocks(levels: int, **given: Any) -> Blocks:
    """Return blocks, sorted by level, from all independent fields."""
    level, rank, edges = given["level"], given["rank"], np.arange(levels + 1)
    at = np.full((levels, given["server"].size), -1, dtype=np.int64)
    for b, (low, high) in enumerate(zip(given["low"], given["high"], strict=True)):
        at[level[b], low:high] = b
    return Blocks(
        first=np.searchsorted(level, edges),
        at=at,
        jobs=np.argsort(rank, kind="stable"),
        start=np.searchsorted(np.sort(rank), edges),
        **given,
    )


def loads_of(blocks: Blocks, where: Ints) -> Ints:
    """Return the slots on each leaf if job j has block ``where[j]``, or no block at -1."""
    jobs = np.flatnonzero(where >= 0)
    there = where[jobs]
    slots = blocks.slots[jobs, blocks.sort[there]]
    change = np.zeros(blocks.server.size + 1, np.int64)
    np.add.at(change, blocks.low[there], slots)
    np.subtract.at(change, blocks.high[there], slots)
    return np.cumsum(change)[:-1]


class _Block(NamedTuple):
    level: int
    leaves: list[int]
    servers: frozenset[int]


def chain(instance: MakespanInstance) -> list[int] | None:
    """Return the sizes of jobs, ascending, if each divides the next."""
    sizes = sorted({job.gpus for job in instance.jobs})
    return sizes if all(large % small == 0 for small, large in pairwise(sizes)) else None


def can_cut(instance: MakespanInstance) -> bool:
    """Return True if every job has a block of its size."""
    return _pieces(instance) is not None


def cut(instance: MakespanInstance) -> Blocks | None:
    """Return the blocks of an instance, or None if some job has no block of its size."""
    pieces = _pieces(instance)
    return None if pieces is None else _arrays(instance, *pieces)


def _pieces(instance: MakespanInstance) -> tuple[list[int], list[_Block], Ints] | None:
    """Return the sizes, all blocks, and the server of every leaf."""
    sizes = chain(instance)
    if sizes is None:
        return None
    unit, server, blocks = sizes[0], list[int](), list[_Block]()
    whole: list[list[_Block]] = [[] for _ in sizes]
    for s, machine in enumerate(instance.cluster.servers):
        rest = machine.gpus
        for level in reversed(range(len(sizes))):
            while rest >= sizes[level]:
                rest -= sizes[level]
                leaves = list(range(len(server), len(server) + sizes[level] // unit))
                server += [s] * len(leaves)
                block = _Block(level, leaves, frozenset([s]))
                blocks += _halves(block, sizes)
                if machine.gpus == sizes[level]:
                    whole[level].append(block)
    if not isinstance(instance.contention, FluidLinks):
        blocks += _joined(whole, sizes)
    if {block.level for block in blocks} < {sizes.index(job.gpus) for job in instance.jobs}:
        return None
    return sizes, blocks, np.array(server, dtype=np.int64)


def _halves(block: _Block, sizes: list[int]) -> list[_Block]:
    found, level = [block], block.level
    if level:
        n = len(block.leaves) * sizes[level - 1] // sizes[level]
        for i in range(0, len(block.leaves), n):
            part = _Block(level - 1, block.leaves[i : i + n], block.servers)
            found += _halves(part, sizes)
    return found


def _joined(whole: list[list[_Block]], sizes: list[int]) -> list[_Block]:
    """Join whole servers and joined blocks, those on few servers first."""
    found = []
    for level in range(len(sizes) - 1):
        n = sizes[level + 1] // sizes[level]
        free = sorted(whole[level], key=lambda block: len(block.servers))
        for i in range(0, len(free) - n + 1, n):
            group = free[i : i + n]
            leaves = [leaf for block in group for leaf in block.leaves]
            servers = frozenset[int]().union(*(block.servers for block in group))
            found.append(_Block(level + 1, leaves, servers))
            whole[level + 1].append(found[-1])
    return found


def _arrays(
    instance: MakespanInstance, sizes: list[int], blocks: list[_Block], server: Ints
) -> Blocks:
    """Number the leaves so that every block covers a run of them."""
    places: dict[int, int] = {}
    for block in sorted(blocks, key=lambda block: -block.level):
        for leaf in block.leaves:
            places.setdefault(leaf, len(places))
    blocks = sorted(blocks, key=lambda block: (block.level, places[block.leaves[0]]))
    low = np.array([places[block.leaves[0]] for block in blocks], dtype=np.int64)
    high = low + np.array([len(block.leaves) for block in blocks], dtype=np.int64)
    level = np.array([block.level for block in blocks], dtype=np.int64)
    moved = np.empty_like(server)
    moved[[places[leaf] for leaf in range(server.size)]] = server
    kinds = [_kind(moved[low[b] : high[b]], sizes[0]) for b in range(low.size)]
    sorts = {pair: i for i, pair in enumerate(dict.fromkeys(zip(level, kinds, strict=True)))}
    rank = np.array([sizes.index(job.gpus) for job in instance.jobs], dtype=np.int64)
    return new_blocks(
        len(sizes),
        low=low,
        high=high,
        begin=low,
        end=high,
        level=level,
        sort=np.array([sorts[pair] for pair in zip(level, kinds, strict=True)], dtype=np.int64),
        inside=np.array([len(block.servers) == 1 for block in blocks], dtype=np.int64),
        server=moved,
        unit=sizes[0],
        rank=rank,
        slots=_slots(instance, rank, [(int(le), kind) for le, kind in sorts]),
    )


def _kind(servers: Ints, unit: int) -> tuple[int, int]:
    """Return the number of servers, and the most GPUs on one of them."""
    counts = np.unique(servers, return_counts=True)[1]
    return len(counts), int(counts.max()) * unit


def _slots(
    instance: MakespanInstance, rank: Ints, sorts: list[tuple[int, tuple[int, int]]]
) -> Ints:
    found = np.full((rank.size, len(sorts)), NEVER, dtype=np.int64)
    for j, job in enumerate(instance.jobs):
        terms = parts(instance, job)
        for i, (level, (servers, most)) in enumerate(sorts):
            if level == rank[j]:
                seconds = iteration_s(instance, terms, servers, most, Fraction(1))
                need = slots_needed(instance, job, seconds)
                found[j, i] = NEVER if need is None else ceil(need)
    return found


Pool = dict[tuple[int, int], list[int]]
"""Free blocks by their kind, and by the slots that are left on them until the horizon."""


class BlockTree(NamedTuple):
    """The nesting of blocks: `inside` has those directly in each, `outer` those in no other.

    Blocks of one `kind` are of one sort and have alike blocks inside, in the order of their kinds,
    which are the `parts` of the kind. `some` has a block of each, and `kinds` are in order, outer
    ones first.
    """

    inside: list[list[int]]
    outer: list[int]
    kind: list[int]
    some: list[int]
    parts: list[tuple[int, ...]]
    kinds: list[int]

    def blocks_in(self, kind: int) -> int:
        """Return how many blocks there are in one of this kind, itself among them."""
        return 1 + sum(self.blocks_in(part) for part in self.parts[kind])


def tree_of(blocks: Blocks) -> BlockTree:
    """Return the tree of the blocks."""
    count = blocks.low.size
    inside: list[list[int]] = [[] for _ in range(count)]
    outer = set(range(count))
    for b in range(count):
        smaller = blocks.at[: blocks.level[b], blocks.low[b] : blocks.high[b]]
        if smaller.size:
            largest = smaller.max(axis=0)  # Blocks are numbered from small to large.
            inside[b] = list(dict.fromkeys(largest[largest >= 0].tolist()))
            outer -= set(inside[b])
    known: dict[tuple[int, tuple[int, ...]], int] = {}
    kind, some, parts = [0] * count, list[int](), list[tuple[int, ...]]()
    for b in np.argsort(blocks.level, kind="stable").tolist():
        inside[b].sort(key=kind.__getitem__)
        made_of = tuple(kind[c] for c in inside[b])
        kind[b] = known.setdefault((int(blocks.sort[b]), made_of), len(known))
        if kind[b] == len(some):
            some.append(b)
            parts.append(made_of)
    size = blocks.high - blocks.low
    kinds = sorted(range(len(some)), key=lambda k: (-blocks.level[some[k]], -size[some[k]]))
    return BlockTree(inside, sorted(outer), kind, some, parts, kinds)
