"""cuPDLPx: linear programs by a first-order method on a GPU, and a test for the presence of a GPU.

Written from its manual, and not tested on a GPU.
"""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import fixed, ours
from .solver import End, Report, Solver, claim, dual_bound, refuses

DEVICES = Path("/proc/driver/nvidia/gpus")
"""The folder in which NVIDIA's driver for Linux lists its devices."""

NEEDS_GPU = "needs an NVIDIA GPU, written from its manual, not tested"

FINE = 1e-8

ENDS: dict[str, End] = {
    "OPTIMAL": SolutionStatus.OPTIMAL,
    "INFEASIBLE": SolutionStatus.INFEASIBLE,
    "PRIMAL_INFEASIBLE": SolutionStatus.INFEASIBLE,
    "UNBOUNDED": SolutionStatus.UNBOUNDED,
    "DUAL_INFEASIBLE": SolutionStatus.UNBOUNDED,
    "TIME_LIMIT": TerminationReason.TIME_LIMIT,
    "ITERATION_LIMIT": TerminationReason.WORK_LIMIT,
}


def no_gpu() -> str | None:
    """Return the missing requirement if there is no GPU, else None."""
    there = DEVICES.is_dir() and any(DEVICES.iterdir())
    return None if there else "needs an NVIDIA GPU, which this machine lacks"


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a linear program. Its bound comes from its duals."""
    began = time.monotonic()
    import cupdlpx

    assert isinstance(program, Matrix)
    model = cupdlpx.Model(
        objective_vector=program.cost,
        constraint_matrix=program.a,
        constraint_lower_bound=program.row_lower,
        constraint_upper_bound=program.row_upper,
        variable_lower_bound=program.lower,
        variable_upper_bound=program.upper,
        objective_constant=program.offset,
    )
    model.setParams(OutputFlag=False, OptimalityTol=FINE, FeasibilityTol=FINE)
    if caps.time_s is not None:
        model.setParam("TimeLimit", max(caps.time_s, 1e-9))
    setup_s = time.monotonic() - began
    model.optimize()
    return replace(_answer(program, model), setup_s=setup_s)


def _answer(program: Matrix, model: Any) -> Solution:
    end = ENDS.get(model.Status, TerminationReason.NUMERICAL)
    may_hold = end is SolutionStatus.OPTIMAL or isinstance(end, TerminationReason)
    duals = np.asarray(model.Pi, dtype=float) if end is SolutionStatus.OPTIMAL else None
    return claim(
        end,
        model.Status.lower(),
        point=np.asarray(model.X, dtype=float) if may_hold and model.X is not None else None,
        bound=None if duals is None else dual_bound(program, duals),
        duals=duals,
    )


SOLVER = Solver(
    name="cupdlpx",
    module="cupdlpx",
    install="cupdlpx",
    can=("lp", "duals"),
    run=run,
    refuses=refuses,
    lacks=no_gpu,
    remark=NEEDS_GPU,
    stated={
        "relative gap": ours("OptimalityTol", FINE),
        "row tolerance": ours("FeasibilityTol", FINE),
        "algorithm": fixed("first-order"),
    },
)
