"""The exact linearisation: a rate for each level of overhead and contention, no product left.

Source: SJF-BCO, arXiv 2207.07817, (1)-(9). The linearisation is Ringyard's.

Data: w_j GPUs, F_j iterations, r_j release, l_j fewest slots, O_s GPUs of server s, H horizon.
Slots t of a job run from r_j to H - 1, its starts from r_j to H - l_j, its ends from r_j + l_j to
H. A level (u, p) is a ring across servers with u overhead units and at most p rings on its busiest
server. rate_j(u, p) is its (9), rate_j the rate inside one server, and l_j(u) the fewest slots with
u units. Levels of equal rate are merged into the one with the largest p.

Variables
    start[j, t] in {0, 1}: j starts in slot t
    end[j, t] in {0, 1}: t is the first slot in which j does not work any more
    run[j, t] in [0, 1]: j works in slot t
    late[t] in {0, 1}: some job ends after slot t
    gpus[j, s] in {0 .. min(O_s, w_j)}: GPUs of j on s
    part[j, s] in {0, 1}: j is spread on s, 0 < gpus[j, s] < w_j
    whole[j, s] in {0, 1}: all of j is on s
    held[j, s, t] >= 0: GPUs of j on s in slot t
    ring[j, s, t] in [0, 1]: j works in slot t and is spread on s
    inside[j, s, t] in [0, 1]: j works in slot t, all of it on s
    units[j, u] in {0, 1}: j is spread, with u overhead units
    level[j, u, p, t] in {0, 1}: j is spread and works in slot t at this level
    makespan_slots >= 0: the latest end

Objective
    latest_end: minimise makespan_slots

Constraints
    every_job_once[j]: sum_t start[j, t] = 1
    no_preemption[j, t] (3): run[j, t] = run[j, t-1] + start[j, t] - end[j, t], also for t = H
    long_enough[j, t]: run[j, t] >= sum of start[j, t'] over t - l_j < t' <= t
    gang[j] (1): sum_s gpus[j, s] = w_j
    gang_at_work[j, t] (1), (4): sum_s held[j, s, t] = w_j run[j, t]
    no_migration[j, s, t] (3): held[j, s, t] <= gpus[j, s]
    capacity[s, t] (2): sum_j held[j, s, t] <= O_s late[t]
    most_gpus[j, s]: gpus[j, s] <= min(O_s, w_j - 1) part[j, s] + w_j whole[j, s]
    least_gpus[j, s]: gpus[j, s] >= part[j, s] + w_j whole[j, s]
    most_held[j, s, t]: held[j, s, t] <= min(O_s, w_j - 1) ring[j, s, t] + w_j inside[j, s, t]
    least_held[j, s, t]: held[j, s, t] >= ring[j, s, t] + w_j inside[j, s, t]
    ring_if_part[j, s, t]: ring[j, s, t] <= part[j, s]
    ring_if_at_work[j, s, t]: ring[j, s, t] >= part[j, s] + run[j, t] - 1
    inside_if_whole[j, s, t]: inside[j, s, t] <= whole[j, s]
    one_way[j]: sum_u units[j, u] + sum_s whole[j, s] = 1
    overhead[j, s]: paper: sum_s' part[j, s'] <= sum_u u units[j, u], once for each job;
      max_workers_per_server: gpus[j, s] <= sum_u u units[j, u] + w_j whole[j, s]; step: none
    one_level[j, t]: sum_(u, p) level[j, u, p, t] + sum_s inside[j, s, t] = run[j, t]
    level_if_units[j, u, t]: sum_p level[j, u, p, t] <= units[j, u]
    several[j, t]: sum_s ring[j, s, t] >= n_j sum_(u, p) level[j, u, p, t], n_j fewest servers
    busiest[j, s, t] (6): sum_(j' != j) ring[j', s, t] <= sum_(u, p) (p - 1) level[j, u, p, t]
      + M_s (1 - ring[j, s, t]), if M_s > 0
    completes[j] (9): sum_t (rate_j sum_s inside[j, s, t]
      + sum_(u, p) rate_j(u, p) level[j, u, p, t]) / F_j >= 1
    long_enough_here[j]: sum_t run[j, t] >= l_j sum_s whole[j, s] + sum_u l_j(u) units[j, u]
    late_if_ends[j, t]: late[t] >= sum of end[j, t'] over t' > t, for every slot t
    makespan: makespan_slots >= sum_t late[t]

By construction
    release: there is no start[j, t] before r_j
    held: start[j, 0] is 1 and gpus[j, s] is fixed if j holds GPUs at slot 0
    one_kind: instances with kinds of GPUs are refused
    regions: gpus[j, s] is 0 where j may not use s

Big-M. The only one is M_s in `busiest`, the most rings of other jobs that s can have: its GPUs, or
all but one of the jobs that can be spread, whichever is less. The row has no effect if j has no
ring on s. The factors min(O_s, w_j - 1) and w_j are the most GPUs that j can have on s when it is
spread, and when it is not.

Rounding. The rows of `completes` are the only ones with numbers that are not whole. They are scaled
to 1, the whole job, and their coefficients are the exact ones rounded up to floats. A schedule that
does its work exactly therefore satisfies them exactly, and a solver's tolerance only admits more
points. It can weaken the lower bound but not invalidate it. A point that lives on the tolerance is
a schedule that ends later than the solver says, which the judge finds.

Stronger than needed: `long_enough`, `several` and `long_enough_here` follow for integers from the
other rows, and `late` turns the makespan into a staircase. They raise the linear bound.

Size: 3 |J||S|H + |J|H (3 + levels) + 3 |J||S| variables, about 8 |J||S|H + 6 |J|H rows.
"""

