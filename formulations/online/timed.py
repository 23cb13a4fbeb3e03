"""The common part of programs over all slots: sets, completions, capacities, plans in and out."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import pyomo.environ as pyo

from ...instances import OnlineInstance, OnlineSchedule, digest
from ...instances.errors import Problem, Words, raise_any
from ...instances.online import Admission, SlotPlan
from ...instances.regions import may_run

Counts = Mapping[str, float]


class PlanEntry(NamedTuple):
    """An entry of a plan, with the machine that holds all of it, or None."""

    job: str
    slot: int
    workers: dict[str, int]
    servers: dict[str, int]
    inside: str | None


def entries(instance: OnlineInstance, schedule: OnlineSchedule) -> list[PlanEntry]:
    """Return all entries of a schedule.

    Raises:
        InputError: If no program with slots has variables for the schedule.
    """
    raise_any("schedule", _inexpressible(instance, schedule))
    found = []
    for admission in schedule.admissions:
        for entry in admission.plan:
            workers, servers = dict(entry.workers), dict(entry.servers)
            places = list(workers | servers)
            inside = places[0] if len(places) == 1 else None
            found.append(PlanEntry(admission.job, entry.slot, workers, servers, inside))
    return found


def _inexpressible(instance: OnlineInstance, schedule: OnlineSchedule) -> Iterator[Problem]:
    jobs = {job.name: job for job in instance.jobs}
    machines = {machine.name: machine for machine in instance.machines}
    for i, admission in enumerate(schedule.admissions):
        job = jobs.get(admission.job)
        if job is None:
            expected = "the name of a job"
            yield Problem(f"admissions[{i}].job", admission.job, expected, "correct or remove it")
            continue
        slots = [entry.slot for entry in admission.plan]
        if admission.completion_slot is not None:
            slots.append(admission.completion_slot)
        for slot in slots:
            if not job.arrival_slot <= slot < instance.horizon_slots:
                expected = f"a slot from {job.arrival_slot} to {instance.horizon_slots - 1}"
                yield Problem(f"admissions[{i}].plan", slot, expected, "move or remove it")
        for entry in admission.plan:
            for part, held in (("workers", entry.workers), ("servers", entry.servers)):
                for name, _ in held:
                    if name not in machines or not machines[name].may_hold(part):  # type: ignore[arg-type]
                        expected = f"a machine that may hold {part}"
                        path = f"admissions[{i}].plan"
                        yield Problem(path, Words(name), expected, "correct or remove it")
                    elif not may_run(job, machines[name]):
                        expected = "a machine in a region that the job may run in"
                        path = f"admissions[{i}].plan"
                        yield Problem(path, Words(name), expected, "correct or remove it")


def schedule_of(
    instance: OnlineInstance, method: str, held: Mapping[tuple[str, int], tuple[Counts, Counts]]
) -> OnlineSchedule:
    """Return the schedule of workers and servers by job and slot, rounded to whole ones.

    A slot without workers is left out, and so is a job without slots.
    """
    plans: dict[str, list[SlotPlan]] = {}
    for (job, slot), (workers, servers) in sorted(held.items(), key=lambda item: item[0][1]):
        if whole := _pieces(workers):
            entry = SlotPlan(slot=slot, workers=whole, servers=_pieces(servers))
            plans.setdefault(job, []).append(entry)
    return OnlineSchedule(
        instance=instance.name,
        digest=digest(instance),
        method=method,
        admissions=tuple(
            Admission(job=job.name, plan=tuple(plans[job.name]))
            for job in instance.jobs
            if job.name in plans
        ),
    )


def _pieces(counts: Counts) -> tuple[tuple[str, int], ...]:
    rounded = {machine: round(count) for machine, count in counts.items()}
    return tuple(sorted((machine, count) for machine, count in rounded.items() if count))


def add_sets(model: Any, instance: OnlineInstance) -> None:
    """Add jobs, the machines that each may use, and the pairs of job and possible slot."""
    model.instance, last = instance, instance.horizon_slots
    model.by_name = {job.name: job for job in instance.jobs}
    model.jobs = pyo.Set(initialize=list(model.by_name))
    works = [m for m in instance.machines if m.may_hold("workers")]
    serves = [m for m in instance.machines if m.may_hold("servers")]
    both = [m for m in works if m.may_hold("servers")]
    model.works, model.serves, model.both = (
        {job.name: [m.name for m in some if may_run(job, m)] for job in instance.jobs}
        for some in (works, serves, both)
    )
    model.present = [
        (job.name, slot) for job in instance.jobs for slot in range(job.arrival_slot, last)
    ]


def places(model: Any, machines: Mapping[str, list[str]]) -> list[tuple[str, str, int]]:
    """Return job, machine and slot wherever the job may have something."""
    return [(job, machine, slot) for job, slot in model.present for machine in machines[job]]


def add_done(model: Any) -> None:
    """Add completions, their worth, and the limit of one per job."""
    jobs = model.by_name
    model.done = pyo.Var(model.present, domain=pyo.Binary)
    model.total_utility = pyo.Objective(
        expr=sum(
            float(jobs[job].worth(slot)) * model.done[job, slot] for job, slot in model.present
        ),
        sense=pyo.maximize,
    )

    @model.Constraint(model.jobs)
    def admitted_once(model: Any, job: str) -> Any:
        return admitted(model, job) <= 1


def admitted(model: Any, job: str, since: int = 0) -> Any:
    """Return the expression that is 1 if the job completes in slot `since` or later."""
    first = max(since, model.by_name[job].arrival_slot)
    return sum(model.done[job, slot] for slot in range(first, model.instance.horizon_slots))


def add_capacity(model: Any, workers: Iterable[str], servers: Iterable[str]) -> None:
    """Add that no machine holds more than it has, over these variables of [job, machine, slot]."""
    terms: dict[tuple[str, str, int], list[Any]] = {}
    for names, part in ((workers, "worker"), (servers, "server")):
        for job, machine, slot, variable in _all(model, names):
            for resource, amount in getattr(model.by_name[job], part):
                key = machine, resource, slot
                terms.setdefault(key, []).append(float(amount) * variable)
    room = {machine.name: dict(machine.capacity) for machine in model.instance.machines}

    @model.Constraint(list(terms))
    def capacity(_: Any, machine: str, resource: str, slot: int) -> Any:
        return sum(terms[machine, resource, slot]) <= float(room[machine].get(resource, 0))


def _all(model: Any, names: Iterable[str]) -> Any:
    for name in names:
        for (job, machine, slot), variable in model.component(name).items():
            yield job, machine, slot, variable


def write_done(model: Any, schedule: OnlineSchedule) -> None:
    """Set all variables to 0, and completions to the ones of a schedule."""
    for variable in model.component_data_objects(pyo.Var):
        variable.set_value(0)
    for admission in schedule.admissions:
        last = admission.completion_slot
        if last is None:
            last = max(entry.slot for entry in admission.plan)
        raise_by(model.done[admission.job, last], 1)


def raise_by(variable: Any, count: int) -> None:
    """Raise a variable, also beyond its bounds: the violated rows then show the error."""
    variable.set_value(variable.value + count, skip_validation=True)


def values(variable: Any, job: str, slot: int, machines: Iterable[str]) -> dict[str, float]:
    """Return a job's amounts on each machine in a slot, from one of its variables."""
    return {machine: variable[job, machine, slot].value or 0.0 for machine in machines}
