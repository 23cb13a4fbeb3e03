"""CVXPY with its conic solvers: programs in cones that are not linear, and semidefinite ones."""

import time
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from ...instances import RefusedError, SolutionStatus
from ..conic import Cone, ConicProgram
from ..program import Caps, Floats, Matrix, Program, Solution
from ..relaxations import lifted, products
from .conic import solve_quietly
from .solver import Report, Run, claim

FINE: dict[str, dict[str, float]] = {
    "clarabel": {"tol_gap_abs": 1e-10, "tol_gap_rel": 1e-10, "tol_feas": 1e-10},
    "ecos": {"abstol": 1e-10, "reltol": 1e-10, "feastol": 1e-10, "max_iters": 1000},
    "scs": {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iters": 500_000},
}
"""Solvers and the accuracy requested from them."""

NO_POWER = ("ecos",)
"""The solvers without power cones."""


def knows(engine: str, program: ConicProgram) -> bool:
    """Return True if a solver supports all cones of a program."""
    return engine not in NO_POWER or all(cone.sort != "power" for cone in program.cones)


class ConicAnswer(NamedTuple):
    """The point that a solver ends with, whether it calls it optimal, and its own seconds."""

    point: Floats
    sure: bool
    seconds: float


def solve_conic(program: ConicProgram, engine: str) -> ConicAnswer:
    """Return the last point of a solver.

    Raises:
        RefusedError: If it ends without one.
    """
    import cvxpy

    x = cvxpy.Variable(len(program.columns))
    values = program.a @ x + program.b
    rows = [_row(cone, values[place]) for cone, place in program.blocks()]
    problem = cvxpy.Problem(cvxpy.Minimize(program.cost @ x + program.offset), rows)
    if (reason := solve_quietly(problem, engine.upper(), FINE[engine])) is not None:
        raise RefusedError(f"{engine} gives up on this program: {reason}")
    if x.value is None:
        raise RefusedError(f"{engine} ends without a point: {problem.status}")
    took = problem.solver_stats.solve_time or 0.0
    return ConicAnswer(np.asarray(x.value, dtype=float), problem.status == "optimal", took)


def conic_run(engine: str) -> Run:
    """Return the call of a solver for programs in cones."""
    return partial(_run, engine)


def _run(
    engine: str, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    del caps, start, report
    began = time.monotonic()
    found = solve_conic(cast(ConicProgram, program), engine)
    status = SolutionStatus.OPTIMAL if found.sure else SolutionStatus.FEASIBLE
    setup_s = max(0.0, time.monotonic() - began - found.seconds)
    return claim(status, point=found.point, setup_s=setup_s)


def _row(cone: Cone, values: Any) -> Any:
    import cvxpy

    if cone.sort == "zero":
        return values == 0
    if cone.sort == "positive":
        return values >= 0
    if cone.sort == "quadratic":
        return cvxpy.SOC(values[0], values[1:])
    if cone.sort == "power":
        assert cone.exponent is not None
        return cvxpy.PowCone3D(values[0], values[1], values[2], float(cone.exponent))
    # CVXPY's exponential cone has the bound last.
    return cvxpy.ExpCone(values[2], values[1], values[0])


def semidefinite_value(program: Matrix) -> float:
    """Return the value of the lifted program whose products form a semidefinite matrix as well.

    By SCS through CVXPY, in floating point: it is no bound that one could rely on.
    """
    import cvxpy

    linear, place = lifted(program), products(program)
    count = len(place)
    point = cvxpy.Variable(len(linear.columns))
    moment = cvxpy.Variable((count + 1, count + 1), PSD=True)
    rows = [moment[0, 0] == 1, moment[0, 1:] == point[:count]]
    rows += [moment[i + 1, 1:] == point[place[i]] for i in range(count)]
    for sign, ends in ((1, linear.row_upper), (-1, linear.row_lower)):
        known = np.isfinite(ends)
        rows.append(sign * (linear.a[known] @ point) <= sign * ends[known])
    rows += [point >= linear.lower, point <= linear.upper]
    problem = cvxpy.Problem(cvxpy.Minimize(linear.cost @ point + linear.offset), rows)
    problem.solve(solver="SCS")
    if problem.status != "optimal":
        raise RefusedError(f"SCS ends with {problem.status}")
    return float(problem.value)
