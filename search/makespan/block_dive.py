"""Dives to lower and lower horizons, side by side, until a schedule meets the bound.

Every other dive aims at the bound itself, once something ends a slot above it. The others aim a
slot above it at first, and then higher and higher, as far as that is better than what is known.
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

from ...instances import Bound, Limits, MakespanInstance, Outcome, RefusedError, TerminationReason
from ...policies.makespan.incumbent import NEVER, BestPlan
from ...policies.request import NO_OPTIONS, NoOptions, Request
from ...simulation.model import Ints
from . import nested
from .blocks import Blocks, cut
from .blocks_anneal import pile
from .bounds import best_slow_bound
from .fillings import FillingPiece, too_large
from .fillings_dive import MOST_JOBS, STEPS, Dived, Effort, dive
from .parts_dive import sink_parts

METHOD = "block-dive"

DIVES = 4
"""Dives at most where no time limit is given."""

THRICE, TWICE = 3, 2
"""Dives that aim equally high above the bound, and after which an aim that no fractions reach is
given up."""


def refuses(instance: MakespanInstance, options: NoOptions = NO_OPTIONS) -> str | None:
    """Say why there are no fillings for `instance`, or None if there are."""
    reason = nested.refuses(instance, options)
    return beyond(instance) if reason is None else reason.replace(nested.METHOD, METHOD, 1)


def beyond(instance: MakespanInstance) -> str | None:
    """Say why there are no dives though there are nested blocks, or None if there are."""
    if len({job.gpus for job in instance.jobs}) == 1:
        return f"{METHOD} needs jobs of several sizes; use {nested.METHOD}"
    return None


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return the best schedule that dives find, with the bound that stopped them."""
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
    offer = nested.offering(instance, partial(nested.plan_of, blocks), best)
    top = makespan
    if top is None:
        where = pile(blocks, nested.large_first(blocks))
        offer(where)
        top = nested.heaviest_of(blocks, where)
    floor = int(bound.value)
    short = limits.part(part)
    if len(instance.jobs) <= MOST_JOBS:
        top = sink(blocks, offer, short, rng, floor, int(top), limits)
    else:
        top = sink_parts(blocks, offer, short, rng, floor, int(top))
    termination = TerminationReason.TIME_LIMIT if limits.over() else TerminationReason.WORK_LIMIT
    return replace(
        best.outcome(TerminationReason.DONE if top <= floor else termination, NEVER), bound=bound
    )


def sink(
    blocks: Blocks,
    offer: Callable[[Ints], None],
    limits: Limits,
    rng: Generator,
    floor: int,
    top: int,
    last: Limits | None = None,
) -> int:
    """Offer layouts below `top` until one carries `floor`; return what the best one carries.

    The last limits, if there are any, are for the last slot.
    """
    if too_large(blocks, top):
        return top

    def until() -> Limits:
        return last if last and top <= floor + 1 else limits

    dives, running = _Dives(blocks, limits, rng, floor), dict[int, _Diving]()
    timed = limits.time_s is not None
    with ThreadPoolExecutor(limits.threads) as pool:
        try:
            while dives.can_end_before(top) and not until().over():
                for thread in range(limits.threads):
                    if thread not in running and (timed or dives.begun < DIVES):
                        running[thread] = dives.begin(pool, thread, top)
                if not running:
                    break
                enough = FIRST_COMPLETED if timed else ALL_COMPLETED
                wait([one.future for one in running.values()], until().left_s(), enough)
                for where in dives.ended(running):
                    if (load := nested.heaviest_of(blocks, where)) < top:
                        top = load
                        offer(where)
                for one in running.values():
                    one.effort.halt[0] |= one.horizon >= top
        finally:
            for one in running.values():
                one.effort.halt[0] = True
    return top


class _Diving(NamedTuple):
    """A dive that runs, and its aim."""

    future: Future[Dived]
    effort: Effort
    horizon: int


class _Dives:
    """What dives of all threads have in common.

    Those that aim higher do so more and more: each aim has three tries. All do after the first one
    at the bound, until something ends a slot above it. Every other one of an aim holds the largest
    jobs, which is faster. None aims where fractions of fillings were twice not found to cover all
    jobs, or lower. Each begins with the fillings of the first points of those before.
    """

    def __init__(self, blocks: Blocks, limits: Limits, rng: Generator, floor: int) -> None:
        self._blocks, self._limits, self._rng, self._floor = blocks, limits, rng, floor
        self._turns, self._aimed, self._futile = [0] * limits.threads, [0, 0], Counter[int]()
        self._known: dict[FillingPiece, None] = {}

    @property
    def begun(self) -> int:
        """How many there have been."""
        return sum(self._aimed)

    def can_end_before(self, top: int) -> bool:
        """Say whether a dive could still find something better."""
        return self._floor < top

    def begin(self, pool: ThreadPoolExecutor, thread: int, top: int) -> _Diving:
        """Let a thread dive."""
        aim = (self._turns[thread] * self._limits.threads + thread) % 2
        if self._aimed[0] and top > self._floor + 1:
            aim = 1
        above = 1 << (self._aimed[1] // THRICE) if aim else 0
        horizon = min(self._floor + above, top - 1)
        self._turns[thread] += 1
        seed = int(self._rng.integers(2**31))
        effort = Effort(np.zeros(1, np.bool_), STEPS if self._limits.time_s is None else inf)
        hold = self._aimed[aim] % 2 == 0
        self._aimed[aim] += 1
        known = tuple(self._known)
        future = pool.submit(dive, self._blocks, horizon, seed, effort, hold, known)
        return _Diving(future, effort, horizon)

    def ended(self, running: dict[int, _Diving]) -> list[Ints]:
        """Take out the dives that have ended; return what they found."""
        found = []
        for thread, one in list(running.items()):
            if one.future.done():
                del running[thread]
                dived = one.future.result()
                self._futile[one.horizon] += dived.futile
                self._known |= dict.fromkeys(dived.pieces)
                if self._futile[one.horizon] >= TWICE:
                    self._floor = max(self._floor, one.horizon + 1)
                if dived.where is not None:
                    found.append(dived.where)
        return found
