"""The interface to every solver: the only place where one is chosen by name.

A program goes in, a `Solution` comes out, whose point has been checked against the program again
(`checked.py`). Where its numbers are very small or large, solvers see it in other units
(`scaled.py`). With caps on memory or processor time, or on request, the solver runs in a process
of its own (`apart.py`), and even its crash is an answer. So do large programs with a time limit.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from ...instances import MissingError, RefusedError, SolutionStatus, TerminationReason
from ...instances.errors import InputError, unknown
from ...outside.entry_points import Brought, named
from ..adapters import (
    ampl,
    cbc,
    choco,
    conic,
    copt,
    cp_sat,
    cplex,
    exact,
    glpk,
    gpu,
    gurobi,
    highs,
    mosek,
    ortools_lp,
    pumpkin,
    scip,
    variants,
    xpress,
)
from ..adapters.highs_lp import IncrementalLP as IncrementalLP
from ..adapters.highs_lp import Optimum as Optimum
from ..adapters.solver import Solver
from ..program import Caps, Floats, Matrix, Nonlinear, Program, Solution
from .call import call
from .checked import BestPoint, Watch, checker_of, recheck
from .checker import TOLERANCE
from .scaled import scaled

SOLVERS = (
    highs.SOLVER,
    scip.SOLVER,
    cp_sat.SOLVER,
    *variants.SOLVERS,
    *ortools_lp.SOLVERS,
    glpk.SOLVER,
    cbc.SOLVER,
    exact.SOLVER,
    choco.SOLVER,
    pumpkin.SOLVER,
    *conic.SOLVERS,
    gpu.SOLVER,
    *ampl.SOLVERS,
    gurobi.SOLVER,
    cplex.SOLVER,
    xpress.SOLVER,
    copt.SOLVER,
    mosek.SOLVER,
)
"""Every solver, the default one first."""

GROUP = "ringyard.solvers"
"""Entry points of this group are solvers of other packages: a `Solver` each."""

NO_CAPS = Caps()

ANY_GAP = 1e9
"""Where options are set, they may have allowed any gap."""


def solve(
    program: Any,
    solver: str | Solver = "highs",
    caps: Caps = NO_CAPS,
    start: Floats | None = None,
    watch: Watch | None = None,
) -> Solution:
    """Minimise a `Matrix`, a `Nonlinear` or a Pyomo model, and check what comes back.

    `start` is a point in the order of the columns, for solvers that can begin from one.
    `watch` is called with better points while the solver runs, where it reports them.

    Raises:
        MissingError: If the solver is not installed; the message says how to get it.
        RefusedError: If the solver cannot treat such a program.
    """
    chosen = find_solver(solver) if isinstance(solver, str) else solver
    if chosen.missing:
        raise MissingError(chosen.missing)
    stated = _bounds_made_whole(program_of(program))
    reason = _no_program(stated) or chosen.refuses(stated)
    if reason is not None:
        raise RefusedError(f"{chosen.name} cannot solve this program: {reason}")
    units = scaled(stated) if isinstance(stated, Matrix) and "lp" in chosen.can else None
    if units is None:
        return _checked(chosen, stated, caps, start, watch)
    begin = None if start is None else units.into(start)
    told = None if watch is None else units.told(watch)
    found = units.answer(_checked(chosen, units.matrix, caps, begin, told))
    if found.point is None or units.holds(found.point):
        return found
    left_s = None if caps.time_s is None else max(0.0, caps.time_s - found.seconds)
    again = _checked(chosen, stated, replace(caps, time_s=left_s), start, watch)
    return replace(again, seconds=found.seconds + again.seconds)


def _bounds_made_whole(program: Program) -> Program:
    """Return the program with whole bounds of its integers: HiGHS 1.15.1 errs where one is not."""
    if not isinstance(program, Matrix):
        return program
    lower = np.where(program.integer, np.ceil(program.lower - TOLERANCE), program.lower)
    upper = np.where(program.integer, np.floor(program.upper + TOLERANCE), program.upper)
    if (lower == program.lower).all() and (upper == program.upper).all():
        return program
    return replace(program, lower=lower, upper=upper)


def _checked(
    chosen: Solver, stated: Program, caps: Caps, start: Floats | None, watch: Watch | None
) -> Solution:
    """Solve a program, and check what comes back."""
    best = BestPoint(checker_of(stated), watch)
    if best.checker.crossed:
        note = "a lower bound lies above its upper bound"
        return Solution(
            solver=chosen.name,
            termination=TerminationReason.DONE,
            status=SolutionStatus.INFEASIBLE,
            note=note,
        )
    claimed = call(chosen, stated, caps, start, best.tell)
    if best.error is not None:
        raise best.error
    found = recheck(claimed, best, start, ANY_GAP if caps.settings else caps.gap)
    if (
        found.status is SolutionStatus.UNBOUNDED
        and isinstance(stated, Matrix)
        and best.point is None
    ):
        return _confirm_unbounded(found, chosen, stated, caps)
    return found


def _no_program(program: Program) -> str | None:
    """Say why this is no program at all; solvers take such things amiss, by hanging for one."""
    if not program.columns:
        return "it has no columns"
    if not isinstance(program, Matrix):
        return None
    bounds = (program.lower, program.upper, program.row_lower, program.row_upper)
    if not (np.isfinite(program.cost).all() and np.isfinite(program.a.data).all()):
        return "a coefficient is infinite or no number"
    return "a bound is no number" if any(np.isnan(side).any() for side in bounds) else None


def _confirm_unbounded(found: Solution, solver: Solver, program: Matrix, caps: Caps) -> Solution:
    """Look for a point: many call a program unbounded for its direction, even without points."""
    free = replace(program, cost=np.zeros_like(program.cost))
    best = BestPoint(checker_of(free))
    second = recheck(call(solver, free, caps, None, best.tell), best)
    setups = (found.setup_s, second.setup_s)
    spent: dict[str, Any] = {
        "seconds": found.seconds + second.seconds,
        "setup_s": None if None in setups else sum(filter(None, setups)),
    }
    if second.point is not None:
        return replace(found, **spent)
    if second.status in {
        SolutionStatus.INFEASIBLE,
        SolutionStatus.UNBOUNDED,
    }:  # Without costs it can only be the first.
        return replace(second, status=SolutionStatus.INFEASIBLE, **spent)
    termination = (
        TerminationReason.NUMERICAL
        if second.termination is TerminationReason.DONE
        else second.termination
    )
    note = "it claims that the objective has no end, but finds no point"
    return replace(
        second, termination=termination, status=SolutionStatus.NOTHING, note=note, **spent
    )


def find_solver(name: str) -> Solver:
    """Return a solver by name."""
    known = {solver.name: solver for solver in SOLVERS}
    if name not in known and name in named(GROUP):
        return outside_solver(named(GROUP)[name])
    if name not in known:
        hint = "see `ringyard list solvers`"
        raise InputError("solvers", [unknown("solver", name, known, hint)])
    return known[name]


def outside_solver(one: Brought) -> Solver:
    """Return a solver of another package, called as its entry point is."""
    found: Solver = one.load(Solver)
    return replace(
        found,
        name=one.name,
        refuses=one.guard(found.refuses, (str, type(None))),
        remark="; ".join(filter(None, [one.source, found.remark])),
    )


def program_of(program: Any) -> Program:
    """Return what solvers take: a matrix or NL text, made from a Pyomo model if need be."""
    if isinstance(program, Matrix | Nonlinear):
        return program
    from ..matrix import is_linear, matrix_of, nonlinear_of

    return matrix_of(program) if is_linear(program) else nonlinear_of(program)
