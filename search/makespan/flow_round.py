"""Schedules of nested blocks by diving: fractions of the flow program rounded from large jobs down.

`flow.py` has the program. Its point is nearly whole already; what is whole is kept, and of what is
not the part nearest to a whole goes up, again and again, each time with a new point. Jobs of the
smallest size are not rounded but annealed over what is left of the GPUs. Source: ours.
"""

from collections import defaultdict
from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...formulations.covering import CLOSE
from ...formulations.door.solve import IncrementalLP
from ...formulations.program import Floats
from ...instances import RefusedError
from ...simulation.model import Ints
from .blocks import Blocks
from .blocks_anneal import anneal
from .blocks_moves import move_odds
from .flow import BlockTree, FlowProgram, Pool, all_free, flow_program, tree_of

STAGE = 32
"""Jobs of large sizes that one program rounds at least; then the next is made for what is left."""

SHORT = 0.5
"""GPU-slots of jobs without a block at which a point is given up."""

MOST_FAILED = 8
"""Parts that could not go up, after which a program is given up."""

RETRIES = 4
"""Programs of each stage but the first that are tried, with other costs, for what it was left."""

HOT, COLD, MOVES = (60.0, 20.0), 0.8, 16_000
"""Heats at which jobs of the smallest size are annealed, and moves for each."""

Halt = NDArray[np.bool_]
"""Whether a dive is to end, in its only place."""


class Effort:
    """What a dive may still do: it ends once `halt[0]` is set elsewhere, or its steps are spent."""

    def __init__(self, halt: Halt, steps: float = inf) -> None:
        """Take steps of the simplex method, as many as are wanted."""
        self.halt, self.steps = halt, steps

    def over(self) -> bool:
        """Say whether it is to end."""
        return bool(self.halt[0]) or self.steps <= 0


Columns = tuple[Ints, Ints]
"""Columns of a program, and how often each is taken."""


def dive(blocks: Blocks, horizon: int, seed: int, effort: Effort) -> Ints | None:
    """Return a block for each job so that all end by `horizon`, or None if it comes to nothing."""
    tree = tree_of(blocks)
    where = np.full(blocks.rank.size, -1, np.int64)
    found = _Dive(blocks, tree, horizon, np.random.default_rng(seed), effort)
    return found.on(_stages(blocks), all_free(tree, horizon), where)


class _Dive(NamedTuple):
    """What all stages of a dive share."""

    blocks: Blocks
    tree: BlockTree
    horizon: int
    rng: np.random.Generator
    effort: Effort

    def on(self, stages: Sequence[int], pool: Pool, where: Ints) -> Ints | None:
        """Find blocks for the jobs that have none in `where`, from what is free."""
        if not stages:
            seed = int(self.rng.integers(2**31))
            return _settled(self.blocks, where, self.horizon, seed, self.effort.halt)
        left = np.flatnonzero(where < 0).tolist()
        for _ in range(1 if len(left) == where.size else RETRIES):
            if self.effort.over():
                break
            program = flow_program(self.blocks, self.tree, pool, left, self.rng)
            ranks = self.blocks.rank[[group[0] for group in program.groups]]
            rank = np.where(ranks >= stages[0], ranks, -1)
            rounded = _Rounding(program, rank, self.effort).run()
            if rounded is not None:
                placed = where.copy()
                free = _carried_out(self.blocks, self.tree, pool, program, rounded, placed)
                found = self.on(stages[1:], free, placed)
                if found is not None:
                    return found
        return None


def _stages(blocks: Blocks) -> list[int]:
    """Return the lowest level that each program rounds; the lowest of all is not rounded."""
    jobs = np.bincount(blocks.rank, minlength=blocks.at.shape[0])
    stages, held = list[int](), 0
    for level in range(len(jobs) - 1, 0, -1):
        held += int(jobs[level])
        if held >= STAGE or level == 1:
            stages.append(level)
            held = 0
    return stages


