"""What the programs over all slots share: sets, completions and capacities."""

from collections.abc import Iterable, Mapping
from typing import Any

import pyomo.environ as pyo

from ...instances import OnlineInstance, OnlineSchedule
from ...instances.regions import may_run
from .plans import ends


def add_sets(model: Any, instance: OnlineInstance) -> None:
    """Add jobs, what machines each may use, and the pairs of job and slot in which it may work."""
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
    """Add completions, what they are worth, and that there is one at most."""
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
    """Return 1 if the job completes in slot `since` or later, as an expression."""
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
    """Set all variables to 0, and completions to what a schedule says."""
    for variable in model.component_data_objects(pyo.Var):
        variable.set_value(0)
    for job, slot in ends(schedule):
        raise_by(model.done[job, slot], 1)


def raise_by(variable: Any, count: int) -> None:
    """Raise a variable, also beyond its bounds: the rows then say what is wrong."""
    variable.set_value(variable.value + count, skip_validation=True)


def values(variable: Any, job: str, slot: int, machines: Iterable[str]) -> dict[str, float]:
    """Return what a job has on each machine in a slot, by one of its variables."""
    return {machine: variable[job, machine, slot].value or 0.0 for machine in machines}
