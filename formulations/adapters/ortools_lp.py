"""GLOP and PDLP of OR-Tools: linear programs, by the simplex method and by a first-order one.

Of its three interfaces, MathOpt is used: it alone gives duals, says which limit was met, and can be
interrupted. Like CP-SAT they need a process without HiGHS.
"""

import time
from dataclasses import replace
from datetime import timedelta
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import Stated, Value, fixed, ours, own
from .solver import (
    BY_LIMIT,
    MUTE,
    End,
    Report,
    Solver,
    as_text,
    claim,
    dual_bound,
    interruptible,
    options,
    refuses,
)

FINE = """termination_criteria { simple_optimality_criteria {
    eps_optimal_absolute: 1e-9 eps_optimal_relative: 1e-9 } }"""
"""PDLP would stop far above our tolerance by itself."""

ENDS: dict[str, End] = {
    "OPTIMAL": SolutionStatus.OPTIMAL,
    "INFEASIBLE": SolutionStatus.INFEASIBLE,
    "UNBOUNDED": SolutionStatus.UNBOUNDED,
    "INFEASIBLE_OR_UNBOUNDED": SolutionStatus.UNBOUNDED,
}

LIMITS = {
    "TIME": TerminationReason.TIME_LIMIT,
    "ITERATION": TerminationReason.WORK_LIMIT,
    "MEMORY": TerminationReason.MEMORY_LIMIT,
    "INTERRUPTED": TerminationReason.INTERRUPTED,
}
"""The limit reached, if the solver names it. GLOP reports only that it reached one."""


