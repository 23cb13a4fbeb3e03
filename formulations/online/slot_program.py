"""One job in one slot, on any machines: a mixed packing and covering integer program.

Source: PD-ORS (online scheduling and placement of parameter-server training jobs), its program
for a slot in the external case.

In a slot a job is given workers and parameter servers at the prices of that slot, enough for a
part of its work. It may use several machines, and its transfers then go between machines. The
case that all are on one machine is a program of its own, `slot_inside`; the cheaper one counts.

Data: machine h in H has C_h^r left of resource r, a worker there costs c^w_h and a server c^s_h;
a worker needs alpha^r and a server beta^r; gamma workers share a server; at least W and at most
F workers.

Variables
    workers[h] in {0, 1, ..}: workers on machine h
    servers[h] in {0, 1, ..}: parameter servers on machine h

Objective
    cost: minimise sum_h c^w_h workers[h] + c^s_h servers[h]

Constraints
    cover_workers: sum_h workers[h] >= W
    cover_servers: sum_h servers[h] >= W / gamma
    capacity[h, r]: alpha^r workers[h] + beta^r servers[h] <= C_h^r, for resources that are needed
    batch: sum_h workers[h] <= F

Size: 2 |H| variables, |H||R| + 3 rows.
"""

from typing import Any

import pyomo.environ as pyo

from .slot_data import SlotData
from .slot_twin import twin

__all__ = ["build", "twin"]


def build(data: SlotData) -> Any:
    """Return the program of a job in a slot."""
    model = pyo.ConcreteModel()
    machines, resources = data.capacity.shape
    model.machines = pyo.RangeSet(0, machines - 1)
    model.resources = pyo.Set(
        initialize=[r for r in range(resources) if data.worker[r] + data.server[r] > 0]
    )
    model.workers = pyo.Var(model.machines, domain=pyo.NonNegativeIntegers)
    model.servers = pyo.Var(model.machines, domain=pyo.NonNegativeIntegers)
    model.cost = pyo.Objective(
        expr=sum(
            float(data.worker_cost[h]) * model.workers[h]
            + float(data.server_cost[h]) * model.servers[h]
            for h in model.machines
        )
    )
    _add_rows(model, data)
    return model


def _add_rows(model: Any, data: SlotData) -> None:
    workers, servers = model.workers, model.servers
    model.cover_workers = pyo.Constraint(expr=pyo.summation(workers) >= data.least_workers)
    model.cover_servers = pyo.Constraint(
        expr=pyo.summation(servers) >= data.least_workers / data.workers_per_server
    )

    @model.Constraint(model.machines, model.resources)
    def capacity(model: Any, h: int, r: int) -> Any:
        used = float(data.worker[r]) * workers[h] + float(data.server[r]) * servers[h]
        return used <= float(data.capacity[h, r])

    model.batch = pyo.Constraint(expr=pyo.summation(workers) <= data.most_workers)
