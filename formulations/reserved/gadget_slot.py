"""One slot of GADGET: which ring gets how many workers, and where, so that gains grow most.

Source: GADGET (online resource optimization for ring-all-reduce learning), the program of a slot
with (2)-(9). The rows about uplinks on a tree for (7)-(9), and the three kinds of placement, are
Ringyard's.

A ring works inside one machine, or across machines of one rack, or across racks. A directed cycle
over its machines enters and leaves each of them once, and rack by rack each of its racks once. No
order of the machines uses less. Paths therefore need no variables: a ring uses only b_i of each
uplink that it must cross, in each direction. Since workers are whole, gains are exact as sums of
steps, which fall from step to step.

Data: C_s^r capacity of machine s, U_s its uplink, V_k uplink of rack k, for each ring i that may
work in this slot l_i^r the need of a worker, b_i reserved bandwidth, q_i the most workers (N_i, and
the remaining budgets F_i^r), d_in the addition of its n-th worker to the gain. M_is is the most of
these workers that the empty machine s holds. Rings are only across machines whose uplink carries
b_i, and across racks whose uplink does.

Variables
    inside[i, s] in {0, 1}: ring i is on machine s alone
    in_rack[i, k] in {0, 1}: it is across machines of rack k alone
    across[i] in {0, 1}: it is across racks
    linked[i, s] in {0, 1}: it is on machine s and other machines (x_is, y_is)
    rack_linked[i, k] in {0, 1}: it is on machines of rack k and of other racks
    workers[i, s] in {0 .. M_is}: its workers on machine s (y_is)
    step[i, n] in [0, 1]: it has an n-th worker

Objective
    slot_gain: maximise sum_(i,n) d_in step[i, n]

Constraints
    one_way[i]: sum_s inside[i, s] + sum_k in_rack[i, k] + across[i] <= 1
    links[i, s]: linked[i, s] <= in_rack[i, rack of s] + across[i]
    rack_links[i, k]: rack_linked[i, k] <= across[i]
    through_rack[i, s]: linked[i, s] <= in_rack[i, rack of s] + rack_linked[i, rack of s]
    where[i, s] (5): workers[i, s] <= M_is (inside[i, s] + linked[i, s])
    steps[i] (2), (3): sum_n step[i, n] = sum_s workers[i, s]
    capacity[s, r] (4): sum_i l_i^r workers[i, s] <= C_s^r
    uplinks[s] (7)-(9): sum_i b_i linked[i, s] <= U_s
    rack_uplinks[k] (7)-(9): sum_i b_i rack_linked[i, k] <= V_k

By construction
    arrival: only rings that have arrived take part
    most_workers, budget: there are q_i steps

Size: about 3 |I||S| variables and rows.
"""

from fractions import Fraction
from math import inf
from typing import Any

import pyomo.environ as pyo

from ...instances import ReservedInstance
from ...simulation.reserved import Floats, fits, most_at_once, reserved_model
from ..matrix import matrix_of
from ..program import Matrix
from .slot_master import RingSlotData, ask_of

Counts = dict[int, dict[int, int]]
"""Workers by ring and machine, both by number."""


def build(data: RingSlotData) -> Any:
    """Return the program of a slot."""
    model = pyo.ConcreteModel()
    model.data = data
    model.gains = {ask.job: ask.gains for ask in data.asks}
    arrays = data.model
    model.rings = pyo.Set(initialize=list(model.gains))
    model.machines = pyo.RangeSet(0, len(arrays.uplink) - 1)
    model.racks = pyo.RangeSet(0, len(arrays.rack_uplink) - 1)
    model.resources = pyo.RangeSet(0, arrays.capacity.shape[1] - 1)
    model.rack_of = [int(rack) for rack in arrays.rack_of]
    model.room = {job: fits(arrays.capacity, arrays.worker[job]) for job in model.gains}
    _add_variables(model)
    steps = {(i, n): gain for i, gains in model.gains.items() for n, gain in enumerate(gains)}
    model.step = pyo.Var(list(steps), bounds=(0, 1))
    model.slot_gain = pyo.Objective(
        expr=sum(gain * model.step[place] for place, gain in steps.items()), sense=pyo.maximize
    )
    _add_placements(model)
    _add_limits(model)
    return model


