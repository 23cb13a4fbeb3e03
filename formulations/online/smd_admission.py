"""Which jobs to admit: a knapsack with a row for each resource.

Source: SMD, its program over all jobs, once each job's time is known.

Columns
    admitted[i] in {0, 1}: job i runs
Objective
    maximise sum_i u_i admitted[i], stated as a least cost
Rows
    capacity[r]: sum_i v_ir admitted[i] <= C_r
"""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from ..program import Floats, Matrix
from .smd_data import TOLERANCE, SmdProblem


def twin(problem: SmdProblem, utilities: Sequence[float]) -> Matrix:
    """Return the matrix of the program for given utilities."""
    count = len(problem.jobs)
    return Matrix(
        columns=tuple(f"admitted[{job.name}]" for job in problem.jobs),
        rows=tuple(f"capacity[{r}]" for r in range(len(problem.capacity))),
        cost=-np.asarray(utilities, dtype=float),
        lower=np.zeros(count),
        upper=np.ones(count),
        integer=np.ones(count, dtype=np.bool_),
        a=csr_array(np.array([job.reserved for job in problem.jobs]).T),
        row_lower=np.full(len(problem.capacity), -np.inf),
        row_upper=np.asarray(problem.capacity, dtype=float),
    )


def has_room(problem: SmdProblem, admitted: Floats) -> bool:
    """Say whether the capacity is enough for the jobs admitted."""
    used = np.asarray(admitted, dtype=float) @ np.array([job.reserved for job in problem.jobs])
    return bool((used <= np.asarray(problem.capacity) * (1 + TOLERANCE)).all())
