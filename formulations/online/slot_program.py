"""One job in one slot, on any machines: a mixed packing and covering integer program.

Source: PD-ORS (online scheduling and placement of parameter-server training jobs), its program
for a slot in the external case.

In a slot a job is given workers and parameter servers at the prices of that slot, enough for a part
of its work. It may use several machines, and its transfers then go between machines. The case that
all are on one machine is a separate program, `slot_inside`. The cheaper one is used.

Data: machine h in H has C_h^r left of resource r, a worker there costs c^w_h and a server c^s_h, a
worker needs alpha^r and a server beta^r, gamma workers share a server, at least W and at most F
workers.

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

from collections.abc import Iterator
from dataclasses import dataclass, fields
from math import ceil
from random import Random
from typing import Any

import numpy as np
import pyomo.environ as pyo
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from ...instances import OnlineInstance
from ...instances.errors import Problem, raise_any
from ...simulation.online import online_model
from ..program import Floats, Matrix

__all__ = ["build", "twin"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotData:
    """Costs of workers and parameter servers on machines, the room there, and the demand.

    Raises:
        InputError: If shapes do not agree, a number is negative, infinite or NaN, or there is no
            worker for a server.
    """

    worker_cost: Floats
    """Of a worker on each machine."""
    server_cost: Floats
    """Of a parameter server on each machine."""
    capacity: Floats
    """Free amounts on each machine (row) of each resource (column)."""
    worker: Floats
    """Demand of a worker for each resource."""
    server: Floats
    """Demand of a parameter server for each resource."""
    workers_per_server: float
    least_workers: float
    most_workers: float

    def __post_init__(self) -> None:
        """Reject invalid data."""
        raise_any("slot", [*self._shapes(), *self._numbers()])

    def _shapes(self) -> Iterator[Problem]:
        machines, resources = len(self.worker_cost), len(self.worker)
        expected = {
            "worker_cost": (machines,),
            "server_cost": (machines,),
            "capacity": (machines, resources),
            "worker": (resources,),
            "server": (resources,),
        }
        for name, shape in expected.items():
            found = getattr(self, name).shape
            if found != shape:
                advice = "give every machine its costs and its capacity of every resource"
                yield Problem(name, list(found), f"an array of shape {list(shape)}", advice)

    def _numbers(self) -> Iterator[Problem]:
        for field in fields(self):
            values = np.asarray(getattr(self, field.name))
            for place in np.argwhere(~np.isfinite(values) | (values < 0)):
                path = field.name + "".join(f"[{i}]" for i in place)
                value = float(values[tuple(place)])
                yield Problem(path, value, "a number of 0 or more", "correct it")
        if self.workers_per_server == 0:
            advice = "give the number of workers per server"
            yield Problem("workers_per_server", 0, "a number above 0", advice)


def twin(data: SlotData) -> Matrix:
    """Return the matrix of the program of a job in a slot."""
    machines = len(data.worker_cost)
    needed = np.flatnonzero(data.worker + data.server)
    on_each = eye_array(machines)
    needs = [kron(on_each, need[needed].reshape(-1, 1)) for need in (data.worker, data.server)]
    ones, zeros = np.ones((1, machines)), np.zeros((1, machines))
    covers = [csr_array(np.hstack(pair)) for pair in ([ones, zeros], [zeros, ones])]
    a = csr_array(vstack([*covers, hstack(needs), covers[0]]))
    a.eliminate_zeros()
    packed = data.capacity[:, needed].ravel()
    least = [data.least_workers, data.least_workers / data.workers_per_server]
    return Matrix(
        columns=tuple(f"{kind}[{h}]" for kind in ("workers", "servers") for h in range(machines)),
        rows=(
            "cover_workers",
            "cover_servers",
            *(f"capacity[{h},{r}]" for h in range(machines) for r in needed),
            "batch",
        ),
        cost=np.concatenate([data.worker_cost, data.server_cost]),
        lower=np.zeros(2 * machines),
        upper=np.full(2 * machines, np.inf),
        integer=np.ones(2 * machines, dtype=np.bool_),
        a=a,
        row_lower=np.concatenate([least, np.full(len(packed) + 1, -np.inf)]),
        row_upper=np.concatenate([[np.inf, np.inf], packed, [data.most_workers]]),
    )


def drawn_slot(instance: OnlineInstance, number: int) -> SlotData:
    """Return a slot of one job, across machines that are up to 80 % occupied at random.

    The free part is measured in whole hundredths of a machine's capacity, rounded down. A machine's
    prices rise with the square of the occupied part.
    """
    model, job, rng = online_model(instance), instance.jobs[number], Random(number)
    worker, server = model.worker[number], model.server[number]
    taken = [int(81 * rng.random()) for _ in instance.machines]
    prices = [(100 + hundredths * hundredths) / 10_000 for hundredths in taken]
    capacity = np.array(
        [
            np.floor(row * (100 - part) / 100)
            for row, part in zip(model.capacity, taken, strict=True)
        ]
    )
    whole = [sum(capacity[:, r].tolist()) or 1.0 for r in range(len(worker))]
    parts = [
        sum(need / total for need, total in zip(needs.tolist(), whole, strict=True))
        for needs in (worker, server)
    ]
    return SlotData(
        worker_cost=np.array([1_000 * price * parts[0] for price in prices]),
        server_cost=np.array([1_000 * price * parts[1] for price in prices]),
        capacity=capacity,
        worker=worker,
        server=server,
        workers_per_server=float(job.workers_per_server),
        least_workers=float(ceil(job.batch_samples / 4)),
        most_workers=float(job.batch_samples),
    )


def drawn_twin(instance: OnlineInstance, number: int) -> Matrix:
    """Return the matrix of such a slot."""
    return twin(drawn_slot(instance, number))


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
