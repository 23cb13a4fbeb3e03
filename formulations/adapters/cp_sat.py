"""CP-SAT: programs whose columns are whole and bounded and whose numbers are simple fractions.

The wheels of OR-Tools and of HiGHS each hold a library ``libhighs.so.1``, of different versions,
and a process that loads both fails. So CP-SAT always has a process of its own.
"""

import time
from functools import partial
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Nonlinear, Program, Solution
from .integral import Integral, integral, refuses
from .solver import BY_LIMIT, Solver, Tell, as_text, hand_over, interruptible, options

CAPS = (
    *("num_workers", "random_seed", "relative_gap_limit"),
    *("max_time_in_seconds", "max_number_of_conflicts"),
)


def run(program: Program, caps: Caps, start: Floats | None, tell: Tell) -> Solution:
    """Solve an integer program; the cap on nodes is one on conflicts."""
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
            tell(point, true(self.best_objective_bound))

    solver = cp_model.CpSolver()
    bounds: list[float] = []
    solver.best_bound_callback = bounds.append
    solver.parameters.absolute_gap_limit = 0.0
    solver.parameters.catch_sigint_signal = False
    hand_over(caps.since(began), CAPS, partial(setattr, solver.parameters))
    for name, value in caps.settings:
        solver.parameters.merge_text_format(as_text(solver.parameters, name, value))
    said: list[Any] = []
    setup_s = time.monotonic() - began
    stopped = interruptible(
        lambda: said.append(solver.solve(model, CpSatReporter())), solver.stop_search
    )
    stop, left = _status(solver, said[0], caps, stopped)
    has_point = said[0] in {cp_model.OPTIMAL, cp_model.FEASIBLE}
    point = [solver.value(variable) for variable in variables] if has_point else None
    if has_point:
        bounds.append(solver.best_objective_bound)
    return Solution(
        termination=stop,
        status=left,
        point=None if point is None else np.array(point, dtype=float),
        # Without a point, what it calls its bound may be a mere 0 that nothing stands behind.
        bound=true(bounds[-1]) if bounds else None,
        nodes=solver.num_branches,
        setup_s=setup_s,
        note="" if stop is TerminationReason.DONE else solver.status_name(said[0]).lower(),
    )


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


def _status(
    solver: Any, said: Any, caps: Caps, stopped: bool
) -> tuple[TerminationReason, SolutionStatus]:
    from ortools.sat.python import cp_model

    if said == cp_model.OPTIMAL:
        return TerminationReason.DONE, SolutionStatus.OPTIMAL
    if said == cp_model.INFEASIBLE:
        return TerminationReason.DONE, SolutionStatus.INFEASIBLE
    if said == cp_model.MODEL_INVALID:
        return TerminationReason.FAILED, SolutionStatus.NOTHING
    status = SolutionStatus.FEASIBLE if said == cp_model.FEASIBLE else SolutionStatus.NOTHING
    if stopped:
        return TerminationReason.INTERRUPTED, status
    worked = caps.nodes is not None and solver.num_conflicts >= caps.nodes
    return TerminationReason.WORK_LIMIT if worked else TerminationReason.TIME_LIMIT, status


def _import() -> None:
    from ortools.sat.python import cp_model  # noqa: F401


SOLVER = Solver(
    name="cp-sat",
    module="ortools",
    load=_import,
    package="ortools",
    install="'ringyard[cpsat]'",
    can=("ip", "start", "watch", "options"),
    run=run,
    refuses=refuses,
    alone=True,
    options=options(
        _own, {"max_time_in_seconds": BY_LIMIT, "catch_sigint_signal": "Ctrl-C ends it"}
    ),
)
