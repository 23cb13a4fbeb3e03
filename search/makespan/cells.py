"""Schedules of cells: rings that cannot avoid each other share servers in fixed ways.

Which cells there are is in `cells_shapes.py`, how many of each `cells_choice.py` says. Jobs are
then annealed over their blocks as over nested ones; in a block a ring takes as long as among the
most rings that can be around it. Source: ours.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, islice
from math import ceil, inf, lcm
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ...instances import Bound, Left, Limits, MakespanInstance, Outcome, ServerUplink, Stop
from ...policies.makespan.incumbent import NEVER, Incumbent
from ...policies.request import NO_OPTIONS, NoOptions, Request
from ...simulation.makespan.extremes import never_ends
from . import nested
from .block_dive import sink
from .blocks_anneal import pile
from .blocks_moves import move_odds
from .bounds import strong_bound
from .cells_blocks import BlockSorts
from .cells_choice import SortedCell, choose, group_jobs, servers_needed
from .cells_shapes import ServerCell, cells_of, in_turn
from .cells_turns import BundledBlocks, blocks_with_bundle, plan_of
from .tasks import tasks_of

METHOD = "cells"

FEW = 24
"""Of so few jobs hardly any are alike in what servers they need."""

MOST_GPUS, MOST_SERVERS, MOST_CELLS = 8, 5, 120
"""GPUs of a server, servers in a cell, and cells in all, at most."""

PART, MOST_TURNS = 1e-6, 10
"""Cells of which more than such a part is needed may be had in turn, on so many servers at most."""

ENOUGH, WHOLE = 1.001, 1.003
"""Whole cells are chosen once parts of cells need so few servers, of those there are; and cells of
more servers are not looked at once whole ones need so few slots, of those of the bound."""


ROUNDS = 3
"""Rounds of annealing before dives."""


def _horizon(_: int, floor: int, top: int) -> int:
    """Aim a little above what could be had at best, and once there halfway between."""
    near = floor + floor // nested.NEAR
    return near if top > near else (floor + top) // 2


STYLE = nested.RoundStyle((100.0, 60.0), 8_000, _horizon, move_odds())
"""Jobs have few blocks of their size, and cool down from less heat than in nested blocks."""


class ChosenCells(NamedTuple):
    """Blocks on all servers, and the slots that jobs need on them, could they be parted.

    With parts of cells they would need `least` slots.
    """

    bundled: BundledBlocks
    slots: int
    least: float


def refuses(instance: MakespanInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Say why there are no cells for `instance`, or None if there are."""
    sizes = {server.gpus for server in instance.cluster.servers}
    largest = max(job.gpus for job in instance.jobs)
    reason = None
    if instance.progress == "continuous":
        reason = "slots; in continuous time use another method"
    elif any(job.allowed_regions for job in instance.jobs):
        reason = "that all jobs may run everywhere, and some are bound to regions; use portfolio"
    elif not isinstance(instance.contention, ServerUplink) or len(sizes) > 1:
        reason = "equal servers whose uplinks are all the network; use local-search"
    elif any(job.release_slot for job in instance.jobs):
        reason = "that all jobs are there at slot 0, and some are released later"
    elif min(task.slots for task in tasks_of(instance)) < 1:
        reason = "that every job takes a slot at least"
    elif max(sizes) > MOST_GPUS or largest > MOST_SERVERS * min(sizes):
        reason = f"servers of {MOST_GPUS} GPUs at most, {MOST_SERVERS} for a job; use local-search"
    elif len(instance.jobs) <= FEW:
        reason = f"more than {FEW} jobs; use portfolio"
    return f"{METHOD} needs {reason}" if reason else never_ends(instance)


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best schedule of cells found, with the bound that stopped it."""
    bound = strong_bound(instance, request.limits)
    return improve(instance, request.limits, request.rng, bound)


def improve(
    instance: MakespanInstance,
    limits: Limits,
    rng: Generator,
    bound: Bound,
    known: float = inf,
) -> Outcome:
    """Look for better and better schedules, if cells promise one that ends before `known`."""
    best = Incumbent(instance, limits, METHOD)
    chosen = cells_for(instance, float(bound.value), limits)
    if chosen is None:
        note = "no cells were found that hold jobs of all sizes"
        return Outcome(schedule=None, stop=Stop.FAILED, left=Left.NOTHING, bound=bound, note=note)
    stop, blocks = Stop.WORK_LIMIT, chosen.bundled.blocks
    if chosen.slots < known:
        where = pile(blocks, nested.large_first(blocks))
        sizes = np.array([job.gpus for job in instance.jobs])
        offer = nested.offering(instance, partial(plan_of, chosen.bundled, sizes), best)
        stop = nested.lighten(blocks, where, offer, limits, rng, chosen.slots, STYLE, slice(ROUNDS))
        if stop is Stop.WORK_LIMIT and len(set(blocks.rank.tolist())) > 1:
            sink(blocks, offer, limits, rng, chosen.slots, int(best.makespan))
            stop = Stop.TIME_LIMIT if limits.over() else stop
    if best.makespan > bound.value and stop is Stop.DONE:
        stop = Stop.WORK_LIMIT
    return replace(best.outcome(stop, NEVER), bound=bound)


def cells_for(
    instance: MakespanInstance, horizon: float, limits: Limits, most: int = MOST_SERVERS
) -> ChosenCells | None:
    """Choose cells of at most so many servers that do the jobs by a horizon or little later.

    There are none if some job fits nowhere.
    """
    network, servers = instance.contention, instance.cluster.servers
    assert isinstance(network, ServerUplink)
    gpus, sorts = servers[0].gpus, BlockSorts(instance, network)
    jobs = np.array([job.gpus for job in instance.jobs])
    sizes = np.unique(jobs).tolist()
    cells = list[SortedCell]()
    best: ChosenCells | None = None
    for count in range(1, most + 1):
        more = list(islice(cells_of(sizes, gpus, count), MOST_CELLS + 1 - len(cells)))
        cells += [sorts.sorted(one, gpus) for one in more]
        last = count == most or len(cells) > MOST_CELLS
        if not cells or not (more or last):
            continue
        found = servers_needed(cells, group_jobs(jobs, sorts.slots()), horizon)
        if found.servers < inf and (last or found.servers <= ENOUGH * len(servers)):
            until = horizon * max(1.0, found.servers / len(servers))
            needed = [one.cell for one, n in zip(cells, found.cells, strict=True) if n > PART]
            turns = [sorts.sorted(one, gpus) for one in _turns(needed, gpus)]
            slots = sorts.slots()
            groups = group_jobs(jobs, slots)
            for those in [cells, [*cells, *turns]] if turns else [cells]:
                choice = choose(those, groups, found.reduced, len(servers), until, limits)
                if choice is not None and _gpus_of(choice.cells).issuperset(sizes):
                    bundled = blocks_with_bundle(choice, slots, jobs, gpus, len(servers))
                    top = choice.slots + ceil(bundled.idle / bundled.blocks.server.size)
                    if best is None or top < best.slots:
                        best = ChosenCells(bundled, top, until)
                if best is not None and best.slots <= WHOLE * horizon:
                    return best
        if last or limits.over():
            break
    return best


def _turns(cells: Sequence[ServerCell], gpus: int) -> Iterator[ServerCell]:
    """Yield cells that begin as one of these, and are another one afterwards."""
    for then, first in combinations(sorted(cells, key=lambda one: one.servers), 2):
        if then.servers < first.servers and lcm(first.servers, then.servers) <= MOST_TURNS:
            yield in_turn(first, then, gpus)


def _gpus_of(cells: Iterable[SortedCell]) -> set[int]:
    """Return the sizes of jobs that have blocks in cells."""
    return {block.gpus for one in cells for block in one.cell.blocks}
