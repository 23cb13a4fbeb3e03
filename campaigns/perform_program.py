"""Execution of an engine on a program without the solver interface, and audit of its answer.

The engine reads the program from its file, once. Its last point is evaluated in fractions. If the
program's points are schedules, the judge checks the schedule.
"""

import json
import time
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ..analysis.check import check
from ..formulations.conic import ConicProgram
from ..formulations.corpus.build import (
    build_any,
    digest_of,
    model_of,
    schedule_of,
    shuffled,
    shuffled_cones,
    states_schedules,
)
from ..formulations.corpus.exact import priced, priced_in_cones
from ..formulations.corpus.index import ProgramRecipe, find_entry, recipe_of
from ..formulations.program import ENDLESS, TOLERANCE, Caps, Floats, Matrix, Program, Solution
from ..formulations.solver_interface.call import plain_answer
from ..formulations.solver_interface.checked import BestPoint, checker_of, recheck
from ..formulations.solver_interface.cones import knows, solve_conic
from ..formulations.solver_interface.solve import find_solver
from ..formulations.wrong import MISS
from ..instances import BoundKind, RefusedError, SolutionStatus, TerminationReason
from ..instances.catalogue import load
from .runs import Columns, Task, environment, failure, failure_of, now

MOST_EXACT = 200_000
"""Maximum number of nonzeros for evaluation in fractions, beyond which floating point is used."""

MOST_STEPS = 20
"""Maximum number of intermediate points kept in a row, the first and the last ones."""

ENDED = {
    TerminationReason.MEMORY_LIMIT: "out of memory",
    TerminationReason.CRASHED: "crashed",
    TerminationReason.KILLED: "timed out",
    TerminationReason.FAILED: "error",
    TerminationReason.UNLICENSED: "refused",
}
"""The `status` of a run that its engine did not end."""

Trajectory = list[tuple[float, float, None]]


@dataclass(slots=True)
class Steps:
    """The improving points that an engine reported, with their times."""

    began: float
    known: Trajectory = field(default_factory=list)

    def add(self, point: Floats, value: float) -> None:
        """Note a point that holds and is better."""
        del point
        self.known.append((time.perf_counter() - self.began, value, None))

    def until(self, seconds: float) -> Trajectory:
        """Return the points by the engine's clock, which starts later than Ringyard's."""
        late = max(0.0, time.perf_counter() - self.began - seconds)
        return [(round(max(0.0, at - late), 4), value, bound) for at, value, bound in self.known]


def perform_program(task: Task) -> dict[str, Any]:
    """Return the `columns` of a run without a `schedule`, also after a failure."""
    columns: Columns = {**environment(), "started": now(), "valid": False, "violations": 0}
    try:
        columns |= _asked(task, recipe_of(task["program"]))
    except Exception as error:  # Whatever an engine does, the campaign goes on.
        columns |= failure_of(error)
    return {"columns": columns, "schedule": None}


def _asked(task: Task, recipe: ProgramRecipe) -> Columns:
    began = time.perf_counter()
    program, digest = _built(recipe)
    built = time.perf_counter()
    if digest != find_entry(recipe.name).digest:
        raise RefusedError(f"{recipe.name} differs from the index: it was made by other versions")
    if isinstance(program, ConicProgram):
        return _asked_about_cones(program, task["solver"], task["seed"])
    moved = shuffled(program, task["seed"])
    solver, steps = find_solver(task["solver"]), Steps(time.perf_counter())
    best = BestPoint(checker_of(moved.program), steps.add)
    claimed = plain_answer(solver, moved.program, _caps(task), best.report)
    if claimed.termination is TerminationReason.INTERRUPTED:
        raise KeyboardInterrupt
    known, ended = steps.until(claimed.seconds), time.perf_counter()
    found = recheck(claimed, best)
    point = None if found.point is None else moved.back(found.point)
    audited = {} if point is None else _audited(recipe, program, point, found)
    phases = {
        "build": built - began,
        "setup": claimed.setup_s or 0.0,
        "audit": time.perf_counter() - ended,
    }
    return {
        **_engine_columns(claimed, found, best),
        **audited,
        "seconds": round(claimed.seconds, 4),
        "phases": json.dumps({name: round(s, 4) for name, s in phases.items()}),
        "trajectory": known if len(known) <= MOST_STEPS else [known[0], *known[1 - MOST_STEPS :]],
    }


