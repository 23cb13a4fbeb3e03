"""The compiled loop: jobs come, go through the stages of their plans, and leave."""

from ..heaps import pop_least, push
from ..jit import entry, kernel
from ..model import Ints
from . import lives as of
from . import pool as leases
from .lives import JobStates
from .pool import NEVER, LeasePool, follow, next_change, tight
from .speeds import UNITS
from .standing import Standing

OVER, PAUSED, GROW = range(3)
"""Why the loop stopped: nothing is left to happen, the tick to pause at is reached, no room."""


@entry
def advance(
    kind: Ints, at: Ints, work: Ints, plan: Standing, pool: LeasePool, lives: JobStates, pause: int
) -> int:
    """Go on until a tick, or until nothing is left to happen; say why it stopped."""
    counts = lives.counts
    while True:
        if tight(pool) or _long(lives):
            return GROW
        tick = next_change(pool, counts[of.NEED])
        if counts[of.ARRIVED] < len(at):
            tick = min(tick, at[counts[of.ARRIVED]])
        if counts[of.RUNNING] > 0:
            tick = min(tick, lives.due[lives.heap[0]])
        if tick == NEVER:
            return OVER
        if tick >= pause:
            return PAUSED
        mark(pool, lives, tick)
        while counts[of.RUNNING] > 0 and lives.due[lives.heap[0]] == tick:
            job = pop_least(lives.heap, counts[of.RUNNING], lives.due)
            counts[of.RUNNING] -= 1
            _end_stage(kind, work, plan, lives, job)
        while counts[of.ARRIVED] < len(at) and at[counts[of.ARRIVED]] == tick:
            _arrive(kind, work, plan, lives, counts[of.ARRIVED])
            counts[of.ARRIVED] += 1
        follow(pool, tick, counts[of.NEED], counts[of.HELD])
        _start(kind, work, plan, pool, lives)


@kernel
def _long(lives: JobStates) -> bool:
    """Say whether the log could need more room in the next step."""
    counts = lives.counts
    return bool(counts[of.KEEP] and counts[of.LOGGED] + counts[of.RUNNING] + 2 > len(lives.log))


@kernel
def mark(pool: LeasePool, lives: JobStates, tick: int) -> None:
    """Go on to a tick; write down the integrals at the marks before it."""
    counts, rented = lives.counts, pool.counts
    while counts[of.MARKED] < len(lives.marks) and lives.marks[counts[of.MARKED], 0] <= tick:
        row = lives.marks[counts[of.MARKED]]
        row[1] = rented[leases.AREA] + rented[leases.RENTED] * (row[0] - rented[leases.SINCE])
        row[2] = counts[of.AREA] + counts[of.HELD] * (row[0] - counts[of.NOW])
        counts[of.MARKED] += 1
    counts[of.AREA] += counts[of.HELD] * (tick - counts[of.NOW])
    counts[of.NOW] = tick


@kernel
def _arrive(kind: Ints, work: Ints, plan: Standing, lives: JobStates, job: int) -> None:
    """Draw a job's choice and let it wait for its first GPUs."""
    of_kind, choice = kind[job], 0
    while choice + 1 < plan.shares.shape[1] and lives.lot[job] >= plan.shares[of_kind, choice]:
        choice += 1
    lives.choice[job] = choice
    lives.left[job] = work[job, 0] * UNITS
    lives.seen[of_kind] += 1
    if _ticks(kind, work, plan, lives, job, plan.rate[of_kind, choice, 0]) == 0:
        _next_stage(kind, work, plan, lives, job)
    _wait(kind, plan, lives, job)


@kernel
def _wait(kind: Ints, plan: Standing, lives: JobStates, job: int) -> None:
    """Put a job behind all others that wait for the GPUs of their stage."""
    counts, queue = lives.counts, lives.queue
    place = (kind[job], lives.choice[job], lives.stage[job])
    lives.milli[job] = plan.milli[place]
    lives.rate[job] = plan.rate[place]
    counts[of.NEED] += lives.milli[job]
    queue[(counts[of.FIRST] + counts[of.WAITING]) % len(queue)] = job
    counts[of.WAITING] += 1


