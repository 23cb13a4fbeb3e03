"""The offline programs as methods: every arrival known, all slots at once.

The solver starts from the schedule of DRF. Whatever it finds on the way is read, counted in exact
fractions, and kept if it is worth more; a job that misses some samples, or does not fit, by the
solver's tolerance is dropped. The bound rests on floating point, as its kind `solver` says.
"""

from collections.abc import Iterator, Mapping
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
from ...instances.online import Admission
from ...policies.online.baselines import run_drf
from ...policies.online.planning import servers_due
from ...policies.request import ProgramOptions, Request
from ..built import solve_built

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
    formulation, solver = options.formulation, options.solver
    program, best = find_formulation(formulation), BestOffered(instance, limits, formulation)
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


def worth_of(instance: OnlineInstance, schedule: OnlineSchedule) -> dict[str, Fraction]:
    """Return the utility of every job that goes through all its samples by its plan."""
    jobs = {job.name: job for job in instance.jobs}
    worths = {}
    for admission in schedule.admissions:
        job = jobs[admission.job]
        if _samples(instance, job, admission) >= job.work:
            last = max(entry.slot for entry in admission.plan)
            worths[job.name] = Fraction(job.worth(last))
    return worths


def _samples(instance: OnlineInstance, job: TrainingJob, admission: Admission) -> Fraction:
    rate = {inside: job.rate(inside, instance.slot_s) for inside in (True, False)}
    return sum(
        (
            sum(count for _, count in entry.workers)
            * rate[len({name for name, _ in (*entry.workers, *entry.servers)}) == 1]
            for entry in admission.plan
        ),
        Fraction(0),
    )


Place = tuple[str, int, str]
"""A machine, a slot and a resource."""


def fitting(
    instance: OnlineInstance, schedule: OnlineSchedule, worths: Mapping[str, Fraction]
) -> OnlineSchedule:
    """Return the schedule of those that have a worth and fit, the most worthy first."""
    jobs = {job.name: job for job in instance.jobs}
    rooms = {one.name: dict(one.capacity) for one in instance.machines}
    taken, kept = dict[Place, Fraction](), list[Admission]()
    able = [one for one in schedule.admissions if one.job in worths]
    for one in sorted(able, key=lambda one: worths[one.job], reverse=True):
        together = dict(taken)
        for place, amount in _uses(jobs[one.job], one):
            together[place] = together.get(place, Fraction(0)) + amount
        if _served(jobs[one.job], one) and all(
            amount <= rooms[machine].get(resource, 0)
            for (machine, _, resource), amount in together.items()
        ):
            taken = together
            kept.append(one)
    names = {one.job for one in kept}
    order = tuple(one for one in schedule.admissions if one.job in names)
    return replace(schedule, admissions=order)


class BestOffered:
    """The schedule worth most, of those offered."""

    def __init__(self, instance: OnlineInstance, limits: Limits, method: str) -> None:
        """Start with none."""
        self._instance, self._limits, self._method = instance, limits, method
        self.schedule: OnlineSchedule | None = None
        self.value = Fraction(0)

    def offer(self, schedule: OnlineSchedule) -> None:
        """Keep what completes of a schedule if that is worth more."""
        worths = worth_of(self._instance, schedule)
        if self.schedule is None or sum(worths.values()) > self.value:
            kept = fitting(self._instance, schedule, worths)
            value = sum((worths[one.job] for one in kept.admissions), Fraction(0))
            if self.schedule is not None and value <= self.value:
                return
            self.value = value
            self.schedule = replace(kept, method=self._method)
            self._limits.report(Incumbent(schedule=self.schedule, value=float(value)))

    def outcome(self, termination: TerminationReason, note: str) -> Outcome:
        """Return the schedule kept; to reject every job is one."""
        return Outcome(
            schedule=self.schedule,
            termination=termination,
            status=SolutionStatus.FEASIBLE,
            value=self.value,
            note=note,
        )


def _uses(job: TrainingJob, admission: Admission) -> Iterator[tuple[Place, Fraction]]:
    for entry in admission.plan:
        for held, demand in ((entry.workers, job.worker), (entry.servers, job.server)):
            for machine, count in held:
                for resource, amount in demand:
                    yield (machine, entry.slot, resource), count * Fraction(amount)


def _served(job: TrainingJob, admission: Admission) -> bool:
    """Return True if there are enough parameter servers in every slot, and not too many workers."""
    for entry in admission.plan:
        workers, servers = (sum(n for _, n in part) for part in (entry.workers, entry.servers))
        if workers > job.batch_samples or servers < servers_due(job, workers):
            return False
    return True
