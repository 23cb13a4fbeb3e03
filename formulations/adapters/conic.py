"""CVXPY with its conic solvers: linear programs, such as relaxations."""

import operator
import warnings
from functools import partial
from typing import Any

import numpy as np

from ...instances import Left, Stop
from ..door.checker import TOLERANCE
from ..program import Caps, Floats, Matrix, Nonlinear, Program, Solution
from .solver import Solver, Tell

FINE = {"eps_abs": 1e-9, "eps_rel": 1e-9}

OPTIONS: dict[str, dict[str, Any]] = {
    "clarabel": {},
    "highs": {},
    "osqp": {**FINE, "max_iter": 200_000, "polishing": True},
    "scs": {**FINE, "max_iters": 200_000},
}
"""First-order methods would stop far above our tolerance by themselves."""

CLOCK = {"scs": "time_limit_secs"}
"""What the option is called that is `time_limit` elsewhere."""

ENDS = {
    "optimal": (Stop.DONE, Left.OPTIMAL),
    "infeasible": (Stop.DONE, Left.INFEASIBLE),
    "unbounded": (Stop.DONE, Left.UNBOUNDED),
    "infeasible_or_unbounded": (Stop.DONE, Left.UNBOUNDED),
    "user_limit": (Stop.TIME_LIMIT, Left.FEASIBLE),
}
"""What CVXPY's words mean; anything inaccurate claims nothing."""


def refuses(program: Program) -> str | None:
    """Say why a conic solver cannot treat `program`, or None."""
    if isinstance(program, Nonlinear):
        return "it takes linear rows only"
    return "it has integers; relax it first" if program.integer.any() else None


def run(engine: str, program: Program, caps: Caps, start: Floats | None, tell: Tell) -> Solution:
    """Solve a linear program by one of the conic solvers; its bound comes from its duals."""
    import cvxpy

    del start, tell
    assert isinstance(program, Matrix)
    options = dict(OPTIONS[engine])
    if caps.time_s is not None:
        options[CLOCK.get(engine, "time_limit")] = max(caps.time_s, 1e-9)
    x = cvxpy.Variable(len(program.columns), bounds=[program.lower, program.upper])
    rows = _rows(program, x)
    sides = [row for _, _, row in rows]
    problem = cvxpy.Problem(cvxpy.Minimize(program.cost @ x), sides)
    said = _solve(problem, engine, options)
    stop, left = ENDS.get(said, (Stop.NUMERICAL, Left.FEASIBLE))
    if stop is Stop.NUMERICAL and caps.time_s is not None and _took(problem) >= caps.time_s:
        stop = Stop.TIME_LIMIT
    duals = _duals(program, rows) if said == "optimal" else None
    return Solution(
        solver=engine,
        stop=stop,
        left=left,
        point=None if x.value is None else np.asarray(x.value, dtype=float),
        bound=None if duals is None else dual_bound(program, duals),
        duals=duals,
        note="" if stop is Stop.DONE else said,
    )


def _solve(problem: Any, engine: str, options: dict[str, Any]) -> str:
    """Solve and return CVXPY's word for how it ended."""
    import cvxpy

    try:
        with warnings.catch_warnings():
            # It warns of what its status says as well.
            warnings.simplefilter("ignore")
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


def dual_bound(program: Matrix, duals: Floats) -> float:
    """Return the bound of weak duality, where what is almost zero counts as zero."""
    reduced = program.cost - program.a.T @ duals
    near = TOLERANCE * max(1.0, float(np.abs(program.cost).max(initial=0.0)))
    total = program.offset
    for prices, lower, upper in (
        (duals, program.row_lower, program.row_upper),
        (reduced, program.lower, program.upper),
    ):
        side = np.where(prices > 0, lower, upper)
        kept = np.isfinite(side) | (np.abs(prices) > near)
        total += float(prices[kept] @ side[kept])
    return total


SOLVERS = tuple(
    Solver(
        name=f"cvxpy-{engine}",
        module=engine if engine != "highs" else "highspy",
        package=engine if engine != "highs" else "highspy",
        install="'ringyard[conic]'" if engine in ("osqp", "scs") else "ringyard",
        can=("lp", "duals"),
        run=partial(run, engine),
        refuses=refuses,
    )
    for engine in OPTIONS
)
