"""The makespan question without servers: can all jobs end by a slot on one pool of GPUs?

Each job holds its GPUs for a known number of slots without a break. With the fewest slots that a
job needs anywhere, every schedule that ends in time has such starts. If no such starts exist, the
slot is a bound on the makespan. CP-SAT, Choco, Pumpkin, and Gecode through MiniZinc, answer with
the start of each job.

Each runs in a separate process.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ...instances import MissingError, RefusedError, SolutionStatus, TerminationReason
from ..constraints import ConstraintModel, Task
from ..files.constraints import minizinc_lines
from ..files.names import to_file
from ..files.write import write_lines
from ..program import Caps, Floats, Nonlinear, Program, Solution
from ..solver_interface.call import run_apart
from . import choco, cp_sat, pumpkin
from .executable import call
from .solver import Report, Solver, claim


@dataclass(frozen=True, slots=True)
class CumulativeQuestion:
    """GPUs, slots and releases of jobs, the GPUs of the pool, and the slot by which all end."""

    gpus: tuple[int, ...]
    slots: tuple[int, ...]
    releases: tuple[int, ...]
    pool: int
    end: int

    @property
    def hopeless(self) -> bool:
        """True if a job has no room, or no time, even alone."""
        times = zip(self.releases, self.slots, strict=True)
        return any(late + slots > self.end for late, slots in times) or max(self.gpus) > self.pool

    def latest(self) -> list[int]:
        """Return the last slot in which each job can start."""
        return [self.end - slots for slots in self.slots]

    def model(self, names: Sequence[str]) -> ConstraintModel:
        """Return the question as a constraint model, with the starts as its first variables."""
        model = ConstraintModel()
        for name, low, high in zip(names, self.releases, self.latest(), strict=True):
            model.whole(f"start[{name}]", low, high)
        tasks = []
        for job, (name, slots) in enumerate(zip(names, self.slots, strict=True)):
            length = model.whole(f"slots[{name}]", slots, slots)
            end = model.whole(f"end[{name}]", self.releases[job] + slots, self.end)
            tasks.append(Task(job, length, end, self.gpus[job]))
        model.cumulative(tasks, self.pool)
        return model

    def holds(self, starts: Floats) -> bool:
        """Return True if jobs that start then are released, end in time and fit into the pool."""
        whole = [int(start) for start in starts]
        if len(whole) != len(self.gpus) or any(a != b for a, b in zip(whole, starts, strict=True)):
            return False
        ranges = zip(self.releases, whole, self.latest(), strict=True)
        if not all(release <= start <= last for release, start, last in ranges):
            return False
        changes = [0] * (self.end + 1)
        for start, slots, gpus in zip(whole, self.slots, self.gpus, strict=True):
            changes[start] += gpus
            changes[start + slots] -= gpus
        return max(accumulate(changes)) <= self.pool


def ask_cp_sat(
    question: CumulativeQuestion, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Run CP-SAT."""
    began = time.monotonic()
    from ortools.sat.python import cp_model

    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    starts = [model.new_int_var(*ends, "") for ends in _ranges(question)]
    jobs = zip(starts, question.slots, strict=True)
    spans = [model.new_fixed_size_interval_var(start, slots, "") for start, slots in jobs]
    model.add_cumulative(spans, question.gpus, question.pool)
    solver.parameters.num_workers, solver.parameters.random_seed = caps.threads, caps.seed
    if (left := caps.since(began).time_s) is not None:
        solver.parameters.max_time_in_seconds = left
    setup_s, result = time.monotonic() - began, solver.solve(model)
    found = result in {cp_model.OPTIMAL, cp_model.FEASIBLE}
    values = [solver.value(start) for start in starts] if found else None
    return _answer(values, found or result == cp_model.INFEASIBLE, setup_s)


