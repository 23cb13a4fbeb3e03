"""Pumpkin, a constraint solver that learns: programs in bounded whole numbers of 32 bits.

It ends the process where something is raised in it, and keeps Python's lock while it searches. It
therefore has a separate process. It reports no bound before the end, and has no limit on nodes.
"""

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from ..stated import ours
from . import integral as whole_numbers
from .integral import EXACTLY, Integral, cost_range, inequalities, integral, searched
from .solver import Report, Solver, claim, over

LARGEST = 2**30
"""No sum may grow beyond this: it computes in 32 bits."""


def run(program: Program, caps: Caps, start: Floats | None, report: Report) -> Solution:
    """Solve a program in bounded whole numbers."""
    began = time.monotonic()
    import pumpkin_solver

    assert isinstance(program, Matrix)
    whole = integral(program, LARGEST)
    model = pumpkin_solver.Model(seed=caps.seed)
    variables = [model.new_integer_variable(low, high) for low, high in whole.ranges]
    if not load(model, variables, whole):
        return claim(SolutionStatus.INFEASIBLE)
    if (late := over(caps, began)) is not None:
        return late
    setup_s = time.monotonic() - began
    found: list[Floats] = []

    def take(solution: Any) -> None:
        found.append(np.array([solution.int_value(one) for one in variables], dtype=float))
        report(found[-1], None)

    stop = search(model, variables, whole, caps.since(began).time_s, take)
    point = found[-1] if found else None
    return replace(searched(program, stop, point, "its time was over"), setup_s=setup_s)


def load(model: Any, variables: list[Any], whole: Integral) -> bool:
    """State the rows, and return False if one of them cannot hold."""
    from pumpkin_solver import constraints

    for row in inequalities(whole):
        pairs = zip(row.columns, row.factors, strict=True)
        terms = [variables[column].scaled(factor) for column, factor in pairs]
        if terms:
            tag = model.new_constraint_tag()
            model.add_constraint(constraints.LessThanOrEquals(terms, row.most, tag))
        if model.is_inconsistent() or (not terms and row.most < 0):
            return False
    return True


def search(
    model: Any, variables: list[Any], whole: Integral, time_s: float | None, take: Any
) -> TerminationReason:
    """Look for the best point, handing over each better one, and return why the search ended."""
    from pumpkin_solver import SatisfactionResult, constraints, optimisation

    low, high = cost_range(whole)
    if low == high:
        result = model.satisfy(timeout=time_s)
        if isinstance(result, SatisfactionResult.Satisfiable):
            take(result._0)
        late = isinstance(result, SatisfactionResult.Unknown)
        return TerminationReason.TIME_LIMIT if late else TerminationReason.DONE
    cost = model.new_integer_variable(low, high)
    pairs = zip(whole.cost.columns, whole.cost.factors, strict=True)
    terms = [variables[column].scaled(factor) for column, factor in pairs]
    tag = model.new_constraint_tag()
    model.add_constraint(constraints.Equals([*terms, cost.scaled(-1)], 0, tag))
    result = model.optimise(
        cost,
        optimisation.Optimiser.LinearSatUnsat,
        optimisation.Direction.Minimise,
        timeout=time_s,
        on_solution=take,
    )
    ends = optimisation.OptimisationResult
    if isinstance(result, ends.Optimal | ends.Satisfiable):
        take(result._0)
    done = isinstance(result, ends.Optimal | ends.Unsatisfiable)
    return TerminationReason.DONE if done else TerminationReason.TIME_LIMIT


SOLVER = Solver(
    name="pumpkin",
    module="pumpkin_solver",
    package="pumpkin-solver",
    install="'ringyard[pumpkin]'",
    can=("ip", "watch"),
    run=run,
    refuses=partial(whole_numbers.refuses, largest=LARGEST),
    alone=True,
    stated={**EXACTLY, "seed": ours("seed", 0)},
)
