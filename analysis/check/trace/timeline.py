"""The runs in time: when each really starts, works and stops, and when each job ends."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush

from ....instances.trace.instance import TraceInstance, TraceJob
from ..judge import Ticks
from .runs import FULL, GangRates, GangRun, GangRuns, sharing_of

NO_LINKS = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceHolding:
    """A run as it came to pass, in ticks: it holds its GPUs from `start` to `stop`.

    It works from `works` on; before, it restarts. If it is stopped before that, they are equal.
    """

    run: GangRun
    start: int
    works: int
    stop: int


@dataclass(slots=True, kw_only=True)
class GangLife:
    """A job in time: the runs to come, the work left, what it held, when it ended.

    `overlaps` are its runs that start before the run before them stops, and by how many ticks;
    `idle` are those that start when no work is left.
    """

    plan: GangRuns
    coming: Iterator[GangRun]
    left: int
    held: list[TraceHolding] = field(default_factory=list)
    end: int | None = None
    overlaps: list[tuple[int, int]] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)

    @property
    def job(self) -> TraceJob:
        """The job."""
        return self.plan.job

    @property
    def entry(self) -> int:
        """Where its entry stands in the schedule."""
        return self.plan.index


@dataclass(slots=True, kw_only=True)
class _GangWork:
    """A run in progress: from `since` on it works at `rate`; it stops at `stop` as things stand."""

    life: GangLife
    start: int
    works: int
    since: int
    rate: int = 0
    stop: int = 0


class _TickClock:
    """Goes from tick to tick; all that stops at one leaves before others start there."""

    def __init__(self, instance: TraceInstance, ticks: Ticks) -> None:
        self._restart, self._resume = ticks.at(instance.restart_s), ticks.at(instance.resume)
        self._sharing = sharing_of(instance)
        self._rates = GangRates()
        self._moments: list[int] = []
        self._starting: dict[int, list[tuple[GangRun, GangLife]]] = {}
        self._stopping: dict[int, list[GangRun]] = {}
        self._active: dict[GangRun, _GangWork] = {}

    def go(self) -> None:
        """Handle all ticks at which anything happens, in order."""
        while self._moments:
            now = heappop(self._moments)
            leaving = self._finish(now)
            joining = self._begin(now)
            if leaving or joining:
                for run, slowdown in self._sharing.change(leaving, joining).items():
                    self._pace(run, slowdown, now)

    def plan_next(self, life: GangLife, now: int) -> None:
        """Let the next run of a job start that is not over before it could."""
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
            if work is not None and work.stop == now:
                del self._active[run]
                self._leave(run, work, now)
                if run.spread:
                    gone.append(run)
        return gone

    def _leave(self, run: GangRun, work: _GangWork, now: int) -> None:
        life = work.life
        self._settle(work, now)
        life.held.append(
            TraceHolding(run=run, start=work.start, works=min(work.works, now), stop=now)
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

    def _begin(self, now: int) -> list[GangRun]:
        come = []
        for run, life in self._starting.pop(now, ()):
            works = now + self._cost(run, life)
            self._active[run] = _GangWork(life=life, start=now, works=works, since=works)
            if run.spread:
                come.append(run)
            else:
                self._pace(run, NO_LINKS, now)
        return come

    def _cost(self, run: GangRun, life: GangLife) -> int:
        if not life.held:
            return 0
        last = life.held[-1].run
        same = last.pieces == run.pieces and last.half == run.half
        return self._resume if same else self._restart

    def _pace(self, run: GangRun, slowdown: Fraction, now: int) -> None:
        work = self._active[run]
        rate = self._rates.of(run, slowdown)
        if rate == work.rate:
            return
        self._settle(work, now)
        work.rate = rate
        done = work.since - (-work.life.left // rate)
        stop = done if run.stop is None else min(done, run.stop)
        if stop != work.stop:
            work.stop = stop
            self._stopping.setdefault(stop, []).append(run)
            heappush(self._moments, stop)

    def _settle(self, work: _GangWork, now: int) -> None:
        if now > work.since:
            work.life.left -= work.rate * (now - work.since)
            work.since = now


def lives_of(
    instance: TraceInstance, plans: tuple[GangRuns, ...], ticks: Ticks
) -> tuple[GangLife, ...]:
    """Let the runs work under contention until the last of them has stopped."""
    clock = _TickClock(instance, ticks)
    lives = tuple(
        GangLife(plan=plan, coming=iter(plan.runs), left=FULL * ticks.at(plan.job.duration_s))
        for plan in plans
    )
    for life in lives:
        clock.plan_next(life, 0)
    clock.go()
    return lives


def steps_of(instance: TraceInstance, held: Iterable[TraceHolding]) -> dict[str, dict[int, int]]:
    """Return at which ticks, and by how many half GPUs, more or less of each server is held."""
    steps: dict[str, dict[int, int]] = {server.name: {} for server in instance.servers}
    for one in held:
        for server, count in one.run.pieces.items():
            at = steps[server]
            at[one.start] = at.get(one.start, 0) + count * one.run.each
            at[one.stop] = at.get(one.stop, 0) - count * one.run.each
    return steps
