"""Local search on the order of jobs and the rules by which they are placed.

List scheduling turns an order and a rule for each job into a schedule (`listing.py`). The
search tries many priorities, then anneals order and rules (`local_walk.py`), in cycles that
begin at the best so far. It treats every instance, and proves nothing.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

import numpy as np
from numpy.random import Generator

from ...instances import (
    Limits,
    MakespanInstance,
    Outcome,
    Schedule,
    SolutionStatus,
    TerminationReason,
)
from ...instances.reading.vocabulary import Count
from ...policies.makespan.incumbent import NEVER, BestPlan
from ...policies.request import Request
from ...simulation import PlacedStarts, build_model, evaluate, make_plan, to_plan
from ...simulation.jit import expect
from ...simulation.makespan.evaluate import gather
from ...simulation.makespan.extremes import extremes
from ...simulation.model import Floats, Ints
from .bounds import best_bound
from .listing import list_schedule, with_given
from .local_placing import CAPS, EAGER, rule_of
from .local_walk import Annealing, adopt, anneal, new_walk
from .priorities import beginnings, menus

SHORTEST, LONGEST = 2_000, 20_000
"""Steps of the first cycle, and of the longest; each is twice as long as the one before."""

JOBS_A_ROUND, JOBS_IN_ALL, MOST_TRIED = 160_000, 10_000_000, 100_000
"""Jobs scheduled between two looks at the clock, and without any limit, by each walk; and
schedules then tried at most."""

HANDFUL, MOST_FOR_EACH = 8, 1_000
"""So few jobs have few schedules: so many for each are enough."""

FIRST_LOOK = 16
"""Steps after which a cycle looks at its best for the first time; each look is twice as far."""

ROUNDING = 1e-12
"""A makespan in continuous time is this exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the local search."""

    work: Annotated[
        Count | None,
        "schedules tried; null: until the time limit, or 10 million jobs and 100,000 schedules, "
        "1,000 for each job of at most 8",
    ] = None


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Search until a counting bound is reached, or for as long as limits and options allow."""
    return improve(
        instance,
        request.limits,
        request.rng,
        start=request.start,
        keep_before=request.keep_before,
        target=best_bound(instance).value,
        work=request.options.work,
    )


