"""A time-indexed program over placements: each job picks its GPUs and its slots at once.

Source: ours; it states (1)-(9) of SJF-BCO, arXiv 2207.07817. `docs/makespan/stronger.md` compares
it.

Data: w_j GPUs, F_j iterations, r_j release, O_s GPUs of server s, H horizon. A column
(j, q, a, e) is job j at work in slots a .. e - 1 on its placement of number q, which has q_s
GPUs on s and u units of overhead; the job is spread on s if 0 < q_s < w_j. phi_j(u, p) is (9)
for u units and p spread rings on the busiest server. Inside one server e - a is the fewest
slots; for a spread job it is between the slots needed alone and among as many rings as fit.
K_jp(u, n) is in how many of n slots, at most, j can have p rings beside it, itself included,
and still do F_j iterations.

Variables
    place[j, q, a, e] in {0, 1}: the columns
    used[t] in [0, 1]: some job has not ended by slot t
    makespan_slots in [0, H]: the latest end
    spread[j, u, s, t] in [0, 1]: j works in t, is spread on s, and has u units
    rings[s, t, p] in {0, 1}: at least p spread rings are on s in t
    free[j, u, s, t, p] in [0, 1]: so spread on s, j has fewer than p rings there, itself
      included, for p >= 2
    delayed[j, u, t, p] in [0, 1]: j has u units and at least p rings on its busiest server

Objective
    latest_end: minimise makespan_slots

Constraints
    every_job_once[j]: sum_(q,a,e) place[j, q, a, e] = 1
    capacity[s, t] (2): sum of q_s place over columns at work in t <= O_s used[t]
    makespan[j, t]: sum of place[j, q, a, e] over e > t <= used[t]
    slots_used: makespan_slots = sum_t used[t]
    without_gap[t]: used[t + 1] <= used[t]
    spreads[j, u, s, t]: spread[j, u, s, t] = sum of place over such columns at work in t
    counted[s, t] (6): sum_(j,u) spread[j, u, s, t] = sum_p rings[s, t, p]
    ordered[s, t, p]: rings[s, t, p] <= rings[s, t, p - 1], for p >= 2
    shared[s, t, p]: sum_(j,u) free[j, u, s, t, p] <= (p - 1) (1 - rings[s, t, p]), for p >= 2
    busiest[j, u, s, t, p]: delayed[j, u, t, p] >= spread[j, u, s, t] - free[j, u, s, t, p]
    completes[j] (9): sum over spread columns of ((e - a) phi_j(u, 1) / F_j - 1) place
      >= sum_(u,t,p) (phi_j(u, p - 1) - phi_j(u, p)) / F_j delayed[j, u, t, p]
    patient[j, p]: sum_(u,t) delayed[j, u, t, p] <= sum over spread columns of K_jp place;
      implied where all are integers, but not in the relaxation

By construction
    gang: q_s sums to w_j (1)
    release: columns begin at r_j or later
    regions: and are on servers that j may use
    no_preemption: a column is one stretch of slots
    no_migration: and one placement

A model's job may work on after it has done its iterations; the schedule that ends it then has
no more rings in any slot, so no job ends later. In `write`, servers of equal size are renamed
so that the job with the most placements has its GPUs in descending order; if jobs are bound to
regions, within each region.

Size: sum_j |Q_j| H^2 / 2 columns at most and |J||S|H rows per level of contention.
"""

from typing import Any

import pyomo.environ as pyo

from ...instances import MakespanInstance
from .parts.data import refuses_slots
from .parts.pattern_index import PatternIndex, index_of
from .parts.pattern_point import read, write
from .parts.patterns_twin import twin
from .parts.placements import how_many, layout_of

__all__ = ["build", "read", "refuses", "twin", "write"]

MOST_PLACEMENTS = 20_000
"""Instances with more placements, over all jobs, are refused."""


def refuses(instance: MakespanInstance) -> str | None:
    """Say why `instance` has no such program, or None if it has."""
    count = sum(how_many(instance, job.name) for job in instance.jobs)
    if count > MOST_PLACEMENTS:
        return (
            f"its jobs have {count:,} placements, more than {MOST_PLACEMENTS:,}; "
            "use 'linearised', or fewer servers"
        )
    return refuses_slots(instance)


