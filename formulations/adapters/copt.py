"""COPT: linear and mixed-integer programs, where the user has it.

It writes about its licence on standard output; in a process of its own that goes nowhere.
"""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from .solver import Solver, Tell, hand_over, interruptible, linear_only

CAPS = ("Threads", None, "RelGap", "TimeLimit", "NodeLimit")

ENDS = {
    1: (TerminationReason.DONE, SolutionStatus.OPTIMAL),
    2: (TerminationReason.DONE, SolutionStatus.INFEASIBLE),
    3: (TerminationReason.DONE, SolutionStatus.UNBOUNDED),
    4: (TerminationReason.DONE, SolutionStatus.UNBOUNDED),
    6: (TerminationReason.WORK_LIMIT, SolutionStatus.FEASIBLE),
    8: (TerminationReason.TIME_LIMIT, SolutionStatus.FEASIBLE),
    10: (TerminationReason.INTERRUPTED, SolutionStatus.FEASIBLE),
}


def run(program: Program, caps: Caps, start: Floats | None, tell: Tell) -> Solution:
    """Solve a linear or mixed-integer program."""
    began = time.monotonic()
    import coptpy

    assert isinstance(program, Matrix)
    try:
        model = coptpy.Envr().createModel("program")
        model.setParam("Logging", 0)
        model.setParam("AbsGap", 0.0)
        _load(model, program)
        hand_over(caps, CAPS, model.setParam)
        if start is not None and program.integer.any():
            model.setMipStart(model.getVars(), start.tolist())
            model.loadMipStart()
        setup_s = time.monotonic() - began
        interruptible(model.solve, model.interrupt)
        return replace(_answer(model, bool(program.integer.any())), setup_s=setup_s)
    except coptpy.CoptError as error:
        said = str(error)
        licence = "license" in said.lower() or "size limit" in said.lower()
        termination = TerminationReason.UNLICENSED if licence else TerminationReason.FAILED
        return Solution(termination=termination, status=SolutionStatus.NOTHING, note=said)


def _load(model: Any, program: Matrix) -> None:
    kinds = ["I" if whole else "C" for whole in program.integer]
    model.loadMatrix(
        program.cost,
        program.a.tocsc(),
        program.row_lower,
        program.row_upper,
        program.lower,
        program.upper,
        kinds,
    )
    model.setObjConst(program.offset)


def _answer(model: Any, mixed: bool) -> Solution:
    termination, status = ENDS.get(
        model.status, (TerminationReason.NUMERICAL, SolutionStatus.FEASIBLE)
    )
    has_point = bool(model.hasmipsol if mixed else model.haslpsol)
    bound = model.bestbnd if mixed else model.lpobjval if status is SolutionStatus.OPTIMAL else None
    return Solution(
        termination=termination,
        status=status,
        point=np.asarray(model.getValues()) if has_point else None,
        bound=bound if has_point else None,
        nodes=int(model.nodecnt) if mixed else None,
        note="" if termination is TerminationReason.DONE else f"COPT's status {model.status}",
    )


SOLVER = Solver(
    name="copt",
    module="coptpy",
    package="coptpy",
    install="coptpy",
    can=("lp", "milp", "start"),
    run=run,
    refuses=linear_only,
    alone=True,
    remark="without a licence up to 10,000 columns and rows, 2,000 with integers",
)
