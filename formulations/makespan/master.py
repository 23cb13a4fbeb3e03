"""One of all schedules of the whole cluster, chosen once for each job and the same for all.

Source: SJF-BCO, arXiv 2207.07817, (10)-(13).

Data: schedule k of the schedules that the judge accepts and that end by H. e_j(k), the end of job j
in it, is the paper's a_j + rho_j. Of schedules that only rename servers of equal size in one
region, one is listed.

Schedules, hence variables and rows, grow exponentially with jobs and slots. The value of the linear
relaxation depends on the form of the maximum of (10):

- a row for each job, as here: a mixture of schedules is worth the mean end of the job that ends
  last on average. By duality the value is the largest, over weights of the jobs that sum to 1, of
  the least weighted mean end of any schedule. Jobs that end last in turn are not seen: n jobs of a
  slot on one GPU have (n + 1) / 2.
- a row for each job and schedule, e_j(k) follows[j, k]: with shares in proportion to the inverse
  makespans the value is 1 / sum_k (1 / max_j e_j(k)), which falls with every schedule listed.
- one row, sum_k max_j e_j(k) follows[1, k]: a mixture is worth the mean of its makespans, and the
  relaxation is the optimum. Listing the schedules, however, already shows the best one.

Variables
    follows[j, k] in {0, 1}: j follows schedule k (13)
    makespan_slots in [0, H]: the latest end

Objective
    latest_end: minimise makespan_slots

Constraints
    every_job_once[j] (11): sum_k follows[j, k] = 1
    together[j, k] (12): follows[j, k] = follows[i, k], for the first job i and all other jobs
    makespan[j] (10): makespan_slots >= sum_k e_j(k) follows[j, k]

By construction
    gang: each column is a schedule: all GPUs at once (1)
    capacity: on servers that hold them (2)
    release: no job begins earlier
    regions: or elsewhere than it may
    held: each schedule begins with the jobs that hold GPUs at slot 0
    one_kind: instances with kinds of GPUs are refused
    no_preemption: jobs run until they end (3)
    no_migration: where they began (3)
    completes: ends follow from starts and GPUs, slot by slot (6)-(9)

Size: |J| |Y| + 1 variables, |J| (|Y| + 2) - |Y| rows. Refused if |Y| takes too long to list.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import pyomo.environ as pyo

from ...instances import MakespanInstance, RefusedError, Schedule
from .data import ProgramData, data_of, refuses_slots, serial_horizon
from .placements import Counts, splits
from .timetable import courses, put, schedule_of

__all__ = ["NAME", "build", "read", "refuses", "write"]


MOST_STEPS = 20_000
"""Choices that are followed, about 0.5 s of them."""


class WholeSchedule(NamedTuple):
    """Starts, GPUs and ends of all jobs, in the order of the instance."""

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
    """The jobs that run and have ended at the beginning of a slot."""

    slot: int
    running: Mapping[str, _Course]
    done: Mapping[str, tuple[_Course, int]]
    """The jobs that have ended, with their ends."""
    past: tuple[tuple[Any, ...], ...]
    """For each server its size and region, and the jobs that it has had. Some may be equal."""


@lru_cache(maxsize=4)
def whole_schedules(instance: MakespanInstance, horizon: int) -> tuple[WholeSchedule, ...]:
    """Return all schedules that end by `horizon`, but only one up to renaming equal servers.

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
        state = _ClusterState(0, {}, {}, looks)
        for job, task in self._data.tasks.items():
            if held := dict(task.held):
                counts = tuple(held.get(server, 0) for server in self._data.sizes)
                state = self._started(state, job, counts)
        yield from self._from(state)

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
        """Yield the jobs that can start in this slot, including none of them."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise RefusedError(
                f"{self._data.instance.name}: it has too many schedules that end by slot "
                f"{self._data.horizon} to list, so give an earlier horizon or use 'patterns'"
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
            yield from self._starts(self._started(state, job, counts), rest)

    def _started(self, state: _ClusterState, job: str, counts: Counts) -> _ClusterState:
        course = _Course(state.slot, counts, Fraction(self._data.tasks[job].iterations))
        had = zip(state.past, counts, strict=True)
        past = tuple((*one, (job, count)) if count else one for one, count in had)
        return state._replace(running={**state.running, job: course}, past=past)

    def _places(self, state: _ClusterState, job: str) -> Iterator[Counts]:
        """Yield GPUs for a job. The first of equal servers has the most."""
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


def look_of(
    data: ProgramData, starts: Mapping[str, int], gpus: Mapping[str, Mapping[str, int]]
) -> tuple[object, ...]:
    """Return a key that two schedules share exactly if one is the other with servers renamed."""
    rows = (
        (size, data.site(server) or "", tuple(gpus[job].get(server, 0) for job in data.tasks))
        for server, size in data.sizes.items()
    )
    return tuple(starts[job] for job in data.tasks), tuple(sorted(rows))


NAME = "master"

MOST_JOBS = 8
"""Instances with more are refused at once: of one slot each, 9 jobs have 9! orders on one GPU."""


def refuses(instance: MakespanInstance) -> str | None:
    """Return why `instance` has no such program, or None if it may have."""
    reason = refuses_slots(instance)
    if reason is None and len(instance.jobs) > MOST_JOBS:
        return (
            f"it has {len(instance.jobs)} jobs, and the schedules of more than {MOST_JOBS} are too "
            "many to list, so use 'patterns'"
        )
    return reason


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the program over all schedules that end by `horizon`.

    Without `horizon`, all schedules that end within the time of running jobs one by one are listed,
    and the bound on the makespan refutes them.
    """
    last = serial_horizon(instance) if horizon is None else horizon
    known = whole_schedules(instance, last) or whole_schedules(instance, serial_horizon(instance))
    model = pyo.ConcreteModel()
    model.data, model.known = data_of(instance, max(last, max(map(_makespan, known)))), known
    jobs, numbers = list(model.data.tasks), range(len(known))
    model.follows = pyo.Var(jobs, numbers, domain=pyo.Binary)
    model.makespan_slots = pyo.Var(bounds=(0, last))
    model.latest_end = pyo.Objective(expr=model.makespan_slots)

    @model.Constraint(jobs)
    def every_job_once(_: Any, job: str) -> Any:
        return sum(model.follows[job, k] for k in numbers) == 1

    @model.Constraint(jobs[1:], numbers)
    def together(_: Any, job: str, k: int) -> Any:
        return model.follows[job, k] == model.follows[jobs[0], k]

    @model.Constraint(jobs)
    def makespan(_: Any, job: str) -> Any:
        i = jobs.index(job)
        ends = sum(one.ends[i] * model.follows[job, k] for k, one in enumerate(known))
        return model.makespan_slots >= ends

    return model


