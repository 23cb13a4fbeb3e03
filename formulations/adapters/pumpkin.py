"""Pumpkin, a constraint solver that learns: programs in bounded whole numbers of 32 bits.

It ends the process where something is raised in it, and keeps Python's lock while it searches. So
it has a process of its own. It tells no bound before the end, and knows no cap on nodes.
"""

import time
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...instances import SolutionStatus, TerminationReason
from ..program import Caps, Floats, Matrix, Program, Solution
from . import integral as whole_numbers
from .integral import Integral, cost_range, inequalities, integral, searched
from .solver import Solver, Tell, over

LARGEST = 2**30
"""No sum may grow beyond this: it computes in 32 bits."""


def run(program: Program, caps: Caps, start: Floats | None, tell: Tell) -> Solution:
    """Solve a program in bounded whole numbers."""
    began = time.monotonic()
    import pumpkin_solver

    assert isinstance(program, Matrix)
    whole = integral(program, LARGEST)
    model = pumpkin_solver.Model(seed=caps.seed)
    variables = [model.new_integer_variable(low, high) for low, high in whole.ranges]
    if not load(model, variables, whole):
        return Solution(termination=TerminationReason.DONE, status=SolutionStatus.INFEASIBLE)
    if (late := over(caps, began)) is not None:
        return late
    setup_s = time.monotonic() - began
    found: list[Floats] = []

    def take(solution: Any) -> None:
        found.append(np.array([solution.int_value(one) for one in variables], dtype=float))
        tell(found[-1], None)

    stop = search(model, variables, whole, caps.since(began).time_s, take)
    point = found[-1] if found else None
    return replace(searched(program, stop, point, "its time was over"), setup_s=setup_s)


def load(model: Any, variables: list[Any], whole: Integral) -> bool:
    """State the rows; return False if one of them cannot hold."""
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
        said = model.satisfy(timeout=time_s)
        if isinstance(said, SatisfactionResult.Satisfiable):
            take(said._0)
        return (
            TerminationReason.TIME_LIMIT
            if isinstance(said, SatisfactionResult.Unknown)
            else TerminationReason.DONE
        )
    cost = model.new_integer_variable(low, high)
    pairs = zip(whole.cost.columns, whole.cost.factors, strict=True)
    terms = [variables[column].scaled(factor) for column, factor in pairs]
    tag = model.new_constraint_tag()
    model.add_constraint(constraints.Equals([*terms, cost.scaled(-1)], 0, tag))
    said = model.optimise(
        cost,
        optimisation.Optimiser.LinearSatUnsat,
        optimisation.Direction.Minimise,
        timeout=time_s,
        on_solution=take,
    )
    ends = optimisation.OptimisationResult
    if isinstance(said, ends.Optimal | ends.Satisfiable):
        take(said._0)
    return (
        TerminationReason.DONE
        if isinstance(said, ends.Optimal | ends.Unsatisfiable)
        else TerminationReason.TIME_LIMIT
    )


SOLVER = Solver(
    name="pumpkin",
    module="pumpkin_solver",
    package="pumpkin-solver",
    install="'ringyard[pumpkin]'",
    can=("ip", "watch"),
    run=run,
    refuses=partial(whole_numbers.refuses, largest=LARGEST),
    alone=True,
)
