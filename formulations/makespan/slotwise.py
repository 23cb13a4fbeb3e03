"""The common part of programs with GPUs slot by slot: (1), (2), (4) to (9), and the objective."""

from fractions import Fraction
from math import floor
from typing import Any

import pyomo.environ as pyo

from ...instances import MakespanInstance, RingJob, Schedule
from ...simulation.makespan.evaluate import extremes
from ...simulation.model import parts, slowdown
from .data import ProgramData
from .timetable import JobSlots, courses, put, roomy_data, schedule_of


def uplink(instance: MakespanInstance) -> tuple[Fraction, Fraction]:
    """Return share and degradation of the contention model, xi_1 and alpha."""
    model: Any = instance.contention
    return Fraction(model.share), Fraction(model.degradation)


def bandwidths(instance: MakespanInstance) -> tuple[Fraction, Fraction]:
    """Return b^i and b^e."""
    cluster = instance.cluster
    return Fraction(cluster.intra_bandwidth_gb_s), Fraction(cluster.inter_bandwidth_gb_s)


def volume_and_rest(instance: MakespanInstance, job: RingJob) -> tuple[Fraction, Fraction]:
    """Return the volume that a ring transfers per iteration, and the seconds that are fixed."""
    terms = parts(instance, job)
    return terms.transfer_s * bandwidths(instance)[1], terms.spread_s


def limits(data: ProgramData, job: RingJob) -> dict[str, tuple[Any, Any]]:
    """Return the least and the greatest value of every quantity of a job."""
    instance = data.instance
    inside, outside = bandwidths(instance)
    share, degradation = uplink(instance)
    extreme = dict(zip(data.tasks, extremes(instance), strict=True))[job.name]
    units = data.units(min(job.gpus, len(data.sizes)), min(job.gpus, max(data.sizes.values())))
    rate = Fraction(instance.slot_s) / extreme.fastest_s
    return {
        "across": (0, 1),
        "rings": (0, data.most_rings),
        "effective": (1, max(1, share * data.most_rings)),
        "bandwidth": (outside / slowdown(share, degradation, data.most_rings), inside),
        "overhead_s": (0, units * Fraction(instance.overhead_s)),
        "iteration_s": (parts(instance, job).alone_s, extreme.slowest_s),
        "done": (0, floor(rate) if instance.progress == "floor" else rate),
    }


def quantities(data: ProgramData, job: RingJob, course: JobSlots, slot: int) -> dict[str, Any]:
    """Return the values in a slot, those of a ring without GPUs if the job does not work."""
    instance = data.instance
    works, rings = slot in course.rings, course.rings.get(slot, 0)
    share, degradation = uplink(instance)
    inside, outside = bandwidths(instance)
    volume, rest = volume_and_rest(instance, job)
    bandwidth = outside / slowdown(share, degradation, rings) if rings else inside
    units = data.units(len(course.gpus), course.most) if works else 0
    overhead_s = units * Fraction(instance.overhead_s)
    return {
        "across": int(rings > 0),
        "rings": rings,
        "effective": max(1, share * rings),
        "bandwidth": bandwidth,
        "overhead_s": overhead_s,
        "iteration_s": volume / bandwidth + rest + overhead_s,
        "done": data.rate(job.name, len(course.gpus), course.most, rings) if works else 0,
    }


def empty_model(instance: MakespanInstance, horizon: int | None) -> Any:
    """Return a model with jobs, servers and slots, with the makespan as the only variable."""
    model = pyo.ConcreteModel()
    model.data, last = roomy_data(instance, horizon)
    model.jobs = pyo.Set(initialize=list(model.data.tasks))
    model.servers = pyo.Set(initialize=list(model.data.sizes))
    model.slots = pyo.RangeSet(0, model.data.horizon - 1)
    model.makespan_slots = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, last))
    model.latest_end = pyo.Objective(expr=model.makespan_slots)
    return model


def slot_model(instance: MakespanInstance, horizon: int | None) -> Any:
    """Return a model of who has which GPUs when, without contention and progress."""
    model = empty_model(instance, horizon)
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

    _add_held_rows(model)


def _add_held_rows(model: Any) -> None:
    """Let jobs that hold GPUs at slot 0 start then, on these GPUs."""
    tasks = {job: task for job, task in model.data.tasks.items() if task.held}

    @model.Constraint(list(tasks))
    def held(_: Any, job: str) -> Any:
        return model.start[job, 0] == 1

    @model.Constraint(list(tasks), list(model.data.sizes))
    def held_here(_: Any, job: str, server: str) -> Any:
        at = (job, server) if (job, server) in model.gpus else (job, server, 0)
        return model.gpus[at] == dict(tasks[job].held).get(server, 0)


def write_slots(model: Any, schedule: Schedule) -> dict[str, JobSlots]:
    """Put a complete schedule into these variables, and return the work of its jobs."""
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
