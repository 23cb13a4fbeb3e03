"""One of all schedules of the whole cluster, chosen once for each job and the same for all.

Source: SJF-BCO, arXiv 2207.07817, (10)-(13).

Data: schedule k of those that the judge accepts and that end by H; e_j(k) the end of job j in
it, the paper's a_j + rho_j. Of schedules that only rename servers of equal size in one region, one
is listed.

Schedules, hence variables and rows, grow exponentially with jobs and slots. What the linear
relaxation is worth depends on how the maximum of (10) is said:

- a row for each job, as here: a mixture of schedules is worth the mean end of the job that ends
  last on average. By duality the value is the largest, over weights of the jobs that sum to 1, of
  the least weighted mean end of any schedule. Jobs that end last in turn are not seen: n jobs of a
  slot on one GPU have (n + 1) / 2.
- a row for each job and schedule, e_j(k) follows[j, k]: with shares in proportion to the inverse
  makespans the value is 1 / sum_k (1 / max_j e_j(k)), which falls with every schedule listed.
- one row, sum_k max_j e_j(k) follows[1, k]: a mixture is worth the mean of its makespans, and the
  relaxation is the optimum; but to have listed the schedules is to have seen the best one.

Variables
    follows[j, k] in {0, 1}: j does what schedule k says (13)
    makespan_slots in [0, H]: the latest end

Objective
    latest_end: minimise makespan_slots

Constraints
    every_job_once[j] (11): sum_k follows[j, k] = 1
    together[j, k] (12): follows[j, k] = follows[i, k], for the first job i and all others
    makespan[j] (10): makespan_slots >= sum_k e_j(k) follows[j, k]

By construction
    gang: what is listed is a schedule: all GPUs at once (1)
    capacity: on servers that hold them (2)
    release: no job begins earlier
    regions: or elsewhere than it may
    no_preemption: jobs run until they end (3)
    no_migration: where they began (3)
    completes: ends follow from starts and GPUs, slot by slot (6)-(9)

Size: |J| |Y| + 1 variables, |J| (|Y| + 2) - |Y| rows; refused if |Y| takes too long to list.
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import MakespanInstance, Schedule
from .parts.data import data_of, refuses_slots, serial_horizon
from .parts.timetable import courses, put, schedule_of
from .parts.whole_schedules import WholeSchedule, look_of, whole_schedules

__all__ = ["NAME", "build", "read", "refuses", "write"]

NAME = "master"

MOST_JOBS = 8
"""Instances with more are refused at once: of one slot each, 9 jobs have 9! orders on one GPU."""


def refuses(instance: MakespanInstance) -> str | None:
    """Say why `instance` has no such program, or None if it may have."""
    reason = refuses_slots(instance)
    if reason is None and len(instance.jobs) > MOST_JOBS:
        return (
            f"it has {len(instance.jobs)} jobs, and the schedules of more than {MOST_JOBS} are too "
            "many to list; use 'patterns'"
        )
    return reason


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the program over all schedules that end by `horizon`.

    If there is none, all are listed that end in the time of running jobs one by one, and the bound
    on the makespan refutes them.
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
        same = look_of(data, *_told(model, one)) == wanted
        for job in data.tasks:
            put(model.follows, (job, k), same)
    put(model.makespan_slots, None, max(course.end for course in followed.values()))


def read(model: Any) -> Schedule:
    """Return the schedule that the first job follows most."""
    first = next(iter(model.data.tasks))
    best = max(range(len(model.known)), key=lambda k: model.follows[first, k].value or 0)
    return schedule_of(model.data, NAME, *_told(model, model.known[best]))


def _told(model: Any, one: WholeSchedule) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
    """Return the starts of a schedule, and the GPUs of its jobs, by name."""
    data = model.data
    rows = zip(data.tasks, one.gpus, strict=True)
    gpus = {
        job: {server: count for server, count in zip(data.sizes, counts, strict=True) if count}
        for job, counts in rows
    }
    return dict(zip(data.tasks, one.starts, strict=True)), gpus
