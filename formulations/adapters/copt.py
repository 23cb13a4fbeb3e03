"""COPT: linear and mixed-integer programs, where the user has it.

It writes about its licence on standard output, which a separate process discards.
"""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import ours, own
from .solver import End, Report, Solver, claim, hand_over, interruptible, refusal

CAPS = ("Threads", None, "RelGap", "TimeLimit", "NodeLimit")

ENDS: dict[int, End] = {
    1: SolutionStatus.OPTIMAL,
    2: SolutionStatus.INFEASIBLE,
    3: SolutionStatus.UNBOUNDED,
    4: SolutionStatus.UNBOUNDED,
    6: TerminationReason.WORK_LIMIT,
    8: TerminationReason.TIME_LIMIT,
    10: TerminationReason.INTERRUPTED,
}


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
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
        text = str(error).lower()
        return refusal(error, "license" in text or "size limit" in text)


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
    end = ENDS.get(model.status, TerminationReason.NUMERICAL)
    has_point = bool(model.hasmipsol if mixed else model.haslpsol)
    bound = model.bestbnd if mixed else model.lpobjval if end is SolutionStatus.OPTIMAL else None
    return claim(
        end,
        f"COPT's status {model.status}",
        point=np.asarray(model.getValues()) if has_point else None,
        bound=bound if has_point else None,
        nodes=int(model.nodecnt) if mixed else None,
    )


SOLVER = Solver(
    name="copt",
    module="coptpy",
    install="coptpy",
    can=("lp", "milp", "start"),
    run=run,
    alone=True,
    remark="without a licence up to 10,000 columns and rows, 2,000 with integers",
    stated={
        "relative gap": ours("RelGap", 0),
        "absolute gap or increment": ours("AbsGap", 0),
        "row tolerance": own("FeasTol"),
        "integer tolerance": own("IntTol"),
        "infeasibility tolerance": own("DualTol"),
        "presolve": own("Presolve"),
        "threads": ours("Threads", 1),
        "algorithm": own("LpMethod"),
    },
)
