"""The programs as methods: shares of widths, one width for each type, and BOA's convex program.

A solver may overspend by its tolerance. Its solution is valued in exact fractions. If it is too
dear, the program is re-solved for a slightly smaller budget. The bound rests on floating point.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Annotated

from ...formulations.catalogue import find_formulation
from ...formulations.rental.convex import Form, solve_convex
from ...formulations.rental.widths import classes_of
from ...instances import (
    Outcome,
    RentalInstance,
    RentalPlan,
    SolutionStatus,
    SpeedTable,
    TerminationReason,
)
from ...instances.speedup import MOST_GPUS
from ...policies.rental.boa import stalls
from ...policies.rental.plan import RentalSolution, answer, steady, worth_more, worth_of
from ...policies.request import ProgramOptions, Request, Scheduler, outcome_of
from ..built import Best, solve_built

CUTS = (Decimal(0), Decimal("1e-9"))
"""Parts of the budget left unspent, in turn."""


def run(instance: RentalInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best plan that the solver finds in the program, with its bound if it is exact."""
    program = find_formulation(request.options.formulation)
    best = Best[RentalPlan](request.limits)

    def offer(plan: RentalPlan) -> None:
        worth = worth_of(instance, plan)
        if worth.mean_gpus <= instance.budget_gpus:
            best.offer(plan, worth.mean_jct, worth.mean_jct)

    for cut in CUTS:
        given = replace(instance, budget_gpus=instance.budget_gpus * (1 - cut))
        solved = solve_built(program, partial(program.build, given), request, None, offer)
        if best.plan is not None or solved.solution.status is not SolutionStatus.OPTIMAL:
            break
    never = best.plan is None and solved.solution.status is SolutionStatus.INFEASIBLE
    bound = solved.bound(program, request.options.name, Fraction) if program.exact else None
    return solved.outcome(best, bound, SolutionStatus.INFEASIBLE if never else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvexOptions:
    """The form of the program."""

    form: Annotated[
        Form, "perspective: by cones of hours and GPU-hours, closed: hours by a formula"
    ] = "perspective"


def convex_refuses(instance: RentalInstance, _: ConvexOptions) -> str | None:
    """Return why one real width is not enough, or None if it is."""
    if instance.widths == "whole":
        return "its widths are whole: use boa, shares or pure-widths"
    if stalls(instance):
        return "jobs pause when their GPUs change: use boa-resize"
    for one in instance.types:
        for epoch in one.epochs:
            if isinstance(epoch.speedup, SpeedTable) and not _concave(epoch.speedup):
                return f"a speed-up of type {one.name!r} is not concave: use boa"
    return None


def _concave(table: SpeedTable) -> bool:
    """Return True if a table rises ever more slowly, and never falls."""
    slopes = [
        (other.speed - one.speed) / (other.gpus - one.gpus) for one, other in pairwise(table.points)
    ]
    return all(one >= other for one, other in pairwise([*slopes, Decimal(0)]))


def run_convex(instance: RentalInstance, request: Request[ConvexOptions]) -> Outcome:
    """Return the solver's plan, as good as its tolerance (deterministic)."""
    classes = classes_of(instance)

    def solve(budget: float) -> RentalSolution | None:
        found = solve_convex(classes, budget, request.options.form, request.limits)
        if found is None:
            return None
        widths = iter((found.z / found.h).clip(1, MOST_GPUS))
        shares = [[steady(1.0, [next(widths) for _ in one.epochs])] for one in instance.types]
        unsure = "" if found.exact else ". The solver did not confirm it"
        return RentalSolution(shares, worth_more(found.price) + unsure)

    try:
        return answer(instance, "convex", solve)
    except TimeoutError as late:
        return outcome_of(None, TerminationReason.TIME_LIMIT, str(late))


CONVEX = Scheduler(run=run_convex, Options=ConvexOptions, refuses=convex_refuses)
