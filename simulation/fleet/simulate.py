"""Let a plan of widths, or a scheduler that decides at every event, run the jobs of a stream."""

from collections.abc import Callable

import numpy as np

from ...instances import Limits, RefusedError, RentalPlan
from ..model import Ints
from .advance import GROW, OVER, advance, go_to, stop_run
from .pool import NEVER, LeasePool, enlarged, full, new_pool, next_turn, ripe, turn
from .result import FleetResult, JobStates, new_lives, played_of, with_room
from .stream import UNITS, JobStream, rate, standing_of
from .views import FleetDecider, FleetHistory, FleetSetting, FleetView, Reviser

LOOKS = 200
"""Number of clock readings while jobs arrive. The clock is read ever more rarely afterwards.

A plan is revised at the same rate, if this rate is below the requested one.
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
    """Return the result of a plan. `progress` gets the number of jobs that are done.

    Every job gets the GPUs of its type in the plan once they are free. They are requested when it
    arrives and returned when no job needs them. The integrals of GPUs are written down at `marks`.
    With `keep`, all runs and leases are too.
    """
    samples = np.random.default_rng(seed).random(len(stream.at))
    marked = np.zeros(0, np.int64) if marks is None else marks
    lives = new_lives(samples, (len(stream.types), stream.work.shape[1]), marked, keep=keep)
    pool, limits = new_pool(stream.terms, keep=keep), limits or Limits()
    first = plan if isinstance(plan, RentalPlan) else plan.plan(_tally(pool, lives, 0))
    standing = standing_of(stream, first)
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


def _tally(pool: LeasePool, lives: JobStates, now: int) -> FleetHistory:
    counts = pool.counts[0]
    spent = int(counts["area"] + counts["rented"] * (now - counts["since"]))
    seen, done, worked = lives.seen.copy(), lives.done.copy(), lives.worked.copy()
    return FleetHistory(now=now, spent=spent, seen=seen, done=done, worked=worked)


def _with_room(pool: LeasePool, lives: JobStates) -> tuple[LeasePool, JobStates]:
    """Return a copy with more room if it is scarce."""
    return (enlarged(pool), lives) if full(pool) else (pool, with_room(lives))


OFTEN = 1000
"""Events between two reports."""


def simulate_decider(
    stream: JobStream,
    policy: FleetDecider,
    *,
    limits: Limits | None = None,
    marks: Ints | None = None,
    keep: bool = False,
    progress: Callable[[int], None] | None = None,
) -> FleetResult:
    """Return the result of a scheduler, as `simulate` does for plans.

    Raises:
        RefusedError: If it never lets some job run.
    """
    table = _Table(stream, policy, np.zeros(0, np.int64) if marks is None else marks, keep)
    limits = limits or Limits()
    policy.begin(
        FleetSetting(
            types=stream.types,
            terms=stream.terms,
            tick_h=float(stream.tick_s) / 3600,
            whole=stream.whole,
        )
    )
    events = 0
    while not table.over:
        table.step()
        events += 1
        if progress is not None and events % OFTEN == 0:
            progress(int(table.lives.counts[0]["finished"]))
        if limits.over():
            break
    return played_of(stream, table.pool, table.lives)


class StandstillError(RefusedError):
    """A scheduler that lets jobs wait though no other event will follow."""


class _Table:
    """The jobs that are there, and the pool, from one event to the next."""

    def __init__(self, stream: JobStream, policy: FleetDecider, marks: Ints, keep: bool) -> None:
        shape = (len(stream.types), stream.work.shape[1])
        self.lives: JobStates = new_lives(np.zeros(len(stream.at)), shape, marks, keep=keep)
        self.pool: LeasePool = new_pool(stream.terms, keep=keep)
        self.over = False
        self._stream, self._policy = stream, policy
        self._speedups = [[epoch.speedup for epoch in one.epochs] for one in stream.types]
        self._active = np.zeros(0, np.int64)
        self._arrived, self._rent, self._still = 0, 0, 0
        self._asleep = True

    def step(self) -> None:
        """Go to the next event and let the policy decide."""
        tick = self._next()
        while full(self.pool):
            self.pool = enlarged(self.pool)
        go_to(self.pool, self.lives, tick)
        self._end_epochs(tick)
        at = self._stream.at
        coming = int(np.searchsorted(at, tick, side="right"))
        new = np.arange(self._arrived, coming)
        self.lives.left[new] = self._stream.work[new, 0] * UNITS
        self._active, self._arrived = np.concatenate([self._active, new]), coming
        if coming == len(at) and not self._active.size and tick >= self._policy.until:
            self._rent = 0
            turn(self.pool, tick, 0, 0)
            self.over = next_turn(self.pool, 0) == NEVER
        else:
            self._decide(tick)

    def _next(self) -> int:
        """Return the tick of the next event."""
        if self._asleep:
            self._asleep = False
            return 0
        stream, lives, policy = self._stream, self.lives, self._policy
        now, tick = int(lives.counts[0]["now"]), next_turn(self.pool, self._rent)
        left = self._arrived < len(stream.at)
        if left:
            tick = min(tick, int(stream.at[self._arrived]))
        running = self._active[lives.milli[self._active] > 0]
        if running.size:
            tick = min(tick, int(lives.due[running].min()))
        if policy.interval and self._active.size:
            first = max(now + 1, self._still)
            tick = min(tick, -(-first // policy.interval) * policy.interval)
        if not left and not self._active.size and policy.until > now:
            tick = min(tick, policy.until)
        if tick == NEVER:
            raise StandstillError(f"{self._active.size} jobs are never given any GPUs")
        return tick

    def _end_epochs(self, tick: int) -> None:
        """Let jobs move to their next epoch, or leave."""
        lives, stream = self.lives, self._stream
        mine = self._active
        ending = mine[(lives.milli[mine] > 0) & (lives.due[mine] == tick)]
        for job in ending.tolist():
            kind, epoch = int(stream.kind[job]), int(lives.stage[job]) + 1
            lives.left[job] = 0
            if epoch < len(self._speedups[kind]):
                lives.stage[job] = epoch
                lives.left[job] = stream.work[job, epoch] * UNITS
                self._work(job, tick)
                continue
            self._stop(job)
            lives.end[job] = tick
            lives.counts[0]["finished"] += 1
        if ending.size:
            self._active = mine[lives.end[mine] < 0]

    def _decide(self, tick: int) -> None:
        """Query the policy, and carry out its decision."""
        lives, mine = self.lives, self._active
        running = np.where(lives.milli[mine] > 0, tick - lives.begun[mine], 0)
        view = FleetView(
            now=tick,
            jobs=mine,
            kind=self._stream.kind[mine],
            epoch=lives.stage[mine],
            milli=lives.milli[mine],
            attained=lives.held[mine] + lives.milli[mine] * running,
            started=lives.first[mine] >= 0,
            rented=int(self.pool.counts[0]["rented"]),
            ready=ripe(self.pool, tick),
            terms=self._stream.terms,
        )
        decision = self._policy.decide(view)
        self._rent, self._still, held = decision.rent, decision.still, int(decision.milli.sum())
        usable = view.usable(decision.rent)
        if held > usable:
            raise RefusedError(f"it gives out {held} of {usable} thousandths of GPUs")
        turn(self.pool, tick, decision.rent, held)
        for place in np.flatnonzero(decision.milli != view.milli).tolist():
            self._change(int(mine[place]), int(decision.milli[place]), tick)

    def _change(self, job: int, milli: int, tick: int) -> None:
        """Let a job hold other GPUs."""
        lives = self.lives
        if lives.milli[job] > 0:
            done = max(0, tick - int(lives.working[job])) * int(lives.rate[job])
            lives.left[job] -= done
            self._stop(job)
        if milli == 0:
            return
        stall = 0 if lives.first[job] < 0 else self._stream.terms.rescale
        if lives.first[job] < 0:
            lives.first[job] = tick
        lives.milli[job], lives.begun[job] = milli, tick
        lives.counts[0]["held"] += milli
        self._work(job, tick + stall)

    def _work(self, job: int, start: int) -> None:
        """Let a job work on its epoch from a tick on."""
        lives = self.lives
        speedup = self._speedups[int(self._stream.kind[job])][int(lives.stage[job])]
        speed = rate(speedup, int(lives.milli[job]))
        lives.rate[job], lives.working[job] = speed, start
        lives.due[job] = start - int(-lives.left[job] // speed)

    def _stop(self, job: int) -> None:
        """End a job's run."""
        counts = self.lives.counts[0]
        if counts["keep"] and counts["logged"] == len(self.lives.log):
            self.lives = with_room(self.lives)
        stop_run(self.lives, job)
        self.lives.milli[job] = 0
