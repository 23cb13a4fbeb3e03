"""A complete search over what is left of all jobs, tick by tick.

A state is a tick with what every job has left, and where it was last if that matters. In each tick
some jobs run; who and where is tried in all ways, except that among equal jobs the first go first,
and that no job waits beside GPUs that would do for it if stopping is free and no job would be
slower. The cost of a tick is the number of jobs that are there. States come in the order of what
they have cost and will cost at least (Hart, Nilsson and Raphael 1968). So the first that has
nothing left is optimal, and no schedule costs less than the state at hand says.
"""

from collections.abc import Iterator
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

from ...formulations.trace.demand import Demand, demands
from ...instances import NO_LIMITS, Limits, TerminationReason, TraceInstance
from .bounds import PARTS, busy_times, end_by_end
from .places import places_of

MOST_STATES = 500_000
"""States that are kept; as many take about a gigabyte."""


class At(NamedTuple):
    """What a job is at."""

    left: int
    """Work."""
    place: int = -1
    """Where it was last, by number; -1: nowhere yet, or it does not matter."""
    wait: int = 0
    """Ticks until it works if it stays there; -1: it was stopped."""


State = tuple[int, tuple[At, ...]]
"""A tick, and all jobs. Once all jobs are there, the tick stays as it is."""
Choice = tuple[int, ...]
"""The place of every job in a tick, by number; -1: it does not run."""