def _makespan(one: WholeSchedule) -> int:
    return max(one.ends)


def write(model: Any, schedule: Schedule) -> None:
    """Choose the schedule that is listed for this one, if any is."""
    data, followed = model.data, courses(model.data, schedule)
    starts = {job: course.start for job, course in followed.items()}
    wanted = look_of(data, starts, {job: course.gpus for job, course in followed.items()})
    for k, one in enumerate(model.known):
        same = look_of(data, *_by_name(model, one)) == wanted
        for job in data.tasks:
            put(model.follows, (job, k), same)
    put(model.makespan_slots, None, max(course.end for course in followed.values()))


def read(model: Any) -> Schedule:
    """Return the schedule that the first job follows most."""
    first = next(iter(model.data.tasks))
    best = max(range(len(model.known)), key=lambda k: model.follows[first, k].value or 0)
    return schedule_of(model.data, NAME, *_by_name(model, model.known[best]))


def _by_name(model: Any, one: WholeSchedule) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """Return the starts of a schedule, and the GPUs of its jobs, by name."""
    data = model.data
    rows = zip(data.tasks, one.gpus, strict=True)
    gpus = {
        job: {server: count for server, count in zip(data.sizes, counts, strict=True) if count}
        for job, counts in rows
    }
    return dict(zip(data.tasks, one.starts, strict=True)), gpus
