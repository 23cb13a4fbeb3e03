"""Execution of an engine on a program without the solver interface, and audit of its answer.

The engine reads the program from its file, once. Its last point is evaluated in fractions. If the
program's points are schedules, the judge checks the schedule.
"""

import json
import time
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from pathlib import Path
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
from ..formulations.corpus.index import ProgramRecipe, beyond, recipe_of
from ..formulations.files.read import read_program
from ..formulations.files.sol import sol_lines
from ..formulations.program import ENDLESS, TOLERANCE, Caps, Floats, Matrix, Program, Solution
from ..formulations.solver_interface.call import plain_answer
from ..formulations.solver_interface.checked import (
    BestPoint,
    checker_of,
    dual_residual,
    recheck,
)
from ..formulations.solver_interface.cones import conic_answer
from ..formulations.solver_interface.solve import find_solver, solver_digest
from ..formulations.wrong import MISS, NO_END, boxed
from ..instances import (
    BoundKind,
    InputError,
    RefusedError,
    SolutionStatus,
    TerminationReason,
)
from ..instances.catalogue import load
from .runs import METHOD_CHANGED, Columns, Task, environment, failure, failure_of, now

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

EDITED = "the file of the program or the engine was edited. Rerun the command."

Trajectory = list[tuple[float, float, float | None]]


@dataclass(slots=True)
class Steps:
    """The improving points and bounds that an engine reported, with their times."""

    best: BestPoint
    began: float = field(default_factory=time.monotonic)
    known: Trajectory = field(default_factory=list)

    def report(self, point: Floats, bound: float | None) -> None:
        """Note a point that holds and is better, or a better bound."""
        self.best.report(point, bound)
        low = self.best.bound
        low = None if low is None or abs(low) >= ENDLESS else low
        if self.best.point is not None and (self.best.value, low) != self._last():
            self.known.append((time.monotonic() - self.began, self.best.value, low))

    def _last(self) -> tuple[float, float | None] | None:
        return self.known[-1][1:] if self.known else None

    def of(self, claimed: Solution) -> Trajectory:
        """Return the points by the engine's clock, which starts later than Ringyard's."""
        late = time.monotonic() - self.began - claimed.seconds
        if claimed.usage is not None:
            late = claimed.usage.began - self.began
        known = [(round(max(0.0, at - late), 4), value, bound) for at, value, bound in self.known]
        return known if len(known) <= MOST_STEPS else [known[0], *known[1 - MOST_STEPS :]]


def perform_program(task: Task) -> dict[str, Any]:
    """Return the `columns` of a run without a `schedule`, also after a failure.

    `point` is the text of its point if that is better than the best known one.
    """
    columns: Columns = {**environment(), "started": now(), "valid": False, "violations": 0}
    began, text = time.perf_counter(), None
    try:
        reason = _unfit(task)
        program = None if reason else _program(task)
        if program is None:
            changed = {"status": METHOD_CHANGED, "note": reason or EDITED}
            return {"columns": changed, "schedule": None}
        found, point = _asked(task, program, time.perf_counter() - began)
        columns |= found
        if point is not None and columns["valid"] and _is_better(columns["objective"], task):
            text = _sol_text(program, point, columns["objective"])
    except Exception as error:  # Whatever an engine does, the campaign goes on.
        columns |= failure_of(error)
    return {"columns": columns, "schedule": None, "point": text}


def _is_better(value: float, task: Task) -> bool:
    return task["best"] is None or beyond(task["best"], value)


def _sol_text(program: Program | ConicProgram, point: Floats, value: float) -> str:
    values = {program.columns[j]: float(point[j]) for j in np.flatnonzero(point)}
    return "\n".join(sol_lines(values, value)) + "\n"


def _unfit(task: Task) -> str:
    """Return why a run cannot be done here, maybe on another machine, or an empty text."""
    engine, host = str(task["solver"]), environment()["host"]
    own = Path(engine.rpartition(":")[0]) if ".py:" in engine else None
    for path in filter(None, (task["file"] and Path(task["file"]), own)):
        if not path.is_file():
            return f"{path} is missing on {host}. Every machine needs it at this path."
    try:
        if task["source"] and solver_digest(engine) != task["source"]:
            return EDITED
        there = find_solver(engine).version
    except InputError as error:
        return f"{error.problems[0]} (on {host})"
    if there != task["solver_version"]:
        found, asked = there or "no version", task["solver_version"]
        return f"{engine}: {host} has {found}, not {asked}. Every machine needs the same version."
    return ""


def _program(task: Task) -> Program | ConicProgram | None:
    """Return the program of a run, or None if its file was edited."""
    try:
        program, digest = _built(task["file"] or recipe_of(task["program"]), task["content"])
    except InputError:
        if task["file"]:
            return None
        raise
    if digest == task["content"]:
        return program
    if task["file"]:
        return None
    raise RefusedError(f"{task['program']} differs from the index: it was made by other versions")


Asked = tuple[Columns, Floats | None]
"""The columns of a run, and its point in the order of the program."""


def _asked(task: Task, program: Program | ConicProgram, built: float) -> Asked:
    if isinstance(program, ConicProgram):
        return _asked_about_cones(program, task, built)
    moved = shuffled(program, task["seed"])
    best = BestPoint(checker_of(moved.program))
    steps = Steps(best)
    claimed = plain_answer(find_solver(task["solver"]), moved.program, _caps(task), steps.report)
    if claimed.termination is TerminationReason.INTERRUPTED:
        raise KeyboardInterrupt
    known, ended = steps.of(claimed), time.perf_counter()
    found = recheck(claimed, best)
    point = None if found.point is None else moved.back(found.point)
    audited = {} if point is None else _audited(task, program, point, found)
    columns = {
        **_engine_columns(moved.program, claimed, found, best),
        **_residuals(moved.program, claimed, best),
        **audited,
        **_used(claimed, built, time.perf_counter() - ended),
        "trajectory": known,
    }
    return columns, point


