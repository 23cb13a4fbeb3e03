"""CP-SAT: programs whose columns are whole and bounded and whose numbers are simple fractions.

The wheels of OR-Tools and of HiGHS each hold a library ``libhighs.so.1``, of different versions,
and a process that loads both fails. CP-SAT therefore always has a separate process.
"""

import time
from functools import partial
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Nonlinear, Program, Solution
from ..stated import Value, fixed, ours, own
from .integral import Integral, integral, refuses
from .solver import BY_LIMIT, End, Report, Solver, as_text, claim, hand_over, interruptible, options

CAPS = (
    *("num_workers", "random_seed", "relative_gap_limit"),
    *("max_time_in_seconds", "max_number_of_conflicts"),
)

ENDS: dict[str, End] = {
    "OPTIMAL": SolutionStatus.OPTIMAL,
    "INFEASIBLE": SolutionStatus.INFEASIBLE,
    "MODEL_INVALID": TerminationReason.FAILED,
}
"""Statuses of complete runs. Other runs were stopped, or reached a limit."""


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve an integer program. The cap on nodes limits conflicts."""
    began = time.monotonic()
    from ortools.sat.python import cp_model

    assert not isinstance(program, Nonlinear)
    whole = integral(program)
    model = cp_model.CpModel()
    variables = _load(model, whole)
    if start is not None:
        for variable, value in zip(variables, start, strict=True):
            model.add_hint(variable, round(value))

    def true(objective: float) -> float:
        return objective / whole.cost.scale + program.offset

    class CpSatReporter(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        def on_solution_callback(self) -> None:
            point = np.array([self.value(variable) for variable in variables], dtype=float)
            report(point, true(self.best_objective_bound))

    solver = cp_model.CpSolver()
    bounds: list[float] = []
    solver.best_bound_callback = bounds.append
    _set(solver.parameters, caps.since(began))
    for name, value in caps.settings:
        solver.parameters.merge_text_format(as_text(solver.parameters, name, value))
    statuses: list[Any] = []
    setup_s = time.monotonic() - began
    stopped = interruptible(
        lambda: statuses.append(solver.solve(model, CpSatReporter())), solver.stop_search
    )
    (status,), point = statuses, None
    if status in {cp_model.OPTIMAL, cp_model.FEASIBLE}:
        point = np.array([solver.value(variable) for variable in variables], dtype=float)
        bounds.append(solver.best_objective_bound)
    worked = caps.nodes is not None and solver.num_conflicts >= caps.nodes
    limit = TerminationReason.WORK_LIMIT if worked else TerminationReason.TIME_LIMIT
    end = ENDS.get(solver.status_name(status), TerminationReason.INTERRUPTED if stopped else limit)
    return claim(
        end,
        solver.status_name(status).lower(),
        point=point,
        # Without a point, its reported bound may be a mere 0 without a proof.
        bound=true(bounds[-1]) if bounds else None,
        nodes=solver.num_branches,
        setup_s=setup_s,
    )


def _set(parameters: Any, caps: Caps) -> None:
    parameters.absolute_gap_limit = 0.0
    parameters.catch_sigint_signal = False
    hand_over(caps, CAPS, partial(setattr, parameters))


def _asked(caps: Caps, name: str) -> Value:
    parameters = _own()()
    _set(parameters, caps)
    found: Value = getattr(parameters, name)
    return found


def _own() -> type[Any]:
    """Return the type of its options, without the libraries that must not meet those of HiGHS."""
    from ortools.sat.sat_parameters_pb2 import SatParameters

    found: type[Any] = SatParameters
    return found


def _load(model: Any, whole: Integral) -> list[Any]:
    from ortools.sat.python import cp_model

    variables = [model.new_int_var(low, high, "") for low, high in whole.ranges]
    for row in whole.rows:
        body = cp_model.LinearExpr.weighted_sum([variables[i] for i in row.columns], row.factors)
        if row.lower is not None or row.upper is not None:
            low = cp_model.INT_MIN if row.lower is None else row.lower
            high = cp_model.INT_MAX if row.upper is None else row.upper
            model.add_linear_constraint(body, low, high)
    cost = whole.cost
    used = [variables[i] for i in cost.columns]
    model.minimize(cp_model.LinearExpr.weighted_sum(used, cost.factors))
    return variables


def _import() -> None:
    from ortools.sat.python import cp_model  # noqa: F401


SOLVER = Solver(
    name="cp-sat",
    module="ortools",
    load=_import,
    install="'ringyard[cpsat]'",
    can=("ip", "start", "watch", "options"),
    run=run,
    refuses=refuses,
    alone=True,
    options=options(
        _own, {"max_time_in_seconds": BY_LIMIT, "catch_sigint_signal": "Ctrl-C ends it"}
    ),
    stated={
        "relative gap": ours("relative_gap_limit", 0),
        "absolute gap or increment": ours("absolute_gap_limit", 0),
        "row tolerance": fixed("exact"),
        "integer tolerance": fixed("exact"),
        "infeasibility tolerance": fixed("exact"),
        "presolve": own("cp_model_presolve", True),
        "seed": ours("random_seed", 0),
        "threads": ours("num_workers", 1),
        "algorithm": fixed("clause learning"),
    },
    asked=_asked,
)