def run(
    engine: str, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Solve a linear program. Its bound comes from its duals."""
    began = time.monotonic()
    from ortools.math_opt.python import mathopt
    from ortools.util.python import solve_interrupter

    assert isinstance(program, Matrix)
    model = mathopt.Model.from_model_proto(_message(program))
    kind = mathopt.SolverType[engine.upper()]
    parameters = _parameters(engine, caps.since(began))
    interrupter = solve_interrupter.SolveInterrupter()
    results: list[Any] = []

    def work() -> None:
        results.append(mathopt.solve(model, kind, params=parameters, interrupter=interrupter))

    setup_s = time.monotonic() - began
    stopped = interruptible(work, interrupter.interrupt)
    late = caps.since(began).time_s == 0
    met = TerminationReason.TIME_LIMIT if late else TerminationReason.WORK_LIMIT
    met = TerminationReason.INTERRUPTED if stopped else met
    return replace(_answer(engine, program, results[0], met), setup_s=setup_s)


def _message(program: Matrix) -> Any:
    """Return the program as MathOpt's message, with numbered rows and columns."""
    from ortools.math_opt import model_pb2

    made, a = model_pb2.ModelProto(), program.a.tocsr()
    a.sort_indices()
    columns, rows = made.variables, made.linear_constraints
    columns.ids.extend(range(len(program.columns)))
    columns.lower_bounds.extend(program.lower.tolist())
    columns.upper_bounds.extend(program.upper.tolist())
    columns.integers.extend(program.integer.tolist())
    rows.ids.extend(range(len(program.rows)))
    rows.lower_bounds.extend(program.row_lower.tolist())
    rows.upper_bounds.extend(program.row_upper.tolist())
    paid, made.objective.offset = np.flatnonzero(program.cost), program.offset
    made.objective.linear_coefficients.ids.extend(paid.tolist())
    made.objective.linear_coefficients.values.extend(program.cost[paid].tolist())
    entries, held = made.linear_constraint_matrix, a.data != 0
    lengths = np.diff(a.indptr)
    entries.row_ids.extend(np.repeat(np.arange(len(lengths)), lengths)[held].tolist())
    entries.column_ids.extend(a.indices[held].tolist())
    entries.coefficients.extend(a.data[held].tolist())
    return made


def _own(engine: str) -> type[Any]:
    """Return the type of message that holds the options of GLOP or PDLP."""
    from ortools.glop.parameters_pb2 import GlopParameters
    from ortools.pdlp.solvers_pb2 import PrimalDualHybridGradientParams

    found: type[Any] = GlopParameters if engine == "glop" else PrimalDualHybridGradientParams
    return found


def _parameters(engine: str, caps: Caps) -> Any:
    from ortools.math_opt.python import mathopt

    limit = None if caps.time_s is None else timedelta(seconds=max(caps.time_s, 1e-6))
    return mathopt.SolveParameters(time_limit=limit, **{engine: _set(engine, caps)})


def _set(engine: str, caps: Caps) -> Any:
    """Return the options of a run. GLOP has one thread, and PDLP no seed."""
    from google.protobuf import text_format

    made = _own(engine)()
    if engine == "pdlp":
        text_format.Parse(FINE, made)
        made.num_threads = caps.threads
    else:
        made.random_seed = caps.seed
    for name, value in caps.settings:
        text_format.Merge(as_text(made, name, value), made)
    return made


def _asked(engine: str, caps: Caps, name: str) -> Value:
    found: Value = attrgetter(name)(_set(engine, caps))
    return found


def _answer(engine: str, program: Matrix, found: Any, met: TerminationReason) -> Solution:
    """Return the claims of the solver. `met` is the limit reached if none is named."""
    ended = found.termination
    point = duals = None
    limit = LIMITS.get(ended.limit.name, met) if ended.limit else TerminationReason.NUMERICAL
    end = ENDS.get(ended.reason.name, limit)
    if end not in {SolutionStatus.INFEASIBLE, SolutionStatus.UNBOUNDED} and found.solutions:
        primal, dual = found.solutions[0].primal_solution, found.solutions[0].dual_solution
        if primal is not None:
            point = np.array(list(primal.variable_values.values()))
        if dual is not None and end is SolutionStatus.OPTIMAL:
            duals = np.array(list(dual.dual_values.values()))
    return claim(
        end,
        f"{ended.reason.name} {ended.detail}".strip().lower(),
        point=point,
        bound=None if duals is None else dual_bound(program, duals),
        duals=duals,
    )


OURS = {
    "glop": {"max_time_in_seconds": BY_LIMIT, "log_search_progress": MUTE, "log_to_stdout": MUTE},
    "pdlp": {"verbosity_level": MUTE},
}


CRITERIA = "termination_criteria"
NEAR = f"{CRITERIA}.simple_optimality_criteria.eps_optimal"

STATED: dict[str, Stated] = {
    "glop": {
        "row tolerance": own("primal_feasibility_tolerance", 1e-8),
        "infeasibility tolerance": own("dual_feasibility_tolerance", 1e-8),
        "presolve": own("use_preprocessing", True),
        "seed": ours("random_seed", 0),
        "threads": fixed("1"),
        "algorithm": own("use_dual_simplex", False),
    },
    "pdlp": {
        "relative gap": ours(f"{NEAR}_relative", 1e-9),
        "absolute gap or increment": ours(f"{NEAR}_absolute", 1e-9),
        "row tolerance": ours(f"{NEAR}_relative", 1e-9),
        "infeasibility tolerance": own(f"{CRITERIA}.eps_primal_infeasible", 1e-8),
        "presolve": own("presolve_options.use_glop", False),
        "threads": ours("num_threads", 1),
        "algorithm": fixed("first-order"),
    },
}


def _import() -> None:
    from ortools.math_opt.python import mathopt  # noqa: F401


SOLVERS = tuple(
    Solver(
        name=engine,
        module="ortools",
        load=_import,
        install="'ringyard[cpsat]'",
        can=("lp", "duals", "options"),
        run=partial(run, engine),
        refuses=refuses,
        alone=True,
        options=options(partial(_own, engine), alone),
        stated=STATED[engine],
        asked=partial(_asked, engine),
    )
    for engine, alone in OURS.items()
)
