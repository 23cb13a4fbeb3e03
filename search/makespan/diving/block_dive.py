"""Dives to lower and lower horizons, side by side, until a schedule meets the bound.

Every other dive aims at the bound itself, once a schedule ends one slot above it. The other dives
first aim one slot above the bound, then higher and higher, while that beats the best schedule
known.

With more jobs than one dive supports, all jobs are annealed first, until little load is beyond a
horizon. Then dives work on some of the outer blocks, some with too much load and some with room,
while the other blocks keep their jobs, until no load is beyond the horizon. Source: ours, after
large neighbourhood search (Shaw 1998).

Runs above the bound aim 1, 2, 4, ... slots above, three runs each, as long as that improves on the
best schedule. If two runs without fixed jobs find no fractional solution at an aim, no later run
aims that low.

A part of the outer blocks has random overloaded ones with up to 250 jobs, and blocks with room, up
to 500 jobs in all. Large jobs (at most a quarter of all) keep their blocks. In every other run, the
smallest of these sizes is free, too. Blocks whose kept jobs alone exceed the horizon wait until no
other overloaded blocks are left. Then fewer jobs are kept. After six fruitless runs in a row, all
jobs are annealed from the start. After three such attempts, a higher horizon is next.
"""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import (
    ALL_COMPLETED,
    FIRST_COMPLETED,
    Future,
    ThreadPoolExecutor,
    wait,
)
from dataclasses import replace
from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ....instances import Bound, Limits, MakespanInstance, Outcome, RefusedError, TerminationReason
from ....policies.makespan.incumbent import NEVER, BestPlan
from ....policies.request import NO_OPTIONS, NoOptions, Request
from ....simulation.makespan.evaluate import unbegun
from ....simulation.model import Ints
from ..annealing import nested
from ..annealing.block_annealing import pile
from ..annealing.block_plans import large_first, plan_of
from ..annealing.blocks import Blocks, cut, loads_of, new_blocks, tree_of
from ..annealing.nested import heaviest_of
from ..bounds.slow_bounds import best_slow_bound
from . import MOST_JOBS
from .dive import STEPS, Dived, Effort, annealed, dive, dive_from, level_of_few
from .patterns import PatternPiece, too_large

METHOD = "block-dive"

DIVES = 4
"""Most dives if there is no time limit."""

THRICE, TWICE = 3, 2
"""Dives that aim equally high above the bound, and after which an aim that no fractions reach is
given up."""


def refuses(instance: MakespanInstance, options: NoOptions = NO_OPTIONS) -> str | None:
    """Return why the diving heuristic does not apply to `instance`, or None if it does."""
    reason = unbegun(instance) or nested.refuses(instance, options)
    return beyond(instance) if reason is None else reason.replace(nested.METHOD, METHOD, 1)


