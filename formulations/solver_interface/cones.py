"""The interface to solvers of programs in cones, which CVXPY states."""

from dataclasses import replace
from typing import Any, cast

from ...instances import MissingError, RefusedError
from ..adapters.conic_programs import FINE as FINE
from ..adapters.conic_programs import conic_run, knows
from ..adapters.solver import Solver
from ..conic import ConicProgram
from ..program import Caps, Solution
from .call import run_apart, unheard

CONES = {f"cvxpy-{name}": name for name in FINE}
"""The solvers of programs in cones, with their names in CVXPY."""


def conic_answer(solver: Solver, program: ConicProgram, caps: Caps) -> Solution:
    """Return the claims of a solver in a separate process, which a time limit ends.

    Raises:
        MissingError: If the solver is not installed.
        RefusedError: If it does not support the cones, or ends without a point.
    """
    if solver.missing:
        raise MissingError(solver.missing)
    engine = CONES.get(solver.name)
    if engine is None or not knows(engine, program):
        raise RefusedError(f"{solver.name} does not support all cones of this program")
    asked = replace(solver, run=conic_run(engine))
    return run_apart(asked, cast(Any, program), caps, None, unheard)
