"""MOSEK: linear and mixed-integer programs, where the user has it."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import ours, own
from .solver import Report, Solver, refusal


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a linear or mixed-integer program."""
    began = time.monotonic()
    import mosek

    assert isinstance(program, Matrix)
    try:
        with mosek.Env() as environment, environment.Task() as task:
            _load(task, program)
            _limit(task, caps)
            mixed = bool(program.integer.any())
            kind = mosek.soltype.itg if mixed else mosek.soltype.bas
            if start is not None and mixed:
                task.putxx(kind, start.tolist())
            setup_s = time.monotonic() - began
            ended = task.optimize()
            return replace(_answer(task, kind, ended, mixed), setup_s=setup_s)
    except mosek.Error as error:
        return refusal(error, "license" in str(error).lower())


def _load(task: Any, program: Matrix) -> None:
    import mosek

    columns, rows = len(program.columns), len(program.rows)
    task.appendvars(columns)
    task.appendcons(rows)
    task.putcslice(0, columns, program.cost.tolist())
    task.putcfix(program.offset)
    task.putvarboundslice(0, columns, *_bounds(program.lower, program.upper))
    task.putconboundslice(0, rows, *_bounds(program.row_lower, program.row_upper))
    a = program.a
    task.putarowslice(
        0, rows, a.indptr[:-1].tolist(), a.indptr[1:].tolist(), a.indices.tolist(), a.data.tolist()
    )
    whole = np.flatnonzero(program.integer).tolist()
    task.putvartypelist(whole, [mosek.variabletype.type_int] * len(whole))


def _bounds(lower: Floats, upper: Floats) -> tuple[list[Any], list[float], list[float]]:
    from mosek import boundkey

    keys = {
        (True, True): boundkey.ra,
        (True, False): boundkey.lo,
        (False, True): boundkey.up,
        (False, False): boundkey.fr,
    }
    kinds = [
        boundkey.fx if low == high else keys[bool(np.isfinite(low)), bool(np.isfinite(high))]
        for low, high in zip(lower, upper, strict=True)
    ]
    return kinds, lower.tolist(), upper.tolist()


def _limit(task: Any, caps: Caps) -> None:
    import mosek

    task.putintparam(mosek.iparam.num_threads, caps.threads)
    task.putdouparam(mosek.dparam.mio_tol_rel_gap, caps.gap)
    task.putdouparam(mosek.dparam.mio_tol_abs_gap, 0.0)
    if caps.time_s is not None:
        task.putdouparam(mosek.dparam.optimizer_max_time, caps.time_s)
    if caps.nodes is not None:
        task.putintparam(mosek.iparam.mio_max_num_branches, caps.nodes)


def _answer(task: Any, kind: Any, ended: Any, mixed: bool) -> Solution:
    import mosek

    termination = {
        mosek.rescode.ok: TerminationReason.DONE,
        mosek.rescode.trm_max_time: TerminationReason.TIME_LIMIT,
        mosek.rescode.trm_mio_num_branches: TerminationReason.WORK_LIMIT,
        mosek.rescode.trm_max_iterations: TerminationReason.WORK_LIMIT,
        mosek.rescode.trm_user_callback: TerminationReason.INTERRUPTED,
    }.get(ended, TerminationReason.NUMERICAL)
    state = mosek.solsta
    status = {
        state.optimal: SolutionStatus.OPTIMAL,
        state.integer_optimal: SolutionStatus.OPTIMAL,
        state.prim_feas: SolutionStatus.FEASIBLE,
        state.prim_and_dual_feas: SolutionStatus.FEASIBLE,
        state.prim_infeas_cer: SolutionStatus.INFEASIBLE,
        state.dual_infeas_cer: SolutionStatus.UNBOUNDED,
    }.get(task.getsolsta(kind), SolutionStatus.NOTHING)
    has_point = status in {SolutionStatus.OPTIMAL, SolutionStatus.FEASIBLE}
    lp_bound = task.getdualobj(kind) if status is SolutionStatus.OPTIMAL and not mixed else None
    return Solution(
        termination=termination,
        status=status,
        point=np.asarray(task.getxx(kind)) if has_point else None,
        bound=task.getdouinf(mosek.dinfitem.mio_obj_bound) if mixed and has_point else lp_bound,
        note="" if termination is TerminationReason.DONE else str(ended),
    )


SOLVER = Solver(
    name="mosek",
    module="mosek",
    install="mosek",
    can=("lp", "milp", "start"),
    run=run,
    remark="needs a licence file, written from its manual, otherwise untested",
    stated={
        "relative gap": ours("mio_tol_rel_gap", 0),
        "absolute gap or increment": ours("mio_tol_abs_gap", 0),
        "row tolerance": own("basis_tol_x"),
        "integer tolerance": own("mio_tol_abs_relax_int"),
        "infeasibility tolerance": own("intpnt_tol_infeas"),
        "presolve": own("presolve_use"),
        "seed": own("mio_seed"),
        "threads": ours("num_threads", 1),
        "algorithm": own("optimizer"),
    },
)
