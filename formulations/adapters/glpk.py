"""GLPK: linear and mixed-integer programs.

It holds Python's lock while it runs, and invalid input ends the process, so it runs in a separate
process. It reports no bound before the end, and has no limit on nodes.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import Value, fixed, ours, own, shown
from .solver import BY_LIMIT, MUTE, Report, Solver, SolverOptions, claim, dual_bound

NO_CAPS = Caps()

LONGEST_MS = 2**31 - 1

FAILED = {
    "GLP_ETMLIM": TerminationReason.TIME_LIMIT,
    "GLP_EITLIM": TerminationReason.WORK_LIMIT,
    "GLP_EMIPGAP": SolutionStatus.OPTIMAL,
    "GLP_ENOPFS": SolutionStatus.INFEASIBLE,
    "GLP_ENODFS": SolutionStatus.UNBOUNDED,
}
"""Return codes of its calls other than 0. After 0 the status describes the result."""

STATES = {
    "GLP_OPT": SolutionStatus.OPTIMAL,
    "GLP_FEAS": SolutionStatus.FEASIBLE,
    "GLP_NOFEAS": SolutionStatus.INFEASIBLE,
    "GLP_UNBND": SolutionStatus.UNBOUNDED,
}


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a linear or mixed-integer program."""
    began = time.monotonic()
    import swiglpk

    assert isinstance(program, Matrix)
    swiglpk.glp_term_out(swiglpk.GLP_OFF)
    model = _load(program)
    setup_s, gap = time.monotonic() - began, None
    ended = swiglpk.glp_simplex(model, _options(False, caps.since(began)))
    mixed = bool(program.integer.any()) and ended == 0
    if mixed and swiglpk.glp_get_status(model) == swiglpk.GLP_OPT:
        ended, gap = swiglpk.glp_intopt(model, _options(True, caps.since(began))), caps.gap
    return replace(_answer(program, model, ended, gap), setup_s=setup_s)


def _options(mixed: bool, caps: Caps = NO_CAPS) -> Any:
    """Return the options of branch and bound, or of the simplex method.

    Its presolve is used only for linear programs. For programs with integers it loops forever if
    two rows without a common point raise the bounds of columns without end.
    """
    import swiglpk

    options = swiglpk.glp_iocp() if mixed else swiglpk.glp_smcp()
    (swiglpk.glp_init_iocp if mixed else swiglpk.glp_init_smcp)(options)
    if mixed:
        options.mip_gap = caps.gap
    else:
        options.presolve = swiglpk.GLP_ON
    if caps.time_s is not None:
        options.tm_lim = min(int(caps.time_s * 1000), LONGEST_MS)
    for name, value in caps.settings:
        if hasattr(options, name):
            _set(options, name, value)
    return options


def _set(options: Any, name: str, value: str) -> None:
    setattr(options, name, type(getattr(options, name))(value))


def _asked(caps: Caps, name: str) -> Value:
    """Return fields of its options: `iocp.FIELD` with integers, else `smcp.FIELD`."""
    pairs = [one.split(".") for one in name.split(", ")]
    found = [getattr(_options(kind == "iocp", caps), field) for kind, field in pairs]
    return ", ".join(map(shown, found))


def _known() -> list[str]:
    return [
        name
        for options in (_options(True), _options(False))
        for name in dir(options)
        if type(getattr(options, name)) in (int, float)
    ]


def _takes(name: str, value: str) -> bool:
    """Return True if a value is a number of the right kind. GLPK itself would end the process."""
    options = next(one for one in (_options(True), _options(False)) if hasattr(one, name))
    try:
        _set(options, name, value)
    except (ValueError, OverflowError, TypeError):
        return False
    return True


