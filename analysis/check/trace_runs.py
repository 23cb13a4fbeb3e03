"""Runs of `trace` schedules over time: their rates, stops and lost work, and the GPUs they hold."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush

from ...instances.cluster import ServerUplink
from ...instances.trace import (
    WORK,
    JobPhase,
    TraceInstance,
    TraceJob,
    TraceRun,
    TraceSchedule,
    named_types,
    phases_of,
    speed_on,
    work_left,
)
from .contention import FluidSharing, NoSharing, RingSharing, UplinkSharing
from .judge import JobLife, Ticks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GangRun:
    """A run used for time and capacity, with `start` and `stop` in ticks.

    `spread` are its servers if it crosses their uplinks: if they are two or more and the job
    exchanges data.
    """

    job: TraceJob
    index: int
    start: int
    stop: int | None
    pieces: Mapping[str, int]
    width: int
    half: bool
    spread: tuple[str, ...]
    gpu: str | None
    """The kind of GPUs of its first server."""

    @property
    def each(self) -> int:
        """Half GPUs used of each of its GPUs."""
        return 1 if self.half else 2


def _run_of(
    job: TraceJob, index: int, run: TraceRun, servers: Mapping[str, str | None], ticks: Ticks
) -> GangRun | None:
    pieces: dict[str, int] = {}
    for server, count in run.gpus:
        if count > 0:
            pieces[server] = pieces.get(server, 0) + count
    start = ticks.at(run.start_s)
    stop = None if run.stop_s is None else ticks.at(run.stop_s)
    if not pieces or not pieces.keys() <= servers.keys() or (stop is not None and stop <= start):
        return None
    crosses = len(pieces) > 1 and job.communication > 0
    return GangRun(
        job=job,
        index=index,
        start=start,
        stop=stop,
        pieces=pieces,
        width=sum(pieces.values()),
        half=run.share == "half",
        spread=tuple(pieces) if crosses else (),
        gpu=servers[next(iter(pieces))],
    )


FULL = WORK
"""The rate at full speed."""

UNIT = Decimal(1)


def sharing_of(instance: TraceInstance) -> RingSharing[GangRun]:
    """Return the contention model of an instance, without any ring."""
    if isinstance(instance.contention, ServerUplink):
        return UplinkSharing(instance.contention)
    if instance.fluid is not None:
        return FluidSharing(instance.fluid, Fraction(1))
    return NoSharing()


def rate_of(run: GangRun, slowdown: Fraction, phase: TraceJob) -> int:
    """Return a run's rate under a slowdown of its links, which is 0 if it crosses no link.

    `phase` is its job with the speeds of its present phase. A disallowed width, kind or share has
    no effect on the rate, because it breaks a rule.
    """
    job, width, packed = run.job, UNIT, UNIT
    if phase is not job or run.width != job.gpus or run.gpu != job.gpu:
        width = speed_on(phase, run.width, run.gpu) or UNIT
    if run.half and job.packed_speed is not None:
        packed = job.packed_speed
    if width == packed == UNIT and not slowdown:
        return FULL  # as most runs have it
    return _rate(width, packed, job.communication, slowdown)


@lru_cache(maxsize=10_000)
def _rate(width: Decimal, packed: Decimal, communication: Decimal, slowdown: Fraction) -> int:
    """Return a rate, rounded to the nearest, ties to even, at least one."""
    alone = Fraction(width) * Fraction(packed)
    return max(1, round(FULL * alone / (1 + Fraction(communication) * slowdown)))


NO_LINKS = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceHolding:
    """A run as it happened, in ticks: it holds its GPUs from `start` to `stop`.

    It restarts until `works` and then makes progress. If it is stopped earlier, both are equal. An
    outage has lost the work `lost`.
    """

    run: GangRun
    start: int
    works: int
    stop: int
    lost: int = 0
    cost: int = 0
    """Ticks that its restart takes."""
    unsaved: tuple[int, int] = (0, 0)
    """Ticks that it has worked since its last checkpoint when it stops, and the work done then."""


@dataclass(slots=True, kw_only=True)
class GangLife(JobLife):
    """A job in time, with the runs to come, the work that is left, and the phases that are left."""

    job: TraceJob
    coming: Iterator[GangRun]
    left: int
    phases: list[JobPhase]
    held: list[TraceHolding] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _GangWork:
    """A run in progress: from `since` on it works at `rate`, under the `slowdown` of its links.

    It ends, or its phase does, at `stop`. At its last checkpoint, the work `saved` was left.
    Checkpoints are counted from `origin` on.
    """

    life: GangLife
    start: int
    works: int
    since: int
    saved: int
    origin: int
    rate: int = 0
    stop: int = 0
    slowdown: Fraction = Fraction(0)


class _TickClock:
    """Steps from tick to tick. Runs that stop at a tick leave before other runs start."""

    def __init__(self, instance: TraceInstance, ticks: Ticks) -> None:
        self._restart, self._resume = ticks.at(instance.restart_s), ticks.at(instance.resume)
        self._checkpoint = ticks.at(instance.checkpoint_s or Decimal(0))
        self._unsaved = {
            one.name: (ticks.at(one.unsaved_s), int(WORK * Fraction(one.unsaved_done_s) / tick))
            for tick in [Fraction(instance.tick_s)]
            for one in instance.jobs
            if one.unsaved_s
        }
        self._outages = {(one.server, ticks.at(one.from_s)) for one in instance.outages}
        self._held = {one.name: ticks.at(one.held_s) for one in instance.jobs if one.held_s}
        self._sharing = sharing_of(instance)
        self._moments: list[int] = []
        self._starting: dict[int, list[tuple[GangRun, GangLife]]] = {}
        self._stopping: dict[int, list[GangRun]] = {}
        self._active: dict[GangRun, _GangWork] = {}

    def go(self) -> None:
        """Handle all ticks with events, in order."""
        while self._moments:
            now = heappop(self._moments)
            leaving = self._finish(now)
            joining = self._begin(now)
            if leaving or joining:
                for run, slowdown in self._sharing.change(leaving, joining).items():
                    self._pace(run, slowdown, now)

    def plan_next(self, life: GangLife, now: int) -> None:
        """Schedule the next run of a job that does not end before its possible start."""
        for run in life.coming:
            if run.start < now:
                life.overlaps.append((run.index, now - run.start))
            start = max(run.start, now)
            if run.stop is None or start < run.stop:
                self._starting.setdefault(start, []).append((run, life))
                heappush(self._moments, start)
                return

    def _finish(self, now: int) -> list[GangRun]:
        gone = []
        for run in self._stopping.pop(now, ()):
            work = self._active.get(run)
            # Stops that were planned before contention changed are out of date.
            if work is None or work.stop != now:
                continue
            self._work_until(work, now)
            if work.life.left > 0 and run.stop != now:
                # A phase has ended, and the run goes on at another speed.
                work.rate = 0
                self._pace(run, work.slowdown, now)
            else:
                del self._active[run]
                self._leave(run, work, now)
                if run.spread:
                    gone.append(run)
        return gone

    def _leave(self, run: GangRun, work: _GangWork, now: int) -> None:
        life, lost, unsaved = work.life, 0, (0, 0)
        if life.left > 0 and self._checkpoint and now > work.works:
            unsaved = (now - work.origin) % self._checkpoint, work.saved - life.left
            if self._breaks(run, now):
                lost, unsaved = unsaved[1], (0, 0)
                life.left = work.saved
        life.held.append(
            TraceHolding(
                run=run,
                start=work.start,
                works=min(work.works, now),
                stop=now,
                lost=lost,
                cost=work.works - work.start,
                unsaved=unsaved,
            )
        )
        if life.left > 0:
            self.plan_next(life, now)
            return
        life.end = now
        for other in life.coming:
            if other.start < now:
                life.overlaps.append((other.index, now - other.start))
            else:
                life.idle.append(other.index)

    def _breaks(self, run: GangRun, now: int) -> bool:
        """Return True if an outage of one of its servers begins now."""
        return any((server, now) in self._outages for server in run.pieces)

    def _begin(self, now: int) -> list[GangRun]:
        come = []
        for run, life in self._starting.pop(now, ()):
            works = now + self._cost(run, life, now)
            ticks, done = (0, 0)
            if not life.held and self._goes_on(run, now):
                ticks, done = self._unsaved.get(run.job.name, (0, 0))
            self._active[run] = _GangWork(
                life=life,
                start=now,
                works=works,
                since=works,
                saved=life.left + done,
                origin=works - ticks,
            )
            if run.spread:
                come.append(run)
            else:
                self._pace(run, NO_LINKS, now)
        return come

    def _cost(self, run: GangRun, life: GangLife, now: int) -> int:
        if not life.held:
            return self._first_cost(run, now)
        last = life.held[-1].run
        same = last.pieces == run.pieces and last.half == run.half
        return self._resume if same else self._restart

    def _first_cost(self, run: GangRun, now: int) -> int:
        """Return the cost of a job's first run, which follows one before time 0 if it held GPUs."""
        job = run.job
        if job.held is None:
            return 0
        if not self._on_held(run):
            return self._restart
        return self._held.get(job.name, 0) if self._goes_on(run, now) else self._resume

    def _on_held(self, run: GangRun) -> bool:
        """Return True if a run is on the GPUs that its job held last before time 0."""
        job = run.job
        same = job.held is not None and dict(job.held) == run.pieces
        return same and (job.held_share == "half") == run.half

    def _goes_on(self, run: GangRun, now: int) -> bool:
        """Return True if a run is one from before time 0."""
        return now == 0 and not run.job.stopped and self._on_held(run)

    def _pace(self, run: GangRun, slowdown: Fraction, now: int) -> None:
        work = self._active[run]
        phase = work.life.phases[0]
        rate, work.slowdown = rate_of(run, slowdown, phase.job), slowdown
        if rate == work.rate:
            return
        self._work_until(work, now)
        work.rate = rate
        done = work.since - (-(work.life.left - phase.left) // rate)
        stop = done if run.stop is None else min(done, run.stop)
        if stop != work.stop:
            work.stop = stop
            self._stopping.setdefault(stop, []).append(run)
            heappush(self._moments, stop)

    def _work_until(self, work: _GangWork, now: int) -> None:
        if now > work.since:
            if self._checkpoint:
                last = now - (now - work.origin) % self._checkpoint
                if last > work.since:
                    work.saved = work.life.left - work.rate * (last - work.since)
            work.life.left -= work.rate * (now - work.since)
            work.since = now
            if work.life.left <= (end := work.life.phases[0].left):
                # The next phase begins, if there is one. No tick's work belongs to two.
                work.life.left = work.saved = end
                work.origin = now
                if end:
                    del work.life.phases[0]


def lives_of(
    instance: TraceInstance, schedule: TraceSchedule, ticks: Ticks
) -> tuple[GangLife, ...]:
    """Simulate the first entry of every known job under contention, in the schedule's order.

    A run is used if its servers are known, it holds at least one GPU and it stops after its start.
    A time between two ticks is moved to the second of them.
    """
    jobs = {job.name: job for job in instance.jobs}
    servers = {server.name: server.gpu for server in instance.servers}
    lives: dict[str, GangLife] = {}
    types = named_types(instance)
    for i, entry in enumerate(schedule.jobs):
        if entry.job in jobs and entry.job not in lives:
            job = jobs[entry.job]
            runs = [_run_of(job, k, run, servers, ticks) for k, run in enumerate(entry.runs)]
            coming = iter([run for run in runs if run is not None])
            lives[job.name] = GangLife(
                job=job,
                entry=i,
                coming=coming,
                left=work_left(job, instance.tick_s),
                phases=phases_of(types, job, instance.tick_s),
            )
    clock = _TickClock(instance, ticks)
    for life in lives.values():
        clock.plan_next(life, 0)
    clock.go()
    return tuple(lives.values())


def steps_of(instance: TraceInstance, held: Iterable[TraceHolding]) -> dict[str, dict[int, int]]:
    """Return at which ticks, and by how many half GPUs, more or less of each server is held."""
    steps: dict[str, dict[int, int]] = {server.name: {} for server in instance.servers}
    for one in held:
        for server, count in one.run.pieces.items():
            _count(steps[server], one, count * one.run.each)
    return steps


def group_steps_of(names: Iterable[str], held: Iterable[TraceHolding]) -> dict[str, dict[int, int]]:
    """Return at which ticks, and by how many half GPUs, more or less is held by each group."""
    steps: dict[str, dict[int, int]] = {name: {} for name in names}
    for one in held:
        if one.run.job.group in steps:
            _count(steps[one.run.job.group], one, one.run.width * one.run.each)
    return steps


def _count(steps: dict[int, int], held: TraceHolding, halves: int) -> None:
    """Add half GPUs while they are held."""
    steps[held.start] = steps.get(held.start, 0) + halves
    steps[held.stop] = steps.get(held.stop, 0) - halves
