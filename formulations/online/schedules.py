"""One variable for each schedule of each job: which of them are taken.

Source: PD-ORS (online scheduling and placement of parameter-server training jobs), and OASiS before
it: the program whose dual variables are the prices of both.

A schedule l of job i is a choice of workers and parameter servers for some slots, enough for all
its samples (B1), within its batch (B2) and with the servers that it needs (B4). Constraints of a
single job are inside its schedules, and rows state the shared resources. There are exponentially
many. Only undominated ones are listed, for small instances.

Data: u_i utility and a_i arrival of job i, t_il the slot in which schedule l completes, w_ilh[t]
workers and s_ilh[t] servers on machine h, alpha_i^r, beta_i^r, C_h^r as for `offline`.

Variables
    taken[i, l] in {0, 1}: job i is admitted with schedule l

Objective
    total_utility: maximise sum_(i,l) u_i(t_il - a_i) taken[i, l]

Constraints
    admitted_once[i]: sum_l taken[i, l] <= 1
    capacity[h, r, t] (B3): sum_(i,l) (alpha_i^r w_ilh[t] + beta_i^r s_ilh[t]) taken[i, l] <= C_h^r

By construction
    workload: a schedule goes through all samples
    batch: with no more workers than F_i
    servers: and a server for every gamma_i workers, or part
    arrival: from a_i on
    horizon: up to the last slot
    hosts: on machines that may hold its tasks
    regions: and that are in the job's regions
    completion: t_il is the last slot of schedule l

The dual of its linear relaxation: a price p_h^r[t] >= 0 of every capacity row, a payoff
lambda_i >= 0 of every job,

    minimise sum_(h,r,t) C_h^r p_h^r[t] + sum_i lambda_i
    subject to lambda_i >= u_i(t_il - a_i) - sum_(h,r,t) p_h^r[t] (alpha_i^r w_ilh[t]
        + beta_i^r s_ilh[t]) for all i, l.

At given prices the least lambda_i is the payoff of the best schedule, so to price is to find the
cheapest schedule of a job by each slot: the dynamic program over slots of both papers. Whatever is
at least that payoff gives an upper bound on every schedule of the instance.

Size: as many columns as schedules, |I| + |H| R T rows.
"""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from itertools import islice, product
from typing import Any, NamedTuple

import pyomo.environ as pyo

from ...instances import OnlineInstance, OnlineSchedule, TrainingJob
from ...instances.errors import InputError
from ...instances.online import Machine
from ...instances.regions import may_run
from ...simulation.online import refusal, servers_needed
from .timed import entries, schedule_of

Use = dict[tuple[str, str], Fraction]
"""Amounts taken, by machine and resource."""


class WorkerChoice(NamedTuple):
    """Workers and parameter servers by machine, with their rate and resources."""

    workers: dict[str, int]
    servers: dict[str, int]
    samples: Fraction
    use: Use


Course = tuple[tuple[int, WorkerChoice], ...]
"""A schedule of one job: slots in which it works, with its choices."""


def choices(instance: OnlineInstance, job: TrainingJob) -> list[WorkerChoice]:
    """Return the choices of a job on empty machines, without dominated ones."""
    found = sorted(_all(instance, job), key=lambda c: (-c.samples, sum(c.use.values())))
    kept: list[WorkerChoice] = []
    for choice in found:
        if not any(within(other.use, choice.use) for other in kept):
            kept.append(choice)
    return kept


def courses(instance: OnlineInstance, job: TrainingJob) -> Iterator[Course]:
    """Yield every schedule of a job in which no slot could be left out."""
    options, last = choices(instance, job), instance.horizon_slots
    most = max((choice.samples for choice in options), default=Fraction(0))

    def extend(course: Course, slot: int, left: Fraction) -> Iterator[Course]:
        if left <= 0:
            if all(choice.samples > -left for _, choice in course):
                yield course
        elif left <= most * (last - slot):
            yield from extend(course, slot + 1, left)
            for choice in options:
                yield from extend((*course, (slot, choice)), slot + 1, left - choice.samples)

    yield from extend((), job.arrival_slot, Fraction(job.work))


def within(small: Use, large: Use) -> bool:
    """Return True if one takes no more than the other of anything."""
    return all(amount <= large.get(key, 0) for key, amount in small.items())


def _all(instance: OnlineInstance, job: TrainingJob) -> Iterator[WorkerChoice]:
    gamma = Fraction(job.workers_per_server)
    for workers in _spreads(instance, "worker", job, job.batch_samples):
        count = sum(workers.values())
        need = servers_needed(count, gamma)
        for servers in _spreads(instance, "server", job, need) if count else ():
            use = taken(job, workers, servers)
            if sum(servers.values()) == need and _fits(instance, use):
                rate = job.rate(len(workers | servers) == 1, instance.slot_s)
                yield WorkerChoice(workers, servers, count * rate, use)


