"""The program as printed: products, maxima and indicators of integers, slot by slot.

Source: SJF-BCO, arXiv 2207.07817, (1)-(9), with the choices of docs/families/makespan.md. A maximum
is its epigraph: larger values of `rings`, `across` or `overhead_s` than the true ones make a job
slower and never help. An indicator is a binary with a product.

Data: w_j GPUs, F_j iterations, r_j release, m_j gradient, O_s GPUs of server s, b^i, b^e
bandwidths, C reduction, xi_1 share, alpha degradation, xi_2 overhead, sigma seconds in a slot, H
horizon. Slots t are 0 .. H - 1.

Variables
    gpus[j, s, t] in {0 .. min(O_s, w_j)}: GPUs of j on s
    start[j, t] in {0, 1}: j starts in slot t
    run[j, t] in {0, 1}: j is active, j in J[t]
    some[j, s, t] in {0, 1}: 1{gpus[j, s, t] > 0}
    short[j, s, t] in {0, 1}: 1{gpus[j, s, t] < w_j}
    across[j, t] in {0, 1}: j is spread over several servers
    rings[j, t] >= 0: p_j[t], the rings on its busiest server
    effective[j, t] >= 1: k_j[t], the effective number of rings
    bandwidth[j, t] >= 0: B_j[t]
    overhead_s[j, t] >= 0: gamma_j
    iteration_s[j, t] >= 0: tau_j[t]
    done[j, t] >= 0: phi_j[t], iterations per slot, an integer if progress is floor
    makespan_slots >= 0: the latest end

Objective
    latest_end: minimise makespan_slots

Constraints
    every_job_once[j]: sum_t start[j, t] = 1
    release[j]: sum_t t start[j, t] >= r_j
    starts_run[j, t]: start[j, t] <= run[j, t]
    no_preemption[j, t] (3): run[j, t] <= run[j, t-1] + start[j, t]
    no_migration[j, s, t] (3):
      (1 - start[j, t]) run[j, t] (gpus[j, s, t] - gpus[j, s, t-1]) = 0, for t >= 1
    gang[j, t] (1), (4): sum_s gpus[j, s, t] = w_j run[j, t]
    capacity[s, t] (2): sum_j gpus[j, s, t] <= O_s
    some_if_held[j, s, t]: gpus[j, s, t] (1 - some[j, s, t]) = 0
    held_if_some[j, s, t]: some[j, s, t] <= gpus[j, s, t]
    short_if_missing[j, s, t]: (w_j - gpus[j, s, t]) (1 - short[j, s, t]) = 0
    missing_if_short[j, s, t]: short[j, s, t] <= w_j - gpus[j, s, t]
    spread[j, s, t]: across[j, t] >= some[j, s, t] short[j, s, t]
    busiest[j, s, t] (6):
      rings[j, t] >= some[j, s, t] short[j, s, t] sum_j' some[j', s, t] short[j', s, t]
    share[j, t] (7): effective[j, t] >= xi_1 rings[j, t]
    bottleneck[j, t]: bandwidth[j, t] = (1 - across[j, t]) b^i
      + across[j, t] b^e / (effective[j, t] + alpha (effective[j, t] - 1))
    overhead[j, s, t]: paper: overhead_s[j, t] >= xi_2 sum_s' some[j, s', t];
      step: overhead_s[j, t] >= xi_2 across[j, t];
      max_workers_per_server: overhead_s[j, t] >= xi_2 across[j, t] gpus[j, s, t]
    iteration[j, t] (8): iteration_s[j, t] = (m_j / w_j) 2 (w_j - 1) / bandwidth[j, t]
      + (m_j / w_j) (w_j - 1) / C + overhead_s[j, t] + forward and backward time
    rate[j, t] (9): done[j, t] iteration_s[j, t] <= sigma
    completes[j] (9): sum_t done[j, t] run[j, t] / F_j >= 1
    held[j]: start[j, 0] = 1, if j holds GPUs at slot 0
    held_here[j, s]: gpus[j, s, 0] is what j holds then
    makespan[j, t]: makespan_slots >= (t + 1) run[j, t]

By construction
    one_kind: instances with kinds of GPUs are refused
    regions: gpus[j, s, t] is 0 where j may not use s

Size: 3 |J||S|H + 8 |J|H + 1 variables, about 7 |J||S|H + 8 |J|H rows, products of degree 4.
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import MakespanInstance, Schedule
from .data import refuses_slots as refuses
from .slotwise import (
    bandwidths,
    limits,
    quantities,
    read_slots,
    slot_model,
    uplink,
    volume_and_rest,
    write_slots,
)
from .timetable import put

__all__ = ["NAME", "build", "read", "refuses", "write"]

NAME = "nonconvex"


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the program of an instance with all jobs ended by `horizon`."""
    model = slot_model(instance, horizon)
    _add_variables(model)
    _add_constancy_rows(model)
    _add_contention_rows(model)
    _add_progress_rows(model)
    return model


def _add_variables(model: Any) -> None:
    data, jobs, servers, slots = model.data, model.jobs, model.servers, model.slots
    model.some = pyo.Var(jobs, servers, slots, domain=pyo.Binary)
    model.short = pyo.Var(jobs, servers, slots, domain=pyo.Binary)
    ranges = {job.name: limits(data, job) for job in data.instance.jobs}
    for name in ("across", "rings", "effective", "bandwidth", "overhead_s", "iteration_s", "done"):

        def within(_: Any, job: str, slot: int, name: str = name) -> tuple[float, float]:
            low, high = ranges[job][name]
            return float(low), float(high)

        whole = name == "across" or (name == "done" and data.instance.progress == "floor")
        domain = pyo.Integers if whole else pyo.Reals
        model.add_component(name, pyo.Var(jobs, slots, domain=domain, bounds=within))


