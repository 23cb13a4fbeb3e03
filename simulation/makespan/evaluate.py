"""Evaluate a plan: given starts and GPUs per server, when does each job end?

A plan is flat arrays; a schedule has names and exact numbers. Schedulers in plain Python run the
same engine step by step.
"""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from ...instances import Assignment, MakespanInstance, Schedule, digest
from ..events import end_job, start_job
from ..heaps import next_end, pop
from ..iteration import TICK
from ..jit import entry, kernel
from ..model import Floats, Ints, Model
from ..progress import next_free, next_tick
from ..state import State, new_state


class PlacedStarts(NamedTuple):
    """Starts and pieces: job j has ``pieces[first[j]:first[j+1]]`` on the same `servers`."""

    start: Floats
    first: Ints
    servers: Ints
    pieces: Ints


class HeldPieces(NamedTuple):
    """The GPUs of started jobs: job j holds the pieces ``begin[j] .. stop[j] - 1``."""

    begin: Ints
    stop: Ints
    servers: Ints
    pieces: Ints


class Result(NamedTuple):
    """Ends of all jobs (infinite if never), the makespan, and the deepest overbooking."""

    end: Floats
    makespan: float
    excess: int


@entry
def evaluate(model: Model, plan: PlacedStarts) -> Result:
    """Run `plan` through contention and progress; needs no feasibility, reports `excess`."""
    state = new_state(model, plan.servers.size)
    end = np.empty(plan.start.size)
    excess = _run(model, state, plan, np.argsort(plan.start), end)
    return Result(end, end.max(), excess)


@kernel
def _run(model: Model, state: State, plan: PlacedStarts, order: Ints, end: Floats) -> int:
    excess = 0
    for job in order:
        now = plan.start[job]
        while next_end(state) <= now:
            _end_first(model, state, plan)
        a, b = plan.first[job], plan.first[job + 1]
        start_job(model, state, job, plan.servers, plan.pieces, a, b, now)
        for i in range(a, b):
            excess = max(excess, -state.loads[plan.servers[i]].free)
    while next_end(state) < np.inf:
        _end_first(model, state, plan)
    for j in range(end.size):
        end[j] = state.runs[j].end
    return excess


@kernel
def _end_first(model: Model, state: State, plan: PlacedStarts) -> None:
    job = pop(state)
    a, b = plan.first[job], plan.first[job + 1]
    end_job(model, state, job, plan.servers, plan.pieces, a, b)


@entry
def new_holds(model: Model, room: int) -> HeldPieces:
    """Return room for so many pieces of all jobs."""
    begin, stop = np.zeros(model.jobs.size, np.int64), np.zeros(model.jobs.size, np.int64)
    return HeldPieces(begin, stop, np.empty(room, np.int64), np.empty(room, np.int64))


@entry
def gather(state: State, holds: HeldPieces) -> PlacedStarts:
    """Return what has been started as a plan."""
    begin, stop, jobs = holds.begin, holds.stop, holds.begin.size
    start, first = np.empty(jobs), np.zeros(jobs + 1, np.int64)
    for j in range(jobs):
        start[j] = state.runs[j].start
        first[j + 1] = first[j] + stop[j] - begin[j]
    own_servers, own_pieces = np.empty(first[jobs], np.int64), np.empty(first[jobs], np.int64)
    for j in range(jobs):
        for i in range(stop[j] - begin[j]):
            own_servers[first[j] + i] = holds.servers[begin[j] + i]
            own_pieces[first[j] + i] = holds.pieces[begin[j] + i]
    return PlacedStarts(start, first, own_servers, own_pieces)


EXACT_TICK = Decimal("1e-6")
"""`TICK` as an exact number."""


def to_plan(instance: MakespanInstance, schedule: Schedule) -> PlacedStarts:
    """Turn a schedule with one assignment for each job into arrays."""
    server_index = {server.name: s for s, server in enumerate(instance.cluster.servers)}
    given = {item.job: item for item in schedule.assignments}
    ordered = [given[job.name] for job in instance.jobs]
    placements = [[(server_index[name], count) for name, count in item.gpus] for item in ordered]
    return make_plan([float(item.start_slot) for item in ordered], placements)


