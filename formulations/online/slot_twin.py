"""The matrix of `slot_program` from arrays alone, equal to the Pyomo model's row by row."""

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from ..program import Matrix
from .slot_data import SlotData


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
