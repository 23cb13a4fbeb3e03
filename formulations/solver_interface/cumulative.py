"""The interface for the cumulative question: one engine is asked, and its starts are checked."""

from dataclasses import replace
from functools import partial

from ...instances import MissingError, SolutionStatus, TerminationReason
from ..adapters import choco, cp_sat, cumulative, pumpkin
from ..cumulative import CumulativeQuestion
from ..program import Caps, Nonlinear, Solution
from .apart import run_apart

ENGINES = {
    "cp-sat": (cp_sat.SOLVER, cumulative.cp_sat),
    "choco": (choco.SOLVER, cumulative.choco),
    "pumpkin": (pumpkin.SOLVER, cumulative.pumpkin),
}

NO_PROGRAM = Nonlinear(columns=(), nl=b"")
"""The question goes with the function."""


def starts_of(question: CumulativeQuestion, engine: str, caps: Caps) -> Solution:
    """Return starts for all jobs as a point, or the engine's word that there are none.

    Starts are checked; that there are none rests on the engine, but where a job alone shows it.
    """
    solver, asked = ENGINES[engine]
    if solver.missing:
        raise MissingError(solver.missing)
    if question.hopeless:
        note = "a job does not fit by itself"
        return Solution(
            solver=engine,
            termination=TerminationReason.DONE,
            status=SolutionStatus.INFEASIBLE,
            note=note,
        )
    alone = replace(solver, run=partial(asked, question))
    found = run_apart(alone, NO_PROGRAM, caps, None, lambda point, bound: None)
    if found.point is None or question.holds(found.point):
        return found
    note = "its starts do not hold and are dropped"
    return replace(
        found,
        termination=TerminationReason.NUMERICAL,
        status=SolutionStatus.NOTHING,
        point=None,
        note=note,
    )