def make_plan(
    starts: Sequence[float], placements: Sequence[Iterable[tuple[int, int]]]
) -> PlacedStarts:
    """Pack starts and (server, GPUs) pairs into arrays."""
    lists = [list(pairs) for pairs in placements]
    first = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([len(pairs) for pairs in lists], out=first[1:])
    flat = np.array([pair for pairs in lists for pair in pairs], dtype=np.int64).reshape(-1, 2)
    return PlacedStarts(
        np.asarray(starts, dtype=np.float64), first, flat[:, 0].copy(), flat[:, 1].copy()
    )


def to_schedule(instance: MakespanInstance, plan: PlacedStarts, method: str) -> Schedule:
    """Turn arrays into a schedule; the judge adds the exact ends."""
    names = [server.name for server in instance.cluster.servers]
    bounds = plan.first.tolist()
    servers, pieces = plan.servers.tolist(), plan.pieces.tolist()
    assignments = []
    for j, job in enumerate(instance.jobs):
        own = range(bounds[j], bounds[j + 1])
        gpus = tuple(sorted((names[servers[k]], pieces[k]) for k in own))
        start = exact_start(instance, float(plan.start[j]))
        assignments.append(Assignment(job=job.name, start_slot=start, gpus=gpus))
    return Schedule(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        assignments=tuple(assignments),
    )


def exact_start(instance: MakespanInstance, start: float) -> Decimal:
    """Return a start as the decimal that a schedule file holds."""
    if instance.progress != "continuous":
        return Decimal(round(start))
    return Decimal(round(start / TICK)) * EXACT_TICK


_NEXT_FREE = entry(next_free)


class MakespanSteps:
    """Jobs that start on request, and end when their work is done."""

    def __init__(self, model: Model) -> None:
        """Begin with an idle cluster."""
        room = int(np.minimum(model.jobs["gpus"], model.servers).sum())
        self._model, self._state = model, new_state(model, room)
        self._holds, self._used = new_holds(model, room), 0
        self._ended: Ints = np.empty(model.jobs.size, np.int64)
        self.alone: list[float] = model.jobs["alone"].tolist()
        """Slots that each job takes inside one server."""
        self.release: list[float] = _releases(model).tolist()
        """When each job may start."""

    def next_end(self) -> float:
        """Return when GPUs are given back next; infinity if none ever are."""
        return float(_NEXT_FREE(self._model, self._state))

    def go_to(self, now: float) -> list[int]:
        """Let all jobs end that are due by `now`; return them."""
        count = _end_until(self._model, self._state, self._holds, now, self._ended)
        return [int(job) for job in self._ended[:count]]

    def start(self, job: int, pieces: Iterable[tuple[int, int]], now: float) -> None:
        """Start a job on (server, GPUs) that are idle."""
        holds, a = self._holds, self._used
        for server, count in pieces:
            holds.servers[self._used], holds.pieces[self._used] = server, count
            self._used += 1
        holds.begin[job], holds.stop[job] = a, self._used
        _start(self._model, self._state, holds, job, now)


@entry
def _releases(model: Model) -> np.ndarray:
    found = np.empty(model.jobs.size)
    for j in range(found.size):
        found[j] = next_tick(model, model.jobs[j].release)
    return found


@entry
def _start(model: Model, state: State, holds: HeldPieces, job: int, now: float) -> None:
    a, b = holds.begin[job], holds.stop[job]
    start_job(model, state, job, holds.servers, holds.pieces, a, b, now)


@entry
def _end_until(model: Model, state: State, holds: HeldPieces, now: float, ended: Ints) -> int:
    count = 0
    while next_free(model, state) <= now:
        job = pop(state)
        end_job(model, state, job, holds.servers, holds.pieces, holds.begin[job], holds.stop[job])
        ended[count] = job
        count += 1
    return count
