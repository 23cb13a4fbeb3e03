"""Which jobs to admit, and with how many workers and servers: SMD's method, and an exact one.

Both first make every job quick within what it reserved, whatever becomes of the others, then
choose among the jobs. SMD's method is `approximate`: grid, rounding, sets of jobs. The exact
one tries all workers, and solves the knapsack with HiGHS.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from ...formulations.door.solution import Caps
from ...formulations.door.solve import solve
from ...formulations.online.smd_admission import twin
from ...formulations.online.smd_data import SmdJob, SmdProblem
from ...formulations.online.sum_of_ratios import quickest
from ...instances import InputError, Limits, RefusedError
from ...instances.errors import Problem
from .frieze_clarke import most_utility, pack
from .ratio_grid import search_grid
from .smd_rounding import round_down, round_shrunk, shrink_factor

ROUNDINGS = ("shrunk", "down")


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a job gets if it is admitted."""

    job: str
    workers: int
    servers: int
    time_ms: float
    lower_ms: float
    """With no workers and servers, whole or not, it takes less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """A grant for each job, which of them are admitted, and what that is worth."""

    grants: tuple[Grant, ...]
    admitted: tuple[bool, ...]
    utility: float
    upper: float
    """No allocation is worth more."""


def approximate(
    problem: SmdProblem,
    rng: Generator,
    limits: Limits,
    *,
    epsilon: float = 0.2,
    delta: float = 0.1,
    size: int = 2,
    rounding: str = "shrunk",
) -> Allocation:
    """Return what SMD's method finds.

    `epsilon` is that of the grids, `delta` that of the factor M, and `size` that of the sets of
    jobs. The `rounding` is SMD's, or "down" without chance and factor. Once time is up, lower
    bounds are minus infinity, and what remains is done on what is known.
    """
    if rounding not in ROUNDINGS:
        problems = [Problem("rounding", rounding, "one of " + ", ".join(ROUNDINGS), "choose one")]
        raise InputError("SMD", problems)
    grants = []
    for job in problem.jobs:
        found = search_grid(job, epsilon, limits)
        point = np.array([found.workers, found.servers])
        if rounding == "down":
            workers, servers = round_down(point)
        else:
            ((workers, servers),) = round_shrunk(point, shrink_factor(job, delta), 1, rng)
        grants.append(_grant(job, int(workers), int(servers), found.lower_ms))
    packing = pack(problem, _utilities(problem, [grant.time_ms for grant in grants]), size, limits)
    hopes = _utilities(problem, [max(0.0, grant.lower_ms) for grant in grants])
    return Allocation(
        grants=tuple(grants),
        admitted=packing.admitted,
        utility=packing.utility,
        upper=most_utility(problem, hopes),
    )


def exact(problem: SmdProblem, caps: Caps) -> Allocation:
    """Return an optimum, or the best that HiGHS finds within its caps."""
    best = [quickest(job) for job in problem.jobs]
    utilities = _utilities(problem, [one.time_ms for one in best])
    found = solve(twin(problem, utilities), caps=caps)
    if found.point is None or found.value is None or found.bound is None:
        raise RefusedError(f"HiGHS finds no choice of jobs: {found.note or found.stop.value}")
    return Allocation(
        grants=tuple(
            _grant(job, one.workers, one.servers, one.time_ms)
            for job, one in zip(problem.jobs, best, strict=True)
        ),
        admitted=tuple((found.point > 0.5).tolist()),
        utility=-found.value,
        upper=-found.bound,
    )


def _grant(job: SmdJob, workers: int, servers: int, lower_ms: float) -> Grant:
    return Grant(
        job=job.name,
        workers=workers,
        servers=servers,
        time_ms=float(job.time_ms(workers, servers)),
        lower_ms=lower_ms,
    )


def _utilities(problem: SmdProblem, times_ms: Sequence[float]) -> list[float]:
    pairs = zip(problem.jobs, times_ms, strict=True)
    return [job.worth(time_ms, problem.slot_ms) for job, time_ms in pairs]
