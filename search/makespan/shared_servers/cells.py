"""Schedules of shared-server patterns: rings that must share servers do so in fixed patterns.

A pattern says how a few equal servers are shared (`patterns.py`). `choice.py` chooses the number of
servers per pattern. Jobs are then annealed over the blocks of these patterns as over nested blocks.
In a block a ring takes as long as among the most rings that can be around it. The schedule to beat
is a list schedule. Source: ours.

Several choices of patterns are annealed side by side, because only whole jobs show which choice
fits best. In every round each choice that still promises less than the best has its turn.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from math import ceil, inf
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ....instances import Bound, Limits, MakespanInstance, Outcome, ServerUplink, TerminationReason
from ....policies.makespan.gang_lpt import offer_lists
from ....policies.makespan.incumbent import NEVER, BestPlan
from ....policies.request import NO_OPTIONS, NoOptions, Request
from ....simulation.makespan.evaluate import unbegun, unsupported
from ....simulation.model import Ints
from ..annealing import nested
from ..annealing.block_annealing import anneal, pile
from ..annealing.block_moves import move_odds
from ..annealing.block_plans import large_first
from ..annealing.blocks import Blocks
from ..annealing.nested import Halt, heaviest_of
from ..bounds.counting import tasks_of
from ..bounds.slow_bounds import best_slow_bound
from ..diving.block_dive import sink
from .blocks import BlockSorts, BundledBlocks, blocks_with_bundle, plan_of
from .choice import PatternChoice, SortedPattern, choose, group_jobs, servers_needed
from .patterns import patterns_of

METHOD = "cells"

FEW = 24
"""Among this many jobs hardly any are alike in the servers that they need."""

MOST_GPUS, MOST_SERVERS, MOST_PATTERNS = 8, 5, 120
"""GPUs of a server, servers in a pattern, and patterns in all, at most."""

KEPT = 16
"""Patterns to choose from, by reduced cost, besides all of one or two servers."""

PART_FOR_CHOICE, SEEDS = 0.5, 4
"""Part of the time left that a choice may take, and choices with servers reused in turn."""

ENOUGH, WHOLE = 1.001, 1.003
"""Whole patterns are chosen once the linear relaxation needs at most this multiple of the servers;
patterns of more servers are not tried once whole ones need at most this multiple of the bound."""


class ChosenPatterns(NamedTuple):
    """Blocks on all servers, and the slots that jobs need on them if jobs are divisible.

    With divisible patterns they would need `least` slots.
    """

    bundled: BundledBlocks
    slots: int
    least: float


def refuses(instance: MakespanInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Return why there are no shared-server patterns for `instance`, or None if there are."""
    if reason := unsupported(instance) or unbegun(instance):
        return reason
    sizes = {server.gpus for server in instance.cluster.servers}
    largest = max(job.gpus for job in instance.jobs)
    if instance.progress == "continuous":
        reason = "slots; use another method in continuous time"
    elif any(job.allowed_regions for job in instance.jobs):
        reason = "jobs that may run everywhere, but some are bound to regions; use portfolio"
    elif not isinstance(instance.contention, ServerUplink) or len(sizes) > 1:
        reason = "equal servers with contention only on their uplinks; use local-search"
    elif any(job.release_slot for job in instance.jobs):
        reason = "jobs released at slot 0, but some are released later"
    elif min(task.slots for task in tasks_of(instance)) < 1:
        reason = "jobs of at least one slot"
    elif max(sizes) > MOST_GPUS or largest > MOST_SERVERS * min(sizes):
        reason = f"servers of at most {MOST_GPUS} GPUs, {MOST_SERVERS} per job; use local-search"
    elif len(instance.jobs) <= FEW:
        reason = f"more than {FEW} jobs; use portfolio"
    return f"{METHOD} needs {reason}" if reason else None


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return a list schedule, or a better one by shared-server patterns, with the bound."""
    best = BestPlan(instance, request.limits, METHOD)
    offer_lists(instance, best, request.limits)
    bound = best_slow_bound(instance, request.limits)
    return improve(instance, request.limits, request.rng, bound, best.makespan, best)


def improve(
    instance: MakespanInstance,
    limits: Limits,
    rng: Generator,
    bound: Bound,
    known: float,
    best: BestPlan | None = None,
) -> Outcome:
    """Look for better and better schedules, if patterns promise one that ends before `known`."""
    best = best or BestPlan(instance, limits, METHOD)
    if best.makespan <= bound.value:
        return replace(best.outcome(TerminationReason.DONE, NEVER), bound=bound)
    chosen = patterns_for(instance, float(bound.value), limits)
    if not chosen and limits.time_s is not None and not limits.over():
        chosen = patterns_for(instance, float(bound.value), limits, part=1.0)
    if not chosen:
        over, note = (
            limits.over(),
            "no shared-server patterns were found that hold jobs of all sizes",
        )
        if over:
            note = "the time limit was reached before patterns were chosen"
        termination = TerminationReason.TIME_LIMIT if over else TerminationReason.FAILED
        return replace(best.outcome(termination, note), bound=bound, note=note)
    sizes = np.array([job.gpus for job in instance.jobs])
    racers = [
        Racer(
            one.bundled.blocks,
            one.slots,
            nested.reporter(instance, partial(plan_of, one.bundled, sizes), best),
        )
        for one in chosen
        if one.slots < known
    ]
    termination = race(racers, known, limits, rng) if racers else TerminationReason.WORK_LIMIT
    if termination is TerminationReason.WORK_LIMIT and racers:
        first = min(racers, key=lambda one: (one.top, one.floor))
        if len(set(first.blocks.rank.tolist())) > 1:
            sink(first.blocks, first.report, limits, rng, first.floor, int(first.top))
            termination = TerminationReason.TIME_LIMIT if limits.over() else termination
    if best.makespan > bound.value and termination is TerminationReason.DONE:
        termination = TerminationReason.WORK_LIMIT
    return replace(best.outcome(termination, NEVER), bound=bound)


def patterns_for(
    instance: MakespanInstance,
    horizon: float,
    limits: Limits,
    most: int = MOST_SERVERS,
    part: float = PART_FOR_CHOICE,
) -> list[ChosenPatterns]:
    """Return choices of patterns of at most `most` servers, by ascending slots.

    Each choice may take `part` of the remaining time. There are no choices if some job fits nowhere
    or the time is too short, and only one if it ends the jobs by `horizon` or hardly later.
    """
    network, servers = instance.contention, instance.cluster.servers
    assert isinstance(network, ServerUplink)
    gpus, sorts = servers[0].gpus, BlockSorts(instance, network)
    jobs = np.array([job.gpus for job in instance.jobs])
    sizes = np.unique(jobs).tolist()
    patterns = list[SortedPattern]()
    found = list[ChosenPatterns]()
    for count in range(1, most + 1):
        more = list(islice(patterns_of(sizes, gpus, count), MOST_PATTERNS + 1 - len(patterns)))
        patterns += [sorts.sorted(one, gpus) for one in more]
        last = count == most or len(patterns) > MOST_PATTERNS
        if not (more or last) or not _gpus_of(patterns).issuperset(sizes):
            continue
        slots = sorts.slots()
        groups = group_jobs(jobs, slots)
        needed = servers_needed(patterns, groups, horizon)
        if needed.servers < inf and (last or needed.servers <= ENOUGH * len(servers)):
            until = horizon * max(1.0, needed.servers / len(servers))
            least = np.argsort(needed.reduced, kind="stable")[:KEPT].tolist()
            kept = [one for i, one in enumerate(patterns) if i in least or one.pattern.servers <= 2]
            ask = partial(choose, kept, groups, len(servers), until, limits.part(part))
            asks = [partial(ask, seed, True) for seed in range(SEEDS)] if last else [ask]
            known = list[PatternChoice]()
            for choice in _side_by_side(asks, limits.threads):
                alike = any(choice[:3] == one[:3] for one in known)
                if not alike and _gpus_of(choice.all_the_time()).issuperset(sizes):
                    known.append(choice)
                    bundled = blocks_with_bundle(choice, slots, jobs, gpus, len(servers))
                    idle = bundled.bundle.idle if bundled.bundle else 0
                    top = choice.slots + ceil(idle / bundled.blocks.server.size)
                    found.append(ChosenPatterns(bundled, top, until))
                    if top <= (1.0 if last else WHOLE) * horizon:
                        return found[-1:]
        if last or limits.over():
            break
    return sorted(found, key=lambda one: one.slots)


def _side_by_side(
    asks: Iterable[Callable[[], PatternChoice | None]], threads: int
) -> Iterator[PatternChoice]:
    """Yield the choices, computed on some threads, in order."""
    with ThreadPoolExecutor(threads) as pool:
        running = [pool.submit(one) for one in asks]
        try:
            yield from (found for one in running if (found := one.result()) is not None)
        finally:
            for one in running:
                one.cancel()


def _gpus_of(patterns: Iterable[SortedPattern]) -> set[int]:
    """Return the sizes of jobs that have blocks in the patterns."""
    return {block.gpus for one in patterns for block in one.pattern.blocks}


ROUNDS, MOVES = 5, 8_000
"""Rounds, and moves per job in the first two. Doubled from then on."""

MOST = 4
"""Choices at most."""

HOT, WARM, COLD = (100.0, 40.0), 10.0, 0.8
"""Temperature at the start of turns, where a layout is made a slot lighter, and at the end."""

NEAR = 400
"""A turn aims at a horizon beyond the promised slots by one part in this many."""


@dataclass(slots=True)
class Racer:
    """Blocks that promise a layout of `floor` slots, and the best layout so far."""

    blocks: Blocks
    floor: int
    report: Callable[[Ints], None]
    where: Ints = field(init=False)
    top: float = inf

    def __post_init__(self) -> None:
        """Begin with the jobs piled up."""
        self.where = pile(self.blocks, large_first(self.blocks))

    def turn(
        self, where: Ints, horizon: int, steps: int, hot: float, seed: int, halt: Halt
    ) -> tuple[Ints, int]:
        """Anneal a layout towards a horizon, then make it lighter, a slot at a time."""
        blocks, nothing = self.blocks, np.zeros(self.blocks.server.size, np.int64)
        odds, top, temperature = move_odds(), inf, hot
        while top > self.floor and not halt[0]:
            aim = horizon if top == inf else int(top) - 1
            _, found, lowest = anneal(
                blocks, where, aim, steps, temperature, COLD, seed, halt, nothing, odds
            )
            if lowest >= top:
                break
            where, top, temperature, seed = found, int(lowest), WARM, seed + 1
        return where, heaviest_of(blocks, where)

    def learn(self, where: Ints, top: int) -> None:
        """Keep a layout if it is lighter, and report it."""
        if top < self.top:
            self.where, self.top = where, top
            self.report(where)


def race(racers: list[Racer], top: float, limits: Limits, rng: Generator) -> TerminationReason:
    """Report ever lighter layouts until none promises less than `top` or the best found."""
    halt = np.zeros(1, np.bool_)
    with ThreadPoolExecutor(limits.threads) as pool:
        for number in range(ROUNDS):
            best = min(top, *(one.top for one in racers))
            running = [one for one in racers if one.floor < best][:MOST]
            if not running:
                return TerminationReason.DONE
            running *= -(-limits.threads // len(running))
            seeds = rng.integers(2**31, size=len(running)).tolist()
            annealed = [
                pool.submit(
                    one.turn,
                    one.where,
                    int(min(one.floor + one.floor // NEAR, best - 1)),
                    (MOVES << number // 2) * one.where.size,
                    HOT[number % len(HOT)],
                    seed,
                    halt,
                )
                for one, seed in zip(running, seeds, strict=True)
            ]
            try:
                for one, future in zip(running, annealed, strict=True):
                    # The clock is stopped while a kernel compiles, so more time is left after.
                    while wait([future], limits.left_s()).not_done and not limits.over():
                        pass
                    halt[0] |= limits.over()
                    one.learn(*future.result())
            finally:
                halt[0] |= any(not future.done() for future in annealed)
            if limits.over():
                return TerminationReason.TIME_LIMIT
    return TerminationReason.WORK_LIMIT
