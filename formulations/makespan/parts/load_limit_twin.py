"""The matrix of `load_limit` from arrays alone, equal to the Pyomo model's row by row."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, eye_array, hstack, kron, vstack

from ....instances import MakespanInstance
from ....simulation.makespan.extremes import extremes
from ...files.names import label
from ...program import Matrix
from .data import ProgramData, data_of

Ints = NDArray[np.int64]


def estimates(instance: MakespanInstance) -> dict[str, Fraction]:
    """Return rho-hat / u of every job, in slots.

    A job that may stand still forever counts with its fewest slots: rho-hat has no better
    finite value that is at most u times those.
    """
    pairs = [(e.least_slots or Fraction(0), e.most_slots) for e in extremes(instance)]
    u = max((most / least for least, most in pairs if most), default=Fraction(1))
    return {
        job.name: (most or least) / u
        for job, (least, most) in zip(instance.jobs, pairs, strict=True)
    }


def gpus_of(data: ProgramData) -> list[tuple[str, int]]:
    """Return all GPUs, as server and number there."""
    return [(server, i) for server, size in data.sizes.items() for i in range(size)]


def open_to(data: ProgramData) -> Ints:
    """Return 1 for each job and GPU that it may use, else 0."""
    gpus = gpus_of(data)
    rows = [[min(1, data.room(job, server)) for server, _ in gpus] for job in data.tasks]
    return np.array(rows, np.int64)


def twin(instance: MakespanInstance, horizon: Fraction | int | None = None) -> Matrix:
    """Return the matrix of the program with all loads at most `horizon`."""
    data, work = data_of(instance), estimates(instance)
    most = float(data.horizon if horizon is None else horizon)
    return assignment(data, [float(slots) for slots in work.values()], most)


def assignment(data: ProgramData, work: Sequence[float], most: float) -> Matrix:
    """Return the program of assigning so much work of each job to its GPUs."""
    jobs = [label(job) for job in data.tasks]
    gpus = [f"{label(server)},{i}" for server, i in gpus_of(data)]
    pairs = len(jobs) * len(gpus)
    wanted = np.array([task.gpus for task in data.tasks.values()], dtype=float)
    gang = kron(eye_array(len(jobs)), np.ones((1, len(gpus))))
    load = kron(np.array([work]), eye_array(len(gpus)))
    limit = np.concatenate([np.zeros(len(jobs)), -np.ones(len(gpus))])[:, None]
    rows = vstack([csr_array(gang), csr_array(load)])
    a = csr_array(hstack([rows, csr_array(limit)]))
    a.eliminate_zeros()  # `kron` stores the zeros of small blocks
    return Matrix(
        columns=(*(f"on[{job},{gpu}]" for job in jobs for gpu in gpus), "makespan_slots"),
        rows=(*(f"gang[{job}]" for job in jobs), *(f"loads[{gpu}]" for gpu in gpus)),
        cost=np.eye(1, pairs + 1, pairs)[0],
        lower=np.zeros(pairs + 1),
        upper=np.append(open_to(data), most),
        integer=np.append(np.ones(pairs, dtype=np.bool_), False),
        a=a,
        row_lower=np.concatenate([wanted, np.full(len(gpus), -np.inf)]),
        row_upper=np.concatenate([wanted, np.zeros(len(gpus))]),
    )
