"""The diving heuristic for nested blocks: a linear relaxation rounded from large jobs down.

The relaxation covers all jobs by fractions of block patterns. Among the blocks of the largest
remaining size, the chain of jobs nearest to a whole is fixed, and the relaxation is re-solved. This
repeats. Jobs of the smallest size are annealed over the remaining GPUs. The largest jobs may keep
their blocks from annealing, which leaves less to cover. Source: ours, after diving with generated
columns (Sadykov, Vanderbeck, Pessoa, Tahiri and Uchoa 2019).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from copy import deepcopy
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ....formulations.covering import CLOSE
from ....simulation.model import Ints
from ..annealing.block_annealing import anneal, pile
from ..annealing.block_moves import move_odds
from ..annealing.block_plans import large_first
from ..annealing.blocks import NEVER, Blocks, Pool, loads_of, tree_of
from ..annealing.nested import Halt, heaviest_of
from .columns import Covering, Taken
from .patterns import BlockPatterns, PatternPiece, too_large

STEPS = 100_000
"""Steps of the simplex method in a dive if there is no time limit."""

HELD = 40
"""At most one job in forty keeps the block of the annealed layout where jobs are held."""

FIRST, NEXT = 1_500, 120
"""Pattern generations for the first point, and for each later point."""

MOST_FAILED = 1
"""Chains without a point before a dive is given up."""

ANNEALED, HOT, COLD = 2_000, 60.0, 0.8
"""Moves for each job that is annealed, and the first and last temperature."""

REFINED, WARM, COOL, REFINEMENTS = 4_000, 3.0, 0.3, 6
"""The same for jobs of the smallest size, and how often at most."""


class Effort:
    """The remaining effort of a dive, which ends once `halt[0]` is set or its steps are spent."""

    def __init__(self, halt: Halt, steps: float = inf) -> None:
        """Take steps of the simplex method, as many as are wanted."""
        self.halt, self.steps = halt, steps

    def over(self) -> bool:
        """Return True if it is to end."""
        return bool(self.halt[0]) or self.steps <= 0


class Dived(NamedTuple):
    """A block for each job, or None; and whether the relaxation could not cover all jobs.

    `pieces` are those of the first point, if there was one, with remaining slots counted from the
    horizon.
    """

    where: Ints | None
    futile: bool = False
    pieces: tuple[PatternPiece, ...] = ()


def dive(
    blocks: Blocks,
    horizon: int,
    seed: int,
    effort: Effort,
    hold: bool = False,
    known: Iterable[PatternPiece] = (),
) -> Dived:
    """Search a block for each job so that all jobs end by `horizon`.

    With `hold` the largest jobs keep their blocks from annealing. Pieces `known` from other dives
    speed up the first point.
    """
    if blocks.slots.min(axis=1).max() > horizon:
        return Dived(None, futile=True)
    rng = np.random.default_rng(seed)
    _, where = annealed(blocks, horizon, int(rng.integers(2**31)), effort.halt, ANNEALED)
    if heaviest_of(blocks, where) <= horizon or effort.over():
        return Dived(None if effort.over() else where)
    diving = _Dive(blocks, horizon, rng, effort)
    if not diving.begin(where, level_of_few(blocks, HELD) if hold else blocks.at.shape[0]):
        return Dived(None)
    for piece in known:
        diving.learn(piece._replace(free=piece.free + horizon))
    found = diving.run()
    if found is not None:
        found = _refined(blocks, found, horizon, int(rng.integers(2**31)), effort.halt)
        if heaviest_of(blocks, found) <= horizon:
            return Dived(found, pieces=diving.first)
    return Dived(None, diving.least is None and not (hold or effort.over()), diving.first)


def dive_from(
    blocks: Blocks, layout: Ints, horizon: int, seed: int, effort: Effort, level: int
) -> Ints | None:
    """Search blocks in which most jobs end by `horizon`, if those from a level on stay.

    They have the blocks of a layout. Jobs of the smallest size may end later in the result.
    """
    if too_large(blocks, horizon):
        return None
    rng = np.random.default_rng(seed)
    diving = _Dive(blocks, horizon, rng, effort)
    found = diving.run() if diving.begin(layout, level) else None
    if found is None or effort.over():
        return None
    return _refined(blocks, found, horizon, int(rng.integers(2**31)), effort.halt)


def in_fractions(blocks: Blocks, horizon: int, seed: int) -> int | None:
    """Return the GPUs of the largest jobs that stay fractional if all end by `horizon`.

    Larger jobs are whole. None if the relaxation was not found to cover all jobs.
    """
    if blocks.slots.min(axis=1).max() > horizon:
        return None
    rng, effort = np.random.default_rng(seed), Effort(np.zeros(1, np.bool_))
    diving = _Dive(blocks, horizon, rng, effort)
    _, where = annealed(blocks, horizon, seed, effort.halt, ANNEALED)
    diving.begin(where, blocks.at.shape[0])
    diving.run()
    if diving.least is None:
        return None
    first = blocks.first[diving.least]
    return int(blocks.high[first] - blocks.low[first]) * blocks.unit


def level_of_few(blocks: Blocks, part: int) -> int:
    """Return the lowest level from which on there is at most one job in `part`."""
    jobs = np.bincount(blocks.rank, minlength=blocks.at.shape[0])
    above = np.cumsum(jobs[::-1])[::-1]
    return max(int(np.argmax(np.append(above, 0) * part <= blocks.rank.size)), 1)


def annealed(
    blocks: Blocks,
    horizon: int,
    seed: int,
    halt: Halt,
    moves: int,
    temperatures: tuple[float, float] = (HOT, COLD),
    start: Ints | None = None,
) -> tuple[Ints, Ints]:
    """Anneal all jobs, `moves` moves for each, and return the last layout and the lightest one.

    No job goes where its GPU-slots beyond its least exceed the idle ones.
    """
    low = blocks.first[blocks.rank]
    size, least = (blocks.high[low] - blocks.low[low])[:, None], blocks.slots.min(axis=1)[:, None]
    idle = horizon * blocks.server.size - int((least * size).sum())
    open_to = blocks._replace(
        slots=np.where((blocks.slots - least) * size > idle, NEVER, blocks.slots)
    )
    nothing = np.zeros(blocks.server.size, np.int64)
    where = pile(open_to, large_first(blocks)) if start is None else start
    steps = moves * blocks.rank.size
    odds = move_odds()
    return anneal(open_to, where, horizon, steps, *temperatures, seed, halt, nothing, odds)[:2]


class _Dive:
    """The state of a dive: free blocks, and the jobs without a block."""

    def __init__(self, blocks: Blocks, horizon: int, rng: Generator, effort: Effort) -> None:
        self._blocks, self._tree, self._effort = blocks, tree_of(blocks), effort
        self._patterns = BlockPatterns(blocks, self._tree, horizon)
        self._covering = Covering(self._patterns, rng)
        self.learn = self._covering.learn
        self._pool: Pool = defaultdict(list)
        self._jobs = [list(group) for group in self._patterns.groups]
        self._where = np.full(blocks.rank.size, -1, np.int64)
        self._failed = 0
        self.least: int | None = None
        """The level of the largest jobs without a block at the last point, or None."""
        self.first: tuple[PatternPiece, ...] = ()
        """The pieces of the first point, for use in other dives."""

    def begin(self, layout: Ints, level: int) -> bool:
        """Give jobs from this level on their blocks of a layout. Return False if one ends too late.

        The other jobs' patterns in the layout are learned, without jobs that end too late.
        """
        inside = [list[int]() for _ in range(self._blocks.low.size)]
        for group, jobs in enumerate(self._patterns.groups):
            for job in jobs:
                inside[layout[job]].append(group)
        todo = [(block, self._patterns.horizon) for block in self._tree.outer]
        for block, free in todo:
            if self._blocks.level[block] < level:
                self._pool[self._tree.kind[block], free].append(block)
                self.learn(self._piece(inside, block, free))
                continue
            for group in inside[block]:
                job = self._jobs[group].pop()
                self._where[job] = block
                free -= int(self._blocks.slots[job, self._blocks.sort[block]])
            if free < 0:
                return False
            todo += [(part, free) for part in self._tree.inside[block]]
        return True

    def _piece(self, inside: list[list[int]], block: int, free: int) -> PatternPiece:
        """Return the pattern piece of a layout in a block, as far as there is room.

        Pieces of the blocks inside a large block are learned.
        """
        kind, chain, left = self._tree.kind[block], list[int](), free
        for group in inside[block]:
            slots = int(self._patterns.slots[kind][group])
            if slots <= left:
                chain.append(group)
                left -= slots
        counts: tuple[int, ...] = (len(chain),)
        jobs = tuple(sorted(chain, reverse=True))
        for part in self._tree.inside[block]:
            own = self._piece(inside, part, left)
            if self._patterns.small[kind]:
                counts, jobs = counts + own.counts, jobs + own.jobs
            else:
                self.learn(own)
        return PatternPiece(kind, free, counts, jobs)

    def run(self) -> Ints | None:
        """Return blocks of all jobs larger than the smallest size, or None on failure."""
        point = self.point(FIRST)
        horizon = self._patterns.horizon
        self.first = tuple(one._replace(free=one.free - horizon) for one, _ in point or ())
        while point is not None:
            self.least = level = self._level()
            if not level:
                break
            point = self.point(NEXT) if self._split(level) else self._next(point, level)
        return None if point is None else self._where

    def _next(self, point: list[Taken], level: int) -> list[Taken] | None:
        """Fix chains of a point, and return a point for the remaining jobs, or None if all fail."""
        before = deepcopy((self._pool, self._jobs, self._where))
        for chains in self._chains(point, level):
            for chain in chains:
                self._carry_out(chain)
            after = self.point(NEXT)
            if after is not None:
                return after
            self._pool, self._jobs, self._where = deepcopy(before)
            self._failed += 1
            if self._failed > MOST_FAILED or self._effort.over():
                break
        return None

    def _level(self) -> int:
        """Return the level of the largest jobs that have no block."""
        return int(max(self._patterns.level[self._left() > 0], default=0))

    def _left(self) -> Ints:
        return np.array([len(jobs) for jobs in self._jobs])

    def point(self, most: int) -> list[Taken] | None:
        """Return a point that covers all jobs, or None if none is found within `most` rounds."""
        before = self._covering.steps
        point = self._covering.point(self._pool, self._left(), most, self._effort.over)
        self._effort.steps -= self._covering.steps - before
        for piece, _ in point or ():
            for part in self._patterns.parts(piece):
                self.learn(part)
        return point

    def _split(self, level: int) -> bool:
        """Split free blocks above a level into their parts, and return True if there are any."""
        large = [
            node
            for node, there in self._pool.items()
            if there and self._patterns.levels[node[0]] > level
        ]
        if large:
            self._covering.learn_parts(level)
        for kind, free in large:
            for _ in range(len(self._pool[kind, free])):
                self._carry_out(PatternPiece(kind, free))
        return bool(large)

    def _chains(self, point: list[Taken], level: int) -> Iterator[list[PatternPiece]]:
        """Yield chains of jobs to fix: the whole ones, and then one after the other."""
        times, levels = defaultdict[PatternPiece, float](float), self._patterns.levels
        for piece, part in point:
            if levels[piece.kind] == level and piece.chain:
                times[piece._replace(counts=piece.counts[:1], jobs=piece.chain)] += part
        whole = [chain for chain, part in times.items() for _ in range(int(part + CLOSE))]
        nearest = sorted(times, key=lambda chain: -times[chain])
        for chains in (whole, *([chain] for chain in nearest)):
            if possible := self._possible(chains):
                yield possible

    def _possible(self, chains: list[PatternPiece]) -> list[PatternPiece]:
        """Return the chains for which there are jobs, and blocks of as many slots or more, in turn.

        With each are the slots of the block that it gets.
        """
        left, found = self._left(), list[PatternPiece]()
        blocks = {node: len(there) for node, there in self._pool.items()}
        for chain in chains:
            after = left.copy()
            np.subtract.at(after, list(chain.jobs), 1)
            kind, least = chain.kind, chain.free
            there = [n for (k, n), count in blocks.items() if k == kind and n >= least and count]
            if there and after.min() >= 0:
                blocks[kind, min(there)] -= 1
                left = after
                found.append(chain._replace(free=min(there)))
        return found

    def _carry_out(self, chain: PatternPiece) -> None:
        """Give the own jobs of a piece to a block."""
        block, free = self._pool[chain.kind, chain.free].pop(), self._patterns.after(chain)
        for group in chain.jobs:
            self._where[self._jobs[group].pop()] = block
        for part in self._tree.inside[block]:
            self._pool[self._tree.kind[part], free].append(part)


def _refined(blocks: Blocks, where: Ints, horizon: int, seed: int, halt: Halt) -> Ints:
    """Anneal the jobs of the smallest size over the remaining GPUs."""
    carried, small = loads_of(blocks, where), np.flatnonzero(where < 0)
    if not small.size:
        return where
    own, there = _lowest(blocks, small), _piled(blocks, small, carried, horizon)
    steps, odds, found = REFINED * small.size, move_odds(), where.copy()
    for number in range(REFINEMENTS):
        there, best, top = anneal(
            own, there, horizon, steps, WARM, COOL, seed + number, halt, carried, odds
        )
        found[small] = best if top <= horizon else there
        if top <= horizon or halt[0]:
            break
    return found


def _lowest(blocks: Blocks, jobs: Ints) -> Blocks:
    """Return the blocks of the lowest level, one for each leaf, for these jobs alone."""
    count = int(blocks.first[1])
    return blocks._replace(
        low=blocks.low[:count],
        high=blocks.high[:count],
        level=blocks.level[:count],
        sort=blocks.sort[:count],
        inside=blocks.inside[:count],
        first=blocks.first[:2],
        at=blocks.at[:1],
        rank=np.zeros(jobs.size, np.int64),
        slots=blocks.slots[jobs],
        jobs=np.arange(jobs.size),
        start=np.array([0, jobs.size]),
    )


def _piled(blocks: Blocks, jobs: Ints, carried: Ints, horizon: int) -> Ints:
    """Put each job, long ones first, where it fits best, or else where it ends first."""
    load, where = carried.copy(), np.empty(jobs.size, np.int64)
    sort = blocks.sort[: blocks.first[1]]
    for i in np.argsort(-blocks.slots[jobs].min(axis=1), kind="stable").tolist():
        ends = load[blocks.low[: blocks.first[1]]] + blocks.slots[jobs[i], sort]
        late = ends > horizon
        where[i] = np.argmin(ends) if late.all() else np.argmax(np.where(late, -1, ends))
        load[blocks.low[where[i]]] = ends[where[i]]
    return where
