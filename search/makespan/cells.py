"""Schedules of cells: rings that cannot avoid each other share servers in fixed ways.

Which cells there are is in `cells_shapes.py`, how many of each `cells_choice.py` says. Jobs are
then annealed over their blocks as over nested ones; in a block a ring takes as long as among the
most rings that can be around it. Source: ours.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from ...instances import Bound, Left, Limits, MakespanInstance, Outcome, ServerUplink, Stop
from ...policies.makespan.incumbent import NEVER, Incumbent
from ...policies.request import NO_OPTIONS, NoOptions, Request
from ...simulation.makespan.extremes import never_ends
from . import nested
from .block_dive import sink
from .blocks import Blocks
from .blocks_anneal import pile
from .blocks_moves import move_odds
from .bounds import strong_bound
from .cells_blocks import BlockSorts, blocks_of
from .cells_choice import SortedCell, choose, group_jobs, servers_needed
from .cells_shapes import cells_of
from .tasks import tasks_of

METHOD = "cells"

FEW = 24
"""Of so few jobs hardly any are alike in what servers they need."""

MOST_GPUS, MOST_SERVERS, MOST_CELLS = 8, 5, 120
"""GPUs of a server, servers in a cell, and cells in all, at most."""

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

    blocks: Blocks
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
    stop, blocks = Stop.WORK_LIMIT, chosen.blocks
    if chosen.slots < known:
        where = pile(blocks, nested.large_first(blocks))
        offer = nested.offering(instance, blocks, best)
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
        slots = sorts.slots()
        groups = group_jobs(jobs, slots)
        needed, reduced = servers_needed(cells, groups, horizon)
        if needed < inf and (last or needed <= ENOUGH * len(servers)):
            until = horizon * max(1.0, needed / len(servers))
            choice = choose(cells, groups, reduced, len(servers), until, limits)
            if choice is not None and _gpus_of(choice.cells).issuperset(sizes):
                if best is None or choice.slots < best.slots:
                    blocks = blocks_of(choice.cells, slots, sizes, jobs, gpus, len(servers))
                    best = ChosenCells(blocks, choice.slots, until)
                if choice.slots <= WHOLE * horizon:
                    break
        if last or limits.over():
            break
    return best


def _gpus_of(cells: Iterable[SortedCell]) -> set[int]:
    """Return the sizes of jobs that have blocks in cells."""
    return {block.gpus for one in cells for block in one.cell.blocks}
