"""All slots at once, with every arrival known: the offline optimum.

Source: PD-ORS (online scheduling and placement of parameter-server training jobs), (B1)-(B5). The
choice of a place in every slot, which makes the rate linear, is Ringyard's.

A job that works in a slot does so either inside one machine, where its rate is the fast one, or
across machines, at the slow one. Workers inside a machine and across are different variables,
so the samples of a slot are linear in them, and the workers that fit bound them tightly.

Data: a_i arrival, V_i = E_i K_i samples, F_i batch, gamma_i workers on a server, alpha_i^r and
beta_i^r the needs of a worker and a server, R_i^in and R_i^out samples of a worker in a slot, u_i
utility of job i, C_h^r capacity of machine h, T slots. Of job i, an empty machine h holds at most
N_ih workers with their servers, and M_ih workers without. Sums over h are over machines that may
hold the summed items and that the job may use. Inside is only a machine that may hold both. All t
are from a_i on.

Variables
    done[i, t] in {0, 1}: job i is admitted and has completed by the end of slot t
    inside[i, h, t] in {0, 1}: in slot t it works on machine h alone
    across[i, t] in {0, 1}: in slot t it works across machines
    workers_inside[i, h, t] in {0, 1, ...}: its workers there
    servers_inside[i, h, t] in {0, 1, ...}: its parameter servers there
    workers_across[i, h, t] in {0, 1, ...}: its workers on machine h, across machines
    servers_across[i, h, t] in {0, 1, ...}: its parameter servers on machine h, across machines

Objective
    total_utility: maximise sum_(i,t) u_i(t - a_i) done[i, t]

Constraints
    admitted_once[i]: sum_t done[i, t] <= 1
    workload[i] (B1): sum_(h,t) R_i^in workers_inside[i, h, t] + R_i^out workers_across[i, h, t]
        >= V_i sum_t done[i, t], divided by V_i
    completion[i, t] (B5): across[i, t] + sum_h inside[i, h, t] <= sum_(u >= t) done[i, u]
    batch[i, t] (B2): sum_h workers_inside[i, h, t] + workers_across[i, h, t]
        <= F_i (across[i, t] + sum_h inside[i, h, t])
    fits_inside[i, h, t]: workers_inside[i, h, t] <= N_ih inside[i, h, t]
    fits_across[i, h, t]: workers_across[i, h, t] <= M_ih across[i, t]
    servers_beside[i, h, t]: gamma_i servers_inside[i, h, t] >= workers_inside[i, h, t]
    servers[i, t] (B4): gamma_i sum_h (servers_inside[i, h, t] + servers_across[i, h, t])
        >= sum_h (workers_inside[i, h, t] + workers_across[i, h, t])
    capacity[h, r, t] (B3): sum_i alpha_i^r (workers_inside + workers_across)[i, h, t]
        + beta_i^r (servers_inside + servers_across)[i, h, t] <= C_h^r

By construction
    arrival: there are no variables before a_i
    horizon: nor after the last slot
    hosts: nor of parts on machines that may not hold them
    regions: nor on machines outside the job's regions

A job may complete later than `done` shows only if that slot is worth no less. Because a utility
never grows, the optimum is that of the instance.

Size: about |I| |H| T (5 variables and 3 rows).
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import OnlineInstance, OnlineSchedule
from ...simulation.online import refusal as refuses
from ...simulation.online import rooms
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

__all__ = ["NAME", "build", "read", "refuses", "write"]

NAME = "offline"


def build(instance: OnlineInstance) -> Any:
    """Return the program of an instance."""
    model = pyo.ConcreteModel()
    add_sets(model, instance)
    add_done(model)
    model.inside = pyo.Var(places(model, model.both), domain=pyo.Binary)
    model.across = pyo.Var(model.present, domain=pyo.Binary)
    whole = pyo.NonNegativeIntegers
    model.workers_inside = pyo.Var(places(model, model.both), domain=whole)
    model.servers_inside = pyo.Var(places(model, model.both), domain=whole)
    model.workers_across = pyo.Var(places(model, model.works), domain=whole)
    model.servers_across = pyo.Var(places(model, model.serves), domain=whole)
    _add_rows(model)
    _add_room(model)
    add_capacity(model, ("workers_inside", "workers_across"), ("servers_inside", "servers_across"))
    return model


def _add_rows(model: Any) -> None:
    """Add the rows of a job over its slots, and in each slot."""

    @model.Constraint(model.jobs)
    def workload(model: Any, job: str) -> Any:
        data, slot_s = model.by_name[job], model.instance.slot_s
        fast, slow = (float(data.rate(inside, slot_s) / data.work) for inside in (True, False))
        slots = range(data.arrival_slot, model.instance.horizon_slots)
        return sum(
            fast * _workers_inside(model, job, slot) + slow * _workers_across(model, job, slot)
            for slot in slots
        ) >= admitted(model, job)

    @model.Constraint(model.present)
    def completion(model: Any, job: str, slot: int) -> Any:
        return _working(model, job, slot) <= admitted(model, job, slot)

    @model.Constraint(model.present)
    def batch(model: Any, job: str, slot: int) -> Any:
        most = model.by_name[job].batch_samples * _working(model, job, slot)
        return _workers_inside(model, job, slot) + _workers_across(model, job, slot) <= most

    @model.Constraint(model.present)
    def servers(model: Any, job: str, slot: int) -> Any:
        inside = sum(model.servers_inside[job, machine, slot] for machine in model.both[job])
        across = sum(model.servers_across[job, machine, slot] for machine in model.serves[job])
        workers = _workers_inside(model, job, slot) + _workers_across(model, job, slot)
        return _gamma(model, job) * (inside + across) >= workers

    @model.Constraint(places(model, model.both))
    def servers_beside(model: Any, *place: Any) -> Any:
        held = _gamma(model, place[0]) * model.servers_inside[place]
        return held >= model.workers_inside[place]


def _add_room(model: Any) -> None:
    """Add that workers are where the job works, no more than an empty machine holds."""
    room = rooms(model.instance)
    job_at = {job: i for i, job in enumerate(model.by_name)}
    machine_at = {machine.name: h for h, machine in enumerate(model.instance.machines)}

    @model.Constraint(places(model, model.both))
    def fits_inside(model: Any, *place: Any) -> Any:
        most = int(room.inside[job_at[place[0]], machine_at[place[1]]])
        return model.workers_inside[place] <= most * model.inside[place]

    @model.Constraint(places(model, model.works))
    def fits_across(model: Any, job: str, machine: str, slot: int) -> Any:
        most = int(room.workers[job_at[job], machine_at[machine]])
        return model.workers_across[job, machine, slot] <= most * model.across[job, slot]


def _working(model: Any, job: str, slot: int) -> Any:
    inside = sum(model.inside[job, machine, slot] for machine in model.both[job])
    return model.across[job, slot] + inside


def _workers_inside(model: Any, job: str, slot: int) -> Any:
    return sum(model.workers_inside[job, machine, slot] for machine in model.both[job])


def _workers_across(model: Any, job: str, slot: int) -> Any:
    return sum(model.workers_across[job, machine, slot] for machine in model.works[job])


def _gamma(model: Any, job: str) -> float:
    return float(model.by_name[job].workers_per_server)


def write(model: Any, schedule: OnlineSchedule) -> None:
    """Put a schedule into the variables. A repeated entry is added twice.

    Raises:
        InputError: If there are no variables for an entry of the schedule.
    """
    held = entries(model.instance, schedule)
    write_done(model, schedule)
    for entry in held:
        job, slot = entry.job, entry.slot
        inside = entry.inside in model.both[job]
        raise_by(model.inside[job, entry.inside, slot] if inside else model.across[job, slot], 1)
        mode = "inside" if inside else "across"
        for part, counts in (("workers", entry.workers), ("servers", entry.servers)):
            variable = model.component(f"{part}_{mode}")
            for machine, count in counts.items():
                raise_by(variable[job, machine, slot], count)


def read(model: Any) -> OnlineSchedule:
    """Return the schedule of a point: only inside amounts if a job works inside, else all."""
    held = {}
    for job, slot in model.present:
        workers, servers = (_read(model, part, job, slot) for part in ("workers", "servers"))
        held[job, slot] = workers, servers
    return schedule_of(model.instance, NAME, held)


def _read(model: Any, part: str, job: str, slot: int) -> dict[str, float]:
    inside = values(model.component(f"{part}_inside"), job, slot, model.both[job])
    if any(round(model.inside[job, machine, slot].value) for machine in model.both[job]):
        return {m: n for m, n in inside.items() if round(model.inside[job, m, slot].value)}
    machines = model.works if part == "workers" else model.serves
    across = values(model.component(f"{part}_across"), job, slot, machines[job])
    return {m: across.get(m, 0) + inside.get(m, 0) for m in across | inside}
