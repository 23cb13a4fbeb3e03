"""Gurobi: linear and mixed-integer programs, where the user has it."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import Value, ours, own
from .solver import (
    BY_LIMIT,
    MUTE,
    End,
    Report,
    Solver,
    SolverOptions,
    claim,
    hand_over,
    interruptible,
    one_sided,
    refusal,
)

CAPS = ("Threads", "Seed", "MIPGap", "TimeLimit", "NodeLimit")

LICENCE = {10009, 10010}
"""Error numbers: no licence, or a program too large for it."""

ENDS: dict[int, End] = {
    2: SolutionStatus.OPTIMAL,
    3: SolutionStatus.INFEASIBLE,
    4: SolutionStatus.UNBOUNDED,
    5: SolutionStatus.UNBOUNDED,
    7: TerminationReason.WORK_LIMIT,
    8: TerminationReason.WORK_LIMIT,
    9: TerminationReason.TIME_LIMIT,
    11: TerminationReason.INTERRUPTED,
    17: TerminationReason.MEMORY_LIMIT,
}


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a linear or mixed-integer program."""
    began = time.monotonic()
    import gurobipy

    assert isinstance(program, Matrix)
    options = {"OutputFlag": 0}
    try:
        with gurobipy.Env(params=options) as env, gurobipy.Model(env=env) as model:
            x = _load(model, program)
            _set(model, caps)
            if start is not None:
                x.Start = start

            def on_event(model: Any, where: int) -> None:
                if where == gurobipy.GRB.Callback.MIPSOL:
                    bound = model.cbGet(gurobipy.GRB.Callback.MIPSOL_OBJBND)
                    report(np.asarray(model.cbGetSolution(x)), bound)

            model.update()
            setup_s = time.monotonic() - began
            interruptible(lambda: model.optimize(on_event), model.terminate, report)
            return replace(_answer(model, x), setup_s=setup_s)
    except gurobipy.GurobiError as error:
        return refusal(error, error.errno in LICENCE)


def _set(model: Any, caps: Caps) -> None:
    hand_over(caps, CAPS, model.setParam)
    model.setParam("MIPGapAbs", 0.0)
    for name, value in caps.settings:
        model.setParam(name, model.getParamInfo(name)[1](value))


def _asked(caps: Caps, name: str) -> Value:
    import gurobipy

    with gurobipy.Env(params={"OutputFlag": 0}) as env, gurobipy.Model(env=env) as model:
        _set(model, caps)
        found: Value = model.getParamInfo(name)[2]
        return found


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
    for sign, places, sides in one_sided(program):
        model.addMConstr(program.a[places], x, sign, sides)
    return x


def _answer(model: Any, x: Any) -> Solution:
    end = ENDS.get(model.Status, TerminationReason.NUMERICAL)
    return claim(
        end,
        f"Gurobi's status {model.Status}",
        point=np.asarray(x.X) if model.SolCount > 0 else None,
        bound=None if end is SolutionStatus.UNBOUNDED else getattr(model, "ObjBound", None),
        nodes=int(model.NodeCount),
    )


SOLVER = Solver(
    name="gurobi",
    module="gurobipy",
    install="gurobipy",
    can=("lp", "milp", "start", "watch", "options"),
    run=run,
    options=SolverOptions(_known, _takes, {"TimeLimit": BY_LIMIT, "OutputFlag": MUTE}),
    remark="the wheel's own licence allows 2,000 columns and 2,000 rows",
    stated={
        "relative gap": ours("MIPGap", 0),
        "absolute gap or increment": ours("MIPGapAbs", 0),
        "row tolerance": own("FeasibilityTol", 1e-6),
        "integer tolerance": own("IntFeasTol", 1e-5),
        "infeasibility tolerance": own("OptimalityTol", 1e-6),
        "presolve": own("Presolve", -1),
        "seed": ours("Seed", 0),
        "threads": ours("Threads", 1),
        "algorithm": own("Method", -1),
    },
    asked=_asked,
)
