"""The status matrix: what each solver answers in each of ten situations.

A cell is ``stop, left``, or a number that stands for the reason why there is none.
docs/reference/solvers.md shows the same table and the same reasons.
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

NO_BOUNDS, LATE, FREE, NEVER, NODES, GPU, STAND_IN = (f"({i})" for i in range(1, 8))

REASONS = {
    NO_BOUNDS: "refuses columns without bounds, before it starts",
    LATE: "hands out no point that meets the rows before the end",
    FREE: "needs no licence",
    NEVER: "without a licence file it solves nothing; we have none",
    NODES: "knows no cap on nodes",
    GPU: "needs a GPU; none was at hand",
    STAND_IN: "needs a program of its own on the `PATH`; only a stand-in was tried",
}

CONTINUOUS = ("done, optimal", LATE, *SILENT[2:])

UNLICENSED = "unlicensed, nothing"

CELLS: dict[str, tuple[str, ...]] = {
    "highs": (*MIXED, FREE),
    "scip": (*MIXED, FREE),
    "cp-sat": (*MIXED[:4], NO_BOUNDS, *MIXED[5:], FREE),
    "highs-simplex": (*CONTINUOUS, FREE),
    "highs-ipm": (*CONTINUOUS, FREE),
    "highs-pdlp": (*CONTINUOUS, FREE),
    "scip-no-presolve": (*MIXED, FREE),
    "glop": (*CONTINUOUS, FREE),
    "pdlp": ("done, optimal", "time_limit, feasible", *SILENT[2:], FREE),
    "glpk": ("done, optimal", NODES, *SILENT[2:], FREE),
    "cbc": (*SILENT, FREE),
    "exact": ("done, optimal", NODES, *SILENT[2:4], NO_BOUNDS, *SILENT[5:], FREE),
    "choco": (*MIXED[:4], NO_BOUNDS, *MIXED[5:], FREE),
    "pumpkin": ("done, optimal", NODES, *MIXED[2:4], NO_BOUNDS, *MIXED[5:], FREE),
    "cvxpy-clarabel": (*CONTINUOUS, FREE),
    "cvxpy-cuopt": (*[GPU] * 9, FREE),
    "cvxpy-ecos": (*CONTINUOUS, FREE),
    "cvxpy-highs": ("done, optimal", "time_limit, feasible", *SILENT[2:], FREE),
    "cvxpy-osqp": ("done, optimal", "time_limit, feasible", *SILENT[2:], FREE),
    "cvxpy-piqp": (*CONTINUOUS, FREE),
    "cvxpy-scs": (*CONTINUOUS, FREE),
    "cupdlpx": (*[GPU] * 9, FREE),
    "ipopt": (*[STAND_IN] * 9, FREE),
    "bonmin": (*[STAND_IN] * 9, FREE),
    "couenne": (*[STAND_IN] * 9, FREE),
    "gurobi": (*MIXED, UNLICENSED),
    "cplex": (*SILENT, UNLICENSED),
    "xpress": (*SILENT, UNLICENSED),
    "copt": (*SILENT, UNLICENSED),
    "mosek": (*[NEVER] * 9, UNLICENSED),
}

ALIKE = ("highs-simplex", "highs-ipm", "highs-pdlp", "scip-no-presolve", "pdlp", "pumpkin")
"""Solvers that share their interface with another: the slow tests try them in full."""
