"""The program as disjunctions: the state of a job in a slot, its placement on a server, its rate.

Source: SJF-BCO, arXiv 2207.07817, (1)-(9), with the choices of docs/families/makespan.md. It
replaces the products of `nonconvex` by disjunctions (generalised disjunctive programming). Pyomo
makes linear models of it: ``TransformationFactory("gdp.bigm")`` and
``TransformationFactory("gdp.hull")``, with big-M values from the bounds of the variables. All are
large and weak. Solvers should get `linearised`.

Data: w_j GPUs, F_j iterations, r_j release, O_s GPUs of server s, H horizon. Slots t are 0 .. H -
1. A level (u, p) is a ring across servers with u overhead units and at most p rings on its busiest
server. rate_j(u, p) is its (9), and rate_j the rate inside one server.

Variables
    gpus[j, s, t] in {0 .. min(O_s, w_j)}: GPUs of j on s
    start[j, t] in {0, 1}: j starts in slot t
    run[j, t] in {0, 1}: j is active, j in J[t]
    spread[j, s, t] in {0, 1}: 0 < gpus[j, s, t] < w_j
    rings[j, t] >= 0: p_j[t], the rings on its busiest server
    done[j, t] >= 0: phi_j[t], iterations in the slot
    makespan_slots >= 0: the latest end

Objective
    latest_end: minimise makespan_slots

Constraints
    every_job_once[j]: sum_t start[j, t] = 1
    release[j]: sum_t t start[j, t] >= r_j
    gang[j, t] (1), (4): sum_s gpus[j, s, t] = w_j run[j, t]
    capacity[s, t] (2): sum_j gpus[j, s, t] <= O_s
    completes[j] (9): sum_t done[j, t] / F_j >= 1
    held[j]: start[j, 0] = 1, if j holds GPUs at slot 0
    held_here[j, s]: gpus[j, s, 0] is what j holds then
    makespan[j, t]: makespan_slots >= (t + 1) run[j, t]
    starts: start[j, t] = 0 if idle or goes_on, 1 if begins
    runs: run[j, t] = 0 if idle, 1 if begins or goes_on
    nothing_done: done[j, t] = 0 if idle
    no_preemption (3): run[j, t-1] = 1 if goes_on
    no_migration[s] (3): gpus[j, s, t] = gpus[j, s, t-1] if goes_on
    least_gpus: gpus[j, s, t] >= 1 if part, w_j if whole
    most_gpus: gpus[j, s, t] <= 0 if nowhere, w_j - 1 if part
    spreads: spread[j, s, t] = 1 if part, 0 if nowhere or whole
    busiest (6): rings[j, t] >= sum_j' spread[j', s, t] if part
    unspread: sum_s spread[j, s, t] <= 0 if inside
    overhead[s]: paper: sum_s' spread[j, s', t] <= u, at the first s only;
      max_workers_per_server: gpus[j, s, t] <= u; step: none; if across
    ring_limit (7): rings[j, t] <= p if across
    rate (8), (9): done[j, t] <= rate_j if inside, rate_j(u, p) if across

Disjuncts
    state[j, t]: idle or begins or goes_on
    idle[j, t]
    begins[j, t]
    goes_on[j, t]: for t >= 1
    place[j, s, t]: nowhere or part or whole
    nowhere[j, s, t]
    part[j, s, t]: if w_j > 1 and there are two servers
    whole[j, s, t]: if w_j <= O_s
    pace[j, t]: inside or one of the levels
    inside[j, t]
    across[j, u, p, t]

By construction
    one_kind: instances with kinds of GPUs are refused
    regions: gpus[j, s, t] is 0, and s neither part nor whole, where j may not use s

Size: 5 |J||S|H + |J|H (6 + levels) variables, including
3 |J||S|H + |J|H (4 + levels) that choose.
"""

from typing import Any

import pyomo.environ as pyo
from pyomo.gdp import Disjunct

from ...instances import MakespanInstance, Schedule
from .data import refuses_slots as refuses
from .rates import level_of, levels
from .slotwise import limits, read_slots, slot_model, write_slots
from .timetable import JobSlots, put

__all__ = ["NAME", "build", "read", "refuses", "write"]

