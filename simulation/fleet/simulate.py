"""Let a plan of widths, or one that is revised from time to time, run the jobs of a stream."""

from collections.abc import Callable

import numpy as np

from ...instances import Limits, RentalPlan
from ..model import Ints
from .advance import GROW, OVER, advance
from .lives import JobStates, new_lives, with_room
from .pool import NEVER, LeasePool, enlarged, full, new_pool
from .result import FleetResult, played_of
from .standing import standing_of
from .stream import JobStream
from .views import FleetHistory, Reviser

LOOKS = 200
"""How often the clock is looked at while the jobs arrive; later ever more rarely.

So is a plan revised, once that is longer than what it asks for.
"""


def simulate(
    stream: JobStream,
    plan: RentalPlan | Reviser,
    *,
    seed: int = 0,
    limits: Limits | None = None,
    marks: Ints | None = None,
    keep: bool = False,
    progress: Callable[[int], None] | None = None,
) -> FleetResult:
    """Return what happens under a plan; `progress` is told jobs that are done.

    Every job gets what its type has in the plan as soon as there are GPUs for it; these are
    requested when it arrives and given back when nobody needs them. The integrals of GPUs are
    written down at `marks`; with `keep`, all runs and leases are.
    """
    lots = np.random.default_rng(seed).random(len(stream.at))
    marked = np.zeros(0, np.int64) if marks is None else marks
    lives = new_lives(lots, (len(stream.types), stream.work.shape[1]), marked, keep=keep)
    pool, limits = new_pool(stream.terms, keep=keep), limits or Limits()
    standing = standing_of(stream, _first(stream, plan))
    every = NEVER if isinstance(plan, RentalPlan) else plan.every
    look = max(1, int(stream.at[-1]) // LOOKS)
    revision, glance = every, look
    while True:
        pause = min(revision, glance)
        why = advance(stream.kind, stream.at, stream.work, standing, pool, lives, pause)
        if why == GROW:
            pool, lives = _with_room(pool, lives)
            continue
        if progress is not None:
            progress(int(lives.counts[0]["finished"]))
        if why == OVER or limits.over():
            return played_of(stream, pool, lives)
        if pause == revision and not isinstance(plan, RentalPlan):
            standing = standing_of(stream, plan.plan(_tally(pool, lives, pause)))
            revision += max(every, (revision - int(stream.at[-1])) // LOOKS)
        if pause == glance:
            glance += max(look, glance // LOOKS)


def _first(stream: JobStream, plan: RentalPlan | Reviser) -> RentalPlan:
    if isinstance(plan, RentalPlan):
        return plan
    none = np.zeros(len(stream.types), np.int64)
    worked = np.zeros((len(stream.types), stream.work.shape[1]), np.int64)
    return plan.plan(FleetHistory(now=0, spent=0, seen=none, done=none, worked=worked))


def _tally(pool: LeasePool, lives: JobStates, now: int) -> FleetHistory:
    counts = pool.counts[0]
    spent = int(counts["area"] + counts["rented"] * (now - counts["since"]))
    seen, done, worked = lives.seen.copy(), lives.done.copy(), lives.worked.copy()
    return FleetHistory(now=now, spent=spent, seen=seen, done=done, worked=worked)


def _with_room(pool: LeasePool, lives: JobStates) -> tuple[LeasePool, JobStates]:
    """Return the same with more room, where it is scarce."""
    return (enlarged(pool), lives) if full(pool) else (pool, with_room(lives))