@kernel
def _start(kind: Ints, work: Ints, plan: Standing, pool: LeasePool, lives: JobStates) -> None:
    """Start those that wait, the first one first, as far as the usable GPUs reach."""
    counts, queue, now = lives.counts, lives.queue, lives.counts[of.NOW]
    while counts[of.WAITING] > 0:
        job = queue[counts[of.FIRST]]
        if counts[of.HELD] + lives.milli[job] > pool.counts[leases.READY]:
            return
        counts[of.FIRST] = (counts[of.FIRST] + 1) % len(queue)
        counts[of.WAITING] -= 1
        counts[of.HELD] += lives.milli[job]
        stall = 0 if lives.first[job] < 0 else pool.terms.rescale
        if lives.first[job] < 0:
            lives.first[job] = now
        lives.begun[job] = now
        ticks = _ticks(kind, work, plan, lives, job, lives.rate[job])
        _work(lives, job, now + stall, ticks)


@kernel
def _work(lives: JobStates, job: int, start: int, ticks: int) -> None:
    """Let a job work from a tick on until its stage ends."""
    lives.working[job] = start
    lives.due[job] = start + ticks
    push(lives.heap, lives.counts[of.RUNNING], lives.due, job)
    lives.counts[of.RUNNING] += 1


@kernel
def _ticks(kind: Ints, work: Ints, plan: Standing, lives: JobStates, job: int, speed: int) -> int:
    """Return how long a job's stage takes at a speed, 0 if its part of the work is done."""
    place = (kind[job], lives.choice[job], lives.stage[job])
    behind = int(work[job, plan.epoch[place]] * UNITS * plan.left[place])
    return int(max(0, lives.left[job] - behind + speed - 1) // speed)


@kernel
def _next_stage(kind: Ints, work: Ints, plan: Standing, lives: JobStates, job: int) -> int:
    """Move on to the next stage that has work; return its ticks, 0 if the job is done."""
    of_kind, choice = kind[job], lives.choice[job]
    while lives.stage[job] + 1 < plan.stages[of_kind, choice]:
        epoch = plan.epoch[of_kind, choice, lives.stage[job]]
        lives.stage[job] += 1
        following = plan.epoch[of_kind, choice, lives.stage[job]]
        if following > epoch:
            lives.left[job] = work[job, following] * UNITS
        speed = plan.rate[of_kind, choice, lives.stage[job]]
        ticks = _ticks(kind, work, plan, lives, job, speed)
        if ticks > 0:
            return ticks
    return 0


@kernel
def _end_stage(kind: Ints, work: Ints, plan: Standing, lives: JobStates, job: int) -> None:
    """Let a job go on, wait for other GPUs, or leave."""
    now = lives.counts[of.NOW]
    done = lives.rate[job] * (lives.due[job] - lives.working[job])
    lives.left[job] = max(0, lives.left[job] - done)
    ticks = _next_stage(kind, work, plan, lives, job)
    place = (kind[job], lives.choice[job], lives.stage[job])
    if ticks > 0 and plan.milli[place] == lives.milli[job]:
        lives.rate[job] = plan.rate[place]
        _work(lives, job, now, ticks)
        return
    leave(lives, job)
    lives.counts[of.NEED] -= lives.milli[job]
    if ticks > 0:
        _wait(kind, plan, lives, job)
        return
    lives.end[job] = now
    lives.counts[of.FINISHED] += 1
    lives.done[kind[job]] += 1
    for epoch in range(work.shape[1]):
        lives.worked[kind[job], epoch] += work[job, epoch]


@kernel
def leave(lives: JobStates, job: int) -> None:
    """End a job's run."""
    counts, now = lives.counts, lives.counts[of.NOW]
    counts[of.HELD] -= lives.milli[job]
    lives.held[job] += lives.milli[job] * (now - lives.begun[job])
    if counts[of.KEEP]:
        row = lives.log[counts[of.LOGGED]]
        row[0] = job
        row[1] = lives.begun[job]
        row[2] = now
        row[3] = lives.milli[job]
        counts[of.LOGGED] += 1


@entry
def go_to(pool: LeasePool, lives: JobStates, tick: int) -> None:
    """Go on to a tick; write down the integrals at the marks before it."""
    mark(pool, lives, tick)


@entry
def stop_run(lives: JobStates, job: int) -> None:
    """End a job's run."""
    leave(lives, job)
