"""The linear programs as methods: shares of widths, or one width for each type.

A solver may overspend by its tolerance. What it finds is counted in exact fractions, and where all
of it is too dear, the program is solved again for a hair less. The bound rests on floating point.
"""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial

from ...formulations.catalogue import find_formulation
from ...instances import (
    Outcome,
    RentalInstance,
    RentalPlan,
    SolutionStatus,
)
from ...policies.rental.exact import worth_of
from ...policies.request import ProgramOptions, Request
from ..built import Best, solve_built

CUTS = (Decimal(0), Decimal("1e-9"))
"""Parts of the budget left unspent, in turn."""


def run(instance: RentalInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best plan that the solver finds in the program, with its bound if it is exact."""
    formulation, solver = request.options.formulation, request.options.solver
    program, best = find_formulation(formulation), Best[RentalPlan](request.limits)

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
    bound = solved.bound(f"{formulation}:{solver}", Fraction) if program.exact else None
    return solved.outcome(best, bound, SolutionStatus.INFEASIBLE if never else None)
