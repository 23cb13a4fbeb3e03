"""The rows of `linearised`, in the words of its docstring."""

from fractions import Fraction
from math import ceil
from typing import Any

from ....instances.directed_rounding import above
from .data import ProgramData
from .levels import least_servers


def add_rows(model: Any) -> None:
    """Add all constraints to a model that has its variables."""
    _add_time_rows(model)
    _add_place_rows(model)
    _add_slot_rows(model)
    _add_level_rows(model)
    _add_progress_rows(model)


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
    spread_cells = [(job, slot) for job, slot in model.run if data.spreads(job)]

    def at(job: str, slot: int) -> list[tuple[int, Any]]:
        return [(p, level[job, u, p, slot]) for u, p, _ in model.levels[job]]

    @model.Constraint(list(model.run))
    def one_level(_: Any, job: str, slot: int) -> Any:
        inside = _sum(model.inside, ((job, server, slot) for server in servers))
        return inside + sum(chosen for _, chosen in at(job, slot)) == model.run[job, slot]

    @model.Constraint([(job, u, slot) for job, slot in spread_cells for u in units_of(model, job)])
    def level_if_units(_: Any, job: str, units: int, slot: int) -> Any:
        fitting = (level[job, u, p, slot] for u, p, _ in model.levels[job] if u == units)
        return sum(fitting) <= model.units[job, units]

    @model.Constraint(spread_cells)
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
    """Return the slots that a job takes at a rate; more than there are if it never ends."""
    never = data.horizon + 1
    return min(ceil(data.tasks[job].iterations / rate), never) if rate else never
