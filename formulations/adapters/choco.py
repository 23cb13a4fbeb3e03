"""Choco, a constraint solver: programs in bounded whole numbers below about 20 million.

Its wheel holds a library compiled from Java, which ends the process where something is raised in
it, and keeps Python's lock while it searches. It therefore has a separate process.
"""

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import fixed
from . import integral as whole_numbers
from .integral import EXACTLY, Integral, cost_range, inequalities, integral, searched
from .solver import Report, Solver, claim, over

LARGEST = (2**31 - 1) // 100
"""Bound of its variables, and of every sum in a program."""


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a program in bounded whole numbers. The cap on nodes limits dead ends."""
    began = time.monotonic()
    import pychoco

    assert isinstance(program, Matrix)
    whole = integral(program, LARGEST)
    model = pychoco.Model()
    variables = load(model, whole)
    if variables is None:
        return claim(SolutionStatus.INFEASIBLE)
    if (late := over(caps, began)) is not None:
        return late
    solver, left = model.get_solver(), caps.since(began)
    limit(solver, left)
    setup_s, point = time.monotonic() - began, None
    while solver.solve(fail_limit=caps.nodes):
        point = np.array([variable.get_value() for variable in variables], dtype=float)
        report(point, None)
        if not whole.cost.columns:
            break
    done = point is not None and not whole.cost.columns
    termination = TerminationReason.DONE if done else ended(solver, left)
    return replace(searched(program, termination, point, "its search was stopped"), setup_s=setup_s)


def load(model: Any, whole: Integral) -> list[Any] | None:
    """State a program and return its variables, or None if a row without any is broken."""
    variables = [model.intvar(low, high) for low, high in whole.ranges]
    for row in inequalities(whole):
        if row.columns:
            held = [variables[column] for column in row.columns]
            model.scalar(held, row.factors, "<=", row.most).post()
        elif row.most < 0:
            return None
    if whole.cost.columns:
        cost = model.intvar(*cost_range(whole))
        paid = [variables[column] for column in whole.cost.columns]
        model.scalar([*paid, cost], [*whole.cost.factors, -1], "=", 0).post()
        model.set_objective(cost, False)
    return variables


def limit(solver: Any, caps: Caps) -> None:
    """Set the time limit in milliseconds, or end the process if none can be set."""
    if caps.time_s is not None:
        solver.limit_time(f"{max(caps.time_s, 1e-3):.3f}s")


def ended(solver: Any, caps: Caps) -> TerminationReason:
    """Return why a search ended. Choco reports only whether the search is complete."""
    if solver.get_search_state() == "TERMINATED":
        return TerminationReason.DONE
    late = caps.time_s is not None and solver.get_time_count() >= caps.time_s - 1e-3
    in_time = caps.nodes is not None and not late
    return TerminationReason.WORK_LIMIT if in_time else TerminationReason.TIME_LIMIT


SOLVER = Solver(
    name="choco",
    module="pychoco",
    install="'ringyard[choco]'",
    can=("ip", "watch"),
    run=run,
    refuses=partial(whole_numbers.refuses, largest=LARGEST),
    alone=True,
    stated={**EXACTLY, "algorithm": fixed("constraint propagation")},
)
