"""Plans of layouts of nested blocks, behind the jobs that hold GPUs at slot 0.

These jobs come first and keep their GPUs. No other ring meets them: a ring has whole servers, and
starts once these are idle. Their ends therefore do not depend on the layout of the other jobs. On a
server, a leaf is held until the last of its GPUs is free. Where leaves of a block are held for
different times, annealing adds up loads and so promises too little. The plan then fills gaps: each
job, large ones first, starts as soon as the leaves of its block are idle for long enough.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ....instances import MakespanInstance
from ....simulation import PlacedStarts, build_model, evaluate, make_plan
from ....simulation.makespan.evaluate import begun
from ....simulation.model import Ints
from .blocks import NEVER, Blocks, cut


class RestLayout(NamedTuple):
    """The jobs that wait at slot 0, the blocks for them, and how long each leaf is held before."""

    instance: MakespanInstance
    blocks: Blocks
    carried: Ints


def waiting(instance: MakespanInstance) -> MakespanInstance:
    """Return the instance without the jobs that hold GPUs at slot 0, if others are left."""
    jobs = tuple(job for job in instance.jobs if job.held is None)
    return replace(instance, jobs=jobs) if 0 < len(jobs) < len(instance.jobs) else instance


def rest_of(instance: MakespanInstance) -> RestLayout | None:
    """Return what waits at slot 0, or None if some waiting job has no block of its size."""
    rest = waiting(instance)
    blocks = cut(rest)
    if blocks is None:
        return None
    carried = np.zeros(blocks.server.size, np.int64)
    if rest is not instance:
        for s, free in enumerate(_free_from(instance)):
            leaves = np.flatnonzero(blocks.server == s)
            # GPUs in no leaf are held the longest.
            carried[leaves] = free[len(free) - leaves.size * blocks.unit :: blocks.unit]
    return RestLayout(rest, blocks, carried)


def _free_from(instance: MakespanInstance) -> list[list[int]]:
    """Return by server when each of its GPUs becomes free, in descending order."""
    held = tuple(job for job in instance.jobs if job.held is not None)
    only = replace(instance, jobs=held)
    ends = np.minimum(evaluate(build_model(only), begun(only)).end, NEVER).astype(int).tolist()
    found = []
    for server in instance.cluster.servers:
        pieces = [(end, dict(job.held or ())) for end, job in zip(ends, held, strict=True)]
        free = [end for end, own in pieces for _ in range(own.get(server.name, 0))]
        free += [0] * (server.gpus - len(free))
        found.append(sorted(free, reverse=True))
    return found


def full_plan(instance: MakespanInstance, rest: RestLayout, where: Ints) -> PlacedStarts:
    """Return the plan of all jobs, including those that hold GPUs at slot 0."""
    plan = plan_of(rest.blocks, where, rest.carried)
    if rest.instance is instance:
        return plan
    held = begun(instance)
    waits = np.flatnonzero(np.diff(held.first) == 0).tolist()
    starts, placed = [0.0] * len(instance.jobs), [list[tuple[int, int]]() for _ in instance.jobs]
    for given, jobs in ((held, range(len(placed))), (plan, waits)):
        for i, job in enumerate(jobs):
            span = slice(given.first[i], given.first[i + 1])
            pairs = zip(given.servers[span].tolist(), given.pieces[span].tolist(), strict=True)
            starts[job], placed[job] = float(given.start[i]), list(pairs)
    return make_plan(starts, placed)


def large_first(blocks: Blocks) -> Ints:
    """Return the jobs from large to small, and from long to short."""
    return np.lexsort((-blocks.slots.min(axis=1), -blocks.rank))


def plan_of(blocks: Blocks, where: Ints, carried: Ints | None = None) -> PlacedStarts:
    """Return the plan in which each block works off its jobs, after those around it.

    With a load `carried` before, jobs start wherever the leaves of their block are idle.
    """
    clock = np.zeros(blocks.server.size, np.int64)
    idle = _IdleTimes(carried) if carried is not None and carried.any() else None
    starts = [0.0] * where.size
    placements: list[list[tuple[int, int]]] = [[] for _ in starts]
    for j in large_first(blocks).tolist():
        b = where[j]
        low, high, slots = blocks.low[b], blocks.high[b], blocks.slots[j, blocks.sort[b]]
        starts[j] = float(clock[low] if idle is None else idle.take(low, high, int(slots)))
        clock[low:high] += slots
        held = blocks.server[blocks.begin[b] : blocks.end[b]]
        servers, counts = np.unique(held, return_counts=True)
        placements[j] = list(zip(servers.tolist(), (counts * blocks.unit).tolist(), strict=True))
    return make_plan(starts, placements)


class _IdleTimes:
    """The times at which leaves are idle."""

    def __init__(self, carried: Ints) -> None:
        self._busy = [[(0, held)] for held in carried.tolist()]

    def take(self, low: int, high: int, slots: int) -> int:
        """Occupy these leaves for some slots as early as possible, and return the start."""
        start = 0
        for begin, end in sorted({span for busy in self._busy[low:high] for span in busy}):
            if begin - start >= slots:
                break
            start = max(start, end)
        for busy in self._busy[low:high]:
            busy.append((start, start + slots))
        return start
