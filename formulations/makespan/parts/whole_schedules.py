"""All schedules of a whole cluster that end within a horizon, up to names of servers alike."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from ....instances import MakespanInstance, RefusedError
from .data import ProgramData, data_of
from .placements import Counts, splits

MOST_STEPS = 20_000
"""Choices that are followed; half a second of them."""


class WholeSchedule(NamedTuple):
    """What every job does, in the order of the instance."""

    starts: tuple[int, ...]
    gpus: tuple[Counts, ...]
    """GPUs of each job on each server."""
    ends: tuple[int, ...]


class _Course(NamedTuple):
    """A job that has started: where, and the iterations that are left."""

    start: int
    gpus: Counts
    left: Fraction


class _ClusterState(NamedTuple):
    """What has happened until the beginning of a slot."""

    slot: int
    running: Mapping[str, _Course]
    done: Mapping[str, tuple[_Course, int]]
    """The jobs that have ended, with their ends."""
    past: tuple[tuple[Any, ...], ...]
    """For each server its size and region, and the jobs that it has had; some may be alike."""


@lru_cache(maxsize=4)
def whole_schedules(instance: MakespanInstance, horizon: int) -> tuple[WholeSchedule, ...]:
    """Return all schedules that end by `horizon`; of those that rename servers alike, one.

    Raises:
        RefusedError: If there are too many choices to follow.
    """
    return tuple(_Search(data_of(instance, horizon)).found())


class _Search:
    """Slot by slot, every choice of jobs that start and of GPUs for them."""

    def __init__(self, data: ProgramData) -> None:
        self._data, self._steps = data, 0

    def found(self) -> Iterator[WholeSchedule]:
        sizes = self._data.sizes.items()
        looks = tuple((size, self._data.site(server)) for server, size in sizes)
        yield from self._from(_ClusterState(0, {}, {}, looks))

    def _from(self, state: _ClusterState) -> Iterator[WholeSchedule]:
        if len(state.done) == len(self._data.tasks):
            courses = [state.done[job] for job in self._data.tasks]
            yield WholeSchedule(
                tuple(course.start for course, _ in courses),
                tuple(course.gpus for course, _ in courses),
                tuple(end for _, end in courses),
            )
            return
        begun = {*state.running, *state.done}
        waiting = [job for job in self._data.tasks if job not in begun]
        for chosen in self._starts(state, waiting):
            later = self._worked(chosen)
            if later is not None:
                yield from self._from(later)

    def _starts(self, state: _ClusterState, waiting: list[str]) -> Iterator[_ClusterState]:
        """Yield what can start in this slot, nothing included."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise RefusedError(
                f"{self._data.instance.name}: it has too many schedules that end by slot "
                f"{self._data.horizon} to list them all; give an earlier horizon, or use 'patterns'"
            )
        if not waiting:
            yield state
            return
        job, rest = waiting[0], waiting[1:]
        task = self._data.tasks[job]
        if state.slot + task.least < self._data.horizon:
            yield from self._starts(state, rest)
        if state.slot < task.release or state.slot + task.least > self._data.horizon:
            return
        for counts in self._places(state, job):
            course = _Course(state.slot, counts, Fraction(task.iterations))
            had = zip(state.past, counts, strict=True)
            past = tuple((*one, (job, count)) if count else one for one, count in had)
            begun = state._replace(running={**state.running, job: course}, past=past)
            yield from self._starts(begun, rest)

    def _places(self, state: _ClusterState, job: str) -> Iterator[Counts]:
        """Yield GPUs for a job; of servers alike the first has the most."""
        held = [
            sum(counts) for counts in zip(*(c.gpus for c in state.running.values()), strict=True)
        ]
        held = held or [0] * len(state.past)
        rooms = zip(self._data.sizes.items(), held, strict=True)
        free = [min(self._data.room(job, name), size - taken) for (name, size), taken in rooms]
        yield from splits(tuple(free), state.past, self._data.tasks[job].gpus)

    def _worked(self, state: _ClusterState) -> _ClusterState | None:
        """Return the state a slot later, or None if a job cannot end in time any more."""
        spread = [c.gpus for c in state.running.values() if sum(map(bool, c.gpus)) > 1]
        rings = [sum(map(bool, counts)) for counts in zip(*spread, strict=True)] or [0] * len(
            state.past
        )
        running, done, ahead = {}, dict(state.done), self._data.horizon - state.slot - 1
        for job, course in state.running.items():
            busiest = max(n for n, count in zip(rings, course.gpus, strict=True) if count)
            left = course.left - self._rate(job, course, busiest)
            if left <= 0:
                done[job] = course, state.slot + 1
            elif left > ahead * self._rate(job, course, 1):
                return None
            else:
                running[job] = course._replace(left=left)
        return _ClusterState(state.slot + 1, running, done, state.past)

    def _rate(self, job: str, course: _Course, rings: int) -> Fraction:
        on = [count for count in course.gpus if count]
        return self._data.rate(job, len(on), max(on), rings)


def _over_servers(state: _ClusterState, courses: list[_Course], counted: type[int]) -> list[int]:
    """Return for each server the GPUs that jobs have there, or as `bool`, how many have some."""
    rows = [course.gpus for course in courses]
    return [sum(counted(row[s]) for row in rows) for s in range(len(state.past))]


def look_of(
    data: ProgramData, starts: Mapping[str, int], gpus: Mapping[str, Mapping[str, int]]
) -> tuple[object, ...]:
    """Return what schedules have in common exactly if one is the other with servers renamed."""
    rows = (
        (size, data.site(server) or "", tuple(gpus[job].get(server, 0) for job in data.tasks))
        for server, size in data.sizes.items()
    )
    return tuple(starts[job] for job in data.tasks), tuple(sorted(rows))
