"""A complete search over the remaining work of all jobs, tick by tick. Optimal if it ends.

A state is a tick with every job's remaining work, and its last place if that matters. In each tick
some jobs run. All choices of jobs and places are tried, with two exceptions: among equal jobs the
first go first, and no job waits next to sufficient GPUs if stopping is free and no job would be
slower. The cost of a tick is the number of jobs present. States come in the order of their cost so
far plus the least cost to come (Hart, Nilsson and Raphael 1968). Hence the first finished state is
optimal, and the sum for the current state bounds all schedules.

Jobs are placed server by server, or all GPUs form one pool if that is enough.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush
from itertools import groupby, product
from math import inf, prod
from typing import Annotated, NamedTuple

from ...formulations.trace import demand as counted
from ...formulations.trace.demand import UNITS, Demand, demands, pools, ticks
from ...formulations.trace.stretches import ModeStretch, schedule_of
from ...instances import (
    NO_LIMITS,
    BoundKind,
    Incumbent,
    JobRuns,
    Limits,
    Outcome,
    RackLinks,
    ServerUplink,
    SolutionStatus,
    TerminationReason,
    TraceInstance,
    TraceJob,
    TraceRun,
    TraceSchedule,
)
from ...instances.reading.vocabulary import Count
from ...instances.regions import may_run
from ...instances.trace import speed_on, work_left
from ...policies.request import Request
from .bounds import PARTS, bound_of, busy_times, end_by_end, mean_of

MOST_PLACES = 400
"""Places of all jobs together."""


class Place(NamedTuple):
    """GPUs on each server, and how fast a job is there."""

    pieces: tuple[int, ...]
    halves: int
    """Half GPUs that it uses of each of its GPUs: 2, or 1 if it shares them."""
    speed: Fraction
    """Inside a server."""
    communication: Fraction
    """0 if there is no communication across servers."""

    def rate(self, slowdown: Fraction) -> int:
        """Return the work of a tick."""
        return max(1, round(UNITS * self.speed / (1 + self.communication * slowdown)))

    def fits(self, room: Sequence[int]) -> bool:
        """Return True if servers have the given half GPUs left."""
        pairs = zip(self.pieces, room, strict=True)
        return all(count * self.halves <= held for count, held in pairs)

    def take(self, room: list[int], times: int = 1) -> None:
        """Remove it from the free capacity of servers, or restore it with -1 `times`."""
        for server, count in enumerate(self.pieces):
            room[server] -= times * count * self.halves


class ServerPlaces(NamedTuple):
    """Servers, and the places of every job."""

    servers: tuple[str, ...]
    room: tuple[int, ...]
    """Half GPUs of each server."""
    work: tuple[int, ...]
    """The work of every job."""
    places: tuple[tuple[Place, ...], ...]
    restart: int
    resume: int
    uplinks: ServerUplink | None
    """Sharing of server uplinks by rings, if any."""

    @property
    def free(self) -> bool:
        """True if jobs may be stopped and moved at no cost."""
        return not (self.restart or self.resume)

    def rates(self, chosen: Mapping[int, Place]) -> dict[int, int]:
        """Return the work that jobs do in a tick in these places, no other job around."""
        rings = [place for place in chosen.values() if place.communication]
        if self.uplinks is None or len(rings) < 2:
            return {job: _rate(place, Fraction(1)) for job, place in chosen.items()}
        crossing = [sum(bool(ring.pieces[s]) for ring in rings) for s in range(len(self.room))]
        return {
            job: _rate(place, _slowdown(self.uplinks, place, tuple(crossing)))
            for job, place in chosen.items()
        }


_rate = lru_cache(maxsize=4096)(Place.rate)


@lru_cache(maxsize=4096)
def _slowdown(uplinks: ServerUplink, place: Place, crossing: tuple[int, ...]) -> Fraction:
    """Equations (6) and (7) of SJF-BCO."""
    if not place.communication:
        return Fraction(1)
    most = max(rings for rings, count in zip(crossing, place.pieces, strict=True) if count)
    share = max(Fraction(1), Fraction(uplinks.share) * most)
    return share + Fraction(uplinks.degradation) * (share - 1)


def refuses_places(instance: TraceInstance) -> str | None:
    """Return why not all places can be tried, or None if they can."""
    if _alike(instance):
        return None
    if (moved := counted.held_costs(instance)) is not None:
        reason = f"job {moved.name!r} has a run before time 0, and restarts are charged"
        return f"{reason}. Use a policy."
    links = isinstance(instance.contention, RackLinks)
    slower = next((job for job in instance.jobs if job.communication), None)
    if links and slower is not None:
        return f"job {slower.name!r} would share rack links, which the search does not model"
    counts = prod(2 * server.gpus + 1 for server in instance.servers) * len(instance.jobs)
    if counts > 100 * MOST_PLACES or sum(map(len, places_of(instance).places)) > MOST_PLACES:
        return f"its jobs have more than {MOST_PLACES} places to run in"
    return None


def _alike(instance: TraceInstance) -> bool:
    return len(instance.kinds) == len(pools(instance)) == 1 and counted.refuses(instance) is None


def places_of(instance: TraceInstance) -> ServerPlaces:
    """Return the relevant places. All GPUs are one server if counting them is enough."""
    pool = _alike(instance)
    if pool:
        rows = tuple(
            tuple(
                Place((m.gpus,), m.halves // m.gpus, Fraction(m.rate, UNITS), Fraction(0))
                for m in job.modes
            )
            for job in demands(instance)
        )
    else:
        rows = tuple(tuple(_places(instance, job)) for job in instance.jobs)
    sizes = [server.gpus for server in instance.servers]
    uplinks = instance.contention if isinstance(instance.contention, ServerUplink) else None
    return ServerPlaces(
        servers=() if pool else tuple(server.name for server in instance.servers),
        room=tuple(2 * size for size in ([sum(sizes)] if pool else sizes)),
        work=tuple(work_left(job, instance.tick_s) for job in instance.jobs),
        places=rows,
        restart=counted.cost(instance) if pool else ticks(instance, instance.restart_s),
        resume=counted.cost(instance),
        uplinks=None if pool else uplinks,
    )


def _places(instance: TraceInstance, job: TraceJob) -> Iterator[Place]:
    shares = [(2, Fraction(1))]
    if job.packed_speed is not None:
        shares.append((1, Fraction(job.packed_speed)))
    for halves, part in shares:
        most = [
            2 * server.gpus // halves if may_run(job, server) else 0 for server in instance.servers
        ]
        for pieces in product(*(range(count + 1) for count in most)):
            used = {one.gpu for one, count in zip(instance.servers, pieces, strict=True) if count}
            speed = speed_on(job, sum(pieces), used.pop()) if len(used) == 1 else None
            if speed is not None:
                across = sum(map(bool, pieces)) > 1
                exchange = Fraction(job.communication) if across else Fraction(0)
                yield Place(pieces, halves, Fraction(speed) * part, exchange)


MOST_STATES = 500_000
"""Most states kept, which occupy about 1 GB."""


class At(NamedTuple):
    """The state of a job."""

    left: int
    """Work."""
    place: int = -1
    """Its last place, by number, or -1 if unset or irrelevant."""
    wait: int = 0
    """Ticks until it works if it stays there, or -1 if it was stopped."""


State = tuple[int, tuple[At, ...]]
"""A tick, and all jobs. Once all jobs are there, the tick stays as it is."""
Choice = tuple[int, ...]
"""The place of every job in a tick, by number. -1: it does not run."""


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
        """Look for a schedule that costs less than `limit`. `least` is the bound proved then.

        At most `most` choices are tried. One tick has very many choices if jobs have many places,
        so the clock and counters are checked for each of them.
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
        """Return the choices of all ticks on the path to a state."""
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
        """Yield the sets of jobs and places that may run together."""
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
                    place.take(room, -1)
            chosen[job] = -1

        yield from extend(0)

    def _one_more(self, chosen: list[int], present: list[int], room: list[int]) -> bool:
        return any(
            chosen[job] < 0 and any(place.fits(room) for place in self._cluster.places[job])
            for job in present
        )

    def _worked(self, at: At, place: int, rate: int) -> At:
        """Return the state of a job after a tick in a place, or waiting."""
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
        """Return the least cost to come from a state on."""
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
    """Return the demand that a job has left, as if it came later."""
    return job._replace(
        release=since,
        work=left,
        area=-(-left * job.size // job.work),
        size=left * job.size // job.work,
    )


METHOD = "state-search"

MOST_JOBS = 12

MOST_TICKS = 500
"""Least ticks of all jobs together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the search."""

    choices: Annotated[
        Count | None, "most choices of jobs and places for a tick, over the whole search"
    ] = None


Stays = list[list[tuple[int, int, int]]]
"""The places of every job, by number, each with the ticks from and to which it is there."""


def refuses(instance: TraceInstance, _: Options | None = None) -> str | None:
    """Return why `instance` cannot be searched, or None if it can."""
    if instance.limited is not None:
        return f"group {instance.limited.name!r} has `most`, which no search obeys. Use a policy."
    if instance.outages:
        server = instance.outages[0].server
        return f"server {server!r} has an outage, which no search expects. Use a policy."
    if (typed := counted.phased(instance)) is not None:
        return f"job {typed.name!r} has a type, whose phases no search expects. Use a policy."
    jobs = demands(instance)
    work = sum(job.ticks for job in jobs)
    if len(jobs) > MOST_JOBS or work > MOST_TICKS:
        return (
            f"the search supports at most {MOST_JOBS} jobs of {MOST_TICKS} ticks together, "
            f"not {len(jobs)} of {work}. Use a policy and `ringyard bound --time-limit`."
        )
    return refuses_places(instance)


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return a schedule of the least mean (deterministic)."""
    search = Search(instance)
    cost, choices = _first(instance)
    schedule = _schedule(instance, _stays(instance, choices))
    ticks = (request.start_value or 0) / mean_of(instance, 1)
    if request.start is not None and ticks < cost and ticks.denominator == 1:
        schedule, cost = replace(request.start, method=METHOD), int(ticks)
    request.limits.report(Incumbent(schedule=schedule, value=float(mean_of(instance, cost))))
    most = request.options.choices
    stop = search.go(cost, request.limits, inf if most is None else most)
    if search.found is not None:
        cost = search.found[0]
        schedule = _schedule(instance, _stays(instance, search.path(search.found[1])))
    argument = f"complete search of the jobs that run in each tick, {len(search.known)} states"
    return Outcome(
        schedule=schedule,
        termination=stop,
        status=SolutionStatus.OPTIMAL if search.least == cost else SolutionStatus.FEASIBLE,
        value=mean_of(instance, cost),
        bound=bound_of(instance, BoundKind.SEARCHED, METHOD, search.least, argument),
        nodes=search.nodes,
    )


def _first(instance: TraceInstance) -> tuple[int, list[Choice]]:
    """Return the cost and the choices of a schedule to beat.

    No job is stopped. The job with the least work starts first, past other jobs, where it is
    fastest.
    """
    placed, jobs = places_of(instance), demands(instance)
    order = sorted(range(len(jobs)), key=lambda i: jobs[i].ticks)
    room, left, choices = list(placed.room), list(placed.work), list[Choice]()
    chosen, cost = [-1] * len(jobs), 0
    while any(left):
        present = [i for i in order if left[i] and jobs[i].release <= len(choices)]
        for i in present:
            fitting = [n for n, place in enumerate(placed.places[i]) if place.fits(room)]
            if chosen[i] < 0 and fitting:
                chosen[i] = max(fitting, key=lambda n: placed.places[i][n].rate(Fraction(1)))
                placed.places[i][chosen[i]].take(room)
        rates = placed.rates({i: placed.places[i][n] for i, n in enumerate(chosen) if n >= 0})
        choices.append(tuple(chosen))
        cost += len(present)
        for i, rate in rates.items():
            left[i] = max(0, left[i] - rate)
            if not left[i]:
                placed.places[i][chosen[i]].take(room, -1)
                chosen[i] = -1
    return cost, choices


def _stays(instance: TraceInstance, path: Sequence[Choice]) -> Stays:
    found: Stays = []
    for job in range(len(instance.jobs)):
        by_tick = ((t, choice[job] if choice else -1) for t, choice in enumerate(path))
        found.append([])
        for place, group in groupby(by_tick, key=lambda pair: pair[1]):
            ticks = [t for t, _ in group]
            if place >= 0:
                found[job].append((place, ticks[0], ticks[-1] + 1))
    return found


def _schedule(instance: TraceInstance, stays: Stays) -> TraceSchedule:
    """Return the schedule. If GPUs were counted, they are chosen now."""
    placed = places_of(instance)
    if not placed.servers:
        modes = [job.modes for job in demands(instance)]
        stretches = [
            ModeStretch(job, modes[job][place], start, stop)
            for job, own in enumerate(stays)
            for place, start, stop in own
        ]
        return schedule_of(instance, stretches, METHOD)
    runs = (
        JobRuns(job=job.name, runs=tuple(_runs(instance, placed, i, stays[i])))
        for i, job in enumerate(instance.jobs)
    )
    return TraceSchedule(instance=instance.name, method=METHOD, jobs=tuple(runs))


def _runs(
    instance: TraceInstance, placed: ServerPlaces, job: int, stays: list[tuple[int, int, int]]
) -> Iterator[TraceRun]:
    for number, start, stop in stays:
        place = placed.places[job][number]
        pieces = zip(placed.servers, place.pieces, strict=True)
        yield TraceRun(
            start_s=start * instance.tick_s,
            stop_s=None if stop == stays[-1][2] else stop * instance.tick_s,
            gpus=tuple((server, count) for server, count in pieces if count),
            share="whole" if place.halves == 2 else "half",
        )
