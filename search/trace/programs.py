"""The exact program as a method: a first schedule, the solver from there, the best point read.

No job can end so late in a better schedule that the others, even at their fastest, make it worse
than the first; so the program ends there. The bound rests on floating point, as its kind says.
"""

from dataclasses import replace
from math import ceil, isfinite

from ...formulations.catalogue import find_formulation
from ...formulations.door.solution import Solution
from ...formulations.trace.demand import demands
from ...formulations.trace.stretches import schedule_of, stretches_of, total
from ...instances import (
    Bound,
    BoundKind,
    Glimpse,
    Left,
    Limits,
    Outcome,
    TraceInstance,
    TraceSchedule,
)
from ...policies.request import ProgramOptions, Request
from ..built import solve_built
from .bounds import bound_of, combinatorial_bounds, mean_of
from .shortest_first import shortest_first

MOST = 5_000
"""Programs with more pairs of a way to run and a tick are not worth waiting for."""

TOLERANCE = 1e-6
"""By which part a solver may overstate a bound."""


def refuses(instance: TraceInstance, options: ProgramOptions) -> str | None:
    """Say why the program cannot state `instance`, or None if it can."""
    reason = find_formulation(options.formulation).refuses(instance)
    if reason is not None:
        return reason
    jobs, last = demands(instance), latest_end(instance, _first_total(instance))
    size = sum(len(job.modes) * (last - job.release) for job in jobs)
    if size <= MOST:
        return None
    return (
        f"its program would have {size:,} pairs of a way to run and a tick, more than {MOST:,}; "
        "lengthen tick_s, or take a policy and `ringyard bound --time-limit`"
    )


def latest_end(instance: TraceInstance, best: int) -> int:
    """Return the last tick at which a job ends in a schedule whose times add up to `best`."""
    jobs = demands(instance)
    spare = best - sum(job.ticks for job in jobs)
    return max(job.release + job.ticks for job in jobs) + spare


def _first_total(instance: TraceInstance) -> int:
    found = total(instance, shortest_first(instance))
    assert found is not None
    return found


def run(instance: TraceInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best schedule that the solver finds in the program, with its bound."""
    formulation, solver = request.options.formulation, request.options.solver
    program, best = (
        find_formulation(formulation),
        _BestSchedule(instance, request.limits, formulation),
    )
    best.offer(schedule_of(instance, shortest_first(instance), formulation))
    last, first = latest_end(instance, best.total), best.schedule
    solution, seconds = solve_built(
        program, lambda: program.build(instance, last), solver, request.limits, first, best.offer
    )
    bound = _bound(instance, solution, f"{formulation}:{solver}")
    optimal = bound.value == mean_of(instance, best.total)
    return Outcome(
        schedule=best.schedule,
        stop=solution.stop,
        left=Left.OPTIMAL if optimal else Left.FEASIBLE,
        value=mean_of(instance, best.total),
        bound=bound,
        note=solution.note,
        seconds=seconds,
        nodes=solution.nodes,
    )


class _BestSchedule:
    """The schedule with the least sum of completion times, of those offered."""

    schedule: TraceSchedule
    total: int

    def __init__(self, instance: TraceInstance, limits: Limits, method: str) -> None:
        self._instance, self._limits, self._method = instance, limits, method
        self.total = -1

    def offer(self, schedule: TraceSchedule) -> None:
        """Keep a schedule in which all jobs end, if it is better."""
        value = total(self._instance, stretches_of(self._instance, schedule))
        if value is not None and (self.total < 0 or value < self.total):
            self.total, self.schedule = value, replace(schedule, method=self._method)
            mean = float(mean_of(self._instance, value))
            self._limits.tell(Glimpse(schedule=self.schedule, value=mean))


def _bound(instance: TraceInstance, solution: Solution, name: str) -> Bound:
    """Return the solver's bound, or one that counts if that is as good."""
    known = combinatorial_bounds(instance)[0]
    if solution.bound is None or not isfinite(solution.bound):
        return known
    ticks = ceil(solution.bound * (1 - TOLERANCE) - TOLERANCE)
    argument = f"bound {solution.bound:.6g} of the program"
    found = bound_of(instance, BoundKind.SOLVER, name, ticks, argument)
    return max(known, found, key=lambda bound: bound.value)
