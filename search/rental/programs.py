"""The linear programs as methods: shares of widths, or one width for each type.

A solver may overspend by its tolerance. What it finds is counted in exact fractions, and where all
of it is too dear, the program is solved again for a hair less. The bound rests on floating point.
"""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import isfinite

from ...formulations.catalogue import find_formulation
from ...formulations.program import Solution
from ...instances import (
    Bound,
    BoundKind,
    Glimpse,
    Left,
    Limits,
    Outcome,
    RentalInstance,
    RentalPlan,
)
from ...policies.rental.exact import worth_of
from ...policies.request import ProgramOptions, Request
from ..built import solve_built

CUTS = (Decimal(0), Decimal("1e-9"))
"""Parts of the budget left unspent, in turn."""

TOLERANCE = 1e-6
"""By which part a solver may overstate a bound."""


def refuses(instance: RentalInstance, options: ProgramOptions) -> str | None:
    """Say why the program cannot state `instance`, or None if it can."""
    return find_formulation(options.formulation).refuses(instance)


def run(instance: RentalInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best plan that the solver finds in the program, with its bound if it is exact."""
    formulation, solver = request.options.formulation, request.options.solver
    program, best = find_formulation(formulation), _BestPlan(instance, request.limits)
    for cut in CUTS:
        given = replace(instance, budget_gpus=instance.budget_gpus * (1 - cut))
        solution, seconds = solve_built(
            program, partial(program.build, given), request, None, best.offer
        )
        if best.plan is not None or solution.left is not Left.OPTIMAL:
            break
    left = Left.INFEASIBLE if solution.left is Left.INFEASIBLE else Left.NOTHING
    return Outcome(
        schedule=best.plan,
        stop=solution.stop,
        left=left if best.plan is None else Left.FEASIBLE,
        value=best.value,
        bound=_bound(solution, f"{formulation}:{solver}") if program.exact else None,
        note=solution.note,
        seconds=seconds,
        nodes=solution.nodes,
    )


class _BestPlan:
    """The plan with the least mean completion time, of those offered within the budget."""

    def __init__(self, instance: RentalInstance, limits: Limits) -> None:
        self._instance, self._limits = instance, limits
        self.plan: RentalPlan | None = None
        self.value: Fraction | None = None

    def offer(self, plan: RentalPlan) -> None:
        """Keep a plan if it is better."""
        worth = worth_of(self._instance, plan)
        if worth.mean_gpus > self._instance.budget_gpus:
            return
        if self.value is None or worth.mean_jct < self.value:
            self.plan, self.value = plan, worth.mean_jct
            self._limits.tell(Glimpse(schedule=plan, value=float(worth.mean_jct)))


def _bound(solution: Solution, name: str) -> Bound | None:
    if solution.bound is None or not isfinite(solution.bound):
        return None
    return Bound(
        value=Fraction(solution.bound * (1 - TOLERANCE)),
        kind=BoundKind.SOLVER,
        name=name,
        argument=f"bound {solution.bound:.6g} of the program",
    )
