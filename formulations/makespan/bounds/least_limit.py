"""The least load limit theta of an instance, by bisection over assignments of jobs to GPUs."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....instances import MakespanInstance, SolutionStatus
from ...program import Caps
from ...solver_interface.solve import solve
from ..parts.data import data_of
from ..parts.load_limit_twin import assignment, estimates, gpus_of, open_to

Gpu = tuple[str, int]
Ints = NDArray[np.int64]


class LeastLimit(NamedTuple):
    """An assignment that keeps the load limit `theta`, and the least that is not refuted.

    They are equal unless a cap of the solver stopped the search.
    """

    theta: Fraction
    least: Fraction
    gpus: dict[str, list[Gpu]]


def bisect(
    instance: MakespanInstance,
    work: Mapping[str, Fraction] | None = None,
    caps: Caps | None = None,
) -> LeastLimit:
    """Return the least load limit; `work` is rho-hat / u of each job unless given.

    Loads are sums of `work`, so that limits are whole multiples of one part of a slot, and
    there the bisection ends.
    """
    work = estimates(instance) if work is None else work
    part = Fraction(1, lcm(*(slots.denominator for slots in work.values())))
    data = data_of(instance)
    names, gpus = list(data.tasks), gpus_of(data)
    units = np.array([int(work[job] / part) for job in names])
    wanted = np.array([task.gpus for task in data.tasks.values()])
    best = _greedy(units, wanted, open_to(data))
    low = max(int(units.max()), ceil(int(units @ wanted) / len(gpus)))
    high = int((units @ best).max())
    while low < high:
        middle = (low + high) // 2
        program = assignment(data, units.tolist(), middle)
        found = solve(replace(program, cost=np.zeros_like(program.cost)), "highs", caps or Caps())
        if found.point is not None:
            best = np.round(found.point[:-1]).reshape(best.shape).astype(np.int64)
            high = int((units @ best).max())
        elif found.status is SolutionStatus.INFEASIBLE:
            low = middle + 1
        else:
            break
    chosen = zip(names, best, strict=True)
    held = {job: [gpus[g] for g in np.flatnonzero(row)] for job, row in chosen}
    return LeastLimit(high * part, low * part, held)


def _greedy(units: Ints, wanted: Ints, may: Ints) -> Ints:
    """Return 1 for each job and GPU assigned: the least loaded GPUs, the longest jobs first."""
    on = np.zeros_like(may)
    for job in np.argsort(-units, kind="stable"):
        own = np.flatnonzero(may[job])
        loads = units @ on[:, own]
        on[job, own[np.argsort(loads, kind="stable")[: wanted[job]]]] = 1
    return on
