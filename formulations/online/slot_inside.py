"""One job in one slot, all of it on one machine: an integer program.

Source: PD-ORS (online scheduling and placement of parameter-server training jobs), its internal
case.

If all workers and parameter servers share a machine, transfers stay inside, and fewer workers do
the same work. W is therefore smaller here than for `slot_program`.

Data: as in `slot_program`. S = W / gamma, rounded up to a whole number.

Variables
    chosen[h] in {0, 1}: the job is on machine h

Objective
    cost: minimise sum_h (c^w_h W + c^s_h S) chosen[h]

Constraints
    one_machine: sum_h chosen[h] = 1
    fits[h, r]: (alpha^r W + beta^r S) chosen[h] <= C_h^r, for resources that are needed

Left out
    batch: the caller checks W <= F

Size: |H| variables, |H||R| + 1 rows.
"""

from math import ceil
from typing import Any

import pyomo.environ as pyo

from .slot_program import SlotData


def build(data: SlotData) -> Any:
    """Return the program of a job that chooses one machine for a slot."""
    workers, servers = data.least_workers, ceil(data.least_workers / data.workers_per_server)
    prices = workers * data.worker_cost + servers * data.server_cost
    taken = workers * data.worker + servers * data.server
    model = pyo.ConcreteModel()
    model.machines = pyo.RangeSet(0, len(prices) - 1)
    model.resources = pyo.Set(initialize=[r for r, need in enumerate(taken) if need > 0])
    model.chosen = pyo.Var(model.machines, domain=pyo.Binary)
    model.cost = pyo.Objective(expr=sum(float(prices[h]) * model.chosen[h] for h in model.machines))
    model.one_machine = pyo.Constraint(expr=pyo.summation(model.chosen) == 1)

    @model.Constraint(model.machines, model.resources)
    def fits(model: Any, h: int, r: int) -> Any:
        return float(taken[r]) * model.chosen[h] <= float(data.capacity[h, r])

    return model
