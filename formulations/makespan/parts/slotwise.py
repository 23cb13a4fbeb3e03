"""What the programs with GPUs slot by slot share: (1), (2), (4), (5), and the objective."""

from typing import Any

import pyomo.environ as pyo

from ....instances import MakespanInstance, Schedule
from .timetable import JobSlots, courses, put, roomy_data, schedule_of


def slot_model(instance: MakespanInstance, horizon: int | None) -> Any:
    """Return a model of who has which GPUs when, without contention and progress."""
    model = pyo.ConcreteModel()
    model.data, last = roomy_data(instance, horizon)
    model.jobs = pyo.Set(initialize=list(model.data.tasks))
    model.servers = pyo.Set(initialize=list(model.data.sizes))
    model.slots = pyo.RangeSet(0, model.data.horizon - 1)
    model.makespan_slots = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, last))
    model.latest_end = pyo.Objective(expr=model.makespan_slots)
    _add_variables(model)
    _add_rows(model)
    return model


def _add_variables(model: Any) -> None:
    jobs, servers, slots, data = model.jobs, model.servers, model.slots, model.data

    def most(_: Any, job: str, server: str, slot: int) -> tuple[int, int]:
        return 0, min(data.room(job, server), data.tasks[job].gpus)

    model.gpus = pyo.Var(jobs, servers, slots, domain=pyo.Integers, bounds=most)
    model.start = pyo.Var(jobs, slots, domain=pyo.Binary)
    model.run = pyo.Var(jobs, slots, domain=pyo.Binary)


def _add_rows(model: Any) -> None:
    jobs, servers, slots, data = model.jobs, model.servers, model.slots, model.data
    gpus, start, run = model.gpus, model.start, model.run

    @model.Constraint(jobs)
    def every_job_once(_: Any, job: str) -> Any:
        return sum(start[job, slot] for slot in slots) == 1

    @model.Constraint(jobs)
    def release(_: Any, job: str) -> Any:
        return sum(slot * start[job, slot] for slot in slots) >= data.tasks[job].release

    @model.Constraint(jobs, slots)
    def gang(_: Any, job: str, slot: int) -> Any:
        held = sum(gpus[job, server, slot] for server in servers)
        return held == data.tasks[job].gpus * run[job, slot]

    @model.Constraint(servers, slots)
    def capacity(_: Any, server: str, slot: int) -> Any:
        return sum(gpus[job, server, slot] for job in jobs) <= data.sizes[server]

    @model.Constraint(jobs, slots)
    def makespan(_: Any, job: str, slot: int) -> Any:
        return model.makespan_slots >= (slot + 1) * run[job, slot]


def write_slots(model: Any, schedule: Schedule) -> dict[str, JobSlots]:
    """Put a complete schedule into these variables, and return what its jobs do."""
    followed = courses(model.data, schedule)
    put(model.makespan_slots, None, max(course.end for course in followed.values()))
    for job, course in followed.items():
        for slot in model.slots:
            works = slot in course.rings
            put(model.start, (job, slot), slot == course.start)
            put(model.run, (job, slot), works)
            for server in model.servers:
                held = course.gpus.get(server, 0) if works else 0
                put(model.gpus, (job, server, slot), held)
    return followed


def read_slots(model: Any, method: str) -> Schedule:
    """Take starts and GPUs out of these variables, rounded to integers."""
    starts, gpus = {}, {}
    for job in model.jobs:
        starts[job] = sum(slot * pyo.value(model.start[job, slot]) for slot in model.slots)
        slot = round(starts[job])
        gpus[job] = {server: pyo.value(model.gpus[job, server, slot]) for server in model.servers}
    return schedule_of(model.data, method, starts, gpus)
