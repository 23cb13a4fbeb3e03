"""One job in one slot, inside a machine or across machines: the two programs in one.

Source: PD-ORS (online scheduling and placement of parameter-server training jobs), the cheaper
of its two cases; how they are joined is ours.

Inside a machine fewer workers do the same work, so there are two demands: W across machines, and
W' inside one, with S' servers.

Data: as in `slot_program`, W and W' for the same samples.

Variables
    workers[h], servers[h] in {0, 1, ..}: across machines
    inside[h] in {0, 1}: the job is on machine h alone

Objective
    cost: minimise sum_h c^w_h workers[h] + c^s_h servers[h] + (c^w_h W' + c^s_h S') inside[h]

Constraints
    cover_workers: sum_h workers[h] + W inside[h] >= W
    cover_servers: sum_h servers[h] + (W / gamma) inside[h] >= W / gamma
    capacity[h, r]: alpha^r workers[h] + beta^r servers[h] + (alpha^r W' + beta^r S') inside[h]
        <= C_h^r
    batch: sum_h workers[h] + F inside[h] <= F
"""

from dataclasses import replace
from math import ceil

import numpy as np
from scipy.sparse import csr_array, hstack

from ..program import Matrix
from .slot_data import SlotData
from .slot_twin import twin


def either(data: SlotData, inside_workers: float) -> Matrix:
    """Return the program of a job with two demands: the data's across machines, one inside."""
    across, machines = twin(data), len(data.worker_cost)
    servers = ceil(inside_workers / data.workers_per_server)
    needed = np.flatnonzero(data.worker + data.server)
    taken = (inside_workers * data.worker + servers * data.server)[needed]
    more = np.zeros((len(across.rows), machines))
    more[0], more[1], more[-1] = across.row_lower[0], across.row_lower[1], data.most_workers
    for h in range(machines):
        start = 2 + h * len(needed)
        more[start : start + len(needed), h] = taken
    prices = inside_workers * data.worker_cost + servers * data.server_cost
    return replace(
        across,
        columns=(*across.columns, *(f"inside[{h}]" for h in range(machines))),
        cost=np.concatenate([across.cost, prices]),
        lower=np.append(across.lower, np.zeros(machines)),
        upper=np.append(across.upper, np.ones(machines)),
        integer=np.ones(3 * machines, dtype=np.bool_),
        a=csr_array(hstack([across.a, csr_array(more)])),
    )
