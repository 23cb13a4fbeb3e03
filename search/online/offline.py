"""The offline programs as methods: every arrival known, all slots at once.

The solver starts from the schedule of DRF. Every point found is read, valued in exact fractions,
and kept if it is worth more. A job that misses samples, or does not fit, by the solver's tolerance
is dropped. The bound rests on floating point, as its kind `solver` says.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import isfinite

from ...formulations.catalogue import find_formulation
from ...formulations.program import Solution, too_many
from ...instances import (
    Bound,
    BoundKind,
    Incumbent,
    Limits,
    OnlineInstance,
    OnlineSchedule,
    Outcome,
    SolutionStatus,
    TerminationReason,
    TrainingJob,
)
from ...policies.online.baselines import run_drf
from ...policies.online.planning import (
    SlotPlacement,
    all_free,
    give,
    placements_of,
    servers_due,
    take,
)
from ...policies.request import ProgramOptions, Request, outcome_of
from ...simulation.online import online_model
from ..built import claim_of, solve_built

MOST = 20_000
"""Programs with more triples of job, machine and slot take minutes to build."""

TOLERANCE = 1e-6
"""By which part a solver may understate an upper bound."""


def refuses(instance: OnlineInstance, options: ProgramOptions) -> str | None:
    """Return why the program cannot state `instance`, or None if it can."""
    size = len(instance.jobs) * len(instance.machines) * instance.horizon_slots
    advice = "choose a policy and `ringyard bound --time-limit`"
    large = too_many(size, MOST, "triples of job, machine and slot", advice)
    return large or find_formulation(options.formulation).refuses(instance)


def run(instance: OnlineInstance, request: Request[ProgramOptions]) -> Outcome:
    """Return the best schedule that the solver finds in the program, with its bound."""
    limits, options = request.limits, request.options
    program = find_formulation(options.formulation)
    best = BestOffered(instance, limits, program.name)
    first = run_drf(instance, Request(limits=replace(limits, watch=None))).schedule
    for known in filter(None, (first, request.start)):
        best.offer(known)
    if limits.over():
        return best.outcome(TerminationReason.TIME_LIMIT, "no time was left for the program")
    solution, seconds = solve_built(
        program, lambda: program.build(instance), request, best.schedule, best.offer
    )
    outcome = best.outcome(solution.termination, solution.note)
    if program.exact:
        outcome = _bounded(outcome, solution, options.name, claim_of(program))
    return replace(outcome, seconds=seconds, nodes=solution.nodes)


def _bounded(outcome: Outcome, solution: Solution, name: str, claim: str) -> Outcome:
    """Return the outcome with the bound of a solver, which minimised a negative value."""
    if solution.bound is None or not isfinite(solution.bound) or outcome.value is None:
        return outcome
    raw = Fraction(-solution.bound)
    value = max(outcome.value, raw * (1 + Fraction(TOLERANCE)))
    if solution.status is SolutionStatus.OPTIMAL and raw <= outcome.value * (
        1 + Fraction(TOLERANCE)
    ):
        value = outcome.value
    argument = f"bound {-solution.bound:.6g} of {claim}"
    bound = Bound(value=value, kind=BoundKind.SOLVER, name=name, argument=argument)
    if value == outcome.value:
        return replace(outcome, bound=bound, status=SolutionStatus.OPTIMAL)
    if solution.status is SolutionStatus.OPTIMAL:
        note = "its best point satisfies the limits only within the solver's tolerance"
        return replace(outcome, bound=bound, termination=TerminationReason.NUMERICAL, note=note)
    return replace(outcome, bound=bound)


def worth_of(instance: OnlineInstance, schedule: OnlineSchedule) -> dict[int, Fraction]:
    """Return the utility of every job, by number, that goes through all its samples by its plan."""
    worths = {}
    for i, held in placements_of(instance, schedule).items():
        job = instance.jobs[i]
        rate = {inside: job.rate(inside, instance.slot_s) for inside in (True, False)}
        if sum(one.size * rate[one.inside] for one in held.values()) >= job.work:
            worths[i] = Fraction(job.worth(max(held)))
    return worths


def fitting(
    instance: OnlineInstance, schedule: OnlineSchedule, worths: Mapping[int, Fraction]
) -> set[int]:
    """Return the jobs that have a worth and fit, if those worth most are placed first."""
    model, held, kept = online_model(instance), placements_of(instance, schedule), set[int]()
    free = all_free(model)
    for i in sorted(filter(worths.__contains__, held), key=worths.__getitem__, reverse=True):
        for slot, placement in held[i].items():
            take(model, free[slot], i, placement)
        if (free[list(held[i])] >= 0).all() and _served(instance.jobs[i], held[i].values()):
            kept.add(i)
        else:
            for slot, placement in held[i].items():
                give(model, free[slot], i, placement)
    return kept


class BestOffered:
    """The schedule worth most, of those offered."""

    def __init__(self, instance: OnlineInstance, limits: Limits, method: str) -> None:
        """Start without a schedule."""
        self._instance, self._limits, self._method = instance, limits, method
        self.schedule: OnlineSchedule | None = None
        self.value = Fraction(0)

    def offer(self, schedule: OnlineSchedule) -> None:
        """Keep the completed jobs of a schedule if they are worth more."""
        worths = worth_of(self._instance, schedule)
        if self.schedule is None or sum(worths.values()) > self.value:
            kept = fitting(self._instance, schedule, worths)
            value = sum((worths[i] for i in kept), Fraction(0))
            if self.schedule is not None and value <= self.value:
                return
            names = {self._instance.jobs[i].name for i in kept}
            own = tuple(one for one in schedule.admissions if one.job in names)
            self.value = value
            self.schedule = replace(schedule, admissions=own, method=self._method)
            self._limits.report(Incumbent(schedule=self.schedule, value=float(value)))

    def outcome(self, termination: TerminationReason, note: str) -> Outcome:
        """Return the best schedule, possibly an empty one."""
        outcome = outcome_of(self.schedule, termination, note, value=self.value)
        return replace(outcome, status=SolutionStatus.FEASIBLE)


def _served(job: TrainingJob, held: Iterable[SlotPlacement]) -> bool:
    """Return True if each slot has enough parameter servers, and not too many workers."""
    return all(
        one.size <= job.batch_samples and sum(one.servers.values()) >= servers_due(job, one.size)
        for one in held
    )
