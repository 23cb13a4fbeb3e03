"""A solver's claims, checked against the program: false claims are removed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isnan

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..files.nl import nl_checker
from ..program import ENDLESS, TOLERANCE, Checker, Floats, Matrix, Program, Solution, matrix_checker

Watch = Callable[[Floats, float], object]
"""Takes a better point and its value, while a solver runs."""


def checker_of(program: Program) -> Checker:
    """Return the checker of points of a program."""
    return matrix_checker(program) if isinstance(program, Matrix) else nl_checker(program.nl)


def dual_residual(matrix: Matrix, duals: Floats) -> float:
    """Return by how much row duals and their reduced costs have a sign that no bound allows.

    Of reduced costs, relative to the cost of the column or to 1.
    """
    reduced = (matrix.cost - matrix.a.T @ duals) / np.maximum(1.0, np.abs(matrix.cost))
    misses = (
        np.where(np.isfinite(low), 0.0, signs) + np.where(np.isfinite(high), 0.0, -signs_below)
        for low, high, signs, signs_below in (
            (matrix.lower, matrix.upper, np.maximum(reduced, 0.0), np.minimum(reduced, 0.0)),
            (matrix.row_lower, matrix.row_upper, np.maximum(duals, 0.0), np.minimum(duals, 0.0)),
        )
    )
    return max(float(miss.max(initial=0.0)) for miss in misses)


@dataclass(slots=True)
class BestPoint:
    """The best point that holds, of those reported while a solver runs."""

    checker: Checker
    watch: Watch | None = None
    point: Floats | None = None
    value: float = inf
    bound: float | None = None
    """The highest bound reported with a point."""
    error: Exception | None = None
    """The error that the watcher raised, because solvers fail on errors in a callback."""

    def report(self, point: Floats, bound: float | None = None) -> float:
        """Keep a point if it holds and is better, and return its violation."""
        if bound is not None:
            self.bound = bound if self.bound is None else max(bound, self.bound)
        rounded, miss = self.checker.settle(point)
        if miss <= TOLERANCE and (value := self.checker.value(rounded)) < self.value:
            self.point, self.value = rounded, value
            self._show(rounded, value)
        return miss

    def _show(self, point: Floats, value: float) -> None:
        if self.watch is None or self.error is not None:
            return
        try:
            self.watch(point, value)
        except Exception as error:
            self.error = error


def recheck(
    claimed: Solution, best: BestPoint, start: Floats | None = None, gap: float = 0
) -> Solution:
    """Return the claims that hold, with value and violation recomputed.

    The best point reported during the run replaces a final one that does not hold. `gap` is the
    relative gap at which the solver was allowed to claim an optimum.
    """
    problems = []
    if claimed.point is not None and (miss := best.report(claimed.point)) > TOLERANCE:
        problems.append(f"its point violates the program by {miss:.2g} and is dropped")
    bound, problem = _sound_bound(best.bound if claimed.bound is None else claimed.bound, best)
    problems.append(problem)
    differ = bound is not None and not _meet(bound, best.value, gap)
    status = _left(claimed.status, bound, best)
    if claimed.status is SolutionStatus.INFEASIBLE and _refuted(best, start):
        problems.append("it claims that no point exists, but one does")
        status = SolutionStatus.NOTHING if best.point is None else SolutionStatus.FEASIBLE
    elif claimed.status is SolutionStatus.OPTIMAL and differ:
        problems.append("it claims an optimum, but its bound and the value differ")
    problems = list(filter(None, problems))
    if problems and status is SolutionStatus.OPTIMAL:
        status = SolutionStatus.FEASIBLE
    point = None if status is SolutionStatus.UNBOUNDED else best.point
    wrong = bool(problems) and claimed.termination is TerminationReason.DONE
    return replace(
        claimed,
        termination=TerminationReason.NUMERICAL if wrong else claimed.termination,
        status=status,
        point=point,
        value=None if point is None else best.value,
        bound=None if status in {SolutionStatus.UNBOUNDED, SolutionStatus.INFEASIBLE} else bound,
        violation=None if point is None else best.checker.violation(point),
        note="; ".join(filter(None, [claimed.note, *problems])),
    )


def _sound_bound(bound: float | None, best: BestPoint) -> tuple[float | None, str]:
    """Return the bound unless it is trivial or impossible, and the reason."""
    if bound is None or abs(bound) >= ENDLESS:
        return None, ""
    if isnan(bound):
        return None, "its bound is not a number"
    if bound > best.value and not _meet(bound, best.value):
        return None, f"its bound {bound:.9g} lies above the value {best.value:.9g} of its point"
    return bound, ""


def _left(claimed: SolutionStatus, bound: float | None, best: BestPoint) -> SolutionStatus:
    if claimed is SolutionStatus.UNBOUNDED or (
        claimed is SolutionStatus.INFEASIBLE and best.point is None
    ):
        return claimed
    if best.point is None:
        return SolutionStatus.NOTHING
    proved = bound is not None and _meet(bound, best.value)
    return SolutionStatus.OPTIMAL if proved else SolutionStatus.FEASIBLE


def _meet(bound: float, value: float, gap: float = 0.0) -> bool:
    return abs(value - bound) <= max(TOLERANCE * max(1.0, abs(value)), gap * abs(value))


def _refuted(best: BestPoint, start: Floats | None) -> bool:
    """Return True if a known point contradicts the claim."""
    known = best.point is not None
    return known or (start is not None and best.checker.violation(start) <= TOLERANCE)