def _asked_about_cones(program: ConicProgram, solver: str, seed: int) -> Columns:
    """Return the columns of a run stated through CVXPY, without any limit."""
    engine = solver.removeprefix("cvxpy-")
    if not knows(engine, program):
        raise RefusedError(f"{engine} does not support all cones of this program")
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
        **failure("optimal" if sure and holds else "unknown", TerminationReason.DONE, ""),
        "solution_status": (SolutionStatus.OPTIMAL if sure else SolutionStatus.FEASIBLE).value,
        "objective": float(worth.value),
        "bound_kind": BoundKind.NONE.value,
        "valid": holds,
        "violations": 0 if holds else 1,
        "violation": None if holds else worth.worst.where,
        "seconds": round(seconds, 4),
        "phases": json.dumps(phases),
        "trajectory": [],
    }


@lru_cache(maxsize=2)
def _built(recipe: ProgramRecipe) -> tuple[Program | ConicProgram, str]:
    program = build_any(recipe)
    return program, digest_of(program)


_model = lru_cache(maxsize=1)(model_of)


def _caps(task: Task) -> Caps:
    settings = tuple((name, value) for name, value in task["settings"])
    return Caps(
        time_s=task["time_limit"], threads=task["threads"], seed=task["seed"], settings=settings
    )


def _engine_columns(claimed: Solution, found: Solution, best: BestPoint) -> Columns:
    """Return the status that the engine reports, and whether its own point holds."""
    status = found.status.value if found.status is not SolutionStatus.NOTHING else "unknown"
    if found.status is SolutionStatus.UNBOUNDED:
        status = "error"
    if claimed.status is SolutionStatus.INFEASIBLE:
        status = "infeasible"
    status = ENDED.get(claimed.termination, status) if status == "unknown" else status
    columns = failure(status, claimed.termination, found.note) | {
        "solution_status": claimed.status.value
    }
    bound = claimed.bound
    if bound is not None and abs(bound) < ENDLESS:
        columns |= {"bound": bound, "bound_kind": BoundKind.NONE.value}
    return columns | {"nodes": claimed.nodes, "rejection": _rejection(claimed, best)}


def _rejection(claimed: Solution, best: BestPoint) -> str | None:
    """Return the reason if a reported optimum violates the program beyond any tolerance."""
    if claimed.status is not SolutionStatus.OPTIMAL or claimed.point is None:
        return None
    miss = best.checker.settle(claimed.point)[1]
    return f"its optimal point violates the program by {miss:.2g}" if miss > MISS else None


def _audited(recipe: ProgramRecipe, program: Program, point: Floats, answer: Solution) -> Columns:
    """Return the value of a point, and the rules that it breaks."""
    if (
        isinstance(program, Matrix) and program.a.nnz > MOST_EXACT
    ):  # The solver interface has checked it.
        return {"objective": answer.value, "valid": True}
    values = {int(j): Fraction(float(point[j])) for j in np.flatnonzero(point)}
    found = priced(program, values)
    broken = [] if found.holds(Fraction(TOLERANCE)) else [found.worst.where]
    if not broken and states_schedules(recipe) and _whole(program):
        plan = schedule_of(recipe, program, values, _model(recipe))
        verdict = check(load(recipe.instance), plan)
        broken = [f"{one.rule}: {one.where}" for one in verdict.violations]
    return {
        "objective": float(found.value),
        "valid": not broken,
        "violations": len(broken),
        "violation": broken[0] if broken else None,
    }


def _whole(program: Program) -> bool:
    """Return True if all numbers are integers, because fractions break rules by rounding."""
    return not isinstance(program, Matrix) or bool(program.integer.any())