def beyond(instance: MakespanInstance) -> str | None:
    """Return why there are no dives although there are nested blocks, or None if there are."""
    if len({job.gpus for job in instance.jobs}) == 1:
        return f"{METHOD} needs jobs of several sizes; use {nested.METHOD}"
    return None


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best schedule found by diving, with the bound that stopped the search."""
    bound = best_slow_bound(instance, request.limits)
    return improve(instance, request.limits, request.rng, bound)


def improve(
    instance: MakespanInstance,
    limits: Limits,
    rng: Generator,
    bound: Bound,
    makespan: float | None = None,
    part: float = 1.0,
) -> Outcome:
    """Look for schedules that end before `makespan` until one meets the bound, or time is over.

    Only this part of the time is taken, unless all that is left is a slot.
    """
    blocks = cut(instance)
    if blocks is None:
        raise RefusedError(f"{instance.name}: {refuses(instance)}")
    best = BestPlan(instance, limits, METHOD)
    report = nested.reporter(instance, partial(plan_of, blocks), best)
    top = makespan
    if top is None:
        where = pile(blocks, large_first(blocks))
        report(where)
        top = nested.heaviest_of(blocks, where)
    floor = int(bound.value)
    short = limits.part(part)
    if len(instance.jobs) <= MOST_JOBS:
        top = sink(blocks, report, short, rng, floor, int(top), limits)
    else:
        top = sink_parts(blocks, report, short, rng, floor, int(top))
    termination = TerminationReason.TIME_LIMIT if limits.over() else TerminationReason.WORK_LIMIT
    if top <= floor:
        termination = TerminationReason.DONE
    return replace(best.outcome(termination, NEVER), bound=bound)


def sink(
    blocks: Blocks,
    report: Callable[[Ints], None],
    limits: Limits,
    rng: Generator,
    floor: int,
    top: int,
    last: Limits | None = None,
) -> int:
    """Report layouts below `top` until one carries `floor`, and return the load of the best one.

    The last limits, if there are any, are for the last slot.
    """
    if too_large(blocks, top):
        return top
    dives, running = _Dives(blocks, limits, rng, floor), dict[int, _Diving]()
    timed = limits.time_s is not None
    with ThreadPoolExecutor(limits.threads) as pool:
        try:
            while dives.floor < top:
                until = last if last and top <= floor + 1 else limits
                if until.over():
                    break
                for thread in range(limits.threads):
                    if thread not in running and (timed or sum(dives.aimed) < DIVES):
                        running[thread] = dives.begin(pool, thread, top)
                if not running:
                    break
                enough = FIRST_COMPLETED if timed else ALL_COMPLETED
                wait([one.future for one in running.values()], until.left_s(), enough)
                for where in dives.ended(running):
                    if (load := nested.heaviest_of(blocks, where)) < top:
                        top = load
                        report(where)
                for one in running.values():
                    one.effort.halt[0] |= one.horizon >= top
        finally:
            for one in running.values():
                one.effort.halt[0] = True
    return top


class _Diving(NamedTuple):
    """A running dive, and its aim."""

    future: Future[Dived]
    effort: Effort
    horizon: int


class _Dives:
    """The state shared by the dives of all threads.

    Dives that aim above the bound aim higher and higher: each aim has three tries. After the first
    dive at the bound, all dives do so until a schedule ends one slot above the bound. Every other
    dive of an aim holds the largest jobs, which is faster. No dive aims at or below a horizon at
    which the linear relaxation failed twice to cover all jobs. Each begins with the patterns of the
    first points of the dives before.
    """

    def __init__(self, blocks: Blocks, limits: Limits, rng: Generator, floor: int) -> None:
        self._blocks, self._limits, self._rng, self.floor = blocks, limits, rng, floor
        self._turns, self.aimed, self._futile = [0] * limits.threads, [0, 0], Counter[int]()
        self._known: dict[PatternPiece, None] = {}

    def begin(self, pool: ThreadPoolExecutor, thread: int, top: int) -> _Diving:
        """Let a thread dive."""
        aim = (self._turns[thread] * self._limits.threads + thread) % 2
        if self.aimed[0] and top > self.floor + 1:
            aim = 1
        above = 1 << (self.aimed[1] // THRICE) if aim else 0
        horizon = min(self.floor + above, top - 1)
        self._turns[thread] += 1
        seed = int(self._rng.integers(2**31))
        effort = Effort(np.zeros(1, np.bool_), STEPS if self._limits.time_s is None else inf)
        hold = self.aimed[aim] % 2 == 0
        self.aimed[aim] += 1
        known = tuple(self._known)
        future = pool.submit(dive, self._blocks, horizon, seed, effort, hold, known)
        return _Diving(future, effort, horizon)

    def ended(self, running: dict[int, _Diving]) -> list[Ints]:
        """Remove the ended dives, and return the layouts they found."""
        found = []
        for thread, one in list(running.items()):
            if one.future.done():
                del running[thread]
                dived = one.future.result()
                self._futile[one.horizon] += dived.futile
                self._known |= dict.fromkeys(dived.pieces)
                if self._futile[one.horizon] >= TWICE:
                    self.floor = max(self.floor, one.horizon + 1)
                if dived.where is not None:
                    found.append(dived.where)
        return found


MOVES, TEMPERATURES, AGAIN = 2_000, (60.0, 0.2), (1.5, 0.2)
"""Moves per job before dives, with the range of temperatures; and the range for another horizon."""

HELD = 4
"""At most one job in four, a large one, keeps its block in a dive."""

FRUITLESS, TRIES, DIVES_INTO_PARTS = 6, 3, 200
"""Successive failed dives after which all jobs are re-annealed. Repetitions of this before a
horizon is given up; and the most dives of each if there is no time limit."""


class BlocksPart(NamedTuple):
    """Some outer blocks with all blocks in them, by `numbers`, and the `jobs` there."""

    blocks: Blocks
    numbers: Ints
    jobs: Ints

    def layout(self, where: Ints) -> Ints:
        """Return the blocks of the part that its jobs have in a layout of all jobs."""
        order = np.argsort(self.numbers)
        return order[np.searchsorted(self.numbers, where[self.jobs], sorter=order)]


def part_of(blocks: Blocks, outer: Ints, where: Ints) -> BlocksPart:
    """Return the part that these outer blocks are."""
    leaves = np.concatenate([np.arange(blocks.low[b], blocks.high[b]) for b in outer])
    place = np.full(blocks.server.size, -1, np.int64)
    place[leaves] = np.arange(leaves.size)
    numbers = np.flatnonzero(place[blocks.low] >= 0)
    numbers = numbers[np.lexsort((place[blocks.low[numbers]], blocks.level[numbers]))]
    level, low, high = blocks.level[numbers], *(x[numbers] for x in (blocks.low, blocks.high))
    by, jobs = place[low] - low, np.flatnonzero(place[blocks.low[where]] >= 0)
    part = new_blocks(
        len(blocks.at),
        low=low + by,
        high=high + by,
        begin=blocks.begin[numbers] + by,
        end=blocks.end[numbers] + by,
        level=level,
        sort=blocks.sort[numbers],
        inside=blocks.inside[numbers],
        server=blocks.server[leaves],
        unit=blocks.unit,
        rank=blocks.rank[jobs],
        slots=blocks.slots[jobs],
    )
    return BlocksPart(part, numbers, jobs)


def sink_parts(
    blocks: Blocks,
    report: Callable[[Ints], None],
    limits: Limits,
    rng: Generator,
    floor: int,
    top: int,
) -> int:
    """Report layouts below `top` until one carries `floor`, and return the load of the best one.

    Horizons are bisected: the next one is lower if no load is beyond this one, or else higher.
    """
    floor, failed = max(floor, int(blocks.slots.min(axis=1).max())), 0
    start: Ints | None = None
    with ThreadPoolExecutor(limits.threads) as pool:
        while floor < top and not limits.over():
            sinking = _HorizonLayout(blocks, min((floor + top) // 2, top - 1), limits, rng, pool)
            try:
                start = where = sinking.run(start)
            finally:
                sinking.halt[0] = True
            load = heaviest_of(blocks, where)
            if load < top:
                top = load
                report(where)
            failed = failed + 1 if load > sinking.horizon else 0
            if failed:
                start = None
            if failed == TRIES:
                floor, failed = sinking.horizon + 1, 0
    return top


class _PartDive(NamedTuple):
    """A running dive and its outer blocks, by number."""

    future: Future[Ints | None]
    outer: Ints
    part: BlocksPart


class _HorizonLayout:
    """A layout that should have no load beyond a horizon."""

    def __init__(
        self,
        blocks: Blocks,
        horizon: int,
        limits: Limits,
        rng: Generator,
        pool: ThreadPoolExecutor,
    ) -> None:
        self._blocks, self.horizon, self._limits = blocks, horizon, limits
        self._rng, self._pool, self.halt = rng, pool, np.zeros(1, np.bool_)
        self._outer = np.array(tree_of(blocks).outer)
        self._home = np.full(blocks.server.size, -1, np.int64)
        for i, b in enumerate(self._outer.tolist()):
            self._home[blocks.low[b] : blocks.high[b]] = i
        self._level = level_of_few(blocks, HELD)
        self._steps = STEPS if limits.time_s is None else inf
        self._begun = self._fruitless = 0

    def run(self, start: Ints | None) -> Ints:
        """Return the last layout."""
        self._where = self._annealed(start)
        running, free = list[_PartDive](), np.ones(self._outer.size, np.bool_)
        timed = self._limits.time_s is not None
        most = inf if timed else DIVES_INTO_PARTS
        while self._beyond(self._where) and self._fruitless < FRUITLESS and self._begun < most:
            while len(running) < self._limits.threads and (dive := self._begin(free)):
                running.append(dive)
            until = FIRST_COMPLETED if timed else ALL_COMPLETED
            wait([dive.future for dive in running], self._limits.left_s(), until)
            if not running or self._limits.over():
                break
            for dive in [dive for dive in running if dive.future.done()]:
                running.remove(dive)
                self._end(dive)
                free[dive.outer] = True
        return self._where

    def _annealed(self, start: Ints | None) -> Ints:
        """Let every thread anneal, and return the layout with the least load beyond the horizon."""
        temperatures = TEMPERATURES if start is None else AGAIN
        running = [
            self._pool.submit(
                annealed, self._blocks, self.horizon, seed, self.halt, MOVES, temperatures, start
            )
            for seed in self._rng.integers(2**31, size=self._limits.threads).tolist()
        ]
        while wait(running, self._limits.left_s()).not_done and not self._limits.over():
            pass
        self.halt[0] |= self._limits.over()
        return min((one.result()[0] for one in running), key=self._beyond)

    def _beyond(self, where: Ints) -> int:
        return int(np.maximum(loads_of(self._blocks, where) - self.horizon, 0).sum())

    def _begin(self, free: NDArray[np.bool_]) -> _PartDive | None:
        """Start a dive into some of the free outer blocks, which are then in use."""
        rooms = self.horizon - loads_of(self._blocks, self._where)
        count = self._outer.size
        beyond, idle = (
            np.bincount(self._home, np.maximum(some, 0), count) for some in (-rooms, rooms)
        )
        jobs = np.bincount(self._home[self._blocks.low[self._where]], minlength=count)
        fit = free & (jobs <= MOST_JOBS)
        fit_and_heavy = np.flatnonzero(fit & (beyond > 0))
        if not fit_and_heavy.size:
            return None
        level = self._level + self._begun % 2
        while (late := self._late(level))[fit_and_heavy].all():
            level += 1
        heavy = self._rng.permutation(fit_and_heavy[~late[fit_and_heavy]])
        heavy = heavy[: max(1, int((np.cumsum(jobs[heavy]) <= MOST_JOBS // 2).sum()))]
        light = np.flatnonzero(fit & (beyond == 0))
        light = light[np.argsort(-idle[light] * self._rng.random(light.size))]
        light = light[np.cumsum(jobs[light]) <= MOST_JOBS - jobs[heavy].sum()]
        outer = np.concatenate((heavy, light))
        free[outer] = False
        part = part_of(self._blocks, self._outer[outer], self._where)
        layout = part.layout(self._where)
        self._begun += 1
        seed, effort = int(self._rng.integers(2**31)), Effort(self.halt, self._steps)
        future = self._pool.submit(
            dive_from, part.blocks, layout, self.horizon, seed, effort, level
        )
        return _PartDive(future, outer, part)

    def _late(self, level: int) -> NDArray[np.bool_]:
        """Flag the outer blocks on which jobs from a level on, alone, end too late."""
        held = np.where(self._blocks.rank >= level, self._where, -1)
        late = loads_of(self._blocks, held) > self.horizon
        return np.bincount(self._home, late, self._outer.size) > 0

    def _end(self, dive: _PartDive) -> None:
        """Keep the layout of a dive, if it has less load beyond the horizon."""
        found = dive.future.result()
        self._fruitless += 1
        if found is not None:
            where = self._where.copy()
            where[dive.part.jobs] = dive.part.numbers[found]
            if self._beyond(where) < self._beyond(self._where):
                self._where, self._fruitless = where, 0
