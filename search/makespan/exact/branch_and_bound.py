"""Branch and bound that models contention: rings first, then all other jobs around them.

Only rings across servers contend, and only with each other. The search therefore claims slots for
rings and places them. The ends of all jobs are known then. The remaining problem is to pack jobs of
known length into servers that no longer depend on each other (`decide.py`).

It closes a bracket (`bracket.py`). Each round begins with local search, which finds schedules
sooner than a search for proofs does.
"""

from dataclasses import replace
from fractions import Fraction
from math import inf

from numpy.random import Generator, default_rng

from ....formulations.makespan.data import stuck_where_held
from ....instances import (
    Bound,
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    RefusedError,
    Schedule,
    SolutionStatus,
    TerminationReason,
)
from ....policies.makespan import gang_lpt
from ....policies.request import NO_OPTIONS, NoOptions, Request
from ....simulation import build_model, evaluate, to_plan
from ....simulation.makespan.evaluate import unsupported
from ..bounds.continuous import UncontendedSchedules
from ..bounds.counting import best_bound
from ..bounds.slow_bounds import best_slow_bound
from .bracket import Bracket
from .decide import HorizonQuestion
from .enumeration import searched_bound
from .profiles import NO, UNKNOWN, YES

METHOD = "branch-and-bound"

MOST_JOBS = 62
"""Jobs, and servers, at most: sets of them are kept as the bits of one number."""

MOST_SLOTS = 100_000
"""Slots at most: there are tables over all slots of all servers."""

MOST_UNCONTENDED = (12, 8)
"""Jobs and servers in continuous time, where every choice of GPUs is listed for every job."""

FIRST_EFFORT, GROWTH = 100_000, 8
"""Nodes spent on a question in the first round, and how this grows from round to round."""

TRIED = 10
"""Nodes for each schedule that local search tries first."""

UNCONTENDED = 100_000
"""Nodes spent in continuous time for each round, where rounds are counted."""


def refuses(instance: MakespanInstance, _: NoOptions = NO_OPTIONS) -> str | None:
    """Return why `instance` cannot be searched, or None if it can."""
    if reason := unsupported(instance) or stuck_where_held(instance):
        return reason
    jobs, servers = len(instance.jobs), len(instance.cluster.servers)
    most = MOST_UNCONTENDED if instance.progress == "continuous" else (MOST_JOBS, MOST_JOBS)
    if jobs > most[0] or servers > most[1]:
        return (
            f"with {instance.progress} progress, branch and bound supports at most {most[0]} jobs "
            f"and {most[1]} servers, not {jobs} and {servers}"
        )
    if instance.progress == "continuous":
        return None
    least = int(best_bound(instance).value)
    if least > MOST_SLOTS:
        return f"it takes {least:,} slots or more, and tables hold {MOST_SLOTS:,}; lengthen slot_s"
    return None


def run(instance: MakespanInstance, request: Request[NoOptions]) -> Outcome:
    """Return a schedule of the least makespan, or the best found, the same with every seed."""
    return improve(instance, request.limits, start=request.start, rng=default_rng(0))


def improve(
    instance: MakespanInstance,
    limits: Limits,
    *,
    start: Schedule | None = None,
    bound: Bound | None = None,
    rounds: int | None = None,
    effort: int = FIRST_EFFORT,
    rng: Generator | None = None,
) -> Outcome:
    """Start with a valid schedule and a bound, if there are any, and run the given rounds.

    In the first round each question may take `effort` nodes. With random numbers, local search
    tries schedules before each round. Without them, better ones come from questions alone.
    """
    reason = refuses(instance)
    if reason is not None:
        raise RefusedError(reason)
    if instance.progress == "continuous":
        return _without_contention(
            instance, limits, start, inf if rounds is None else rounds * UNCONTENDED
        )
    return _BranchAndBound(instance, limits, bound, rng).close(effort, GROWTH, start, rounds)


class _BranchAndBound(Bracket):
    """The bracket closed by decisions."""

    method, prover, gives_up = METHOD, "branch and bound", TerminationReason.WORK_LIMIT

    def __init__(
        self,
        instance: MakespanInstance,
        limits: Limits,
        bound: Bound | None,
        rng: Generator | None,
    ) -> None:
        super().__init__(instance, limits, bound or best_slow_bound(instance, limits))
        self.decisions: dict[int, HorizonQuestion] = {}
        self.rng = rng

    def _round(self, effort: float) -> None:
        """Let local search try schedules, until one ends by the bound; then run the questions."""
        if self.rng is not None:
            from ..annealing import local_search

            quiet, work = replace(self.limits, watch=None), int(effort) // TRIED
            found = local_search.improve(
                self.instance, quiet, self.rng, start=self.best, target=self.low, work=work
            ).schedule
            if found is not None:
                self.keep(found, evaluate(self.model, to_plan(self.instance, found)).makespan)
        super()._round(effort)

    def ask(self, horizon: int, effort: float) -> bool | None:
        """Decide whether all jobs can end by `horizon`. A yes gives a schedule.

        Questions are kept for the next round: the lowest, whose answer raises the bound.
        """
        if horizon > MOST_SLOTS:
            self.lost = f"more slots than the {MOST_SLOTS:,} that tables hold"
            return None
        if horizon not in self.decisions:
            self.decisions = {h: d for h, d in self.decisions.items() if h == self.low}
            self.decisions[horizon] = HorizonQuestion(self.instance, horizon)
        decision = self.decisions[horizon]
        if decision.too_many:
            self.lost = "too many sets of jobs fit into one server"
            return None
        before = decision.nodes
        answer = decision.answer(self.limits, int(effort))
        self.nodes += decision.nodes - before
        if answer == YES and decision.found is not None:
            makespan = evaluate(self.model, to_plan(self.instance, decision.found)).makespan
            if makespan > horizon:
                self.lost = f"a schedule that ends by slot {horizon} misses it by a rounding error"
                return None
            self.keep(decision.found, makespan)
        return {YES: True, NO: False, UNKNOWN: None}[answer]


def _without_contention(
    instance: MakespanInstance, limits: Limits, start: Schedule | None, most: float
) -> Outcome:
    """In continuous time, bound the makespan without contention. Its schedule may suit it too."""
    model, bound, termination = build_model(instance), best_bound(instance), TerminationReason.DONE
    best = start or gang_lpt.run(instance, Request()).schedule
    value = inf
    if best is not None:
        value = evaluate(model, to_plan(instance, best)).makespan
        limits.report(Incumbent(schedule=replace(best, method=METHOD), value=value))
    search = UncontendedSchedules(instance, limits, most)
    beyond = search.serial + 1 if value == inf else Fraction(value) + 1
    try:
        for least, schedule in search.schedules(beyond, apart=True):
            found = evaluate(model, to_plan(instance, schedule)).makespan
            if found < value:
                best, value, beyond = schedule, found, least
                limits.report(Incumbent(schedule=replace(best, method=METHOD), value=value))
        least = min([beyond, *(one for one, _ in search.schedules(beyond, apart=False))])
        argument = "without contention, no schedule is shorter"
        bound = searched_bound(least, METHOD, argument)
    except TimeoutError:
        termination = (
            TerminationReason.TIME_LIMIT if limits.over() else TerminationReason.WORK_LIMIT
        )
    return Outcome(
        schedule=best and replace(best, method=METHOD),
        termination=termination,
        status=SolutionStatus.FEASIBLE if best else SolutionStatus.NOTHING,
        bound=bound,
        nodes=search.nodes,
    )
