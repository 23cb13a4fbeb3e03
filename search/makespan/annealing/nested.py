"""Nested placement: each job in a block of its size, large jobs before small ones.

If sizes divide one another, as in the mix of the SJF-BCO paper, a schedule is an assignment of jobs
to blocks. Its makespan is the load of the heaviest leaf (`blocks.py`). `block_annealing.py` makes
the leaves lighter by simulated annealing. This module has its rounds. Source: ours.

There are at most 15 rounds. Each starts from the best assignment and cools down to a temperature of
0.8 slots of overload. The first has 1,000 moves per job, and each further round twice as many, up
to 64,000. Rounds start at temperatures 400 and 60 in turn. The first round aims 0.5 % above the
proved bound, the second at the bound, and all further rounds halfway between the bound and the best
schedule.

Jobs that hold GPUs at slot 0 run there first (`block_plans.py`).
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from ....formulations.makespan.data import stuck_where_held
from ....instances import (
    Bound,
    Limits,
    MakespanInstance,
    Outcome,
    RefusedError,
    Schedule,
    TerminationReason,
)
from ....policies.makespan.incumbent import NEVER, BestPlan
from ....policies.request import NO_OPTIONS, NoOptions, Request
from ....simulation import PlacedStarts, build_model, evaluate, to_plan
from ....simulation.makespan.evaluate import begun, unsupported
from ....simulation.model import Ints
from ..bounds.slow_bounds import best_slow_bound
from .block_annealing import anneal, pile, pile_behind
from .block_moves import MoveOdds, move_odds
from .block_plans import full_plan, large_first, rest_of, waiting
from .blocks import Blocks, can_cut, loads_of

METHOD = "nested"

Halt = NDArray[np.bool_]
"""True if kernels are to end, in its only place."""

HOT, COLD = (400.0, 60.0), 0.8
"""Temperature at the start, in turns, and at the end of a round, in slots of overload."""

FIRST, MOST, ROUNDS, SEGMENT = 1_000, 64_000, 15, 1_000_000
"""Moves per job in the first round, doubled from round to round up to `MOST`; number of rounds; and
moves between two comparisons of threads."""

GLANCED = 1_500
"""Moves per job in a short, cooler first round. 160 jobs take about 0.08 s."""

ALL = slice(None)
"""All rounds."""

NEAR = 200
"""The first round aims at a horizon beyond the bound by one part in this many."""


def refuses(instance: MakespanInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Return why there are no nested blocks for `instance`, or None if there are."""
    if reason := unsupported(instance) or stuck_where_held(instance):
        return reason
    if instance.progress == "continuous":
        return "nested needs slots; use another method in continuous time"
    if any(job.allowed_regions for job in instance.jobs):
        return (
            "nested lets all jobs run in every block, but some are bound to regions; "
            "use portfolio or local-search"
        )
    if any(job.release_slot for job in instance.jobs):
        return "nested needs jobs released at slot 0, but some are released later"
    if not can_cut(waiting(instance)):
        return (
            "nested needs job sizes that divide one another, and servers or whole groups "
            "of servers of these sizes"
        )
    return None


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best schedule of nested blocks found, with the bound that stopped it."""
    bound = best_slow_bound(instance, request.limits)
    return improve(instance, request.limits, request.rng, bound, request.start)


def improve(
    instance: MakespanInstance,
    limits: Limits,
    rng: Generator,
    bound: Bound,
    start: Schedule | None = None,
    rounds: slice = ALL,
    odds: MoveOdds | None = None,
    glance: bool = False,
) -> Outcome:
    """Look for better and better schedules until one meets the bound, or the rounds are over.

    They begin with the blocks that jobs have in `start`, if these carry less than a greedy layout.
    """
    best, rest, floor = BestPlan(instance, limits, METHOD), rest_of(instance), int(bound.value)
    if all(job.held for job in instance.jobs):
        best.offer(begun(instance), evaluate(build_model(instance), begun(instance)).makespan)
        return replace(best.outcome(TerminationReason.DONE, NEVER), bound=bound)
    if rest is None:
        raise RefusedError(f"{instance.name}: {refuses(instance)}")
    blocks, carried = rest.blocks, rest.carried
    order = large_first(blocks)
    where = pile_behind(blocks, order, carried) if carried.any() else pile(blocks, order)
    if start is not None:
        given = _blocks_in(blocks, to_plan(rest.instance, start), carried)
        where = min(where, given, key=lambda one: heaviest_of(blocks, one, carried))
    report = reporter(instance, partial(full_plan, instance, rest), best)
    odds = odds or move_odds()
    stop = lighten(blocks, where, report, limits, rng, floor, odds, rounds, glance, carried)
    if stop is TerminationReason.DONE and best.makespan > bound.value:
        stop = TerminationReason.WORK_LIMIT
    return replace(best.outcome(stop, NEVER), bound=bound)


def lighten(
    blocks: Blocks,
    where: Ints,
    report: Callable[[Ints], None],
    limits: Limits,
    rng: Generator,
    floor: int,
    odds: MoveOdds,
    rounds: slice,
    glance: bool,
    carried: Ints,
) -> TerminationReason:
    """Report lighter and lighter layouts until the heaviest leaf carries no more than `floor`.

    Leaves carry the load `carried` in addition to the jobs of the layout.
    """
    report(where)
    top = heaviest_of(blocks, where, carried)
    halt = np.zeros(1, np.bool_)
    temperatures, first = (HOT[1:], GLANCED) if glance else (HOT, FIRST)
    with ThreadPoolExecutor(limits.threads) as pool:
        for number in range(ROUNDS)[rounds]:
            if top <= floor:
                break
            horizon = _horizon(number, floor, top)
            hot = temperatures[number % len(temperatures)]
            steps = min(first << number, MOST) * where.size
            seeds = rng.integers(2**31, size=limits.threads).tolist()
            annealed = [
                _round(blocks, where, horizon, steps, hot, seed, halt, odds, carried)
                for seed in seeds
            ]
            for found in _in_step(pool, annealed, limits, halt):
                if found[1] < top:
                    where, top = found
                    report(where)
                if limits.over():
                    return TerminationReason.TIME_LIMIT
                if top <= horizon:
                    break
    return TerminationReason.DONE if top <= floor else TerminationReason.WORK_LIMIT


def _horizon(number: int, floor: int, top: int) -> int:
    """Aim a little above the bound, then at it, then halfway between it and the best."""
    if number == 0:
        return min(top - 1, floor + floor // NEAR)
    return floor if number == 1 else (floor + top) // 2


def _round(
    blocks: Blocks,
    where: Ints,
    horizon: int,
    steps: int,
    hot: float,
    seed: int,
    halt: Halt,
    odds: MoveOdds,
    carried: Ints,
) -> Iterator[tuple[Ints, int]]:
    """Anneal for a round, segment by segment. Yield the best of each."""
    segments = -(-steps // SEGMENT)
    temperatures = (hot * (COLD / hot) ** (np.arange(segments + 1) / segments)).tolist()
    for i, (start, end) in enumerate(pairwise(temperatures)):
        share = steps // segments
        where, best, top = anneal(
            blocks, where, horizon, share, start, end, seed + i, halt, carried, odds
        )
        yield best, int(top)
        if top <= horizon:
            return


def _in_step(
    pool: ThreadPoolExecutor,
    rounds: list[Iterator[tuple[Ints, int]]],
    limits: Limits,
    halt: Halt,
) -> Iterator[tuple[Ints, int]]:
    """Run the rounds side by side, a segment of each at a time. Yield the best of these.

    Running segments are halted when the time is up, or at Ctrl-C.
    """
    while True:
        running = [pool.submit(next, one, None) for one in rounds]
        try:
            # The clock is stopped while a kernel compiles, so more time is left afterwards.
            while wait(running, limits.left_s()).not_done and not limits.over():
                pass
        finally:
            halt[0] |= limits.over() or not all(one.done() for one in running)
        found = [item for item in (one.result() for one in running) if item]
        if not found:
            return
        yield min(found, key=lambda item: item[1])


def reporter(
    instance: MakespanInstance, plan_for: Callable[[Ints], PlacedStarts], best: BestPlan
) -> Callable[[Ints], None]:
    """Return a function that schedules a layout and keeps the schedule if it is the best."""
    model = build_model(instance)

    def report(layout: Ints) -> None:
        plan = plan_for(layout)
        result = evaluate(model, plan)
        if result.excess <= 0:
            best.offer(plan, result.makespan)

    return report


def heaviest_of(blocks: Blocks, where: Ints, carried: Ints | int = 0) -> int:
    """Return the slots that the heaviest leaf carries, with those `carried` besides the jobs."""
    return int((loads_of(blocks, where) + carried).max())


def _blocks_in(blocks: Blocks, plan: PlacedStarts, carried: Ints | int = 0) -> Ints:
    """Return for each job the block on its servers in a plan, or else the one free first."""
    load, where = (
        np.zeros(blocks.server.size, np.int64) + carried,
        np.empty(len(plan.start), np.int64),
    )
    for j in np.lexsort((-blocks.rank, plan.start)).tolist():
        span = slice(plan.first[j], plan.first[j + 1])
        held = np.sort(np.repeat(plan.servers[span], plan.pieces[span] // blocks.unit))
        own = range(blocks.first[blocks.rank[j]], blocks.first[blocks.rank[j] + 1])
        leaves = {b: slice(blocks.low[b], blocks.high[b]) for b in own}
        there = [b for b in own if np.array_equal(np.sort(blocks.server[leaves[b]]), held)]
        begin = plan.start[j] if there else 0
        where[j] = min(there or own, key=lambda b: abs(load[leaves[b]].max() - begin))
        load[leaves[where[j]]] += blocks.slots[j, blocks.sort[where[j]]]
    return where
