"""CPLEX: linear and mixed-integer programs, where the user has it."""

import time
from dataclasses import replace
from operator import attrgetter
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import Value, ours, own
from .solver import End, Report, Solver, claim, hand_over, interruptible, refusal

CAPS = ("threads", "randomseed", "mip.tolerances.mipgap", "timelimit", "mip.limits.nodes")

LICENCE = {1016, 32024, 32201}
"""Error numbers: a program too large for the community edition, or no licence."""

ENDS: dict[int, End] = {
    1: SolutionStatus.OPTIMAL,
    2: SolutionStatus.UNBOUNDED,
    3: SolutionStatus.INFEASIBLE,
    4: SolutionStatus.UNBOUNDED,
    10: TerminationReason.WORK_LIMIT,
    11: TerminationReason.TIME_LIMIT,
    13: TerminationReason.INTERRUPTED,
    101: SolutionStatus.OPTIMAL,
    102: SolutionStatus.OPTIMAL,
    103: SolutionStatus.INFEASIBLE,
    105: TerminationReason.WORK_LIMIT,
    106: TerminationReason.WORK_LIMIT,
    107: TerminationReason.TIME_LIMIT,
    108: TerminationReason.TIME_LIMIT,
    111: TerminationReason.MEMORY_LIMIT,
    112: TerminationReason.MEMORY_LIMIT,
    113: TerminationReason.INTERRUPTED,
    114: TerminationReason.INTERRUPTED,
    118: SolutionStatus.UNBOUNDED,
    119: SolutionStatus.UNBOUNDED,
}


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a linear or mixed-integer program."""
    began = time.monotonic()
    import cplex

    assert isinstance(program, Matrix)
    mixed = bool(program.integer.any())
    try:
        model = cplex.Cplex()
        aborter = model.use_aborter(cplex.Aborter())
        _load(model, program)
        _set(model, caps)
        if start is not None and mixed:
            places = list(range(len(start)))
            effort = model.MIP_starts.effort_level.solve_MIP
            model.MIP_starts.add(cplex.SparsePair(places, start.tolist()), effort)
        setup_s = time.monotonic() - began
        interruptible(model.solve, aborter.abort)
        return replace(_answer(model, mixed), setup_s=setup_s)
    except cplex.exceptions.CplexError as error:
        return refusal(error, error.args[-1] in LICENCE)


def _set(model: Any, caps: Caps) -> None:
    hand_over(caps, CAPS, lambda name, value: attrgetter(name)(model.parameters).set(value))
    model.parameters.mip.tolerances.absmipgap.set(0.0)


def _asked(caps: Caps, name: str) -> Value:
    import cplex

    model = cplex.Cplex()
    _set(model, caps)
    found: Value = attrgetter(name)(model.parameters).get()
    return found


def _load(model: Any, program: Matrix) -> None:
    import cplex

    for stream in ("results", "log", "warning", "error"):
        getattr(model, f"set_{stream}_stream")(None)
    kinds = "".join(np.where(program.integer, "I", "C")) if program.integer.any() else ""
    model.variables.add(
        obj=program.cost.tolist(),
        lb=np.maximum(program.lower, -cplex.infinity).tolist(),
        ub=np.minimum(program.upper, cplex.infinity).tolist(),
        types=kinds,
    )
    model.objective.set_offset(program.offset)
    low, high = program.row_lower, program.row_upper
    has_low, has_high = np.isfinite(low), np.isfinite(high)
    senses = np.select([low == high, has_low & has_high, has_high], ["E", "R", "L"], "G")
    a = program.a
    model.linear_constraints.add(
        lin_expr=[
            cplex.SparsePair(a.indices[first:end].tolist(), a.data[first:end].tolist())
            for first, end in zip(a.indptr[:-1], a.indptr[1:], strict=True)
        ],
        senses="".join(senses),
        rhs=np.where(has_low, low, np.where(has_high, high, -cplex.infinity)).tolist(),
        range_values=np.where(senses == "R", high - low, 0.0).tolist(),
    )


def _answer(model: Any, mixed: bool) -> Solution:
    found = model.solution
    end = ENDS.get(found.get_status(), TerminationReason.NUMERICAL)
    has_point = found.is_primal_feasible() and end is not SolutionStatus.UNBOUNDED
    lp_optimal = end is SolutionStatus.OPTIMAL and not mixed
    lp_bound = found.get_objective_value() if lp_optimal else None
    return claim(
        end,
        found.get_status_string(),
        point=np.asarray(found.get_values()) if has_point else None,
        bound=found.MIP.get_best_objective() if mixed and has_point else lp_bound,
        nodes=found.progress.get_num_nodes_processed() if mixed else None,
    )


SOLVER = Solver(
    name="cplex",
    module="cplex",
    install="cplex",
    can=("lp", "milp", "start"),
    run=run,
    remark="the community edition takes 1,000 columns and 1,000 rows",
    stated={
        "relative gap": ours("mip.tolerances.mipgap", 0),
        "absolute gap or increment": ours("mip.tolerances.absmipgap", 0),
        "row tolerance": own("simplex.tolerances.feasibility", 1e-6),
        "integer tolerance": own("mip.tolerances.integrality", 1e-5),
        "infeasibility tolerance": own("simplex.tolerances.optimality", 1e-6),
        "presolve": own("preprocessing.presolve", 1),
        "seed": ours("randomseed", 0),
        "threads": ours("threads", 1),
        "algorithm": own("lpmethod", 0),
    },
    asked=_asked,
)
