"""The compiled loop: jobs come, go through the stages of their plans, and leave."""

from ..heaps import pop_least, push
from ..jit import entry, kernel
from ..model import Ints
from .pool import NEVER, LeasePool, follow, next_change, tight
from .result import JobStates
from .stream import UNITS, Standing

OVER, PAUSED, GROW = range(3)
"""Why the loop stopped: no event is left, the pause tick is reached, or there is no room."""


@entry
def advance(
    kind: Ints, at: Ints, work: Ints, plan: Standing, pool: LeasePool, lives: JobStates, pause: int
) -> int:
    """Run until a tick or until no event is left, and return why it stopped."""
    counts = lives.counts[0]
    while True:
        if tight(pool) or _long(lives):
            return GROW
        tick = next_change(pool, counts.need)
        if counts.arrived < len(at):
            tick = min(tick, at[counts.arrived])
        if counts.running > 0:
            tick = min(tick, lives.due[lives.heap[0]])
        if tick == NEVER:
            return OVER
        if tick >= pause:
            return PAUSED
        mark(pool, lives, tick)
        while counts.running > 0 and lives.due[lives.heap[0]] == tick:
            job = pop_least(lives.heap, counts.running, lives.due)
            counts.running -= 1
            _end_stage(kind, work, plan, lives, job)
        while counts.arrived < len(at) and at[counts.arrived] == tick:
            _arrive(kind, work, plan, lives, counts.arrived)
            counts.arrived += 1
        follow(pool, tick, counts.need, counts.held)
        _start(kind, work, plan, pool, lives)


@kernel
def _long(lives: JobStates) -> bool:
    """Return True if the log could need more room in the next step."""
    counts = lives.counts[0]
    return bool(counts.keep and counts.logged + counts.running + 2 > len(lives.log))


@kernel
def mark(pool: LeasePool, lives: JobStates, tick: int) -> None:
    """Run until a tick, and record the integrals at the marks before it."""
    counts, rented = lives.counts[0], pool.counts[0]
    while counts.marked < len(lives.marks) and lives.marks[counts.marked, 0] <= tick:
        row = lives.marks[counts.marked]
        row[1] = rented.area + rented.rented * (row[0] - rented.since)
        row[2] = counts.area + counts.held * (row[0] - counts.now)
        counts.marked += 1
    counts.area += counts.held * (tick - counts.now)
    counts.now = tick


@kernel
def _arrive(kind: Ints, work: Ints, plan: Standing, lives: JobStates, job: int) -> None:
    """Pick a job's choice and let it wait for its first GPUs."""
    of_kind, choice = kind[job], 0
    while choice + 1 < plan.shares.shape[1] and lives.sample[job] >= plan.shares[of_kind, choice]:
        choice += 1
    lives.choice[job] = choice
    lives.left[job] = work[job, 0] * UNITS
    lives.seen[of_kind] += 1
    if _ticks(kind, work, plan, lives, job, plan.rate[of_kind, choice, 0]) == 0:
        _next_stage(kind, work, plan, lives, job)
    _wait(kind, plan, lives, job)


@kernel
def _wait(kind: Ints, plan: Standing, lives: JobStates, job: int) -> None:
    """Put a job behind all jobs that wait for the GPUs of their stage."""
    counts, queue = lives.counts[0], lives.queue
    place = (kind[job], lives.choice[job], lives.stage[job])
    lives.milli[job] = plan.milli[place]
    lives.rate[job] = plan.rate[place]
    counts.need += lives.milli[job]
    queue[(counts.first + counts.waiting) % len(queue)] = job
    counts.waiting += 1


@kernel
def _start(kind: Ints, work: Ints, plan: Standing, pool: LeasePool, lives: JobStates) -> None:
    """Start waiting jobs in order, while usable GPUs suffice."""
    counts, queue, now = lives.counts[0], lives.queue, lives.counts[0].now
    while counts.waiting > 0:
        job = queue[counts.first]
        if counts.held + lives.milli[job] > pool.counts[0].ready:
            return
        counts.first = (counts.first + 1) % len(queue)
        counts.waiting -= 1
        counts.held += lives.milli[job]
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
    push(lives.heap, lives.counts[0].running, lives.due, job)
    lives.counts[0].running += 1


@kernel
def _ticks(kind: Ints, work: Ints, plan: Standing, lives: JobStates, job: int, speed: int) -> int:
    """Return how long a job's stage takes at a speed, 0 if its part of the work is done."""
    place = (kind[job], lives.choice[job], lives.stage[job])
    behind = int(work[job, plan.epoch[place]] * UNITS * plan.left[place])
    return int(max(0, lives.left[job] - behind + speed - 1) // speed)


@kernel
def _next_stage(kind: Ints, work: Ints, plan: Standing, lives: JobStates, job: int) -> int:
    """Move on to the next stage that has work, and return its ticks, 0 if the job is done."""
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
    """Let a job continue, wait for other GPUs, or leave."""
    now = lives.counts[0].now
    done = lives.rate[job] * (lives.due[job] - lives.working[job])
    lives.left[job] = max(0, lives.left[job] - done)
    ticks = _next_stage(kind, work, plan, lives, job)
    place = (kind[job], lives.choice[job], lives.stage[job])
    if ticks > 0 and plan.milli[place] == lives.milli[job]:
        lives.rate[job] = plan.rate[place]
        _work(lives, job, now, ticks)
        return
    leave(lives, job)
    lives.counts[0].need -= lives.milli[job]
    if ticks > 0:
        _wait(kind, plan, lives, job)
        return
    lives.end[job] = now
    lives.counts[0].finished += 1
    lives.done[kind[job]] += 1
    for epoch in range(work.shape[1]):
        lives.worked[kind[job], epoch] += work[job, epoch]


@kernel
def leave(lives: JobStates, job: int) -> None:
    """End a job's run."""
    counts, now = lives.counts[0], lives.counts[0].now
    counts.held -= lives.milli[job]
    lives.held[job] += lives.milli[job] * (now - lives.begun[job])
    if counts.keep:
        run = lives.log[counts.logged]
        run.job, run.start, run.stop, run.milli = job, lives.begun[job], now, lives.milli[job]
        counts.logged += 1


go_to, stop_run = entry(mark), entry(leave)
"""Kernels as Python calls them."""