def ask_choco(
    question: CumulativeQuestion, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Run Choco."""
    began = time.monotonic()
    import pychoco

    model = pychoco.Model()
    starts = [model.intvar(low, high) for low, high in _ranges(question)]
    jobs = zip(starts, question.slots, strict=True)
    tasks = [model.task(start, slots) for start, slots in jobs]
    heights = [model.intvar(gpus) for gpus in question.gpus]
    model.cumulative(tasks, heights, model.intvar(question.pool)).post()
    solver, left = model.get_solver(), caps.since(began)
    choco.limit(solver, left)
    setup_s, found = time.monotonic() - began, solver.solve()
    values = [start.get_value() for start in starts] if found else None
    return _answer(values, found or choco.ended(solver, left) is TerminationReason.DONE, setup_s)


def ask_pumpkin(
    question: CumulativeQuestion, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Run Pumpkin."""
    began = time.monotonic()
    from pumpkin_solver import Model, SatisfactionResult, constraints

    model = Model(seed=caps.seed)
    starts = [model.new_integer_variable(low, high) for low, high in _ranges(question)]
    slots, gpus, tag = list(question.slots), list(question.gpus), model.new_constraint_tag()
    model.add_constraint(constraints.Cumulative(starts, slots, gpus, question.pool, tag))
    setup_s = time.monotonic() - began
    result = model.satisfy(timeout=caps.since(began).time_s)
    found = isinstance(result, SatisfactionResult.Satisfiable)
    values = [result._0.int_value(start) for start in starts] if found else None
    return _answer(values, not isinstance(result, SatisfactionResult.Unknown), setup_s)


def ask_minizinc(
    question: CumulativeQuestion, program: Program, caps: Caps, start: Floats | None, report: Report
) -> Solution:
    """Run Gecode on a MiniZinc model. The program `minizinc` is on the PATH."""
    began = time.monotonic()
    model = question.model([str(job) for job in range(len(question.gpus))])
    with TemporaryDirectory() as folder:
        write_lines(Path(folder) / "pool.mzn", minizinc_lines(model, "pool"))
        setup_s, left = time.monotonic() - began, caps.since(began)
        limit = [] if left.time_s is None else ["--time-limit", str(max(1, int(1e3 * left.time_s)))]
        seed = ["--random-seed", str(caps.seed)]
        command = ["minizinc", "--solver", "gecode", *seed, *limit, "pool.mzn"]
        ended = call(command, Path(folder), left)
    if ended.cut is not None:
        return claim(*ended.cut, setup_s=setup_s, memory_mb=ended.memory_mb)
    lines = ended.words.splitlines()
    if "----------" in lines:
        words = (line.split(" ") for line in lines)  # Some are warnings.
        values = {word[0]: word[-1] for word in words if len(word) == 2}
        jobs = model.names[: len(question.gpus)]
        return _answer([values[to_file(name)] for name in jobs], True, setup_s)
    if "=====UNSATISFIABLE=====" in lines:
        return _answer(None, True, setup_s)
    if "=====UNKNOWN=====" in lines:
        return _answer(None, False, setup_s)
    note = ended.words.strip().rpartition("\n")[2][:200]
    return claim(TerminationReason.FAILED, f"minizinc says: {note}", setup_s=setup_s)


def _no_minizinc() -> str | None:
    return None if which("minizinc") else "is not on the PATH"


def _no_programs(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    raise RefusedError("MiniZinc is called for questions such as this one, not for programs")


MINIZINC = Solver(
    name="minizinc",
    module="",
    install="put the executable minizinc, with Gecode, on the PATH",
    can=(),
    run=_no_programs,
    lacks=_no_minizinc,
)


def _ranges(question: CumulativeQuestion) -> list[tuple[int, int]]:
    return list(zip(question.releases, question.latest(), strict=True))


def _answer(values: list[Any] | None, done: bool, setup_s: float) -> Solution:
    """Return the starts, the claim of infeasibility, or the time limit."""
    if not done:
        return claim(TerminationReason.TIME_LIMIT, "its time was over", setup_s=setup_s)
    if values is None:
        return claim(SolutionStatus.INFEASIBLE, setup_s=setup_s)
    return claim(SolutionStatus.OPTIMAL, point=np.array(values, dtype=float), setup_s=setup_s)


ENGINES = {
    "cp-sat": (cp_sat.SOLVER, ask_cp_sat),
    "choco": (choco.SOLVER, ask_choco),
    "pumpkin": (pumpkin.SOLVER, ask_pumpkin),
    "minizinc": (MINIZINC, ask_minizinc),
}

NO_PROGRAM = Nonlinear(columns=(), nl=b"")
"""The question goes with the function."""


def starts_of(question: CumulativeQuestion, engine: str, caps: Caps) -> Solution:
    """Return starts for all jobs as a point, or the engine's claim of infeasibility.

    Starts are checked. Infeasibility rests on the engine, unless a single job shows it.
    """
    solver, asked = ENGINES[engine]
    if solver.missing:
        raise MissingError(solver.missing)
    if question.hopeless:
        note = "a job does not fit by itself"
        return claim(SolutionStatus.INFEASIBLE, solver=engine, note=note)
    alone = replace(solver, run=partial(asked, question))
    found = run_apart(alone, NO_PROGRAM, caps, None, lambda point, bound: None)
    if found.point is None or question.holds(found.point):
        return found
    dropped = replace(found, point=None, note="its starts do not hold and are dropped")
    return replace(dropped, termination=TerminationReason.NUMERICAL, status=SolutionStatus.NOTHING)
