"""A knapsack with several resources: linear programs around a few of the best jobs.

Every set of at most k jobs is tried as the jobs of most utility of an optimum: it is admitted, jobs
worth more than any of it are not, and the linear program over the others is rounded down. Its
optimum has a fraction of at most R jobs, each worth at most a k-th of the set. So the best
answer is at least k / (k + R) of the optimum. Source: Frieze and Clarke 1984.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ...formulations.door.solve import solve
from ...formulations.online.smd_admission import has_room, twin
from ...formulations.online.smd_data import SmdProblem
from ...formulations.program import Flags, Floats, Matrix
from ...instances import Left, Limits, RefusedError

WHOLE = 1e-6
"""A job of which no more than this is missing is whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmittedJobs:
    """The jobs admitted, and how sure that is."""

    admitted: tuple[bool, ...]
    utility: float
    factor: float
    """The utility is at least this part of the optimum; 0 if time was up."""
    programs: int
    """Linear programs solved."""


def pack(
    problem: SmdProblem, utilities: Sequence[float], size: int, limits: Limits
) -> AdmittedJobs:
    """Return a choice of jobs from sets of up to `size`."""
    worth, relaxed = np.asarray(utilities, dtype=float), _relaxed(problem, utilities)
    best, programs = np.zeros(len(worth), dtype=np.bool_), 0
    factor = size / (size + len(problem.capacity))
    for chosen in _sets(len(worth), size):
        if limits.over():
            factor = 0.0
            break
        lower = np.isin(np.arange(len(worth)), chosen).astype(float)
        if not has_room(problem, lower):
            continue
        found = _around(relaxed, worth, lower)
        programs += 1
        if worth @ found > worth @ best:
            best = found
    return AdmittedJobs(
        admitted=tuple(best.tolist()),
        utility=float(worth @ best),
        factor=factor,
        programs=programs,
    )


def most_utility(problem: SmdProblem, utilities: Sequence[float]) -> float:
    """Return the most that jobs are worth together if parts of them may be admitted."""
    return float(np.asarray(utilities) @ _solve(_relaxed(problem, utilities)))


def _relaxed(problem: SmdProblem, utilities: Sequence[float]) -> Matrix:
    matrix = twin(problem, utilities)
    return replace(matrix, integer=np.zeros_like(matrix.integer))


def _sets(count: int, size: int) -> Iterator[tuple[int, ...]]:
    for k in range(min(size, count) + 1):
        yield from combinations(range(count), k)


def _around(relaxed: Matrix, worth: Floats, lower: Floats) -> Flags:
    """Admit some jobs, none worth more than each of them, and what is whole in the optimum."""
    least = worth[lower > 0].min(initial=np.inf)
    upper = np.where((worth <= least) | (lower > 0), 1.0, 0.0)
    return _solve(replace(relaxed, lower=lower, upper=upper)) >= 1 - WHOLE


def _solve(matrix: Matrix) -> Floats:
    found = solve(matrix)
    if found.left is not Left.OPTIMAL or found.point is None:
        raise RefusedError(f"HiGHS does not solve this knapsack: {found.note or found.left.value}")
    return found.point
