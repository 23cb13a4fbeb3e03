"""Which blocks lie inside which, and free blocks counted by what they are like."""

from typing import NamedTuple

import numpy as np

from .blocks import Blocks

Pool = dict[tuple[int, int], list[int]]
"""Free blocks by their kind, and by the slots that are left on them until the horizon."""


class BlockTree(NamedTuple):
    """Which blocks lie inside which: `inside` those directly in each, `outer` those in no other.

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
    """Say which blocks lie inside which."""
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