from fractions import Fraction
from math import ceil
from typing import Any

import pyomo.environ as pyo

from ...instances import MakespanInstance, Schedule
from ...instances.directed_rounding import above
from .data import ProgramData
from .data import refuses_slots as refuses
from .rates import least_servers, level_of, levels
from .slotwise import empty_model
from .timetable import JobSlots, courses, put, schedule_of

__all__ = ["NAME", "build", "read", "refuses", "write"]


def units_of(model: Any, job: str) -> list[int]:
    """Return the overhead units that a spread job can have, ascending."""
    return list(dict.fromkeys(level.units for level in model.levels[job]))


def _sum(variable: Any, indices: Any) -> Any:
    """Add up the variables that exist at some indices."""
    return sum(variable[index] for index in indices if index in variable)


def _add_time_rows(model: Any) -> None:
    tasks, last = model.data.tasks, model.data.horizon
    start, end, run, late = model.start, model.end, model.run, model.late

    @model.Constraint(list(tasks))
    def every_job_once(_: Any, job: str) -> Any:
        return _sum(start, ((job, t) for t in range(last))) == 1

    @model.Constraint([(j, t) for j in tasks for t in range(tasks[j].release, last + 1)])
    def no_preemption(_: Any, job: str, slot: int) -> Any:
        at = [(job, slot)]
        change = _sum(start, at) - _sum(end, at)
        return _sum(run, at) - _sum(run, [(job, slot - 1)]) == change

    @model.Constraint(list(run))
    def long_enough(_: Any, job: str, slot: int) -> Any:
        recent = range(slot - tasks[job].least + 1, slot + 1)
        return run[job, slot] >= _sum(start, ((job, t) for t in recent))

    @model.Constraint(list(tasks), list(late))
    def late_if_ends(_: Any, job: str, slot: int) -> Any:
        return _sum(end, ((job, t) for t in range(slot + 1, last + 1))) <= late[slot]

    @model.Constraint()
    def makespan(_: Any) -> Any:
        return model.makespan_slots >= sum(late.values())