def _spreads(
    instance: OnlineInstance, part: str, job: TrainingJob, most: int
) -> Iterator[dict[str, int]]:
    """Yield all placements of up to `most` workers or servers on empty machines."""
    demand = dict(getattr(job, part))
    limits = [
        _most(machine, part, demand, most) if may_run(job, machine) else 0
        for machine in instance.machines
    ]
    for counts in product(*(range(limit + 1) for limit in limits)):
        if sum(counts) <= most:
            pairs = zip(instance.machines, counts, strict=True)
            yield {machine.name: count for machine, count in pairs if count}


def _most(machine: Machine, part: str, demand: dict[str, Decimal], most: int) -> int:
    if machine.hosts not in ("both", f"{part}s"):
        return 0
    room = dict(machine.capacity)
    fits = [int(room.get(resource, 0) // amount) for resource, amount in demand.items()]
    return min([most, *fits])


def taken(job: TrainingJob, workers: dict[str, int], servers: dict[str, int]) -> Use:
    """Return the resources of workers and parameter servers."""
    use: Use = {}
    for demand, counts in ((job.worker, workers), (job.server, servers)):
        for machine, count in counts.items():
            for resource, amount in demand:
                key = machine, resource
                use[key] = use.get(key, Fraction(0)) + count * Fraction(amount)
    return use


def _fits(instance: OnlineInstance, use: Use) -> bool:
    room = {
        (m.name, resource): amount for m in instance.machines for resource, amount in m.capacity
    }
    return all(amount <= room.get(key, 0) for key, amount in use.items())


NAME = "schedules"

MOST_SCHEDULES = 20_000
"""Jobs that have more are refused by `build`."""


def refuses(instance: OnlineInstance) -> str | None:
    """Return why the schedules of `instance` cannot be listed, or None if they can."""
    for job in instance.jobs:
        found = islice(courses(instance, job), MOST_SCHEDULES + 1)
        if sum(1 for _ in found) > MOST_SCHEDULES:
            return (
                f"job {job.name!r} has more than {MOST_SCHEDULES:,} schedules, so use "
                "`offline`, which does not list them"
            )
    return refusal(instance)


def build(instance: OnlineInstance) -> Any:
    """Return the program of an instance with all schedules listed."""
    model = pyo.ConcreteModel()
    model.instance = instance
    model.by_name = {job.name: job for job in instance.jobs}
    model.listed = {name: list(courses(instance, job)) for name, job in model.by_name.items()}
    pairs = [(job, k) for job, known in model.listed.items() for k in range(len(known))]
    model.taken = pyo.Var(pairs, domain=pyo.Binary)
    model.total_utility = pyo.Objective(
        expr=sum(_worth(model, *pair) * model.taken[pair] for pair in pairs), sense=pyo.maximize
    )
    _add_rows(model)
    return model


def _worth(model: Any, job: str, k: int) -> float:
    return float(model.by_name[job].worth(model.listed[job][k][-1][0]))


def _add_rows(model: Any) -> None:
    terms: dict[tuple[str, str, int], list[Any]] = {}
    for (job, k), variable in model.taken.items():
        for slot, choice in model.listed[job][k]:
            for (machine, resource), amount in choice.use.items():
                terms.setdefault((machine, resource, slot), []).append(float(amount) * variable)
    room = {machine.name: dict(machine.capacity) for machine in model.instance.machines}

    @model.Constraint([job for job, known in model.listed.items() if known])
    def admitted_once(model: Any, job: str) -> Any:
        return sum(model.taken[job, k] for k in range(len(model.listed[job]))) <= 1

    @model.Constraint(list(terms))
    def capacity(_: Any, machine: str, resource: str, slot: int) -> Any:
        return sum(terms[machine, resource, slot]) <= float(room[machine].get(resource, 0))


def write(model: Any, schedule: OnlineSchedule) -> None:
    """Put a schedule into the variables: for each job a listed one that needs no more.

    Raises:
        InputError: If an admission does not go through its samples, or not on empty machines.
    """
    plans: dict[str, dict[int, Any]] = {}
    for held in entries(model.instance, schedule):
        use = taken(model.by_name[held.job], held.workers, held.servers)
        plans.setdefault(held.job, {})[held.slot] = use
    model.taken.set_values(dict.fromkeys(model.taken, 0))
    for job, plan in plans.items():
        inside = (
            k
            for k, course in enumerate(model.listed[job])
            if all(slot in plan and within(choice.use, plan[slot]) for slot, choice in course)
        )
        found = next(inside, None)
        if found is None:
            expected = "a plan that alone would complete the job"
            raise InputError.of("schedule", "admissions", job, expected, "correct it")
        model.taken[job, found].set_value(1)


def read(model: Any) -> OnlineSchedule:
    """Return the schedule of a point."""
    held = {
        (job, slot): (choice.workers, choice.servers)
        for (job, k), variable in model.taken.items()
        if round(variable.value)
        for slot, choice in model.listed[job][k]
    }
    return schedule_of(model.instance, NAME, held)
