"""The rule `every tick`: all actions of jobs from tick to tick, until no schedule is better.

Jobs across servers do not slow each other down here.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import ceil
from typing import NamedTuple

from .....instances.regions import may_run
from .....instances.trace import (
    WORK,
    TraceInstance,
    TraceJob,
    speed_on,
    work_left,
)
from ..kernel import fluid
from ..reading import ProofStep, StepError

MOST_WORK = 200_000
"""Maximum number of choices per tick, partial ones included. Steps beyond it are refused."""

MOST_PLACES = 100
"""Places of a job."""

MOST_SERVERS = 4

NOWHERE, STOPPED = -1, -1


class TickPlace(NamedTuple):
    """A possible run of a job: GPUs per server, half GPUs of each, and work per tick alone."""

    pieces: tuple[int, ...]
    each: int
    rate: int


class TickJob(NamedTuple):
    """A job's remaining work, its last place, and the ticks until it works there."""

    left: int
    place: int = NOWHERE
    wait: int = 0


Ticks = tuple[TickJob, ...]


def every_tick(instance: TraceInstance, step: ProofStep) -> Fraction:
    """Return the mean `at_least`, below which no schedule is, after trying all that could be."""
    least = step.number("at_least")
    if _TickTries(instance, least).succeed():
        raise StepError(f"the steps do not exclude a mean below {least}")
    return least


