"""OASiS's program: workers and parameter servers always talk across machines.

Source: OASiS (online job scheduling in distributed machine learning clusters).

There, workers are on some machines and parameter servers on others, so the rate is always the slow
one. A job has no more parameter servers than workers. Stated on our instances, a machine that may
hold both may do so, at the slow rate. Its result is a schedule of the instance, because staying
inside a machine only makes a job faster. Its optimum is at most that of `offline`.

Data: as for `offline`. An empty machine h holds at most M_ih workers of job i. Sums over h are over
machines that may hold the summed items and that the job may use. All t are from a_i on.

Variables
    done[i, t] in {0, 1}: job i is admitted and has completed by the end of slot t
    working[i, t] in {0, 1}: it works in slot t
    workers_on[i, h, t] in {0, 1, ...}: its workers on machine h (y_ih(t))
    servers_on[i, h, t] in {0, 1, ...}: its parameter servers (z_ih(t))

Objective
    total_utility: maximise sum_(i,t) u_i(t - a_i) done[i, t]

Constraints
    admitted_once[i]: sum_t done[i, t] <= 1
    workload[i]: sum_(h,t) R_i^out workers_on[i, h, t] >= V_i sum_t done[i, t], divided by V_i
    completion[i, t]: working[i, t] <= sum_(u >= t) done[i, u]
    batch[i, t]: sum_h workers_on[i, h, t] <= F_i working[i, t]
    fits[i, h, t]: workers_on[i, h, t] <= M_ih working[i, t]
    servers[i, t]: gamma_i sum_h servers_on[i, h, t] >= sum_h workers_on[i, h, t]
    few_servers[i, t]: sum_h servers_on[i, h, t] <= sum_h workers_on[i, h, t]
    capacity[h, r, t]: sum_i alpha_i^r workers_on[i, h, t] + beta_i^r servers_on[i, h, t] <= C_h^r

By construction
    arrival: there are no variables before a_i
    horizon: nor after the last slot
    hosts: nor of parts on machines that may not hold them
    regions: nor on machines outside the job's regions

Size: about |I| |H| T (2 variables and 1 row).
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import OnlineInstance, OnlineSchedule
from ...simulation.online import refusal, rooms
from .timed import (
    add_capacity,
    add_done,
    add_sets,
    admitted,
    entries,
    places,
    raise_by,
    schedule_of,
    values,
    write_done,
)

NAME = "oasis"


def refuses(instance: OnlineInstance) -> str | None:
    """Return why the program cannot state `instance`, or None if it can."""
    for job in instance.jobs:
        if job.workers_per_server < 1:
            return (
                f"job {job.name!r} needs more parameter servers than workers "
                f"(workers_per_server {job.workers_per_server}), which OASiS rules out"
            )
    return refusal(instance)


def build(instance: OnlineInstance) -> Any:
    """Return the program of an instance."""
    model = pyo.ConcreteModel()
    add_sets(model, instance)
    add_done(model)
    model.working = pyo.Var(model.present, domain=pyo.Binary)
    model.workers_on = pyo.Var(places(model, model.works), domain=pyo.NonNegativeIntegers)
    model.servers_on = pyo.Var(places(model, model.serves), domain=pyo.NonNegativeIntegers)
    _add_rows(model)
    add_capacity(model, ("workers_on",), ("servers_on",))
    return model


def _add_rows(model: Any) -> None:
    room = rooms(model.instance)
    job_at = {job: i for i, job in enumerate(model.by_name)}
    machine_at = {machine.name: h for h, machine in enumerate(model.instance.machines)}

    @model.Constraint(model.jobs)
    def workload(model: Any, job: str) -> Any:
        data = model.by_name[job]
        part = float(data.rate(False, model.instance.slot_s) / data.work)
        slots = range(data.arrival_slot, model.instance.horizon_slots)
        return sum(part * _held(model, "workers", job, slot) for slot in slots) >= admitted(
            model, job
        )

    @model.Constraint(model.present)
    def completion(model: Any, job: str, slot: int) -> Any:
        return model.working[job, slot] <= admitted(model, job, slot)

    @model.Constraint(model.present)
    def batch(model: Any, job: str, slot: int) -> Any:
        most = model.by_name[job].batch_samples * model.working[job, slot]
        return _held(model, "workers", job, slot) <= most

    @model.Constraint(places(model, model.works))
    def fits(model: Any, job: str, machine: str, slot: int) -> Any:
        most = int(room.workers[job_at[job], machine_at[machine]])
        return model.workers_on[job, machine, slot] <= most * model.working[job, slot]

    @model.Constraint(model.present)
    def servers(model: Any, job: str, slot: int) -> Any:
        served = float(model.by_name[job].workers_per_server) * _held(model, "servers", job, slot)
        return served >= _held(model, "workers", job, slot)

    @model.Constraint(model.present)
    def few_servers(model: Any, job: str, slot: int) -> Any:
        return _held(model, "servers", job, slot) <= _held(model, "workers", job, slot)


def _held(model: Any, part: str, job: str, slot: int) -> Any:
    machines = model.works if part == "workers" else model.serves
    return sum(model.component(f"{part}_on")[job, machine, slot] for machine in machines[job])


def write(model: Any, schedule: OnlineSchedule) -> None:
    """Put a schedule into the variables. A repeated entry is added twice.

    Raises:
        InputError: If there are no variables for an entry of the schedule.
    """
    held = entries(model.instance, schedule)
    write_done(model, schedule)
    for entry in held:
        job, slot = entry.job, entry.slot
        raise_by(model.working[job, slot], 1)
        for part, counts in (("workers", entry.workers), ("servers", entry.servers)):
            for machine, count in counts.items():
                raise_by(model.component(f"{part}_on")[job, machine, slot], count)


def read(model: Any) -> OnlineSchedule:
    """Return the schedule of a point."""
    held = {
        (job, slot): (
            values(model.workers_on, job, slot, model.works[job]),
            values(model.servers_on, job, slot, model.serves[job]),
        )
        for job, slot in model.present
    }
    return schedule_of(model.instance, NAME, held)
