"""Gurobi: linear and mixed-integer programs, where the user has it."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from .solver import (
    BY_LIMIT,
    MUTE,
    Solver,
    SolverOptions,
    Tell,
    hand_over,
    interruptible,
    linear_only,
)

CAPS = ("Threads", "Seed", "MIPGap", "TimeLimit", "NodeLimit")

LICENCE = {10009, 10010}
"""Error numbers: no licence; a program too large for it."""

ENDS = {
    2: (TerminationReason.DONE, SolutionStatus.OPTIMAL),
    3: (TerminationReason.DONE, SolutionStatus.INFEASIBLE),
    4: (TerminationReason.DONE, SolutionStatus.UNBOUNDED),
    5: (TerminationReason.DONE, SolutionStatus.UNBOUNDED),
    7: (TerminationReason.WORK_LIMIT, SolutionStatus.FEASIBLE),
    8: (TerminationReason.WORK_LIMIT, SolutionStatus.FEASIBLE),
    9: (TerminationReason.TIME_LIMIT, SolutionStatus.FEASIBLE),
    11: (TerminationReason.INTERRUPTED, SolutionStatus.FEASIBLE),
    17: (TerminationReason.MEMORY_LIMIT, SolutionStatus.FEASIBLE),
}


def run(program: Program, caps: Caps, start: Floats | None, tell: Tell) -> Solution:
    """Solve a linear or mixed-integer program."""
    began = time.monotonic()
    import gurobipy

    assert isinstance(program, Matrix)
    options = {"OutputFlag": 0}
    try:
        with gurobipy.Env(params=options) as env, gurobipy.Model(env=env) as model:
            x = _load(model, program)
            hand_over(caps, CAPS, model.setParam)
            for name, value in caps.settings:
                model.setParam(name, model.getParamInfo(name)[1](value))
            if start is not None:
                x.Start = start

            def report(model: Any, where: int) -> None:
                if where == gurobipy.GRB.Callback.MIPSOL:
                    bound = model.cbGet(gurobipy.GRB.Callback.MIPSOL_OBJBND)
                    tell(np.asarray(model.cbGetSolution(x)), bound)

            model.update()
            setup_s = time.monotonic() - began
            interruptible(lambda: model.optimize(report), model.terminate, tell)
            return replace(_answer(model, x), setup_s=setup_s)
    except gurobipy.GurobiError as error:
        termination = (
            TerminationReason.UNLICENSED if error.errno in LICENCE else TerminationReason.FAILED
        )
        return Solution(termination=termination, status=SolutionStatus.NOTHING, note=str(error))


def _known() -> list[str]:
    from gurobipy import GRB

    return [name for name in dir(GRB.Param) if not name.startswith("_")]


def _takes(name: str, value: str) -> bool:
    import gurobipy

    try:
        with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as model:
            model.setParam(name, model.getParamInfo(name)[1](value))
    except (gurobipy.GurobiError, ValueError):
        return False
    return True


def _load(model: Any, program: Matrix) -> Any:
    kinds = np.where(program.integer, "I", "C")
    x = model.addMVar(
        len(program.columns), lb=program.lower, ub=program.upper, obj=program.cost, vtype=kinds
    )
    model.ObjCon = program.offset
    same = program.row_lower == program.row_upper
    for sense, chosen, side in (
        ("=", same, program.row_lower),
        (">", np.isfinite(program.row_lower) & ~same, program.row_lower),
        ("<", np.isfinite(program.row_upper) & ~same, program.row_upper),
    ):
        if chosen.any():
            model.addMConstr(program.a[np.flatnonzero(chosen)], x, sense, side[chosen])
    return x


def _answer(model: Any, x: Any) -> Solution:
    termination, status = ENDS.get(
        model.Status, (TerminationReason.NUMERICAL, SolutionStatus.FEASIBLE)
    )
    has_point = model.SolCount > 0
    return Solution(
        termination=termination,
        status=status,
        point=np.asarray(x.X) if has_point else None,
        bound=getattr(model, "ObjBound", None) if status is not SolutionStatus.UNBOUNDED else None,
        nodes=int(model.NodeCount),
        note="" if termination is TerminationReason.DONE else f"Gurobi's status {model.Status}",
    )


SOLVER = Solver(
    name="gurobi",
    module="gurobipy",
    package="gurobipy",
    install="gurobipy",
    can=("lp", "milp", "start", "watch", "options"),
    run=run,
    refuses=linear_only,
    options=SolverOptions(_known, _takes, {"TimeLimit": BY_LIMIT, "OutputFlag": MUTE}),
    remark="the wheel's own licence takes 2,000 columns and 2,000 rows",
)