class _TickTries:
    """All states of the jobs, tick by tick, with the completion times that they have cost."""

    def __init__(self, instance: TraceInstance, least: Fraction) -> None:
        if len(instance.servers) > MOST_SERVERS:
            raise StepError(f"there are more than {MOST_SERVERS} servers")
        if instance.types:
            raise StepError("jobs have types, and their phases are not tried")
        tick, self.work = Fraction(instance.tick_s), 0
        self.least = ceil(least * len(instance.jobs) / tick)
        self.restart, self.resume = (
            int(Fraction(one) / tick) for one in (instance.restart_s, instance.resume)
        )
        self.room = [2 * server.gpus for server in instance.servers]
        self.arrival = [int(Fraction(job.arrival_s) / tick) for job in instance.jobs]
        self.first = tuple(TickJob(work_left(job, instance.tick_s)) for job in instance.jobs)
        self.places = [self._places(instance, job) for job in instance.jobs]
        self.rates = [max(place.rate for place in own) for own in self.places]
        self.sizes = [
            min(Fraction(one.each * sum(one.pieces), one.rate) for one in own)
            for own in self.places
        ]
        self.renamed = list(self._renamings(instance))

    def succeed(self) -> bool:
        """Return True if a schedule costs less than it has to."""
        last = max(self.arrival)
        layers, known = {min(self.arrival): {self.first: 0}}, dict[tuple[int, Ticks], int]()
        while layers:
            now = min(layers)
            for jobs, cost in layers.pop(now).items():
                present = [j for j, one in enumerate(jobs) if one.left and self.arrival[j] <= now]
                if not present and not any(one.left for one in jobs):
                    return True
                coming = [a for a, one in zip(self.arrival, jobs, strict=True) if a > now]
                then = now + 1 if present else min(coming)
                paid = cost + len(present)
                for after in self._after(jobs, present):
                    key = min(then, last), after
                    if known.get(key, self.least) > paid and self._may_end(after, then, paid):
                        known[key] = paid
                        layer = layers.setdefault(then, {})
                        layer[after] = min(paid, layer.get(after, paid))
        return False

    def _places(self, instance: TraceInstance, job: TraceJob) -> list[TickPlace]:
        """Return all places of a job: widths, halves, servers."""
        shares = [(2, Fraction(1))]
        if job.packed_speed is not None:
            shares.append((1, Fraction(job.packed_speed)))
        found = []
        for each, part in shares:
            most = [
                room // each if may_run(job, server) else 0
                for room, server in zip(self.room, instance.servers, strict=True)
            ]
            for pieces in product(*(range(count + 1) for count in most)):
                self._count()
                used = {s.gpu for s, n in zip(instance.servers, pieces, strict=True) if n}
                given = speed_on(job, sum(pieces), used.pop()) if len(used) == 1 else None
                if given is not None:
                    across = Fraction(job.communication) if sum(map(bool, pieces)) > 1 else 0
                    speed = Fraction(given) * part / (1 + across)
                    found.append(TickPlace(pieces, each, max(1, round(WORK * speed))))
        if not found or len(found) > MOST_PLACES:
            raise StepError(
                f"job {job.name!r} has {len(found)} places, and 1 to {MOST_PLACES} are tried"
            )
        return found

    def _renamings(self, instance: TraceInstance) -> Iterator[list[list[int]]]:
        """Yield the image of every place for each exchange of equal servers."""
        kinds = [(one.gpus, one.gpu, one.region) for one in instance.servers]
        for order in permutations(range(len(kinds))):
            if [kinds[s] for s in order] == kinds:
                yield [
                    [
                        own.index(one._replace(pieces=tuple(one.pieces[s] for s in order)))
                        for one in own
                    ]
                    for own in self.places
                ]

    def _count(self) -> None:
        self.work += 1
        if self.work > MOST_WORK:
            raise StepError(f"trying every tick takes more than {MOST_WORK:,} steps")

    def _after(self, jobs: Ticks, present: Sequence[int]) -> Iterator[Ticks]:
        """Yield the states after a tick, in which each present job runs somewhere or waits."""

        def choose(turn: int, room: Sequence[int], after: Ticks) -> Iterator[Ticks]:
            self._count()
            if turn == len(present):
                yield self._named(after)
                return
            j = present[turn]
            paused = jobs[j] if jobs[j].place == NOWHERE else jobs[j]._replace(wait=STOPPED)
            yield from choose(turn + 1, room, (*after[:j], paused, *after[j + 1 :]))
            for number, place in enumerate(self.places[j]):
                rest = [has - n * place.each for has, n in zip(room, place.pieces, strict=True)]
                if min(rest) >= 0:
                    ran = self._ran(j, jobs[j], number)
                    yield from choose(turn + 1, rest, (*after[:j], ran, *after[j + 1 :]))

        return choose(0, self.room, jobs)

    def _ran(self, j: int, one: TickJob, number: int) -> TickJob:
        """Return a job after a tick in a place."""
        if one.place == NOWHERE:
            wait = 0
        elif number != one.place:
            wait = self.restart
        else:
            wait = self.resume if one.wait == STOPPED else one.wait
        if wait:
            return TickJob(one.left, number, wait - 1)
        left = max(0, one.left - self.places[j][number].rate)
        if not left or not (self.restart or self.resume):
            return TickJob(left)
        return TickJob(left, number)

    def _named(self, jobs: Ticks) -> Ticks:
        """Return the state as it is called if servers that are alike are exchanged."""
        if len(self.renamed) == 1:
            return jobs
        return min(
            tuple(
                one if one.place == NOWHERE else one._replace(place=new[one.place])
                for one, new in zip(jobs, places, strict=True)
            )
            for places in self.renamed
        )

    def _may_end(self, jobs: Ticks, now: int, paid: int) -> bool:
        """Return True if the final cost may be below the minimum.

        The k-th end is at least the bounds from jobs alone and from a fluid machine.
        """
        again = min(self.restart, self.resume)
        rest = tuple(
            (j, max(now, self.arrival[j]), one.left, self._delay(one, again))
            for j, one in enumerate(jobs)
            if one.left
        )
        if not rest:
            return paid < self.least
        sizes = [ceil(left * self.sizes[j]) for j, _, left, _ in rest]
        alone = sorted(since + wait - (-left // self.rates[j]) for j, since, left, wait in rest)
        halves = sum(self.room)
        starts = [halves * (since + wait) for _, since, _, wait in rest]
        played = {k: end for k, _, end in fluid(starts, sizes, by_left=True)}
        ends = map(max, alone, sorted(-(-end // halves) for end in played.values()))
        return paid + sum(ends) - sum(since for _, since, _, _ in rest) < self.least

    def _delay(self, one: TickJob, again: int) -> int:
        """Return the ticks in which no schedule lets a job work."""
        if one.place == NOWHERE:
            return 0
        return again if one.wait == STOPPED else min(one.wait, again)
