"""CVXPY with its conic solvers: linear programs, such as relaxations."""

import operator
import time
import warnings
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from .gpu import NEEDS_GPU, no_gpu
from .highs import silenced
from .solver import Solver, Tell, dual_bound, over, refuses, there

FINE = {"eps_abs": 1e-9, "eps_rel": 1e-9}

OPTIONS: dict[str, dict[str, Any]] = {
    "clarabel": {},
    "cuopt": {},
    "ecos": {"abstol": 1e-9, "reltol": 1e-9, "feastol": 1e-9},
    "highs": {},
    "osqp": {**FINE, "max_iter": 200_000, "polishing": True},
    "piqp": {},
    "scs": {**FINE, "max_iters": 200_000},
}
"""First-order methods would stop far above our tolerance by themselves."""

CLOCK = {"scs": "time_limit_secs", "ecos": None, "piqp": None}
"""What the option is called that is `time_limit` elsewhere, or None for solvers without a clock.

With a time limit, these have a process of their own, which is ended.
"""

MODULES = {"highs": "highspy"}
PACKAGES = {"cuopt": "cuopt-cu12"}
INSTALL = {"clarabel": "ringyard", "highs": "ringyard", "cuopt": "cuopt-cu12"}

ENDS = {
    "optimal": (TerminationReason.DONE, SolutionStatus.OPTIMAL),
    "infeasible": (TerminationReason.DONE, SolutionStatus.INFEASIBLE),
    "unbounded": (TerminationReason.DONE, SolutionStatus.UNBOUNDED),
    "infeasible_or_unbounded": (TerminationReason.DONE, SolutionStatus.UNBOUNDED),
    "user_limit": (TerminationReason.TIME_LIMIT, SolutionStatus.FEASIBLE),
}
"""What CVXPY's words mean; anything inaccurate claims nothing."""


def run(engine: str, program: Program, caps: Caps, start: Floats | None, tell: Tell) -> Solution:
    """Solve a linear program by one of the conic solvers; its bound comes from its duals."""
    began, clock = time.monotonic(), CLOCK.get(engine, "time_limit")
    if clock is None and (late := over(caps, began)) is not None:
        return late
    import cvxpy

    assert isinstance(program, Matrix)
    options = dict(OPTIONS[engine])
    if caps.time_s is not None and clock is not None:
        options[clock] = max(caps.time_s, 1e-9)
    x = cvxpy.Variable(len(program.columns), bounds=[program.lower, program.upper])
    rows = _rows(program, x)
    sides = [row for _, _, row in rows]
    problem = cvxpy.Problem(cvxpy.Minimize(program.cost @ x), sides)
    setup_s = time.monotonic() - began
    said = _solve(problem, engine, options)
    termination, status = ENDS.get(said, (TerminationReason.NUMERICAL, SolutionStatus.FEASIBLE))
    if (
        termination is TerminationReason.NUMERICAL
        and caps.time_s is not None
        and _took(problem) >= caps.time_s
    ):
        termination = TerminationReason.TIME_LIMIT
    duals = _duals(program, rows) if said == "optimal" else None
    return Solution(
        termination=termination,
        status=status,
        point=None if x.value is None else np.asarray(x.value, dtype=float),
        bound=None if duals is None else dual_bound(program, duals),
        duals=duals,
        setup_s=setup_s + (problem.compilation_time or 0.0),
        note="" if termination is TerminationReason.DONE else said,
    )


def _solve(problem: Any, engine: str, options: dict[str, Any]) -> str:
    """Solve and return CVXPY's word for how it ended."""
    import cvxpy

    try:
        with warnings.catch_warnings():
            # It warns of what its status says as well.
            warnings.simplefilter("ignore")
            with silenced() if engine == "highs" else nullcontext():
                problem.solve(solver=engine.upper(), **options)
    except cvxpy.SolverError as error:
        return str(error).split(".")[0]
    return str(problem.status)


def _took(problem: Any) -> float:
    """Return the seconds of the solver itself: some call a time limit a lack of accuracy."""
    stats = problem.solver_stats
    return 0.0 if stats is None else float(stats.solve_time or 0.0)


def _rows(program: Matrix, x: Any) -> list[tuple[Any, float, Any]]:
    """Return the rows as equalities, lower and upper sides, with their places and dual signs."""
    low, high = program.row_lower, program.row_upper
    same = low == high
    rows: list[tuple[Any, float, Any]] = []
    for chosen, sign, compare, side in (
        (same, -1.0, operator.eq, low),
        (np.isfinite(low) & ~same, 1.0, operator.ge, low),
        (np.isfinite(high) & ~same, -1.0, operator.le, high),
    ):
        places = np.flatnonzero(chosen)
        if places.size:
            rows.append((places, sign, compare(program.a[places] @ x, side[places])))
    return rows


def _duals(program: Matrix, rows: list[tuple[Any, float, Any]]) -> Floats:
    duals = np.zeros(len(program.rows))
    for places, sign, row in rows:
        duals[places] += sign * np.asarray(row.dual_value, dtype=float)
    return duals


def _import() -> None:
    import cvxpy  # noqa: F401


SOLVERS = tuple(
    Solver(
        name=f"cvxpy-{engine}",
        module=MODULES.get(engine, engine),
        load=_import,
        package=PACKAGES.get(engine, MODULES.get(engine, engine)),
        install=INSTALL.get(engine, "'ringyard[conic]'"),
        can=("lp", "duals"),
        run=partial(run, engine),
        refuses=refuses,
        lacks=no_gpu if engine == "cuopt" else there,
        remark=NEEDS_GPU if engine == "cuopt" else "",
        clock=CLOCK.get(engine, "") is not None,
    )
    for engine in OPTIONS
)