def build(instance: MakespanInstance, horizon: int | None = None) -> Any:
    """Return the program of an instance with all jobs ended by `horizon`."""
    index = index_of(layout_of(instance, horizon))
    model = pyo.ConcreteModel()
    model.index, model.data = index, index.layout.data
    _add_variables(model, index)
    _add_time_rows(model, index)
    _add_ring_rows(model, index)
    _add_progress_rows(model, index)
    return model


def _add_variables(model: Any, index: PatternIndex) -> None:
    slots = range(index.layout.data.horizon)
    model.place = pyo.Var(index.layout.windows, domain=pyo.Binary)
    model.used = pyo.Var(slots, bounds=(0, 1))
    model.makespan_slots = pyo.Var(bounds=(0, index.layout.last))
    model.spread = pyo.Var(list(index.spread), bounds=(0, 1))
    model.rings = pyo.Var(index.rings, domain=pyo.Binary)
    model.free = pyo.Var(index.free, bounds=(0, 1))
    model.delayed = pyo.Var(list(index.delayed), bounds=(0, 1))
    model.latest_end = pyo.Objective(expr=model.makespan_slots)


def _add_time_rows(model: Any, index: PatternIndex) -> None:
    place, used, layout = model.place, model.used, index.layout
    data, slots = layout.data, range(layout.data.horizon)

    @model.Constraint(list(data.tasks))
    def every_job_once(_: Any, job: str) -> Any:
        return sum(place[window] for window in index.of_job[job]) == 1

    @model.Constraint(list(index.held))
    def capacity(_: Any, server: str, slot: int) -> Any:
        held = sum(count * place[window] for count, window in index.held[server, slot])
        return held <= data.sizes[server] * used[slot]

    @model.Constraint(list(data.tasks), slots)
    def makespan(_: Any, job: str, slot: int) -> Any:
        return sum(place[window] for window in index.of_job[job] if window.end > slot) <= used[slot]

    @model.Constraint()
    def slots_used(_: Any) -> Any:
        return model.makespan_slots == sum(used[slot] for slot in slots)

    @model.Constraint(slots[:-1])
    def without_gap(_: Any, slot: int) -> Any:
        return used[slot + 1] <= used[slot]


def _add_ring_rows(model: Any, index: PatternIndex) -> None:
    spread, rings, free = model.spread, model.rings, model.free
    levels = [at for at in index.rings if at[2] > 1]

    @model.Constraint(list(index.spread))
    def spreads(_: Any, *at: Any) -> Any:
        return spread[at] == sum(model.place[window] for window in index.spread[at])

    @model.Constraint(list(index.together))
    def counted(_: Any, *at: Any) -> Any:
        present = sum(spread[job, units, at] for job, units in index.together[at])
        return present == sum(rings[at, level] for level in index.levels(*at))

    @model.Constraint(levels)
    def ordered(_: Any, server: str, slot: int, level: int) -> Any:
        return rings[server, slot, level] <= rings[server, slot, level - 1]

    @model.Constraint(levels)
    def shared(_: Any, server: str, slot: int, level: int) -> Any:
        at = server, slot
        fewer = sum(free[job, units, at, level] for job, units in index.together[at])
        return fewer <= (level - 1) * (1 - rings[at, level])

    @model.Constraint(index.free)
    def busiest(_: Any, job: str, units: int, server: str, slot: int, level: int) -> Any:
        at = job, units, server, slot
        return model.delayed[job, units, slot, level] >= spread[at] - free[at, level]


def _add_progress_rows(model: Any, index: PatternIndex) -> None:
    place, delayed = model.place, model.delayed

    @model.Constraint(index.ring_jobs)
    def completes(_: Any, job: str) -> Any:
        ahead = sum(index.ahead(window) * place[window] for window in index.spread_of[job])
        lost = sum(index.loss(*at) * delayed[at] for at in index.delayed_of[job])
        return lost - ahead <= 0

    @model.Constraint(index.job_levels)
    def patient(_: Any, job: str, level: int) -> Any:
        slow = sum(delayed[at] for at in index.delayed_of[job] if at[3] == level)
        bearable = (index.bears(window, level) * place[window] for window in index.spread_of[job])
        return slow <= sum(bearable)
