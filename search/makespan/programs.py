"""Programs as methods: build the model, solve it, and let the engine price its solutions.

A schedule by gang LPT comes first. The program only needs a shorter one, so its horizon is one slot
less. If the solver says that there is none, the first schedule is optimal. Such a bound rests on
floating point. Its kind is `solver`.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil, inf, isfinite

from ...formulations.catalogue import Formulation
from ...formulations.makespan.data import serial_horizon
from ...formulations.matrix import set_point
from ...formulations.named import build_named, parts
from ...formulations.program import Floats, Solution, too_many
from ...formulations.solver_interface.solve import solve
from ...instances import (
    Bound,
    BoundKind,
    Limits,
    MakespanInstance,
    Outcome,
    RefusedError,
    Schedule,
    SolutionStatus,
    TerminationReason,
)
from ...policies.makespan import gang_lpt
from ...policies.makespan.incumbent import BestPlan
from ...policies.request import ProgramOptions, Request
from ...simulation import build_model, evaluate, to_plan
from ...simulation.makespan.evaluate import unsupported
from ..built import caps_of, claim_of, no_time, written
from .bounds.counting import best_bound

MOST = 100_000
"""Programs with more triples of job, server and slot take minutes to build."""

TOLERANCE = 1e-6
"""Largest overstatement of a solver's bound, in slots. Makespans are whole."""


def refuses(instance: MakespanInstance, options: ProgramOptions) -> str | None:
    """Return why the program cannot state `instance`, or None if it can."""
    if reason := unsupported(instance):
        return reason
    least = int(best_bound(instance).value)
    size = len(instance.jobs) * len(instance.cluster.servers) * least
    advice = "choose a search, or a policy and `ringyard bound`"
    too_large = too_many(size, MOST, "triples of job, server and slot", advice)
    return too_large or parts(options.formulation)[0].refuses(instance)


def run(instance: MakespanInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best schedule that the solver finds in the program, with its bound."""
    limits, options = request.limits, request.options
    formulation, solver = options.formulation, options.solver
    name, began = options.name, time.perf_counter()
    best = BestPlan(instance, limits, name)
    price = _pricing(instance, limits, best)
    first = gang_lpt.run(instance, Request()).schedule
    for known in filter(None, (first, request.start)):
        price(known)
    last = serial_horizon(instance) if best.makespan == inf else best.makespan - 1
    goal, horizon = best_bound(instance), int(min(last, _last(limits)))
    if horizon < goal.value:
        known = "by gang-lpt" if request.start is None else "what is known"
        note = f"{solver} was not called: by the bound, no schedule is shorter than {known}"
        return _outcome(best, goal, TerminationReason.DONE, note)
    stated = parts(formulation)[0]
    found = written(partial(build_named, formulation, instance, horizon), limits)
    if found is None:
        return _outcome(best, goal, TerminationReason.TIME_LIMIT, no_time(solver).note)
    model, program = found

    def take(point: Floats, _value: float) -> float:
        set_point(model, program, point)
        return price(stated.read(model))

    built = time.perf_counter()
    solution = solve(program, solver, caps_of(request), watch=take)
    solved = time.perf_counter()
    note = _read_last(solution, take)
    steps = {"build": built - began, "solve": solved - built, "read": time.perf_counter() - solved}
    bound = _bound(solution, horizon, name, goal, stated) if stated.exact else goal
    outcome = _outcome(best, bound, solution.termination, note)
    return replace(outcome, seconds=tuple(steps.items()), nodes=solution.nodes)


def root_horizon(instance: MakespanInstance) -> int:
    """Return the end of a schedule by a quick policy: an optimum ends no later."""
    best = BestPlan(instance, Limits(), "")
    _pricing(instance, Limits(), best)(gang_lpt.run(instance, Request()).schedule)
    last = serial_horizon(instance) if best.makespan == inf else int(best.makespan)
    size = len(instance.jobs) * len(instance.cluster.servers) * last
    advice = "give an earlier slot with --horizon"
    if reason := too_many(size, MOST, "triples of job, server and slot", advice):
        raise RefusedError(f"{instance.name}: {reason}")
    return last


def root_worth(_: MakespanInstance, __: Formulation, value: Fraction, horizon: int) -> Fraction:
    """Return the bound on the makespan: whole, and limited by the horizon."""
    return Fraction(min(ceil(value), horizon + 1))


def _pricing(
    instance: MakespanInstance, limits: Limits, best: BestPlan
) -> Callable[[Schedule], float]:
    """Return a function that prices a schedule by the engine, and keeps the best."""
    engine = build_model(instance)

    def price(schedule: Schedule) -> float:
        plan = to_plan(instance, schedule)
        result = evaluate(engine, plan)
        if result.excess == 0 and result.makespan <= _last(limits):
            best.offer(plan, result.makespan)
        return float(result.makespan)

    return price


def _read_last(solution: Solution, take: Callable[[Floats, float], float]) -> str:
    """Read the solver's last point. Return its note, or its distance from the engine's makespan."""
    if solution.point is None or solution.value is None:
        return solution.note
    makespan = take(solution.point, solution.value)
    if makespan <= solution.value + TOLERANCE:
        return solution.note
    return f"its schedule ends at {makespan:g}; the solver's value is {solution.value:g}"


def _last(limits: Limits) -> float:
    return inf if limits.horizon is None else limits.horizon


def _bound(solution: Solution, horizon: int, name: str, goal: Bound, program: Formulation) -> Bound:
    """Return the solver's bound if it is better than `goal`. The horizon limits it."""
    if solution.status is SolutionStatus.INFEASIBLE:
        said = "" if program.ours else f", by {claim_of(program)}"
        value, argument = horizon + 1, f"no schedule ends by slot {horizon}{said}"
    elif solution.bound is not None and isfinite(solution.bound):
        value = min(ceil(solution.bound - TOLERANCE), horizon + 1)
        argument = f"bound {solution.bound:.6g} of {claim_of(program)}"
    else:
        return goal
    if value <= goal.value:
        return goal
    return Bound(value=Fraction(value), kind=BoundKind.SOLVER, name=name, argument=argument)


def _outcome(best: BestPlan, bound: Bound, termination: TerminationReason, note: str) -> Outcome:
    found = best.outcome(termination, note)
    if found.schedule is None:
        return replace(found, bound=bound)
    status = SolutionStatus.OPTIMAL if best.makespan == bound.value else SolutionStatus.FEASIBLE
    return replace(found, status=status, value=Fraction(best.makespan), bound=bound, note=note)