class Search:
    """States known, each with its least cost so far and how it was come by."""

    def __init__(self, instance: TraceInstance) -> None:
        """Start before the first release."""
        self._jobs, self._cluster = demands(instance), places_of(instance)
        self._capacity = sum(self._cluster.room)
        self._calm = max(job.release for job in self._jobs)
        self._places_matter = self._cluster.restart != self._cluster.resume
        self._eager = self._cluster.free and self._cluster.uplinks is None
        self._root = (0, tuple(At(work) for work in self._cluster.work))
        self.known: dict[State, tuple[int, State, Choice]] = {}
        self.nodes = self.least = self.tried = 0
        self._most, self._limits, self._stop = inf, NO_LIMITS, TerminationReason.DONE
        self.found: tuple[int, State] | None = None

    def go(self, limit: int, limits: Limits, most: float = inf) -> TerminationReason:
        """Look for a schedule that costs less than `limit`; `least` is what is proved then.

        At most so many choices are tried. There are very many in one tick where jobs have many
        places, so that clock and counters are looked at for each of them.
        """
        self._limits, self._most = limits, most
        self.known[self._root] = (0, self._root, ())
        heap = [(self._left(self._root), 0, self._root)]
        while heap:
            self.least, cost, state = heap[0]
            if self.least >= limit:
                break
            if self._ended():
                return self._stop
            heappop(heap)
            cost = -cost
            if cost > self.known[state][0]:
                continue
            if not any(at.left for at in state[1]):
                self.found = cost, state
                return TerminationReason.DONE
            self.nodes += 1
            for choice, after, step in self._steps(state):
                new = cost + step
                if after not in self.known or new < self.known[after][0]:
                    self.known[after] = new, state, choice
                    least = max(self.least, new + self._left(after))
                    if least < limit:
                        heappush(heap, (least, -new, after))
            if self._stop is not TerminationReason.DONE:
                return self._stop
        self.least = limit
        return TerminationReason.DONE

    def _ended(self) -> bool:
        """Return True, and note why, if the time is up or enough has been tried."""
        if self._limits.over():
            self._stop = TerminationReason.TIME_LIMIT
        elif len(self.known) > MOST_STATES or self.tried >= self._most:
            self._stop = TerminationReason.WORK_LIMIT
        return self._stop is not TerminationReason.DONE

    def path(self, state: State) -> list[Choice]:
        """Return what is chosen in every tick on the way to a state."""
        steps = list[tuple[State, Choice]]()
        while state != self._root:
            _, before, choice = self.known[state]
            steps.append((before, choice))
            state = before
        ticks = list[Choice]()
        for (tick, _), choice in reversed(steps):
            ticks += [()] * (tick - len(ticks))
            ticks.append(choice)
        return ticks

    def _steps(self, state: State) -> Iterator[tuple[Choice, State, int]]:
        """Yield choices, the states they lead to, and how many jobs are there for a tick."""
        tick, jobs = state
        present = [i for i, job in enumerate(self._jobs) if job.release <= tick and jobs[i].left]
        if not present:
            yield (), (min(job.release for job in self._jobs if job.release > tick), jobs), 0
            return
        later = min(tick + 1, self._calm)
        for choice in self._choices(jobs, present):
            places = {i: self._cluster.places[i][choice[i]] for i in present if choice[i] >= 0}
            rates = self._cluster.rates(places)
            worked = tuple(
                self._worked(at, choice[i], rates.get(i, 0)) for i, at in enumerate(jobs)
            )
            yield choice, (later, worked), len(present)

    def _choices(self, jobs: tuple[At, ...], present: list[int]) -> Iterator[Choice]:
        """Yield what may run together."""
        chosen, room = [-1] * len(jobs), list(self._cluster.room)

        def extend(turn: int) -> Iterator[Choice]:
            if self._stop is not TerminationReason.DONE:
                return
            if turn == len(present):
                self.tried += 1
                if not self._ended() and not (
                    self._eager and self._one_more(chosen, present, room)
                ):
                    yield tuple(chosen)
                return
            job = present[turn]
            equal = [
                chosen[other]
                for other in present[:turn]
                if (self._cluster.places[other], jobs[other])
                == (self._cluster.places[job], jobs[job])
            ]
            yield from extend(turn + 1)
            for number, place in enumerate(self._cluster.places[job]):
                if place.fits(room) and number <= min(equal, default=number):
                    chosen[job] = number
                    place.take(room)
                    yield from extend(turn + 1)
                    place.give(room)
            chosen[job] = -1

        yield from extend(0)

    def _one_more(self, chosen: list[int], present: list[int], room: list[int]) -> bool:
        return any(
            chosen[job] < 0 and any(place.fits(room) for place in self._cluster.places[job])
            for job in present
        )

    def _worked(self, at: At, place: int, rate: int) -> At:
        """Return what a job is at after a tick in a place, or in none."""
        placed = self._cluster
        if place < 0:
            return at if at.place < 0 else At(at.left, at.place if self._places_matter else 0, -1)
        wait = at.wait
        if at.place < 0:
            wait = 0
        elif place != at.place:
            wait = placed.restart
        elif wait < 0:
            wait = placed.resume
        left = at.left if wait else max(0, at.left - rate)
        if not left or placed.free:
            return At(left)
        return At(left, place, max(0, wait - 1))

    def _left(self, state: State) -> int:
        """Return what has to be paid at least from a state on."""
        tick, jobs = state
        there = [(i, max(tick, self._jobs[i].release), at) for i, at in enumerate(jobs) if at.left]
        rest = tuple(
            _rest(self._jobs[i], at.left, since + self._least_wait(at)) for i, since, at in there
        )
        ends = sum(end_by_end(rest, self._capacity))
        busy = -(-busy_times(rest, self._capacity) // PARTS)
        return max(ends, busy) - sum(since for _, since, _ in there)

    def _least_wait(self, at: At) -> int:
        """Return the ticks that a job cannot work in now, whatever it does."""
        if at.place < 0:
            return 0
        again = min(self._cluster.restart, self._cluster.resume)
        return again if at.wait < 0 else min(at.wait, again)


def _rest(job: Demand, left: int, since: int) -> Demand:
    """Return what a job still asks for, as if it came later."""
    return job._replace(
        release=since,
        work=left,
        area=-(-left * job.size // job.work),
        size=left * job.size // job.work,
    )
