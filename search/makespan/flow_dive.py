"""Dives to lower and lower horizons, side by side, until a schedule meets the bound.

Every other dive aims at the bound itself. The others aim a slot above it at first, and then higher
and higher, as far as that is better than what is known.
"""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from itertools import count
from math import inf

import numpy as np
from numpy.random import Generator

from ...instances import Bound, Limits, MakespanInstance, Outcome, RefusedError, Stop
from ...policies.makespan.incumbent import NEVER, Incumbent
from ...policies.request import NO_OPTIONS, NoOptions, Request
from ...simulation.model import Ints
from . import nested
from .blocks import Blocks, cut
from .blocks_anneal import pile
from .bounds import best_bound, strong_bound
from .flow_round import Effort, dive
from .tasks import tasks_of

METHOD = "flow-dive"

DIVES, STEPS = 4, 20_000
"""Dives at most where no time limit is given, and steps of the simplex method in each."""

MOST_COLUMNS = 145_000
"""Programs with more columns take minutes for every point."""

WORTH = 40_000, 4.0
"""Columns with which a dive ends within these seconds; with twice as many it takes eight times as
long."""


def refuses(instance: MakespanInstance, options: NoOptions = NO_OPTIONS) -> str | None:
    """Say why there is no flow of free blocks for `instance`, or None if there is."""
    reason = nested.refuses(instance, options)
    return beyond(instance) if reason is None else reason.replace(nested.METHOD, METHOD, 1)


def beyond(instance: MakespanInstance) -> str | None:
    """Say why there is no flow for an instance that nested blocks can do, or None if there is."""
    if len({job.gpus for job in instance.jobs}) == 1:
        return f"{METHOD} needs jobs of several sizes; use {nested.METHOD}"
    columns = most_columns(instance, int(best_bound(instance).value))
    if columns > MOST_COLUMNS:
        return (
            f"{METHOD} takes programs of at most {MOST_COLUMNS:,} columns, and this instance needs "
            f"some {columns:,}; use {nested.METHOD}, or lengthen slot_s"
        )
    return None


def most_columns(instance: MakespanInstance, horizon: int) -> int:
    """Return about how many columns a program has: sorts of jobs times slots left to them."""
    sorts = {(task.gpus, int(task.slots)) for task in tasks_of(instance)}
    return sum(max(horizon - slots, 0) for _, slots in sorts)


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best schedule that dives find, with the bound that stopped them."""
    bound = strong_bound(instance, request.limits)
    return improve(instance, request.limits, request.rng, bound)


def improve(
    instance: MakespanInstance,
    limits: Limits,
    rng: Generator,
    bound: Bound,
    makespan: float | None = None,
) -> Outcome:
    """Look for schedules that end before `makespan` until one meets the bound, or time is over.

    Where one is known, dives that would hardly end in time are left to other methods.
    """
    blocks = cut(instance)
    if blocks is None:
        raise RefusedError(f"{instance.name}: {refuses(instance)}")
    best = Incumbent(instance, limits, METHOD)
    offer = nested.offering(instance, blocks, best)
    top = makespan
    if top is None:
        where = pile(blocks, nested.large_first(blocks))
        offer(where)
        top = nested.heaviest_of(blocks, where)
    floor = int(bound.value)
    dives, columns = _Dives(blocks, limits, rng, floor), most_columns(instance, floor)
    with ThreadPoolExecutor(limits.threads) as pool:
        for number in count(0, limits.threads):
            if limits.time_s is None and number >= DIVES:
                break
            long = makespan is not None and not _worth(columns, limits)
            if top <= floor or limits.over() or long:
                break
            for where in dives.side_by_side(pool, number, int(top)):
                load = nested.heaviest_of(blocks, where)
                if load < top:
                    top = load
                    offer(where)
    stop = Stop.TIME_LIMIT if limits.over() else Stop.WORK_LIMIT
    return replace(best.outcome(Stop.DONE if top <= floor else stop, NEVER), bound=bound)


def _worth(columns: int, limits: Limits) -> bool:
    """Say whether a dive is likely to end in the time that is left."""
    left_s = limits.left_s()
    return left_s is None or columns <= WORTH[0] * (left_s / WORTH[1]) ** (1 / 3)


class _Dives:
    """Dives on all threads at once."""

    def __init__(self, blocks: Blocks, limits: Limits, rng: Generator, floor: int) -> None:
        self._blocks, self._limits, self._rng, self._floor = blocks, limits, rng, floor
        self._above = 1

    def side_by_side(self, pool: ThreadPoolExecutor, number: int, top: int) -> list[Ints]:
        """Return what the dives find; later ones end once an earlier one has met the bound."""
        running: list[tuple[Future[Ints | None], Effort]] = []
        for place in range(number, number + self._limits.threads):
            horizon = min(self._floor + place % 2 * self._above, top - 1)
            self._above += place % 2
            seed = int(self._rng.integers(2**31))
            effort = Effort(np.zeros(1, np.bool_), STEPS if self._limits.time_s is None else inf)
            running.append((pool.submit(dive, self._blocks, horizon, seed, effort), effort))
        found = []
        try:
            for one, _ in running:
                wait([one], self._limits.left_s())
                where = one.result() if one.done() else None
                if where is not None:
                    found.append(where)
                    if nested.heaviest_of(self._blocks, where) <= self._floor:
                        break
        finally:
            for _, effort in running:
                effort.halt[0] = True
        return found