def _load(program: Matrix) -> Any:
    import swiglpk

    model = swiglpk.glp_create_prob()
    swiglpk.glp_set_obj_coef(model, 0, program.offset)
    rows = program.row_lower, program.row_upper
    _bound(model, swiglpk.glp_add_rows, swiglpk.glp_set_row_bnds, *rows)
    # Columns that are to be whole need ends that are.
    lower = np.where(program.integer, np.ceil(program.lower), program.lower)
    upper = np.where(program.integer, np.floor(program.upper), program.upper)
    _bound(model, swiglpk.glp_add_cols, swiglpk.glp_set_col_bnds, lower, upper)
    columns = zip(program.cost.tolist(), program.integer, strict=True)
    for j, (cost, whole) in enumerate(columns, start=1):
        swiglpk.glp_set_obj_coef(model, j, cost)
        if whole:
            swiglpk.glp_set_col_kind(model, j, swiglpk.GLP_IV)
    a = program.a.tocoo()
    rows, columns = _filled(swiglpk.intArray, a.row + 1), _filled(swiglpk.intArray, a.col + 1)
    values = _filled(swiglpk.doubleArray, a.data)
    swiglpk.glp_load_matrix(model, a.nnz, rows, columns, values)
    return model


def _filled(kind: Any, numbers: Any) -> Any:
    """Return an array of GLPK's, which begins at 1."""
    made = kind(len(numbers) + 1)
    for i, number in enumerate(numbers.tolist(), start=1):
        made[i] = number
    return made


def _bound(model: Any, add: Any, bound: Any, lower: Floats, upper: Floats) -> None:
    """Add rows or columns with such bounds."""
    import swiglpk

    if len(lower):
        add(model, len(lower))
    for i, (low, high) in enumerate(zip(lower.tolist(), upper.tolist(), strict=True), start=1):
        has_low, has_high = np.isfinite(low), np.isfinite(high)
        kind = (swiglpk.GLP_FR, swiglpk.GLP_LO, swiglpk.GLP_UP, swiglpk.GLP_DB)
        chosen = swiglpk.GLP_FX if low == high else kind[has_low + 2 * has_high]
        bound(model, i, chosen, low if has_low else 0.0, high if has_high else 0.0)


def _answer(program: Matrix, model: Any, ended: int, gap: float | None) -> Solution:
    """Return the claims of GLPK. `gap` is None for a program without integers."""
    import swiglpk

    if gap is None:
        state, value_of = swiglpk.glp_get_status(model), swiglpk.glp_get_col_prim
    else:
        state, value_of = swiglpk.glp_mip_status(model), swiglpk.glp_mip_col_val
    status = _by_code(STATES).get(state)
    end = _by_code(FAILED).get(ended) if ended else status
    duals = bound = None
    if end is SolutionStatus.OPTIMAL and gap is None:
        numbers = range(1, len(program.rows) + 1)
        duals = np.array([swiglpk.glp_get_row_dual(model, i) for i in numbers])
        bound = dual_bound(program, duals)
    elif end is SolutionStatus.OPTIMAL and gap is not None:
        value = swiglpk.glp_mip_obj_val(model)
        bound = value - (gap * abs(value) if ended == swiglpk.GLP_EMIPGAP else 0.0)
    has_point = status in {SolutionStatus.OPTIMAL, SolutionStatus.FEASIBLE}
    numbers = range(1, len(program.columns) + 1)
    return claim(
        end or TerminationReason.NUMERICAL,
        f"its call returned {ended}",
        point=np.array([value_of(model, j) for j in numbers]) if has_point else None,
        bound=bound,
        duals=duals,
    )


def _by_code(table: Mapping[str, Any]) -> dict[int, Any]:
    """Return a table whose keys, names of GLPK constants, are replaced by their numbers."""
    import swiglpk

    return {getattr(swiglpk, name): meaning for name, meaning in table.items()}


SOLVER = Solver(
    name="glpk",
    module="swiglpk",
    install="'ringyard[glpk]'",
    can=("lp", "milp", "duals", "options"),
    run=run,
    alone=True,
    options=SolverOptions(_known, _takes, {"tm_lim": BY_LIMIT, "msg_lev": MUTE}),
    stated={
        "relative gap": ours("iocp.mip_gap", 0),
        "absolute gap or increment": own("iocp.tol_obj", 1e-7),
        "row tolerance": own("smcp.tol_bnd", 1e-7),
        "integer tolerance": own("iocp.tol_int", 1e-5),
        "infeasibility tolerance": own("smcp.tol_dj", 1e-7),
        "presolve": ours("smcp.presolve, iocp.presolve", "1, 0"),
        "threads": fixed("1"),
        "algorithm": own("smcp.meth", 1),
    },
    asked=_asked,
)
