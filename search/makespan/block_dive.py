"""Dives to lower and lower horizons, side by side, until a schedule meets the bound.

Every other dive aims at the bound itself. The others aim a slot above it at first, and then higher
and higher, as far as that is better than what is known.
"""

from collections.abc import Callable
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
from .bounds import strong_bound
from .fillings_dive import Effort, dive

METHOD = "block-dive"

DIVES, STEPS = 4, 100_000
"""Dives at most where no time limit is given, and steps of the simplex method in each."""

MOST_JOBS = 500
"""Programs of more jobs take minutes for every point."""

STRICT = 3
"""Dives of each thread in which the largest jobs keep the blocks of the annealed layout."""


def refuses(instance: MakespanInstance, options: NoOptions = NO_OPTIONS) -> str | None:
    """Say why there are no fillings for `instance`, or None if there are."""
    reason = nested.refuses(instance, options)
    return beyond(instance) if reason is None else reason.replace(nested.METHOD, METHOD, 1)


def beyond(instance: MakespanInstance) -> str | None:
    """Say why there are no dives though there are nested blocks, or None if there are."""
    if len({job.gpus for job in instance.jobs}) == 1:
        return f"{METHOD} needs jobs of several sizes; use {nested.METHOD}"
    if len(instance.jobs) > MOST_JOBS:
        return (
            f"{METHOD} takes at most {MOST_JOBS} jobs, and this instance has "
            f"{len(instance.jobs):,}; use {nested.METHOD}"
        )
    return None


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
    """Look for schedules that end before `makespan` until one meets the bound, or time is over."""
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
    top = sink(blocks, offer, limits, rng, floor, int(top))
    stop = Stop.TIME_LIMIT if limits.over() else Stop.WORK_LIMIT
    return replace(best.outcome(Stop.DONE if top <= floor else stop, NEVER), bound=bound)


def sink(
    blocks: Blocks,
    offer: Callable[[Ints], None],
    limits: Limits,
    rng: Generator,
    floor: int,
    top: int,
) -> int:
    """Offer layouts below `top` until one carries `floor`; return what the best one carries."""
    dives = _Dives(blocks, limits, rng, floor)
    with ThreadPoolExecutor(limits.threads) as pool:
        for number in count(0, limits.threads):
            if limits.time_s is None and number >= DIVES:
                break
            if top <= floor or limits.over():
                break
            for where in dives.side_by_side(pool, number, top):
                load = nested.heaviest_of(blocks, where)
                if load < top:
                    top = load
                    offer(where)
    return top


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
            self._above *= 1 + place % 2
            seed = int(self._rng.integers(2**31))
            effort = Effort(np.zeros(1, np.bool_), STEPS if self._limits.time_s is None else inf)
            loose = place // self._limits.threads >= STRICT
            running.append((pool.submit(dive, self._blocks, horizon, seed, effort, loose), effort))
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
