"""Xpress: linear and mixed-integer programs, where the user has it."""

import time
import warnings
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import ours, own
from .solver import Report, Solver, hand_over, interruptible, refusal

CAPS = ("threads", "randomseed", "miprelstop", "timelimit", "maxnode")

STOPS = {
    "TIMELIMIT": TerminationReason.TIME_LIMIT,
    "CTRLC": TerminationReason.INTERRUPTED,
    "USER": TerminationReason.INTERRUPTED,
    "NODELIMIT": TerminationReason.WORK_LIMIT,
    "ITERLIMIT": TerminationReason.WORK_LIMIT,
    "MIPGAP": TerminationReason.DONE,
    "NONE": TerminationReason.DONE,
    "SOLVECOMPLETE": TerminationReason.DONE,
    "MEMORYERROR": TerminationReason.MEMORY_LIMIT,
    "LICENSELOST": TerminationReason.UNLICENSED,
}


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a linear or mixed-integer program."""
    began = time.monotonic()
    with warnings.catch_warnings():
        # It warns of the community licence, which `remark` already reports.
        warnings.simplefilter("ignore")
        import xpress

        assert isinstance(program, Matrix)
        try:
            model = xpress.problem()
            model.controls.outputlog = 0
            _load(model, program)
            # By itself it passes over points better by less than 1e-5.
            model.controls.mipaddcutoff = 0.0
            model.controls.mipabsstop = 0.0
            hand_over(caps, CAPS, partial(setattr, model.controls))
            if start is not None and program.integer.any():
                model.addMipSol(start.tolist())
            setup_s = time.monotonic() - began
            interruptible(model.optimize, model.interrupt)
            return replace(_answer(model, program), setup_s=setup_s)
        except (xpress.SolverError, xpress.InterfaceError) as error:
            text = str(error)
            return refusal(error, "licen" in text.lower() or "The maximum is" in text)


def _load(model: Any, program: Matrix) -> None:
    low, high = program.row_lower, program.row_upper
    has_low, has_high = np.isfinite(low), np.isfinite(high)
    kinds = np.select(
        [low == high, has_low & has_high, has_low, has_high], ["E", "R", "G", "L"], "N"
    )
    by_column = program.a.tocsc()
    whole = np.flatnonzero(program.integer).tolist()
    model.loadMIP(
        "program",
        rowtype=kinds.tolist(),
        rhs=np.where(has_high, high, np.where(has_low, low, 0.0)).tolist(),
        rng=np.where(kinds == "R", high - low, 0.0).tolist(),
        objcoef=program.cost.tolist(),
        start=by_column.indptr.tolist(),
        rowind=by_column.indices.tolist(),
        rowcoef=by_column.data.tolist(),
        lb=np.maximum(program.lower, -1e20).tolist(),
        ub=np.minimum(program.upper, 1e20).tolist(),
        coltype=["I"] * len(whole),
        entind=whole,
    )
    model.chgObj([-1], [-program.offset])


def _answer(model: Any, program: Matrix) -> Solution:
    import xpress

    attributes = model.attributes
    ended = xpress.StopType(attributes.stopstatus).name
    termination = STOPS.get(ended, TerminationReason.NUMERICAL)
    known = {status.name: status for status in SolutionStatus}
    status = known.get(xpress.SolStatus(attributes.solstatus).name, SolutionStatus.NOTHING)
    mixed = bool(program.integer.any())
    has_point = status in {SolutionStatus.OPTIMAL, SolutionStatus.FEASIBLE}
    bound = attributes.bestbound if mixed else attributes.lpobjval
    return Solution(
        termination=termination,
        status=status,
        point=np.asarray(model.getSolution()) if has_point else None,
        bound=bound if mixed or status is SolutionStatus.OPTIMAL else None,
        nodes=int(attributes.nodes) if mixed else None,
        note="" if termination is TerminationReason.DONE else ended.lower(),
    )


SOLVER = Solver(
    name="xpress",
    module="xpress",
    install="xpress",
    can=("lp", "milp", "start"),
    run=run,
    remark="with the community licence up to 5,000 rows and columns together",
    stated={
        "relative gap": ours("miprelstop", 0),
        "absolute gap or increment": ours("mipabsstop", 0),
        "row tolerance": own("feastol"),
        "integer tolerance": own("miptol"),
        "infeasibility tolerance": own("optimalitytol"),
        "presolve": own("presolve"),
        "seed": ours("randomseed", 0),
        "threads": ours("threads", 1),
        "algorithm": own("defaultalg"),
    },
)
