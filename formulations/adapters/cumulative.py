"""The cumulative question for CP-SAT, Choco and Pumpkin: one constraint over all jobs.

Each function answers with the start of each job. All run in a process of their own.
"""

import time
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..cumulative import CumulativeQuestion
from ..program import Caps, Floats, Program, Solution
from . import choco as choco_rows
from .solver import Tell


def cp_sat(
    question: CumulativeQuestion, program: Program, caps: Caps, start: Floats | None, tell: Tell
) -> Solution:
    """Ask CP-SAT."""
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
    setup_s, said = time.monotonic() - began, solver.solve(model)
    found = said in {cp_model.OPTIMAL, cp_model.FEASIBLE}
    values = [solver.value(start) for start in starts] if found else None
    return _answer(values, found or said == cp_model.INFEASIBLE, setup_s)


def choco(
    question: CumulativeQuestion, program: Program, caps: Caps, start: Floats | None, tell: Tell
) -> Solution:
    """Ask Choco."""
    began = time.monotonic()
    import pychoco

    model = pychoco.Model()
    starts = [model.intvar(low, high) for low, high in _ranges(question)]
    jobs = zip(starts, question.slots, strict=True)
    tasks = [model.task(start, slots) for start, slots in jobs]
    heights = [model.intvar(gpus) for gpus in question.gpus]
    model.cumulative(tasks, heights, model.intvar(question.pool)).post()
    solver, left = model.get_solver(), caps.since(began)
    choco_rows.limit(solver, left)
    setup_s, found = time.monotonic() - began, solver.solve()
    values = [start.get_value() for start in starts] if found else None
    return _answer(
        values, found or choco_rows.ended(solver, left) is TerminationReason.DONE, setup_s
    )


def pumpkin(
    question: CumulativeQuestion, program: Program, caps: Caps, start: Floats | None, tell: Tell
) -> Solution:
    """Ask Pumpkin."""
    began = time.monotonic()
    from pumpkin_solver import Model, SatisfactionResult, constraints

    model = Model(seed=caps.seed)
    starts = [model.new_integer_variable(low, high) for low, high in _ranges(question)]
    slots, gpus, tag = list(question.slots), list(question.gpus), model.new_constraint_tag()
    model.add_constraint(constraints.Cumulative(starts, slots, gpus, question.pool, tag))
    setup_s = time.monotonic() - began
    said = model.satisfy(timeout=caps.since(began).time_s)
    found = isinstance(said, SatisfactionResult.Satisfiable)
    values = [said._0.int_value(start) for start in starts] if found else None
    return _answer(values, not isinstance(said, SatisfactionResult.Unknown), setup_s)


def _ranges(question: CumulativeQuestion) -> list[tuple[int, int]]:
    return list(zip(question.releases, question.latest(), strict=True))


def _answer(values: list[Any] | None, done: bool, setup_s: float) -> Solution:
    """Return the starts, that there are none, or that the time was over."""
    status = SolutionStatus.INFEASIBLE if done else SolutionStatus.NOTHING
    return Solution(
        termination=TerminationReason.DONE if done else TerminationReason.TIME_LIMIT,
        status=status if values is None else SolutionStatus.OPTIMAL,
        point=None if values is None else np.array(values, dtype=float),
        setup_s=setup_s,
        note="" if done else "its time was over",
    )