def improve(
    instance: MakespanInstance,
    limits: Limits,
    rng: Generator,
    *,
    start: Schedule | None = None,
    keep_before: int | None = None,
    target: Fraction | int | None = None,
    work: int | None = None,
) -> Outcome:
    """Look for a better schedule than `start`, a valid one, until one ends by `target`.

    What it begins before `keep_before` stays where it is, and nothing else begins before; it
    need not have all jobs then.
    With the same `work`, seed and number of threads the same schedules are tried on every
    machine, unless time runs out before.
    """
    search = _LocalSearch(instance, limits, rng)
    if start is not None and keep_before is not None:
        search.keep(start, keep_before)
    if work is None and limits.time_s is None:
        most = min(MOST_TRIED, max(1, JOBS_IN_ALL // (jobs := len(instance.jobs))))
        if jobs <= HANDFUL:
            most = MOST_FOR_EACH * jobs
        work = most * len(search.walks)
    stop = search.begin(start, target, work)
    cycle = SHORTEST
    while stop is None:
        stop = search.cycle(cycle, target, work)
        cycle = min(2 * cycle, LONGEST)
    return search.outcome(stop)


class _LocalSearch:
    """The walks of a search, the best schedule, and the number of schedules tried."""

    def __init__(self, instance: MakespanInstance, limits: Limits, rng: Generator) -> None:
        self.instance, self.limits = instance, limits
        self.model = build_model(instance)
        self.least: Floats = np.array([float(e.least_slots or 0) for e in extremes(instance)])
        step = 0.0 if instance.progress == "continuous" else 1.0
        self.walks = [
            new_walk(self.model, self.least, step, menus(instance), int(seed))
            for seed in rng.integers(1, 2**62, size=max(1, limits.threads))
        ]
        self.best = BestPlan(instance, limits, "local-search")
        self.start: Schedule | None = None
        self.tried = 0

    def keep(self, start: Schedule, before: int) -> None:
        """Let jobs stay where and when they begin before a slot, and no other begin earlier."""
        given = _begun(self.instance, start, before)
        self.walks = [
            walk._replace(scratch=with_given(walk.scratch, given, float(before)))
            for walk in self.walks
        ]

    def begin(
        self, start: Schedule | None, target: Fraction | int | None, work: int | None
    ) -> TerminationReason | None:
        """Decode the start and all priorities; let the walks begin at the best."""
        walk, stop = self.walks[0], None
        found = (np.inf, walk.order.copy(), walk.rules.copy())
        for order, rules in self._beginnings(start):
            found = min(found, (self._decode(walk, order, rules), order, rules), key=_value)
            self.tried += 1
            stop = self._stop(target, work)
            if stop is not None:
                break
        for other in self.walks:
            adopt(self.model, other, *found[1:])
        return stop

    def _beginnings(self, start: Schedule | None) -> Iterator[tuple[Ints, Ints]]:
        if start is not None and len(start.assignments) == len(self.instance.jobs):
            plan = to_plan(self.instance, start)
            self.start = start
            self.best.makespan = float(evaluate(self.model, plan).makespan)
            yield from _retold(plan.start, np.diff(plan.first), self.least)
        yield from beginnings(self.instance, self.least)

    def cycle(
        self, steps: int, target: Fraction | int | None, work: int | None
    ) -> TerminationReason | None:
        """Let all walks cool down once from the best order and rules; then share the best."""
        if work is not None:
            steps = min(steps, -(-(work - self.tried) // len(self.walks)))
        a_round, taken, look = max(1, JOBS_A_ROUND // len(self.instance.jobs)), 0, FIRST_LOOK
        while taken < steps:
            count = min(look, a_round, steps - taken)
            if work is not None:
                expect(anneal, work - self.tried, self.tried)
            self._all_walk(count, steps)
            taken, look = taken + count, 2 * look
            self.tried += count * len(self.walks)
            self._tell()
            stop = self._stop(target, work)
            if stop is not None:
                return stop
        best = self._leader()
        order, rules = best.best_order.copy(), best.best_rules.copy()
        for walk in self.walks:
            adopt(self.model, walk, order, rules)
        return None

    def _all_walk(self, count: int, cycle: int) -> None:
        if len(self.walks) == 1:
            anneal(self.model, self.walks[0], count, cycle)
            return
        with ThreadPoolExecutor(len(self.walks)) as threads:
            for done in [
                threads.submit(anneal, self.model, walk, count, cycle) for walk in self.walks
            ]:
                done.result()

    def _leader(self) -> Annealing:
        return min(self.walks, key=lambda walk: float(walk.numbers[0]["best"]))

    def _tell(self) -> None:
        """Offer the best schedule of all walks."""
        walk = self._leader()
        if walk.numbers[0]["best"] < self.best.makespan:
            self._decode(walk, walk.best_order, walk.best_rules)

    def _decode(self, walk: Annealing, order: Ints, rules: Ints) -> float:
        makespan = float(list_schedule(self.model, walk.scratch, order, rules, 0.0, np.inf))
        if makespan < self.best.makespan and self._kept(walk):
            self.best.offer(gather(walk.scratch.state, walk.scratch.lists.holds), makespan)
        return makespan

    def _kept(self, walk: Annealing) -> bool:
        """Say whether all that is to stay begins when it should, in the schedule just decoded."""
        given, start = walk.scratch.given, walk.scratch.state.runs["start"]
        told = np.diff(given.first) > 0
        return not told.any() or bool((start[told] == given.start[told]).all())

    def _stop(self, target: Fraction | int | None, work: int | None) -> TerminationReason | None:
        if target is not None and self.best.makespan <= float(target) * (1 + ROUNDING):
            return TerminationReason.DONE
        if work is not None and self.tried >= work:
            return TerminationReason.WORK_LIMIT
        return TerminationReason.TIME_LIMIT if self.limits.over() else None

    def outcome(self, termination: TerminationReason) -> Outcome:
        """Return the best schedule; the start itself if none is better."""
        found = self.best.outcome(termination, NEVER)
        kept = found.schedule or self.start
        if kept is None:
            return replace(found, nodes=self.tried)
        return Outcome(
            schedule=kept, termination=termination, status=SolutionStatus.FEASIBLE, nodes=self.tried
        )


def _begun(instance: MakespanInstance, start: Schedule, before: int) -> PlacedStarts:
    """Return where those jobs are that a schedule, perhaps of some jobs, begins before a slot."""
    numbers = {server.name: s for s, server in enumerate(instance.cluster.servers)}
    held = {one.job: one for one in start.assignments if one.start_slot < before}
    known = [held.get(job.name) for job in instance.jobs]
    return make_plan(
        [0.0 if one is None else float(one.start_slot) for one in known],
        [[] if one is None else [(numbers[name], n) for name, n in one.gpus] for one in known],
    )


def _value(found: tuple[float, Ints, Ints]) -> float:
    return found[0]


def _retold(start: Floats, servers: Ints, least: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield orders and rules that may decode into a schedule like the given one."""
    order = np.lexsort((-least, start))
    for cap in range(CAPS):
        yield order, np.where(servers > 1, rule_of(cap) + EAGER, rule_of(cap))