class _Rounding:
    """Columns of a program as whole numbers, from the groups of the highest rank down.

    Columns of groups of rank -1 are left as they are.
    """

    def __init__(self, program: FlowProgram, rank: Ints, effort: Effort) -> None:
        self._lp, self._effort = IncrementalLP(program.matrix), effort
        self._ours = np.flatnonzero((program.group >= 0) & (rank[program.group] >= 0))
        self._group = program.group[self._ours]
        self._rank = rank[self._group]
        self._size = np.array([len(jobs) for jobs in program.groups])
        self._upper = self._size[self._group]
        self._fixed = np.zeros(self._ours.size, np.int64)
        self._failed = 0

    def run(self) -> Columns | None:
        """Return the columns and how often each is taken, or None if it comes to nothing."""
        part = self._point(inside=True)
        while part is not None:
            here = self._next()
            if not here.size:
                return self._ours, self._fixed
            whole = np.floor(part[here] + CLOSE).astype(np.int64)
            self._fixed[here] += whole
            part[here] -= whole
            if not whole.any():
                part = self._up(int(here[np.argmax(part[here])]))
        return None

    def _next(self) -> Ints:
        """Return the columns of the largest jobs of which some have no block yet."""
        taken = np.bincount(self._group, self._fixed, self._size.size)
        missing = taken[self._group] < self._size[self._group]
        return np.flatnonzero(missing & (self._rank == self._rank[missing].max(initial=-1)))

    def _up(self, column: int) -> Floats | None:
        """Take a column once more; or never, if then jobs are left without a block."""
        basis = self._lp.basis()
        self._fixed[column] += 1
        part = self._point()
        if part is not None:
            return part
        self._lp.restart(basis)
        self._fixed[column] -= 1
        self._upper[column] = self._fixed[column]
        self._failed += 1
        return None if self._failed > MOST_FAILED or self._effort.over() else self._point()

    def _point(self, *, inside: bool = False) -> Floats | None:
        """Return what a point takes of columns beyond what is fixed, if it leaves out no job."""
        self._lp.within(self._ours, self._fixed, self._upper)
        try:
            found = self._lp.solve(self._effort.over, inside=inside, most=SHORT)
        except RefusedError:
            return None
        self._effort.steps -= found.steps
        return found.point[self._ours] - self._fixed if found.value <= SHORT else None


def _carried_out(
    blocks: Blocks,
    tree: BlockTree,
    pool: Pool,
    program: FlowProgram,
    rounded: Columns,
    where: Ints,
) -> Pool:
    """Give the jobs of these columns their blocks, in `where`; return what is free below them."""
    todo, lowest = defaultdict(list), blocks.at.shape[0]
    jobs = [list(group) for group in program.groups]
    for column, times in zip(*(part.tolist() for part in rounded), strict=True):
        for _ in range(times):
            lowest = min(lowest, int(blocks.rank[jobs[program.group[column]][0]]))
            node = int(program.kind[column]), int(program.free[column])
            todo[node].append((jobs[program.group[column]].pop(), int(program.slots[column])))
    free: Pool = defaultdict(list, {node: list(there) for node, there in pool.items()})
    horizon = max(left for _, left in free)
    for kind in tree.kinds:
        if blocks.level[tree.some[kind]] < lowest:
            continue
        for left in range(horizon, -1, -1):
            there = free.pop((kind, left), [])
            for job, slots in todo[kind, left]:
                where[job] = there.pop()
                free[kind, left - slots].append(int(where[job]))
            for block in there:
                for part in tree.inside[block]:
                    free[tree.kind[part], left].append(part)
    return free


def _settled(blocks: Blocks, where: Ints, horizon: int, seed: int, halt: Halt) -> Ints | None:
    """Find blocks for the jobs of the smallest size on what the others leave."""
    carried = np.zeros(blocks.server.size, np.int64)
    for j in np.flatnonzero(where >= 0):
        span = slice(blocks.low[where[j]], blocks.high[where[j]])
        carried[span] += blocks.slots[j, blocks.sort[where[j]]]
    small = np.flatnonzero(where < 0)
    own, there = _lowest(blocks, small), _piled(blocks, small, carried, horizon)
    odds = move_odds()
    for number, hot in enumerate(HOT):
        there, best, top = anneal(
            own, there, horizon, MOVES * small.size, hot, COLD, seed + number, halt, carried, odds
        )
        if top <= horizon:
            return _put(where, small, best)
        if halt[0]:
            break
    return None


def _put(where: Ints, jobs: Ints, there: Ints) -> Ints:
    found = where.copy()
    found[jobs] = there
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
