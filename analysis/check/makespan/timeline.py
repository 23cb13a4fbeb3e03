"""Equation (9) in time: who works when, at what slowdown, and when each job ends."""

from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from math import ceil, floor

from ....instances.makespan.instance import MakespanInstance
from ..sharing import sharing_of
from .runs import Pace, RingRun, Span, pace_of

ALONE = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RingTimes:
    """The ends of the runs that end, the iterations left of the others, and all spans."""

    ends: dict[RingRun, Fraction]
    left: dict[RingRun, Fraction]
    spans: tuple[Span, ...]


@dataclass(slots=True, kw_only=True)
class _RingWork:
    """A run in progress: from `since` on, `owed - rate * moment` iterations are left.

    `end` is when it will end if nothing changes, None for never.
    """

    pace: Pace
    since: Fraction
    slowdown: Fraction
    rate: Fraction
    owed: Fraction
    end: Fraction | None = None


class _SlotClock:
    """Goes from moment to moment; all that end at one leave before others start there."""

    def __init__(self, instance: MakespanInstance, runs: tuple[RingRun, ...]) -> None:
        self._instance = instance
        self._sharing = sharing_of(instance)
        self._moments: list[tuple[int, Fraction]] = []
        self._starting: dict[Fraction, list[RingRun]] = {}
        self._ending: dict[Fraction, list[RingRun]] = {}
        self.active: dict[RingRun, _RingWork] = {}
        self.ends: dict[RingRun, Fraction] = {}
        self.spans: list[tuple[RingRun, Span]] = []
        for run in runs:
            self._plan(self._starting, run.start, run)

    def _plan(self, plan: dict[Fraction, list[RingRun]], moment: Fraction, run: RingRun) -> None:
        if moment not in plan:
            plan[moment] = []
            # Whole slots first: they compare much faster than long fractions.
            heappush(self._moments, (floor(moment), moment))
        plan[moment].append(run)

    def go(self) -> None:
        """Handle all moments in order of time."""
        while self._moments:
            _, now = heappop(self._moments)
            leaving = self._finish(now)
            joining = self._begin(now)
            if leaving or joining:
                for run, slowdown in self._sharing.change(leaving, joining).items():
                    self._slow(run, slowdown, now)

    def _finish(self, now: Fraction) -> list[RingRun]:
        gone = []
        for run in self._ending.pop(now, []):
            work = self.active.get(run)
            # Ends that were planned before contention changed are out of date.
            if work is not None and work.end == now:
                self._note_span(run, work, now)
                self.ends[run] = now
                del self.active[run]
                gone.append(run)
        return gone

    def _begin(self, now: Fraction) -> list[RingRun]:
        come = self._starting.pop(now, [])
        for run in come:
            pace = pace_of(self._instance, run)
            rate = pace.iterations_per_slot(ALONE)
            owed = run.job.iterations + rate * now
            self.active[run] = _RingWork(pace=pace, since=now, slowdown=ALONE, rate=rate, owed=owed)
            self._expect(run, self.active[run])
        return come

    def _slow(self, run: RingRun, slowdown: Fraction, now: Fraction) -> None:
        work = self.active[run]
        if slowdown != work.slowdown:
            self._note_span(run, work, now)
            rate = work.pace.iterations_per_slot(slowdown)
            work.owed += (rate - work.rate) * now
            work.since, work.slowdown, work.rate = now, slowdown, rate
            self._expect(run, work)

    def _expect(self, run: RingRun, work: _RingWork) -> None:
        if work.rate == 0:
            work.end = None
            return
        work.end = work.owed / work.rate
        if self._instance.progress != "continuous":
            work.end = Fraction(ceil(work.end))
        self._plan(self._ending, work.end, run)

    def _note_span(self, run: RingRun, work: _RingWork, now: Fraction) -> None:
        if now > work.since:
            span = Span(job=run.job.name, start=work.since, end=now, slowdown=work.slowdown)
            self.spans.append((run, span))


def timeline(instance: MakespanInstance, runs: tuple[RingRun, ...]) -> RingTimes:
    """Let the runs work under contention until all have ended or nothing moves any more."""
    clock = _SlotClock(instance, runs)
    clock.go()
    # What is still active has rate 0, so what it owes is what is left.
    # The sort is stable: the spans of a run stay in order of time.
    spans = sorted(clock.spans, key=lambda pair: pair[0].index)
    return RingTimes(
        ends=clock.ends,
        left={run: work.owed for run, work in clock.active.items()},
        spans=tuple(span for _, span in spans),
    )