def _add_place_rows(model: Any) -> None:
    data, tasks, servers = model.data, model.data.tasks, list(model.data.sizes)
    gpus, part, whole, units = model.gpus, model.part, model.whole, model.units

    @model.Constraint(list(tasks))
    def gang(_: Any, job: str) -> Any:
        return sum(gpus[job, server] for server in servers) == tasks[job].gpus

    @model.Constraint(list(gpus))
    def most_gpus(_: Any, *at: Any) -> Any:
        most = min(data.sizes[at[1]], tasks[at[0]].gpus - 1)
        return gpus[at] <= most * _sum(part, [at]) + tasks[at[0]].gpus * _sum(whole, [at])

    @model.Constraint(list(gpus))
    def least_gpus(_: Any, *at: Any) -> Any:
        return gpus[at] >= _sum(part, [at]) + tasks[at[0]].gpus * _sum(whole, [at])

    @model.Constraint(list(tasks))
    def one_way(_: Any, job: str) -> Any:
        inside = _sum(whole, ((job, server) for server in servers))
        return inside + sum(units[job, u] for u in units_of(model, job)) == 1

    form = data.instance.overhead
    by_form = {
        "paper": [(job, servers[0]) for job in tasks if data.spreads(job)],
        "step": [],
        "max_workers_per_server": list(part),
    }

    @model.Constraint(by_form[form])
    def overhead(_: Any, job: str, server: str) -> Any:
        chosen = sum(u * units[job, u] for u in units_of(model, job))
        if form == "paper":
            return _sum(part, ((job, each) for each in servers)) <= chosen
        inside = _sum(whole, [(job, server)])
        return gpus[job, server] <= chosen + tasks[job].gpus * inside


def _add_slot_rows(model: Any) -> None:
    data, tasks, servers = model.data, model.data.tasks, list(model.data.sizes)
    held, ring, inside, run = model.held, model.ring, model.inside, model.run

    @model.Constraint(list(run))
    def gang_at_work(_: Any, job: str, slot: int) -> Any:
        total = sum(held[job, server, slot] for server in servers)
        return total == tasks[job].gpus * run[job, slot]

    @model.Constraint(list(held))
    def no_migration(_: Any, job: str, server: str, slot: int) -> Any:
        return held[job, server, slot] <= model.gpus[job, server]

    @model.Constraint(servers, list(model.late))
    def capacity(_: Any, server: str, slot: int) -> Any:
        total = _sum(held, ((job, server, slot) for job in tasks))
        return total <= data.sizes[server] * model.late[slot]

    @model.Constraint(list(held))
    def most_held(_: Any, job: str, *at: Any) -> Any:
        most = min(data.sizes[at[0]], tasks[job].gpus - 1)
        limit = most * _sum(ring, [(job, *at)]) + tasks[job].gpus * _sum(inside, [(job, *at)])
        return held[job, at] <= limit

    @model.Constraint(list(held))
    def least_held(_: Any, job: str, *at: Any) -> Any:
        limit = _sum(ring, [(job, *at)]) + tasks[job].gpus * _sum(inside, [(job, *at)])
        return held[job, at] >= limit

    @model.Constraint(list(ring))
    def ring_if_part(_: Any, job: str, server: str, slot: int) -> Any:
        return ring[job, server, slot] <= model.part[job, server]

    @model.Constraint(list(ring))
    def ring_if_at_work(_: Any, job: str, server: str, slot: int) -> Any:
        return ring[job, server, slot] >= model.part[job, server] + run[job, slot] - 1

    @model.Constraint(list(inside))
    def inside_if_whole(_: Any, job: str, server: str, slot: int) -> Any:
        return inside[job, server, slot] <= model.whole[job, server]