NAME = "disjunctive"


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the program of an instance with all jobs ended by `horizon`."""
    model = slot_model(instance, horizon)
    model.levels = {job: levels(model.data, job) for job in model.jobs}
    most_done = {job.name: float(limits(model.data, job)["done"][1]) for job in instance.jobs}
    model.spread = pyo.Var(model.jobs, model.servers, model.slots, domain=pyo.Binary)
    model.rings = pyo.Var(model.jobs, model.slots, bounds=(0, model.data.most_rings))
    model.done = pyo.Var(model.jobs, model.slots, bounds=lambda m, j, t: (0, most_done[j]))
    _add_states(model)
    _add_places(model)
    _add_paces(model)

    @model.Constraint(model.jobs)
    def completes(_: Any, job: str) -> Any:
        done = sum(model.done[job, slot] for slot in model.slots)
        return done / float(model.data.tasks[job].iterations) >= 1

    return model


def _add_states(model: Any) -> None:
    """Add the states of a job in a slot."""
    gpus, start, run = model.gpus, model.start, model.run

    @model.Disjunct(model.jobs, model.slots)
    def idle(case: Any, *at: Any) -> None:
        case.starts = pyo.Constraint(expr=start[at] == 0)
        case.runs = pyo.Constraint(expr=run[at] == 0)
        case.nothing_done = pyo.Constraint(expr=model.done[at] == 0)

    @model.Disjunct(model.jobs, model.slots)
    def begins(case: Any, *at: Any) -> None:
        case.starts = pyo.Constraint(expr=start[at] == 1)
        case.runs = pyo.Constraint(expr=run[at] == 1)

    @model.Disjunct(model.jobs, list(model.slots)[1:])
    def goes_on(case: Any, job: str, slot: int) -> None:
        case.starts = pyo.Constraint(expr=start[job, slot] == 0)
        case.runs = pyo.Constraint(expr=run[job, slot] == 1)
        case.no_preemption = pyo.Constraint(expr=run[job, slot - 1] == 1)

        @case.Constraint(model.servers)
        def no_migration(_: Any, server: str) -> Any:
            return gpus[job, server, slot] == gpus[job, server, slot - 1]

    @model.Disjunction(model.jobs, model.slots)
    def state(_: Any, *at: Any) -> Any:
        later = [model.goes_on[at]] if at in model.goes_on else []
        return [model.idle[at], model.begins[at], *later]


def _add_places(model: Any) -> None:
    """Add the placements of a job on a server. "part" is (6)."""
    gpus, spread, data, tasks = model.gpus, model.spread, model.data, model.data.tasks
    places = list(model.gpus)

    @model.Disjunct(places)
    def nowhere(case: Any, *at: Any) -> None:
        case.most_gpus = pyo.Constraint(expr=gpus[at] <= 0)
        case.spreads = pyo.Constraint(expr=spread[at] == 0)

    @model.Disjunct([at for at in places if data.spreads(at[0]) and data.room(*at[:2])])
    def part(case: Any, job: str, server: str, slot: int) -> None:
        at = job, server, slot
        rings = sum(spread[other, server, slot] for other in tasks)
        case.least_gpus = pyo.Constraint(expr=gpus[at] >= 1)
        case.most_gpus = pyo.Constraint(expr=gpus[at] <= tasks[job].gpus - 1)
        case.spreads = pyo.Constraint(expr=spread[at] == 1)
        case.busiest = pyo.Constraint(expr=model.rings[job, slot] >= rings)

    @model.Disjunct([at for at in places if tasks[at[0]].gpus <= data.room(*at[:2])])
    def whole(case: Any, *at: Any) -> None:
        case.least_gpus = pyo.Constraint(expr=gpus[at] >= tasks[at[0]].gpus)
        case.spreads = pyo.Constraint(expr=spread[at] == 0)

    @model.Disjunction(places)
    def place(_: Any, *at: Any) -> Any:
        cases = (model.nowhere, model.part, model.whole)
        return [case[at] for case in cases if at in case]


def _add_paces(model: Any) -> None:
    """Add the rates of a job, (7) to (9)."""
    data, done = model.data, model.done
    places = list(model.jobs * model.slots)

    @model.Disjunct(places)
    def inside(case: Any, job: str, slot: int) -> None:
        spread = sum(model.spread[job, server, slot] for server in model.servers)
        best = data.rate(job, 1, data.tasks[job].gpus, 1)
        case.unspread = pyo.Constraint(expr=spread <= 0)
        case.rate = pyo.Constraint(expr=done[job, slot] <= float(best))

    @model.Disjunct([(job, u, p, t) for job, t in places for u, p, _ in model.levels[job]])
    def across(case: Any, job: str, units: int, rings: int, slot: int) -> None:
        best = level_of(model.levels[job], units, rings).rate
        case.ring_limit = pyo.Constraint(expr=model.rings[job, slot] <= rings)
        case.rate = pyo.Constraint(expr=done[job, slot] <= float(best))
        _add_overhead(model, case, units, job, slot)

    @model.Disjunction(places)
    def pace(_: Any, job: str, slot: int) -> Any:
        spread = (model.across[job, u, p, slot] for u, p, _ in model.levels[job])
        return [model.inside[job, slot], *spread]


def _add_overhead(model: Any, case: Any, units: int, job: str, slot: int) -> None:
    """Limit the overhead units of a spread job, in the form of the instance."""
    servers, form = list(model.servers), model.data.instance.overhead
    rows = {"paper": servers[:1], "step": [], "max_workers_per_server": servers}

    @case.Constraint(rows[form])
    def overhead(_: Any, server: str) -> Any:
        if form == "paper":
            return sum(model.spread[job, each, slot] for each in servers) <= units
        return model.gpus[job, server, slot] <= units


def write(model: Any, schedule: Schedule) -> None:
    """Put a complete schedule into all variables, as far as it gets within the horizon."""
    followed = write_slots(model, schedule)
    for cases in model.component_objects(Disjunct):
        for case in cases.values():
            case.binary_indicator_var.set_value(0)
    for at, held in model.gpus.items():
        spread = 0 < held.value < model.data.tasks[at[0]].gpus
        put(model.spread, at, spread)
        _choose(model.part if spread else model.whole if held.value else model.nowhere, at)
    for job, slot in model.run:
        _write_slot(model, job, followed[job], slot)


def _write_slot(model: Any, job: str, course: JobSlots, slot: int) -> None:
    data, at = model.data, (job, slot)
    works, rings = slot in course.rings, course.rings.get(slot, 0)
    put(model.rings, at, rings)
    put(model.done, at, data.rate(job, len(course.gpus), course.most, rings) if works else 0)
    begins = works and slot == course.start
    _choose(model.begins if begins else model.goes_on if works else model.idle, at)
    if rings:
        level = level_of(model.levels[job], data.units(len(course.gpus), course.most), rings)
        _choose(model.across, (job, level.units, level.rings, slot))
    else:
        _choose(model.inside, at)


def _choose(cases: Any, at: Any) -> None:
    if at in cases:
        cases[at].binary_indicator_var.set_value(1)


def read(model: Any) -> Schedule:
    """Take starts and GPUs out of the variables, rounded to integers."""
    return read_slots(model, NAME)
