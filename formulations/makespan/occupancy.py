"""A time-indexed relaxation: every job takes its least slots, and its GPUs may move about.

Source: Ringyard, after the time-indexed programs of machine scheduling.

A job is never slower here than alone in its fastest place, and its GPUs may sit elsewhere in every
slot. These changes only help, so the optimum is a lower bound on the makespan under every option of
slotted time and every contention model. Rows by server are no stronger than one pool of GPUs if
GPUs move freely and no job is bound to regions. Rows about places are added to them.

Data: w_j GPUs, r_j release and d_j least slots of job j, O_s GPUs of server s, H horizon.

Variables
    start[j, t] in {0, 1}: job j starts in slot t, for r_j <= t <= H - d_j
    gpus[j, s, t] in {0 .. min(w_j, O_s)}: GPUs of j on s in slot t, for t >= r_j
    makespan_slots in {0 .. H}: the latest end

Objective
    latest_end: minimise makespan_slots

Constraints
    every_job_once[j]: sum_t start[j, t] = 1
    gang[j, t] (1): sum_s gpus[j, s, t] = w_j sum_{t - d_j < u <= t} start[j, u]
    capacity[s, t] (2): sum_j gpus[j, s, t] <= O_s
    makespan[j]: makespan_slots >= sum_t (t + d_j) start[j, t]

By construction
    release: start[j, t] exists for t >= r_j only
    one_kind: instances with kinds of GPUs are refused
    regions: gpus[j, s, t] is 0 where j may not use s
    no_preemption: a job works in the d_j slots from its start

Left out
    held: a job that holds GPUs at slot 0 may start later, or elsewhere
    no_migration: gpus[j, s, t] may change from slot to slot
    completes: d_j slots are enough only for a job that is alone in its fastest place

Size: |J|H (|S| + 1) variables, (|J| + |S|) H + 2 |J| rows.
"""

from typing import Any

import numpy as np
import pyomo.environ as pyo
from scipy.sparse import coo_array

from ...instances import MakespanInstance, Schedule
from ...simulation.makespan.evaluate import unsupported
from ..files.names import label
from ..program import Matrix
from ..rows import unroll
from .data import ProgramData
from .slotwise import empty_model
from .timetable import roomy_data, schedule_of

__all__ = ["NAME", "build", "read", "refuses", "twin", "write"]


def twin(instance: MakespanInstance, horizon: int | None = None) -> Matrix:
    """Return the matrix of the relaxation with all jobs ended by `horizon`."""
    data, last = roomy_data(instance, horizon)
    columns, rows = _columns(data), _rows(data)
    tasks = [(task.gpus, task.release, task.least) for task in data.tasks.values()]
    gpus, release, least = np.array(tasks).T
    sizes, jobs = np.array(list(data.sizes.values())), np.arange(len(gpus))
    # The job and slot of each column `start`, then the job, server and slot of each column `gpus`.
    job, wait = unroll(data.horizon - least - release + 1)
    since = release[job] + wait
    owner, within = unroll((data.horizon - release) * len(sizes))
    server, wait = np.divmod(within, (data.horizon - release)[owner])
    slot = release[owner] + wait
    starts = 1 + np.arange(len(job))
    places = 1 + len(job) + np.arange(len(owner))
    # Numbers of the first rows: of `gang` for each job in slot 0, of `capacity` and `makespan`.
    slots, first = data.horizon - release, int(release.min())
    gang = len(gpus) + np.cumsum(slots) - slots - release
    capacity = len(gpus) + int(slots.sum())
    makespan = capacity + len(sizes) * (data.horizon - first)
    k, later = unroll(least[job])
    blocks = [
        (job, starts, np.ones_like(job)),
        (gang[owner] + slot, places, np.ones_like(owner)),
        (gang[job[k]] + since[k] + later, starts[k], -gpus[job[k]]),
        (capacity + server * (data.horizon - first) + slot - first, places, np.ones_like(owner)),
        (makespan + job, starts, since + least[job]),
        (makespan + jobs, np.zeros_like(jobs), -np.ones_like(jobs)),
    ]
    at_rows, at_columns, values = (np.concatenate(part) for part in zip(*blocks, strict=True))
    shape = (len(rows), len(columns))
    room = np.array([[data.room(job, server) for server in data.sizes] for job in data.tasks])
    most = np.minimum(gpus[owner], room[owner, server])
    equal = np.repeat([1.0, 0.0], [len(gpus), capacity - len(gpus)])
    below = np.full(len(rows) - capacity, -np.inf)
    free = np.repeat(sizes, data.horizon - first).astype(float)
    return Matrix(
        columns=columns,
        rows=rows,
        cost=np.eye(1, len(columns))[0],
        lower=np.zeros(len(columns)),
        upper=np.concatenate([[last], np.ones(len(job)), most]).astype(float),
        integer=np.ones(len(columns), dtype=np.bool_),
        a=coo_array((values.astype(float), (at_rows, at_columns)), shape=shape).tocsr(),
        row_lower=np.concatenate([equal, below]),
        row_upper=np.concatenate([equal, free, np.zeros(len(gpus))]),
    )