def _asked_about_cones(program: ConicProgram, task: Task, built: float) -> Asked:
    """Return the columns and the point of a run stated through CVXPY."""
    moved = shuffled_cones(program, task["seed"])
    claimed = conic_answer(find_solver(task["solver"]), moved.program, _caps(task))
    began = time.perf_counter()
    if claimed.point is None:
        status = ENDED.get(claimed.termination, "unknown")
        ended = failure(status, claimed.termination, claimed.note)
        return {**ended, **_used(claimed, built, 0.0), "trajectory": []}, None
    point = moved.back(claimed.point)
    values = enumerate(point.tolist())
    worth = priced_in_cones(program, {j: Fraction(x) for j, x in values if x})
    holds, sure = worth.holds(Fraction(TOLERANCE)), claimed.status is SolutionStatus.OPTIMAL
    columns = {
        **failure("optimal" if sure and holds else "unknown", TerminationReason.DONE, ""),
        "solution_status": claimed.status.value,
        "objective": float(worth.value),
        "bound_kind": BoundKind.NONE.value,
        "primal_residual": float(worth.rows.amount),
        "valid": holds,
        "violations": 0 if holds else 1,
        "violation": None if holds else worth.worst.where,
        **_used(claimed, built, time.perf_counter() - began),
        "trajectory": [],
    }
    return columns, point


def _used(claimed: Solution, built: float, audit: float) -> Columns:
    """Return the time of a run by phases, and the engine's own processor time and memory."""
    phases = {"build": built, "setup": claimed.setup_s or 0.0, "audit": audit}
    columns: Columns = {"seconds": round(claimed.seconds, 4)}
    if claimed.usage is not None:
        phases |= {"base_mb": claimed.usage.base_mb, "base_cpu": claimed.usage.base_cpu_s}
        columns["memory_mb"] = round(claimed.usage.memory_mb, 2)
        columns["cpu_seconds"] = round(claimed.usage.cpu_s, 4)
    columns["phases"] = json.dumps({name: round(amount, 4) for name, amount in phases.items()})
    return columns


def _residuals(program: Program, claimed: Solution, best: BestPoint) -> Columns:
    """Return by how much the engine's own point and duals miss the program, as it gave them."""
    columns: Columns = {}
    if claimed.point is not None:
        primal, integrality = best.checker.residuals(claimed.point)
        columns |= {"primal_residual": _finite(primal), "integrality": _finite(integrality)}
    if claimed.duals is not None and isinstance(program, Matrix):
        columns["dual_residual"] = _finite(dual_residual(program, claimed.duals))
    return columns


def _finite(number: float) -> float | None:
    """Return a number as a row can hold it."""
    return number if isfinite(number) else None


@lru_cache(maxsize=2)
def _built(source: ProgramRecipe | str, content: str) -> tuple[Program | ConicProgram, str]:
    """Return a program and its digest. `content` tells versions of a file apart."""
    del content
    program = read_program(Path(source)) if isinstance(source, str) else build_any(source)
    return program, digest_of(program)


_model = lru_cache(maxsize=1)(model_of)


def _caps(task: Task) -> Caps:
    settings = tuple((name, value) for name, value in task["settings"])
    return Caps(
        time_s=task["time_limit"],
        threads=task["threads"],
        seed=task["seed"],
        settings=settings,
        memory_mb=task["engine_memory"],
        own_process=True,
    )


def _engine_columns(
    program: Program, claimed: Solution, found: Solution, best: BestPoint
) -> Columns:
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
        if found.value is not None and isfinite(bound):
            columns["gap"] = abs(found.value - bound) / (max(abs(found.value), abs(bound)) or 1.0)
    return columns | {"nodes": claimed.nodes, "rejection": _rejection(program, claimed, best)}


def _rejection(program: Program, claimed: Solution, best: BestPoint) -> str | None:
    """Return the reason if a reported optimum violates the program beyond any tolerance.

    Or if the objective is reported to have no end, although the bounds of columns end it.
    """
    unbounded = claimed.status is SolutionStatus.UNBOUNDED
    if unbounded and isinstance(program, Matrix) and boxed(program):
        return NO_END
    if claimed.status is not SolutionStatus.OPTIMAL or claimed.point is None:
        return None
    miss = best.checker.settle(claimed.point)[1]
    return f"its optimal point violates the program by {miss:.2g}" if miss > MISS else None


def _audited(task: Task, program: Program, point: Floats, answer: Solution) -> Columns:
    """Return the value of a point, and the rules that it breaks."""
    if (
        isinstance(program, Matrix) and program.a.nnz > MOST_EXACT
    ):  # The solver interface has checked it.
        return {"objective": answer.value, "valid": True}
    values = {int(j): Fraction(float(point[j])) for j in np.flatnonzero(point)}
    found = priced(program, values)
    broken = [] if found.holds(Fraction(TOLERANCE)) else [found.worst.where]
    recipe = None if task["file"] else recipe_of(task["program"])
    if not broken and recipe is not None and states_schedules(recipe) and _whole(program):
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
