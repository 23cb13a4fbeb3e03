"""The status matrix: what each solver answers in each of ten situations.

A cell is ``stop, left``, or a number that stands for the reason why there is none.
docs/solvers/solvers.md shows the same table and the same reasons.
"""

SITUATIONS = (
    "optimal",
    "limit, point",
    "limit, no point",
    "infeasible",
    "unbounded",
    "numerical",
    "crash",
    "memory",
    "killed",
    "licence",
)

MIXED = (
    "done, optimal",
    "work_limit, feasible",
    "time_limit, nothing",
    "done, infeasible",
    "done, unbounded",
    "numerical, nothing",
    "crashed, feasible",
    "memory_limit, nothing",
    "killed, feasible",
)
SILENT = (*MIXED[:6], "crashed, nothing", "memory_limit, nothing", "killed, nothing")
"""A solver that tells nothing on its way: what it found dies with it."""

NO_BOUNDS, LATE, FREE, NEVER = "(1)", "(2)", "(3)", "(4)"

REASONS = {
    NO_BOUNDS: "refuses columns without bounds, before it starts",
    LATE: "its points meet the rows only at the end",
    FREE: "needs no licence",
    NEVER: "without a licence file it solves nothing; we have none",
}

UNLICENSED = "unlicensed, nothing"

CELLS: dict[str, tuple[str, ...]] = {
    "highs": (*MIXED, FREE),
    "scip": (*MIXED, FREE),
    "cp-sat": (*MIXED[:4], NO_BOUNDS, *MIXED[5:], FREE),
    "cvxpy-clarabel": ("done, optimal", LATE, *SILENT[2:], FREE),
    "cvxpy-highs": ("done, optimal", "time_limit, feasible", *SILENT[2:], FREE),
    "cvxpy-osqp": ("done, optimal", "time_limit, feasible", *SILENT[2:], FREE),
    "cvxpy-scs": ("done, optimal", LATE, *SILENT[2:], FREE),
    "gurobi": (*MIXED, UNLICENSED),
    "cplex": (*SILENT, UNLICENSED),
    "xpress": (*SILENT, UNLICENSED),
    "copt": (*SILENT, UNLICENSED),
    "mosek": (*[NEVER] * 9, UNLICENSED),
}
