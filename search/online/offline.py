"""The offline programs as methods: every arrival known, all slots at once.

The solver starts from the schedule of DRF. Whatever it finds on the way is read, counted in exact
fractions, and kept if it is worth more; a job that misses some samples, or does not fit, by the
solver's tolerance is dropped. The bound rests on floating point, as its kind `solver` says.
"""

from dataclasses import replace
from fractions import Fraction
from math import isfinite

from ...formulations.catalogue import find_formulation
from ...formulations.program import Solution, too_many
from ...instances import (
    Bound,
    BoundKind,
    OnlineInstance,
    Outcome,
    SolutionStatus,
    TerminationReason,
)
from ...policies.online import drf
from ...policies.request import ProgramOptions, Request
from ..built import solve_built
from .fitting import BestOffered

MOST = 20_000
"""Programs with more triples of job, machine and slot take minutes to build."""

TOLERANCE = 1e-6
"""By which part a solver may understate an upper bound."""


def refuses(instance: OnlineInstance, options: ProgramOptions) -> str | None:
    """Say why the program cannot state `instance`, or None if it can."""
    size = len(instance.jobs) * len(instance.machines) * instance.horizon_slots
    advice = "choose a policy and `ringyard bound --time-limit`"
    large = too_many(size, MOST, "triples of job, machine and slot", advice)
    return large or find_formulation(options.formulation).refuses(instance)


def run(instance: OnlineInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best schedule that the solver finds in the program, with its bound."""
    limits, options = request.limits, request.options
    formulation, solver = options.formulation, options.solver
    program, best = find_formulation(formulation), BestOffered(instance, limits, formulation)
    first = drf.run(instance, Request(limits=replace(limits, watch=None))).schedule
    for known in filter(None, (first, request.start)):
        best.offer(known)
    if limits.over():
        return best.outcome(TerminationReason.TIME_LIMIT, "no time was left for the program")
    solution, seconds = solve_built(
        program, lambda: program.build(instance), request, best.schedule, best.offer
    )
    outcome = best.outcome(solution.termination, solution.note)
    if program.exact:
        outcome = _bounded(outcome, solution, f"{formulation}:{solver}")
    return replace(outcome, seconds=seconds, nodes=solution.nodes)


def _bounded(outcome: Outcome, solution: Solution, name: str) -> Outcome:
    """Return the outcome with the bound of a solver, which minimised what is below 0."""
    if solution.bound is None or not isfinite(solution.bound) or outcome.value is None:
        return outcome
    raw = Fraction(-solution.bound)
    value = max(outcome.value, raw * (1 + Fraction(TOLERANCE)))
    if solution.status is SolutionStatus.OPTIMAL and raw <= outcome.value * (
        1 + Fraction(TOLERANCE)
    ):
        value = outcome.value
    argument = f"bound {-solution.bound:.6g} of the program"
    bound = Bound(value=value, kind=BoundKind.SOLVER, name=name, argument=argument)
    if value == outcome.value:
        return replace(outcome, bound=bound, status=SolutionStatus.OPTIMAL)
    if solution.status is SolutionStatus.OPTIMAL:
        note = "its best point keeps the limits only within the solver's tolerance"
        return replace(outcome, bound=bound, termination=TerminationReason.NUMERICAL, note=note)
    return replace(outcome, bound=bound)