def _add_level_rows(model: Any) -> None:
    data, servers, level, ring = model.data, list(model.data.sizes), model.level, model.ring
    spread_slots = [(job, slot) for job, slot in model.run if data.spreads(job)]

    def at(job: str, slot: int) -> list[tuple[int, Any]]:
        return [(p, level[job, u, p, slot]) for u, p, _ in model.levels[job]]

    @model.Constraint(list(model.run))
    def one_level(_: Any, job: str, slot: int) -> Any:
        inside = _sum(model.inside, ((job, server, slot) for server in servers))
        return inside + sum(chosen for _, chosen in at(job, slot)) == model.run[job, slot]

    @model.Constraint([(job, u, slot) for job, slot in spread_slots for u in units_of(model, job)])
    def level_if_units(_: Any, job: str, units: int, slot: int) -> Any:
        fitting = (level[job, u, p, slot] for u, p, _ in model.levels[job] if u == units)
        return sum(fitting) <= model.units[job, units]

    @model.Constraint(spread_slots)
    def several(_: Any, job: str, slot: int) -> Any:
        rings = _sum(ring, ((job, server, slot) for server in servers))
        return rings >= least_servers(data, job) * sum(chosen for _, chosen in at(job, slot))

    crowded = [at for at in ring if _most_others(data, at[1])]

    @model.Constraint(crowded)
    def busiest(_: Any, job: str, server: str, slot: int) -> Any:
        rings = _sum(ring, ((other, server, slot) for other in data.tasks if other != job))
        admitted = sum((p - 1) * chosen for p, chosen in at(job, slot))
        return rings <= admitted + _most_others(data, server) * (1 - ring[job, server, slot])


def _most_others(data: ProgramData, server: str) -> int:
    """Return the most spread rings of other jobs on a server."""
    return min(data.sizes[server], sum(data.spreads(job) for job in data.tasks) - 1)


def _add_progress_rows(model: Any) -> None:
    data, tasks, servers = model.data, model.data.tasks, list(model.data.sizes)

    @model.Constraint(list(tasks))
    def completes(_: Any, job: str) -> Any:
        slots = range(tasks[job].release, data.horizon)
        alone = above(data.rate(job, 1, tasks[job].gpus, 1) / tasks[job].iterations)
        work = alone * _sum(model.inside, ((job, s, t) for s in servers for t in slots))
        for u, p, rate in model.levels[job]:
            done = above(rate / tasks[job].iterations)
            work += done * sum(model.level[job, u, p, slot] for slot in slots)
        return work >= 1

    @model.Constraint(list(tasks))
    def long_enough_here(_: Any, job: str) -> Any:
        slots = range(tasks[job].release, data.horizon)
        inside = _sum(model.whole, ((job, server) for server in servers))
        needed = _slots(data, job, data.rate(job, 1, tasks[job].gpus, 1)) * inside
        for u in units_of(model, job):
            best = max(rate for units, _, rate in model.levels[job] if units == u)
            needed += _slots(data, job, best) * model.units[job, u]
        return sum(model.run[job, slot] for slot in slots) >= needed


def _slots(data: ProgramData, job: str, rate: Fraction) -> int:
    """Return the slots that a job takes at a rate, or more than all slots if it never ends."""
    never = data.horizon + 1
    return min(ceil(data.tasks[job].iterations / rate), never) if rate else never


