"""The matrix of `slot_program` from arrays alone, equal to the Pyomo model's row by row."""

from math import ceil
from random import Random

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from ...instances import OnlineInstance
from ...simulation.online.model import online_model
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


def drawn_slot(instance: OnlineInstance, number: int) -> SlotData:
    """Return a slot of one job, across machines that are taken up to four fifths at random.

    What is left is counted in whole hundredths of a machine's capacity, rounded down; a machine's
    prices rise with the square of what is taken.
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