def _add_variables(model: Any) -> None:
    rings, machines, racks, arrays = model.rings, model.machines, model.racks, model.data.model
    band = arrays.reserved

    def carried(_: Any, i: int, s: int) -> tuple[int, int]:
        return 0, int(arrays.uplink[s] >= band[i])

    def carried_by_rack(_: Any, i: int, k: int) -> tuple[int, int]:
        return 0, int(arrays.rack_uplink[k] >= band[i])

    def held(model: Any, i: int, s: int) -> tuple[int, int]:
        return 0, min(len(model.gains[i]), int(model.room[i][s]))

    model.inside = pyo.Var(rings, machines, domain=pyo.Binary)
    model.in_rack = pyo.Var(rings, racks, domain=pyo.Binary)
    model.across = pyo.Var(rings, domain=pyo.Binary)
    model.linked = pyo.Var(rings, machines, domain=pyo.Integers, bounds=carried)
    model.rack_linked = pyo.Var(rings, racks, domain=pyo.Integers, bounds=carried_by_rack)
    model.workers = pyo.Var(rings, machines, domain=pyo.Integers, bounds=held)


def _add_placements(model: Any) -> None:
    """Add how a ring may be placed."""
    rings, machines, racks, rack_of = model.rings, model.machines, model.racks, model.rack_of
    inside, in_rack, across = model.inside, model.in_rack, model.across

    @model.Constraint(rings)
    def one_way(model: Any, i: int) -> Any:
        within = sum(inside[i, s] for s in machines) + sum(in_rack[i, k] for k in racks)
        return within + across[i] <= 1

    @model.Constraint(rings, machines)
    def links(model: Any, i: int, s: int) -> Any:
        return model.linked[i, s] <= in_rack[i, rack_of[s]] + across[i]

    @model.Constraint(rings, racks)
    def rack_links(model: Any, i: int, k: int) -> Any:
        return model.rack_linked[i, k] <= across[i]

    @model.Constraint(rings, machines)
    def through_rack(model: Any, i: int, s: int) -> Any:
        return model.linked[i, s] <= in_rack[i, rack_of[s]] + model.rack_linked[i, rack_of[s]]

    @model.Constraint(rings, machines)
    def where(model: Any, i: int, s: int) -> Any:
        most = model.workers[i, s].ub
        return model.workers[i, s] <= most * (inside[i, s] + model.linked[i, s])


def _add_limits(model: Any) -> None:
    """Add the numbers of workers, and the limits of machines and links."""
    arrays, rings, workers = model.data.model, model.rings, model.workers

    @model.Constraint(rings)
    def steps(model: Any, i: int) -> Any:
        taken = sum(model.step[i, n] for n in range(len(model.gains[i])))
        return taken == sum(workers[i, s] for s in model.machines)

    @model.Constraint(model.machines, model.resources)
    def capacity(model: Any, s: int, r: int) -> Any:
        return _at_most(arrays.capacity[s, r], arrays.worker[:, r], workers, s)

    @model.Constraint([s for s in model.machines if arrays.uplink[s] < inf])
    def uplinks(model: Any, s: int) -> Any:
        return _at_most(arrays.uplink[s], arrays.reserved, model.linked, s)

    @model.Constraint([k for k in model.racks if arrays.rack_uplink[k] < inf])
    def rack_uplinks(model: Any, k: int) -> Any:
        return _at_most(arrays.rack_uplink[k], arrays.reserved, model.rack_linked, k)


def _at_most(limit: float, each: Floats, variable: Any, place: int) -> Any:
    """Return the constraint that the use of all rings in a place is within a limit."""
    rings = variable.model().rings
    terms = [float(each[i]) * variable[i, place] for i in rings if each[i]]
    return sum(terms) <= float(limit) if terms else pyo.Constraint.Skip


def read(model: Any) -> Counts:
    """Return the workers of rings on machines, rounded to whole ones."""
    counts: Counts = {}
    for (i, s), variable in model.workers.items():
        if count := round(variable.value or 0):
            counts.setdefault(i, {})[s] = count
    return counts


def first_slot(instance: ReservedInstance, rings: int) -> Matrix:
    """Return the program of the first slot, as if `rings` rings had arrived and none had run."""
    most = most_at_once(instance)
    asks = [
        ask_of(i, [Fraction(instance.jobs[i].worth(count)) for count in range(most[i] + 1)])
        for i in range(rings)
    ]
    data = RingSlotData(model=reserved_model(instance), asks=tuple(a for a in asks if a.gains))
    return matrix_of(build(data))
