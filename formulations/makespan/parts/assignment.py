"""The assignment program of unrelated machines, relaxed: shares of jobs on machines.

Sources: J. K. Lenstra, D. B. Shmoys and E. Tardos, Approximation algorithms for scheduling
unrelated parallel machines, Mathematical Programming 46, 1990; rings over several machines are
ours.

Data: u_j units of job j, 1 unless it is a ring over several machines; n_jm, the most of them that
machine m takes; c_jm, what each of them loads it by.

Variables
    share[j, m] in [0, n_jm]: units of j on m
    largest_load >= 0

Objective
    minimise largest_load

Constraints
    every_job[j]: sum_m share[j, m] = u_j
    loads[m]: sum_j c_jm share[j, m] <= largest_load

Size: |J| |M| + 1 variables, |J| + |M| rows.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from ...program import Floats, Matrix

Ints = NDArray[np.int64]


def assignment_program(units: Ints, most: Ints, work: Floats) -> Matrix:
    """Return the program; where `most` is 0, there is no column."""
    jobs, machines = most.shape
    job, machine = np.nonzero(most)
    pairs = np.arange(job.size)
    loads = jobs + np.arange(machines)
    rows = np.concatenate([job, jobs + machine, loads])
    columns = np.concatenate([pairs, pairs, np.full(machines, job.size)])
    values = np.concatenate([np.ones(job.size), work[job, machine], -np.ones(machines)])
    a = coo_array((values, (rows, columns)), shape=(jobs + machines, job.size + 1))
    return Matrix(
        columns=(
            *(f"share[{j},{m}]" for j, m in zip(job.tolist(), machine.tolist(), strict=True)),
            "largest_load",
        ),
        rows=(
            *(f"every_job[{j}]" for j in range(jobs)),
            *(f"loads[{m}]" for m in range(machines)),
        ),
        cost=np.eye(1, job.size + 1, job.size)[0],
        lower=np.zeros(job.size + 1),
        upper=np.append(most[job, machine].astype(float), np.inf),
        integer=np.zeros(job.size + 1, dtype=np.bool_),
        a=csr_array(a),
        row_lower=np.concatenate([units.astype(float), np.full(machines, -np.inf)]),
        row_upper=np.concatenate([units.astype(float), np.zeros(machines)]),
    )


def shares_of(most: Ints, point: Floats) -> Floats:
    """Return the shares of a point of the program."""
    found = np.zeros(most.shape)
    found[np.nonzero(most)] = point[:-1]
    return found