def _add_constancy_rows(model: Any) -> None:
    jobs, slots, start, run = model.jobs, model.slots, model.start, model.run
    gpus = model.gpus

    @model.Constraint(jobs, slots)
    def starts_run(_: Any, job: str, slot: int) -> Any:
        return start[job, slot] <= run[job, slot]

    @model.Constraint(jobs, slots)
    def no_preemption(_: Any, job: str, slot: int) -> Any:
        return run[job, slot] <= (run[job, slot - 1] if slot else 0) + start[job, slot]

    @model.Constraint(jobs, model.servers, list(slots)[1:])
    def no_migration(_: Any, job: str, server: str, slot: int) -> Any:
        moved = gpus[job, server, slot] - gpus[job, server, slot - 1]
        return (1 - start[job, slot]) * run[job, slot] * moved == 0


def _add_contention_rows(model: Any) -> None:
    jobs, places = model.jobs, model.jobs * model.servers * model.slots
    gpus, some, short, tasks = model.gpus, model.some, model.short, model.data.tasks

    @model.Constraint(places)
    def some_if_held(_: Any, *at: Any) -> Any:
        return gpus[at] * (1 - some[at]) == 0

    @model.Constraint(places)
    def held_if_some(_: Any, *at: Any) -> Any:
        return some[at] <= gpus[at]

    @model.Constraint(places)
    def short_if_missing(_: Any, *at: Any) -> Any:
        return (tasks[at[0]].gpus - gpus[at]) * (1 - short[at]) == 0

    @model.Constraint(places)
    def missing_if_short(_: Any, *at: Any) -> Any:
        return short[at] <= tasks[at[0]].gpus - gpus[at]

    @model.Constraint(places)
    def spread(_: Any, *at: Any) -> Any:
        return model.across[at[0], at[2]] >= some[at] * short[at]

    @model.Constraint(places)
    def busiest(_: Any, job: str, *at: Any) -> Any:
        rings = sum(some[other, at] * short[other, at] for other in jobs)
        return model.rings[job, at[1]] >= some[job, at] * short[job, at] * rings


def _add_progress_rows(model: Any) -> None:
    instance, job_slots = model.data.instance, model.jobs * model.slots
    xi, alpha = map(float, uplink(instance))
    inside, outside = map(float, bandwidths(instance))
    terms = {job.name: volume_and_rest(instance, job) for job in instance.jobs}
    across, effective, bandwidth = model.across, model.effective, model.bandwidth
    overhead_s, iteration_s, done = model.overhead_s, model.iteration_s, model.done

    @model.Constraint(job_slots)
    def share(_: Any, *at: Any) -> Any:
        return effective[at] >= xi * model.rings[at]

    @model.Constraint(job_slots)
    def bottleneck(_: Any, *at: Any) -> Any:
        spread = outside / (effective[at] + alpha * (effective[at] - 1))
        return bandwidth[at] == (1 - across[at]) * inside + across[at] * spread

    # Only the third form has a row for every server.
    several = instance.overhead == "max_workers_per_server"

    @model.Constraint(model.jobs, list(model.servers)[: None if several else 1], model.slots)
    def overhead(_: Any, job: str, server: str, slot: int) -> Any:
        units = _units(model, job, server, slot)
        return overhead_s[job, slot] >= float(instance.overhead_s) * units

    @model.Constraint(job_slots)
    def iteration(_: Any, *at: Any) -> Any:
        volume, rest = map(float, terms[at[0]])
        return iteration_s[at] == volume / bandwidth[at] + rest + overhead_s[at]

    @model.Constraint(job_slots)
    def rate(_: Any, *at: Any) -> Any:
        return done[at] * iteration_s[at] <= float(instance.slot_s)

    @model.Constraint(model.jobs)
    def completes(_: Any, job: str) -> Any:
        worked = sum(done[job, slot] * model.run[job, slot] for slot in model.slots)
        return worked / float(model.data.tasks[job].iterations) >= 1


def _units(model: Any, job: str, server: str, slot: int) -> Any:
    """Return the units of overhead, as far as a server bears on them."""
    form = model.data.instance.overhead
    if form == "paper":
        return sum(model.some[job, each, slot] for each in model.servers)
    across = model.across[job, slot]
    return across if form == "step" else across * model.gpus[job, server, slot]


def write(model: Any, schedule: Schedule) -> None:
    """Put a complete schedule into all variables, as far as it gets within the horizon."""
    followed = write_slots(model, schedule)
    for job in model.data.instance.jobs:
        for slot in model.slots:
            values = quantities(model.data, job, followed[job.name], slot)
            for name, value in values.items():
                put(model.component(name), (job.name, slot), value)
    for at, held in model.gpus.items():
        put(model.some, at, held.value > 0)
        put(model.short, at, held.value < model.data.tasks[at[0]].gpus)


def read(model: Any) -> Schedule:
    """Take starts and GPUs out of the variables, rounded to integers."""
    return read_slots(model, NAME)