NAME = "linearised"


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the program of an instance with all jobs ended by `horizon`."""
    model = empty_model(instance, horizon)
    model.levels = {job: levels(model.data, job) for job in model.data.tasks}
    _add_variables(model)
    _fix_held(model)
    _add_time_rows(model)
    _add_place_rows(model)
    _add_slot_rows(model)
    _add_level_rows(model)
    _add_progress_rows(model)
    return model


def _fix_held(model: Any) -> None:
    """Let jobs that hold GPUs at slot 0 start then, on these GPUs."""
    for job, task in model.data.tasks.items():
        if held := dict(task.held):
            model.start[job, 0].setlb(1)
            for server in model.data.sizes:
                model.gpus[job, server].bounds = 2 * (held.get(server, 0),)


def _add_variables(model: Any) -> None:
    data, tasks = model.data, model.data.tasks
    job_slots, slots = list(data.active()), range(data.horizon)
    places = [(job, server) for job in tasks for server in data.sizes]
    split = [at for at in places if data.spreads(at[0]) and data.room(*at)]
    fits = [at for at in places if tasks[at[0]].gpus <= data.room(*at)]
    units = [(job, u) for job in tasks for u in units_of(model, job)]
    at_levels = [(job, u, p, t) for job, t in job_slots for u, p, _ in model.levels[job]]

    def in_slots(some: list[tuple[str, str]]) -> list[tuple[str, str, int]]:
        return [(*place, t) for place in some for t in slots if t >= tasks[place[0]].release]

    def most(_: Any, job: str, server: str) -> tuple[int, int]:
        return 0, min(data.room(job, server), tasks[job].gpus)

    model.start = pyo.Var([(j, t) for j in tasks for t in data.starts(j)], domain=pyo.Binary)
    model.end = pyo.Var(
        [
            (j, t)
            for j, task in tasks.items()
            for t in range(task.release + task.least, data.horizon + 1)
        ],
        domain=pyo.Binary,
    )
    model.run = pyo.Var(job_slots, bounds=(0, 1))
    model.late = pyo.Var(slots, domain=pyo.Binary)
    model.gpus = pyo.Var(places, domain=pyo.Integers, bounds=most)
    model.part = pyo.Var(split, domain=pyo.Binary)
    model.whole = pyo.Var(fits, domain=pyo.Binary)
    model.held = pyo.Var(in_slots(places), bounds=lambda m, j, s, t: most(m, j, s))
    model.ring = pyo.Var(in_slots(split), bounds=(0, 1))
    model.inside = pyo.Var(in_slots(fits), bounds=(0, 1))
    model.units = pyo.Var(units, domain=pyo.Binary)
    model.level = pyo.Var(at_levels, domain=pyo.Binary)


def write(model: Any, schedule: Schedule) -> None:
    """Put a complete schedule into all variables, as far as it gets within the horizon.

    A start or a slot of work that the program has no variable for stays out.
    """
    followed = courses(model.data, schedule)
    for variable in model.component_objects(pyo.Var):
        for index in variable:
            put(variable, index, 0)
    makespan = max(course.end for course in followed.values())
    put(model.makespan_slots, None, makespan)
    for slot in model.late:
        put(model.late, slot, slot < makespan)
    for job, course in followed.items():
        put(model.start, (job, course.start), 1)
        put(model.end, (job, course.end), 1)
        _write_job(model, job, course)


def _write_job(model: Any, job: str, course: JobSlots) -> None:
    units = model.data.units(len(course.gpus), course.most)
    for slot, rings in course.rings.items():
        put(model.run, (job, slot), 1)
        if rings:
            u, p, _ = level_of(model.levels[job], units, rings)
            put(model.units, (job, u), 1)
            put(model.level, (job, u, p, slot), 1)
    for server, count in course.gpus.items():
        at, spread = (job, server), count < model.data.tasks[job].gpus
        put(model.gpus, at, count)
        put(model.part if spread else model.whole, at, 1)
        for slot in course.rings:
            put(model.held, (*at, slot), count)
            put(model.ring if spread else model.inside, (*at, slot), 1)


def read(model: Any) -> Schedule:
    """Take starts and GPUs out of the variables, rounded to integers."""
    starts = dict.fromkeys(model.data.tasks, 0.0)
    gpus: dict[str, dict[str, float]] = {job: {} for job in model.data.tasks}
    for (job, slot), variable in model.start.items():
        starts[job] += slot * pyo.value(variable)
    for (job, server), variable in model.gpus.items():
        gpus[job][server] = pyo.value(variable)
    return schedule_of(model.data, NAME, starts, gpus)
