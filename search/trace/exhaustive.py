"""The complete search as a method: its schedule is optimal where it comes to an end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from math import inf
from typing import Annotated, NamedTuple

from ...formulations.trace.demand import demands
from ...formulations.trace.stretches import ModeStretch, schedule_of
from ...instances import (
    BoundKind,
    Incumbent,
    JobRuns,
    Outcome,
    SolutionStatus,
    TraceInstance,
    TraceRun,
    TraceSchedule,
)
from ...instances.reading.vocabulary import Count
from ...policies.request import Request
from . import places
from .bounds import bound_of, mean_of
from .places import ServerPlaces, places_of
from .state_search import Choice, Search

METHOD = "state-search"

MOST_JOBS = 12

MOST_TICKS = 500
"""Least ticks of all jobs together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the search."""

    choices: Annotated[
        Count | None, "choices of jobs and places for a tick that are tried in all, at most"
    ] = None


class PlaceStay(NamedTuple):
    """A job is in a place, by number, from one tick to another."""

    place: int
    start: int
    stop: int


Stays = list[list[PlaceStay]]
"""Those of every job."""


def refuses(instance: TraceInstance, _: Options | None = None) -> str | None:
    """Say why `instance` cannot be searched, or None if it can."""
    jobs = demands(instance)
    work = sum(job.ticks for job in jobs)
    if len(jobs) > MOST_JOBS or work > MOST_TICKS:
        return (
            f"the search takes at most {MOST_JOBS} jobs of {MOST_TICKS} ticks together, not "
            f"{len(jobs)} of {work}; take a policy and `ringyard bound --time-limit`"
        )
    return places.refuses(instance)


def run(instance: TraceInstance, request: Request[Options]) -> Outcome:
    """Return a schedule of the least mean; nothing in it is random."""
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
    argument = f"all that may run in every tick, {len(search.known)} states"
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

    No job is stopped; the one with the least to do starts first, past others, where it is fastest.
    """
    placed, jobs = places_of(instance), demands(instance)
    order = sorted(range(len(jobs)), key=lambda i: jobs[i].ticks)
    room, left, choices = list(placed.room), list(placed.work), list[Choice]()
    chosen, cost = [-1] * len(jobs), 0
    while any(left):
        present = [i for i in order if left[i] and jobs[i].release <= len(choices)]
        for i in present:
            ways = [n for n, place in enumerate(placed.places[i]) if place.fits(room)]
            if chosen[i] < 0 and ways:
                chosen[i] = max(ways, key=lambda n: placed.places[i][n].rate(Fraction(1)))
                placed.places[i][chosen[i]].take(room)
        rates = placed.rates({i: placed.places[i][n] for i, n in enumerate(chosen) if n >= 0})
        choices.append(tuple(chosen))
        cost += len(present)
        for i, rate in rates.items():
            left[i] = max(0, left[i] - rate)
            if not left[i]:
                placed.places[i][chosen[i]].give(room)
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
                found[job].append(PlaceStay(place, ticks[0], ticks[-1] + 1))
    return found


def _schedule(instance: TraceInstance, stays: Stays) -> TraceSchedule:
    """Return the schedule; where GPUs were counted, they are chosen now."""
    placed = places_of(instance)
    if not placed.servers:
        modes = [job.modes for job in demands(instance)]
        stretches = [
            ModeStretch(job, modes[job][stay.place], stay.start, stay.stop)
            for job, own in enumerate(stays)
            for stay in own
        ]
        return schedule_of(instance, stretches, METHOD)
    runs = (
        JobRuns(job=job.name, runs=tuple(_runs(instance, placed, i, stays[i])))
        for i, job in enumerate(instance.jobs)
    )
    return TraceSchedule(instance=instance.name, method=METHOD, jobs=tuple(runs))


def _runs(
    instance: TraceInstance, placed: ServerPlaces, job: int, stays: list[PlaceStay]
) -> Iterator[TraceRun]:
    for stay in stays:
        place = placed.places[job][stay.place]
        pieces = zip(placed.servers, place.pieces, strict=True)
        yield TraceRun(
            start_s=stay.start * instance.tick_s,
            stop_s=None if stay is stays[-1] else stay.stop * instance.tick_s,
            gpus=tuple((server, count) for server, count in pieces if count),
            share="whole" if place.halves == 2 else "half",
        )
