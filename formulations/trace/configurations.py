"""The configuration of each job in a round, a number of GPUs of a kind: Sia's integer program.

Source: Sia (Jayaram Subramanya et al., SOSP 2023), and `sia.py` of its public simulator.

Data: jobs j, configurations c in C_j of g_c GPUs, the cost f_c of running in c, the cost w of
waiting. Pools u of G_u GPUs: all GPUs of a kind, or those of a set of servers. A configuration may
be in several pools.

Variables
    chosen[j, c] in {0, 1}: job j runs in configuration c

Objective
    cost: minimise sum_(j,c) f_c chosen[j, c] + w sum_j (1 - sum_c chosen[j, c])

Constraints
    one_configuration[j]: sum_c chosen[j, c] <= 1
    gpus_fit[u]: sum_(j, c in u) g_c chosen[j, c] <= G_u

Configurations that cost as much as waiting, or more, are left out: without them no solution gets
worse.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array

from ..program import Caps, Matrix
from ..solver_interface.solve import solve


class Configuration(NamedTuple):
    """A number of GPUs that a job may have in a round."""

    job: int
    gpus: int
    pools: tuple[int, ...]
    """The pools that have these GPUs."""
    cost: float


def cheapest(
    choices: Sequence[Configuration], room: Sequence[int], waiting: float, gap: float = 0.0
) -> list[int]:
    """Return the numbers of the chosen configurations, at most one of each job.

    `room` are the GPUs of each pool, and `waiting` is the cost of a job without GPUs. `gap` is
    relative to what is saved compared with no job running, so that some job runs if that saves
    anything.
    """
    paid = [c for c, one in enumerate(choices) if one.cost < waiting]
    best: dict[int, int] = {}
    for c in paid:
        own = best.setdefault(choices[c].job, c)
        if choices[c].cost < choices[own].cost:
            best[choices[c].job] = c
    if _fit([choices[c] for c in best.values()], room):
        return sorted(best.values())
    matrix = _program([choices[c] for c in paid], room, waiting)
    found = solve(matrix, caps=Caps(gap=gap)).point
    return [] if found is None else [paid[c] for c in np.flatnonzero(found > 0.5).tolist()]


def _fit(chosen: Sequence[Configuration], room: Sequence[int]) -> bool:
    """Return True if no pool lacks GPUs for these configurations."""
    left = list(room)
    for one in chosen:
        for pool in one.pools:
            left[pool] -= one.gpus
    return min(left, default=0) >= 0


def _program(choices: Sequence[Configuration], room: Sequence[int], waiting: float) -> Matrix:
    """Return the program: rows `one_configuration`, then `gpus_fit`."""
    rows = {job: j for j, job in enumerate(dict.fromkeys(one.job for one in choices))}
    jobs, columns, pools = len(rows), len(choices), len(room)
    entries = [(1, rows[one.job], c) for c, one in enumerate(choices)]
    entries += [(one.gpus, jobs + u, c) for c, one in enumerate(choices) for u in one.pools]
    values, row, column = np.array(entries, np.int64).T
    return Matrix(
        columns=tuple(f"chosen[{one.job},{c}]" for c, one in enumerate(choices)),
        rows=tuple(
            [f"one_configuration[{job}]" for job in rows] + [f"gpus_fit[{u}]" for u in range(pools)]
        ),
        cost=np.array([one.cost - waiting for one in choices]),
        lower=np.zeros(columns),
        upper=np.ones(columns),
        integer=np.ones(columns, bool),
        a=coo_array((values.astype(float), (row, column)), shape=(jobs + pools, columns)).tocsr(),
        row_lower=np.full(jobs + pools, -np.inf),
        row_upper=np.array([1.0] * jobs + [float(gpus) for gpus in room]),
    )
