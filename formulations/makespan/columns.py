"""A relaxation over configurations: which jobs work at the same time in a slot, and where.

Source: Ringyard, after Gilmore and Gomory's cutting stock. `docs/theory/makespan-bounds-lp.md`
compares it, and `configuration_bound` solves its linear relaxation by column generation, in exact
fractions.

Data: r_j release of job j. The slots between two releases, and those after the last, are stretch k,
of L_k slots from R_k on. A configuration c is a set of released jobs with GPUs for each, so that
servers hold them. It gives every job its pace: units of overhead, and rings on its busiest server
(6). The choice of servers does not matter, so c is a set of jobs with paces. v_ij(c) is the
contribution of a slot at that pace to row i of job j: rows that every whole run on a fixed
placement satisfies, with iterations (9) first.

Variables
    slots[k, c] in {0, 1, ...}: slots of stretch k in which c works
    makespan_slots in [0, H]: the latest end

Objective
    latest_end: minimise makespan_slots

Constraints
    completes[j, i] (9): sum_(k,c) v_ij(c) slots[k, c] >= 1
    stretch[k]: sum_c slots[k, c] <= L_k, for all but the last
    makespan: makespan_slots >= R_k + sum_c slots[k, c] for the last k

By construction
    every_job_once: completes requires its work
    gang: a job of a configuration has w_j GPUs (1)
    capacity: and servers hold them (2)
    release: stretch k has released jobs only
    regions: configurations keep them

Left out
    held: a job that holds GPUs at slot 0 may start later, or elsewhere
    no_preemption: slots of a job need not follow each other
    no_migration: its GPUs may change from slot to slot

Size: as many columns as configurations, which are listed for tiny instances only, and |J| (2 +
levels of contention) rows at most.
"""

from collections import Counter
from itertools import islice
from typing import Any

import pyomo.environ as pyo

from ...instances import MakespanInstance, Schedule
from .configurations import Configuration, all_configurations, configuration_bound, paces
from .data import ProgramData, data_of, refuses_slots
from .rates import Pace, stretches, worths
from .timetable import courses, roomy_data, schedule_of, starts_in_turn

__all__ = ["NAME", "build", "configuration_bound", "read", "refuses", "write"]

NAME = "columns"

MOST_CONFIGURATIONS = 20_000
"""Instances that have more are refused by `build`. `configuration_bound` needs no list."""

Key = tuple[tuple[str, Pace], ...]
"""The jobs of a configuration, in the order of the instance, with their paces."""


def refuses(instance: MakespanInstance) -> str | None:
    """Return why `instance` has no such program, or None if it has."""
    reason = refuses_slots(instance)
    if reason:
        return reason
    data = data_of(instance)
    found = islice(all_configurations(data, list(data.tasks)), MOST_CONFIGURATIONS + 1)
    if sum(1 for _ in found) > MOST_CONFIGURATIONS:
        return (
            f"it has more than {MOST_CONFIGURATIONS:,} configurations of jobs, "
            "`configuration_bound` generates the relevant ones"
        )
    return None


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the relaxation of an instance with all its configurations listed."""
    model = pyo.ConcreteModel()
    model.data, last = roomy_data(instance, horizon)
    model.stretches = stretches(model.data)
    model.known = [_listed(model.data, stretch.jobs) for stretch in model.stretches]
    columns = [(k, c) for k, known in enumerate(model.known) for c in range(len(known))]
    model.slots = pyo.Var(columns, domain=pyo.NonNegativeIntegers)
    model.makespan_slots = pyo.Var(bounds=(0, last))
    model.latest_end = pyo.Objective(expr=model.makespan_slots)
    _add_rows(model)
    return model


def _add_rows(model: Any) -> None:
    data, slots, last = model.data, model.slots, len(model.known) - 1
    worth = {job: worths(data, job) for job in data.tasks}
    rows = [(job, i) for job, at in worth.items() for i in range(len(next(iter(at.values()))))]
    terms: dict[tuple[str, int], list[Any]] = {row: [] for row in rows}
    for k, known in enumerate(model.known):
        for c, key in enumerate(known):
            for job, pace in key:
                for i, part in enumerate(worth[job].get(pace, ())):
                    terms[job, i].append(float(part) * slots[k, c])

    @model.Constraint(rows)
    def completes(_: Any, *row: Any) -> Any:
        return sum(terms[row]) >= 1

    @model.Constraint(range(last))
    def stretch(_: Any, k: int) -> Any:
        return sum(slots[k, c] for c in range(len(model.known[k]))) <= model.stretches[k].slots

    @model.Constraint()
    def makespan(_: Any) -> Any:
        worked = sum(slots[last, c] for c in range(len(model.known[last])))
        return model.makespan_slots >= model.stretches[last].start + worked


def _listed(data: ProgramData, jobs: tuple[str, ...]) -> dict[Key, Configuration]:
    """Return the configurations of jobs that differ in paces, with GPUs for one of each."""
    found: dict[Key, Configuration] = {}
    for configuration in all_configurations(data, jobs):
        if configuration:
            found.setdefault(tuple(paces(data, configuration).items()), configuration)
    return found


def write(model: Any, schedule: Schedule) -> None:
    """Put a schedule into the variables: add up the slots of its configurations."""
    data, followed = model.data, courses(model.data, schedule)
    together: dict[int, dict[str, Pace]] = {}
    for job in data.tasks:
        course = followed[job]
        units = data.units(len(course.gpus), course.most)
        for slot, rings in course.rings.items():
            together.setdefault(slot, {})[job] = (units, rings)
    places = [{key: c for c, key in enumerate(known)} for known in model.known]
    model.slots.set_values(dict.fromkeys(model.slots, 0))
    for slot, jobs in together.items():
        k = sum(stretch.start <= slot for stretch in model.stretches) - 1
        model.slots[k, places[k][tuple(jobs.items())]].value += 1
    model.makespan_slots = max(together, default=-1) + 1


def read(model: Any) -> Schedule:
    """Return a schedule in which each job keeps the GPUs it has in most slots of a point.

    The jobs start as soon as these GPUs are free, so it may end later than the point says.
    """
    votes: dict[str, Counter[tuple[int, ...]]] = {job: Counter() for job in model.data.tasks}
    for k, known in enumerate(model.known):
        for c, configuration in enumerate(known.values()):
            for job, gpus in configuration:
                votes[job][gpus] += model.slots[k, c].value or 0
    gpus = {job: _named(model.data, max(votes[job], key=votes[job].__getitem__)) for job in votes}
    return schedule_of(model.data, NAME, starts_in_turn(model.data, gpus), gpus)


def _named(data: ProgramData, gpus: tuple[int, ...]) -> dict[str, int]:
    return {server: held for server, held in zip(data.sizes, gpus, strict=True) if held}
