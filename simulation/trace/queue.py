"""The queue: jobs that wait or run, in the order of their ranks."""

import numpy as np

from ..jit import kernel
from .records import DONE, RUNNING, WAITING, EngineLog


@kernel
def enter(trace: EngineLog, job: int) -> None:
    """Let a job that arrives stand at the end; its rank is not known yet."""
    trace.lives[job].status = WAITING
    trace.order[trace.counts[0].ordered] = job
    trace.counts[0].ordered += 1


@kernel
def sort_queue(trace: EngineLog, stable: bool) -> None:
    """Put the jobs in order of rank, and forget those that are done.

    Ties go by number, or `stable`: whoever stood in front before stays there.

    Little changes from one time to the next, so each job moves from the end to where it belongs.
    """
    counts = trace.counts[0]
    now, kept = counts.now, 0
    order, lives = trace.order, trace.lives
    for i in range(counts.ordered):
        job = order[i]
        life = lives[job]
        if life.status == DONE:
            continue
        if life.slope != 0.0:
            worked = life.executed
            if life.status == RUNNING:
                worked += max(0, now - life.working)
            life.value = life.key + life.slope * worked
        else:
            life.value = life.key
        slot = kept
        while slot > 0 and _before(trace, job, order[slot - 1], stable):
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = job
        kept += 1
    counts.ordered = kept


@kernel
def _before(trace: EngineLog, a: int, b: int, stable: bool) -> bool:
    one, two = trace.lives[a], trace.lives[b]
    if one.level != two.level:
        return bool(one.level < two.level)
    if one.value != two.value:
        return bool(one.value < two.value)
    return not stable and a < b


@kernel
def next_wake(trace: EngineLog) -> float:
    """Return the first tick at which the rank of a job that waits may change by that."""
    first = np.inf
    for i in range(trace.counts[0].ordered):
        life = trace.lives[trace.order[i]]
        if life.status == WAITING:
            first = min(first, life.wake)
    return float(first)
