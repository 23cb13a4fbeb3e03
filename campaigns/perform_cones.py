"""Ask a solver about a program in cones, with its columns in some order, and audit its point."""

import json
import time
from fractions import Fraction

from ..formulations.conic import ConicProgram
from ..formulations.corpus.cones import priced_in_cones
from ..formulations.corpus.shuffled import shuffled_cones
from ..formulations.door.checker import TOLERANCE
from ..formulations.door.cones import knows, solve_conic
from ..formulations.door.solve import find_solver
from ..instances import BoundKind, Left, RefusedError, Stop
from .fallen import Columns, failure


def asked_about_cones(program: ConicProgram, solver: str, seed: int) -> Columns:
    """Return the columns of a run; CVXPY states the program, and no limit holds."""
    engine = solver.removeprefix("cvxpy-")
    if not knows(engine, program):
        raise RefusedError(f"{engine} does not know all cones of this program")
    moved = shuffled_cones(program, seed)
    find_solver(solver).load()
    began = time.perf_counter()
    found, sure, own = solve_conic(moved.program, engine)
    seconds, point = time.perf_counter() - began, moved.back(found)
    began = time.perf_counter()
    worth = priced_in_cones(program, {j: Fraction(float(x)) for j, x in enumerate(point) if x})
    holds = worth.holds(Fraction(TOLERANCE))
    audit, setup = time.perf_counter() - began, max(0.0, seconds - own)
    phases = {"build": 0.0, "setup": round(setup, 4), "audit": round(audit, 4)}
    return {
        **failure("optimal" if sure and holds else "unknown", Stop.DONE, ""),
        "left": (Left.OPTIMAL if sure else Left.FEASIBLE).value,
        "objective": float(worth.value),
        "bound_kind": BoundKind.NONE.value,
        "valid": holds,
        "violations": 0 if holds else 1,
        "violation": None if holds else worth.worst.where,
        "seconds": round(seconds, 4),
        "phases": json.dumps(phases),
        "trajectory": [],
    }