def _columns(data: ProgramData) -> tuple[str, ...]:
    starts = (f"start[{label(job)},{t}]" for job in data.tasks for t in data.starts(job))
    servers = [label(server) for server in data.sizes]
    places = (
        f"gpus[{label(job)},{server},{t}]"
        for job, task in data.tasks.items()
        for server in servers
        for t in range(task.release, data.horizon)
    )
    return ("makespan_slots", *starts, *places)


def _rows(data: ProgramData) -> tuple[str, ...]:
    jobs = [label(job) for job in data.tasks]
    slots = range(min(task.release for task in data.tasks.values()), data.horizon)
    return (
        *(f"every_job_once[{job}]" for job in jobs),
        *(f"gang[{label(job)},{t}]" for job, t in data.active()),
        *(f"capacity[{label(server)},{t}]" for server in data.sizes for t in slots),
        *(f"makespan[{job}]" for job in jobs),
    )


NAME = "occupancy"


def refuses(instance: MakespanInstance) -> str | None:
    """Return why `instance` has no such relaxation, or None if it has."""
    if reason := unsupported(instance):
        return reason
    if instance.progress == "continuous":
        return "slot-indexed programs cannot express continuous time, so use `local-search`"
    return None


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the relaxation of an instance with all jobs ended by `horizon`."""
    model = empty_model(instance, horizon)
    _add_data(model)
    _add_variables(model)
    _add_rows(model)
    return model


def _add_data(model: Any) -> None:
    """Add the sets for sums in rows, because Pyomo makes templates only of sums over its sets."""
    data, tasks = model.data, model.data.tasks
    model.starts = pyo.Set(model.jobs, initialize={job: data.starts(job) for job in tasks})
    model.present = pyo.Set(
        model.slots,
        initialize={
            slot: [job for job, task in tasks.items() if task.release <= slot]
            for slot in model.slots
        },
    )
    model.working = pyo.Set(initialize=list(data.active()))
    model.since = pyo.Set(
        model.working,
        initialize={
            (job, slot): [t for t in range(slot - tasks[job].least + 1, slot + 1) if t in starts]
            for job, starts in ((job, data.starts(job)) for job in tasks)
            for slot in range(starts.start, data.horizon)
        },
    )
    model.wanted = pyo.Param(model.jobs, initialize={job: tasks[job].gpus for job in tasks})
    model.least = pyo.Param(model.jobs, initialize={job: tasks[job].least for job in tasks})
    model.sizes = pyo.Param(model.servers, initialize=data.sizes)


def _add_variables(model: Any) -> None:
    data = model.data

    def within(_: Any, job: str, server: str, slot: int) -> tuple[int, int]:
        return 0, min(data.tasks[job].gpus, data.room(job, server))

    starts = [(job, slot) for job in data.tasks for slot in data.starts(job)]
    places = [
        (job, server, slot)
        for job, task in data.tasks.items()
        for server in data.sizes
        for slot in range(task.release, data.horizon)
    ]
    model.start = pyo.Var(starts, domain=pyo.Binary)
    model.gpus = pyo.Var(places, domain=pyo.Integers, bounds=within)


def _add_rows(model: Any) -> None:
    jobs, servers, start, gpus = model.jobs, model.servers, model.start, model.gpus

    @model.Constraint(jobs)
    def every_job_once(model: Any, job: str) -> Any:
        return sum(start[job, slot] for slot in model.starts[job]) == 1

    @model.Constraint(model.working)
    def gang(model: Any, job: str, slot: int) -> Any:
        running = sum(start[job, since] for since in model.since[job, slot])
        return sum(gpus[job, server, slot] for server in servers) == model.wanted[job] * running

    @model.Constraint(servers, [slot for slot in model.slots if model.present[slot]])
    def capacity(model: Any, server: str, slot: int) -> Any:
        return sum(gpus[job, server, slot] for job in model.present[slot]) <= model.sizes[server]

    @model.Constraint(jobs)
    def makespan(model: Any, job: str) -> Any:
        ends = sum((slot + model.least[job]) * start[job, slot] for slot in model.starts[job])
        return ends <= model.makespan_slots


def write(model: Any, schedule: Schedule) -> None:
    """Put a schedule into the variables, each job for its least slots only."""
    tasks = model.data.tasks
    for variable in (*model.start.values(), *model.gpus.values()):
        variable.set_value(0)
    latest = 0
    for entry in schedule.assignments:
        start = int(entry.start_slot)
        latest = max(latest, start + tasks[entry.job].least)
        if (entry.job, start) in model.start:
            model.start[entry.job, start].set_value(1)
        for slot in range(start, start + tasks[entry.job].least):
            for server, count in entry.gpus:
                if (entry.job, server, slot) in model.gpus:
                    model.gpus[entry.job, server, slot].set_value(count, skip_validation=True)
    model.makespan_slots.set_value(latest, skip_validation=True)


def read(model: Any) -> Schedule:
    """Return the schedule with each job's most likely start, and its GPUs in that slot."""
    data = model.data
    starts = {
        job: max(data.starts(job), key=lambda slot: model.start[job, slot].value)
        for job in data.tasks
    }
    gpus = {
        job: {server: model.gpus[job, server, slot].value for server in data.sizes}
        for job, slot in starts.items()
    }
    return schedule_of(data, NAME, starts, gpus)
