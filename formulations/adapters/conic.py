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
from ..stated import Stated, Value, fixed, ours, own
from .gpu import NEEDS_GPU, no_gpu
from .highs import silenced
from .solver import End, Report, Solver, claim, dual_bound, one_sided, over, refuses, there

FINE = {"eps_abs": 1e-9, "eps_rel": 1e-9}

OPTIONS: dict[str, dict[str, Any]] = {
    "clarabel": {},
    "cuopt": {},
    "ecos": {"abstol": 1e-9, "reltol": 1e-9, "feastol": 1e-9},
    "highs": {},
    "osqp": {**FINE, "max_iter": 200_000, "polishing": True},
    "piqp": {},
    "scs": {**FINE, "eps_infeas": 1e-9, "max_iters": 200_000},
}
"""First-order methods would stop far above our tolerance by themselves.

With its own `eps_infeas` of 1e-7, SCS 3.3.1 calls some feasible programs infeasible.
"""

CLOCK = {"scs": "time_limit_secs", "ecos": None, "piqp": None}
"""The name of the option for the time limit, if not `time_limit`, or None for solvers without one.

With a time limit, these solvers run in a separate process that can be ended.
"""

MODULES = {"highs": "highspy"}
PACKAGES = {"cuopt": "cuopt-cu12"}
INSTALL = {"clarabel": "ringyard", "highs": "ringyard", "cuopt": "cuopt-cu12"}

ENDS: dict[str, End] = {
    "optimal": SolutionStatus.OPTIMAL,
    "infeasible": SolutionStatus.INFEASIBLE,
    "unbounded": SolutionStatus.UNBOUNDED,
    "infeasible_or_unbounded": SolutionStatus.UNBOUNDED,
    "user_limit": TerminationReason.TIME_LIMIT,
}
"""The meaning of CVXPY's statuses. An inaccurate answer claims nothing."""


def run(
    engine: str, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Solve a linear program by one of the conic solvers. Its bound comes from its duals."""
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
    status = _solve(problem, engine, options)
    # Some call a time limit a lack of accuracy.
    timed_out = caps.time_s is not None and _seconds(problem) >= caps.time_s
    unknown = TerminationReason.TIME_LIMIT if timed_out else TerminationReason.NUMERICAL
    duals = _duals(program, rows) if status == "optimal" else None
    return claim(
        ENDS.get(status, unknown),
        status,
        point=None if x.value is None else np.asarray(x.value, dtype=float),
        bound=None if duals is None else dual_bound(program, duals),
        duals=duals,
        setup_s=setup_s + (problem.compilation_time or 0.0),
    )


def _solve(problem: Any, engine: str, options: dict[str, Any]) -> str:
    """Solve and return CVXPY's word for how it ended."""
    with silenced() if engine == "highs" else nullcontext():
        reason = solve_quietly(problem, engine.upper(), options)
    return str(problem.status) if reason is None else reason.split(".")[0]


def solve_quietly(problem: Any, solver: str, options: dict[str, Any]) -> str | None:
    """Solve a problem of CVXPY, and return its reason if it gives up, else None."""
    import cvxpy

    try:
        with warnings.catch_warnings():
            # Its warnings repeat its status.
            warnings.simplefilter("ignore")
            problem.solve(solver=solver, **options)
    except cvxpy.SolverError as error:
        return str(error)
    return None


def _seconds(problem: Any) -> float:
    """Return the seconds of the solver itself."""
    stats = problem.solver_stats
    return 0.0 if stats is None else float(stats.solve_time or 0.0)


SIGNS = {"=": (-1.0, operator.eq), ">": (1.0, operator.ge), "<": (-1.0, operator.le)}
"""The sign of its dual by the sign of a row, and how CVXPY states that."""


def _rows(program: Matrix, x: Any) -> list[tuple[Any, float, Any]]:
    """Return the rows as equalities, lower and upper sides, with their places and dual signs."""
    rows: list[tuple[Any, float, Any]] = []
    for sign, places, sides in one_sided(program):
        of_dual, compare = SIGNS[sign]
        rows.append((places, of_dual, compare(program.a[places] @ x, sides)))
    return rows


def _duals(program: Matrix, rows: list[tuple[Any, float, Any]]) -> Floats:
    duals = np.zeros(len(program.rows))
    for places, sign, row in rows:
        duals[places] += sign * np.asarray(row.dual_value, dtype=float)
    return duals


STATED: dict[str, Stated] = {
    "clarabel": {
        "relative gap": own("tol_gap_rel", 1e-8),
        "absolute gap or increment": own("tol_gap_abs", 1e-8),
        "row tolerance": own("tol_feas", 1e-8),
        "infeasibility tolerance": own("tol_infeas_rel", 1e-8),
        "presolve": own("presolve_enable", True),
        "threads": own("max_threads", 0),
        "algorithm": fixed("interior point"),
    },
    "cuopt": {"algorithm": own("method")},
    "ecos": {
        "relative gap": ours("reltol", 1e-9),
        "absolute gap or increment": ours("abstol", 1e-9),
        "row tolerance": ours("feastol", 1e-9),
        "infeasibility tolerance": ours("feastol", 1e-9),
        "threads": fixed("1"),
        "algorithm": fixed("interior point"),
    },
    "highs": {"algorithm": own("solver")},
    "osqp": {
        "relative gap": ours("eps_rel", 1e-9),
        "absolute gap or increment": ours("eps_abs", 1e-9),
        "row tolerance": ours("eps_abs", 1e-9),
        "infeasibility tolerance": own("eps_prim_inf", 1e-4),
        "threads": fixed("1"),
        "algorithm": fixed("first-order"),
    },
    "piqp": {
        "relative gap": own("eps_duality_gap_rel", 1e-9),
        "absolute gap or increment": own("eps_duality_gap_abs", 1e-8),
        "row tolerance": own("eps_abs", 1e-8),
        "infeasibility tolerance": own("eps_primal_inf", 1e-4),
        "threads": own("num_threads", 0),
        "algorithm": fixed("interior point"),
    },
    "scs": {
        "relative gap": ours("eps_rel", 1e-9),
        "absolute gap or increment": ours("eps_abs", 1e-9),
        "row tolerance": ours("eps_abs", 1e-9),
        "infeasibility tolerance": ours("eps_infeas", 1e-9),
        "threads": fixed("1"),
        "algorithm": fixed("first-order"),
    },
}


def _settings(engine: str) -> Any:
    """Return the object of settings of a solver that has one."""
    if engine == "clarabel":
        import clarabel

        return clarabel.DefaultSettings()
    if engine == "piqp":
        import piqp

        return piqp.SparseSolver().settings
    import osqp
    from scipy.sparse import csc_matrix

    model, one = osqp.OSQP(), np.ones(1)
    model.setup(None, one, csc_matrix([[1.0]]), one, one, verbose=False)
    return model.settings


TELL = ("clarabel", "osqp", "piqp")
"""Solvers whose settings can be read."""


def _asked(engine: str, caps: Caps, name: str) -> Value:
    del caps  # CVXPY takes neither seeds nor threads.
    found: Value = OPTIONS[engine].get(name)
    return getattr(_settings(engine), name) if found is None else found


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
        stated=STATED[engine],
        asked=partial(_asked, engine) if engine in TELL else None,
    )
    for engine in OPTIONS
)
