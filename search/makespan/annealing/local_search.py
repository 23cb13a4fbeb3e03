"""Local search on the order of jobs and the rules for their placement.

List scheduling (`list_schedule.py`) turns an order and a rule for each job into a schedule. The
search tries many priorities, then runs simulated annealing over orders and rules, one cooling cycle
after another, each from the best so far. It supports every instance, and proves no bound.

The cost of a schedule is the GPU-slots worked after a goal just below the best makespan. The
makespan alone would be flat. The cost distinguishes which of two schedules is nearer to a better
one.

The priorities are time, GPUs, time multiplied by the servers that a job needs, and time multiplied
by GPUs to the powers 1/4, 1/2 and 1. For 30 % of moves and swaps, the job is chosen among the jobs
that end after the goal. Cycles have 2,000 to 20,000 schedules.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, NamedTuple

import numpy as np
from numpy.random import Generator

from ....instances import (
    Limits,
    MakespanInstance,
    Outcome,
    Schedule,
    SolutionStatus,
    TerminationReason,
)
from ....instances.reading.vocabulary import Count
from ....policies.makespan.incumbent import NEVER, BestPlan
from ....policies.request import Request
from ....simulation import Model, PlacedStarts, build_model, evaluate, make_plan, to_plan
from ....simulation.jit import entry, expect, kernel, record
from ....simulation.makespan.evaluate import begun, extremes, gather
from ....simulation.model import Floats, Ints, Records
from ..bounds.counting import best_bound
from .list_schedule import BARRIER, DecodingScratch, decode, new_scratch, with_given
from .placement_rules import CAPS, EAGER, beginnings, menus, rule_of

RULE, FENCE, LATE, FAR, SWAP = 0.1, 0.001, 0.3, 0.5, 0.3
"""Probabilities that a move changes a rule or a barrier. Otherwise, that it picks a late job, moves
it anywhere rather than at most `NEAR` places away, and swaps rather than inserts."""

NEAR = 10


@kernel
def below(rng: Ints, n: int) -> int:
    """Return a random whole number below n by xorshift. ``rng[0]`` is the state, never 0."""
    x = np.uint64(rng[0])
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    rng[0] = np.int64(x)
    return int(np.int64(x >> np.uint64(2)) % n)


@kernel
def unit(rng: Ints) -> float:
    """Return a random number in (0, 1]."""
    return float((below(rng, 1 << 53) + 1) / 9007199254740992.0)


HOT, COLD = 0.02, 0.0002
"""Temperatures at both ends of a cycle, in mean GPU-slots of a job."""

NEARER = 0.002
"""The goal is a slot, and at least this part of the makespan, below the best."""

NUMBERS = record("done", floats="best value goal scale step")
"""The best makespan, the current value, the goal, the mean GPU-slots of a job, the least step of a
makespan, and the steps done in this cycle."""


class Annealing(NamedTuple):
    """The state of one annealing walk: its current, tried and best order and rules."""

    scratch: DecodingScratch
    order: Ints
    rules: Ints
    next_order: Ints
    next_rules: Ints
    best_order: Ints
    best_rules: Ints
    late: Ints
    menu: Ints
    begin: Ints
    end: Ints
    rng: Ints
    numbers: Records


def new_walk(
    model: Model, least: Floats, step: float, menu: tuple[Ints, Ints, Ints], seed: int
) -> Annealing:
    """Return a walk that has not begun. A better makespan is better by at least `step`."""
    jobs = model.jobs.size
    scale = float((model.jobs["gpus"] * least).sum() / jobs)
    places = [np.arange(jobs) for _ in range(3)]
    rules = [np.zeros(jobs, np.int64) for _ in range(4)]
    return Annealing(
        new_scratch(model, least),
        places[0],
        rules[0],
        places[1],
        rules[1],
        places[2],
        rules[2],
        rules[3],
        *menu,
        np.array([seed]),
        np.array([(0, np.inf, np.inf, 0.0, scale, step)], NUMBERS),
    )


@entry
def adopt(model: Model, walk: Annealing, order: Ints, rules: Ints) -> float:
    """Make an order and rules the best and the current, where a new cycle begins."""
    _copy(order, walk.order)
    _copy(rules, walk.rules)
    walk.numbers[0].done = 0
    makespan = decode(model, walk.scratch, order, rules, 0.0, np.inf)
    if makespan < np.inf:
        _keep(model, walk, makespan)
    return makespan


@kernel
def _keep(model: Model, walk: Annealing, makespan: float) -> None:
    """Note that the current order and rules, just decoded, are the best, and set the goal."""
    numbers = walk.numbers[0]
    _copy(walk.order, walk.best_order)
    _copy(walk.rules, walk.best_rules)
    numbers.best = makespan
    numbers.goal = makespan - max(numbers.step, NEARER * makespan)
    numbers.value = _cost_of(model, walk)
    _mark_late(walk)


@kernel
def _change(walk: Annealing) -> None:
    """Change `next_order` or `next_rules` at one place."""
    rng, order, rules = walk.rng, walk.next_order, walk.next_rules
    n, u = order.size, unit(rng)
    job = order[below(rng, n)]
    begin, end = walk.begin[job], walk.end[job]
    if u < RULE and end - begin > 1:
        fence = rules[job] // BARRIER * BARRIER
        rules[job] = fence + walk.menu[begin + below(rng, end - begin)]
        return
    if RULE <= u < RULE + FENCE:
        rules[job] = (rules[job] + BARRIER) % (2 * BARRIER)
        return
    i = below(rng, n)
    if unit(rng) < LATE:
        i = _late_one(rng, order, walk.late, i)
    k = below(rng, n)
    if unit(rng) >= FAR:
        k = min(n - 1, max(0, i + below(rng, 2 * NEAR + 1) - NEAR))
    if unit(rng) < SWAP:
        order[i], order[k] = order[k], order[i]
    else:
        _insert(order, i, k)


@kernel
def _late_one(rng: Ints, order: Ints, late: Ints, i: int) -> int:
    """Return the place of a random job that ends after the goal, or `i` if there is no such job."""
    count = 0
    for job in order:
        count += late[job]
    if count == 0:
        return i
    count = below(rng, count)
    for p in range(order.size):
        if late[order[p]] == 1:
            if count == 0:
                return p
            count -= 1
    return i


@kernel
def _insert(order: Ints, i: int, k: int) -> None:
    """Move the job at place i to place k."""
    job, step = order[i], 1 if i < k else -1
    for p in range(i, k, step):
        order[p] = order[p + step]
    order[k] = job


@kernel
def _copy(source: Ints, target: Ints) -> None:
    for i in range(source.size):
        target[i] = source[i]


@kernel
def _cost_of(model: Model, walk: Annealing) -> float:
    value = 0.0
    for j in range(walk.order.size):
        over = walk.scratch.state.runs[j].end - walk.numbers[0].goal
        value += max(0.0, over) * model.jobs[j].gpus
    return value


@kernel
def _mark_late(walk: Annealing) -> None:
    for j in range(walk.order.size):
        walk.late[j] = walk.scratch.state.runs[j].end > walk.numbers[0].goal


@entry
def anneal(model: Model, walk: Annealing, steps: int, cycle: int) -> float:
    """Take `steps` steps of a cycle of `cycle` steps.

    Without steps, decode the next order and rules, and return the makespan. Decoding is not an
    entry of its own here, because it would be compiled twice.
    """
    numbers = walk.numbers[0]
    if steps == 0:
        return float(decode(model, walk.scratch, walk.next_order, walk.next_rules, 0.0, np.inf))
    for _ in range(steps):
        temperature = HOT * (COLD / HOT) ** (numbers.done / cycle)
        numbers.done += 1
        _copy(walk.order, walk.next_order)
        _copy(walk.rules, walk.next_rules)
        _change(walk)
        allowed = numbers.value - temperature * numbers.scale * np.log(unit(walk.rng))
        allowed += 1e-9 * (1.0 + allowed)
        makespan = decode(
            model, walk.scratch, walk.next_order, walk.next_rules, numbers.goal, allowed
        )
        if makespan == np.inf:
            continue
        value = _cost_of(model, walk)
        better = makespan < numbers.best - 1e-9
        if value > allowed and not better:
            continue
        _copy(walk.next_order, walk.order)
        _copy(walk.next_rules, walk.rules)
        numbers.value = value
        _mark_late(walk)
        if better:
            _keep(model, walk, makespan)
    return 0.0


SHORTEST, LONGEST = 2_000, 20_000
"""Steps of the first cycle, and of the longest. Each is twice as long as the one before."""

JOBS_A_ROUND, JOBS_IN_ALL, MOST_TRIED = 160_000, 10_000_000, 100_000
"""Jobs scheduled between two checks of the clock, and without any limit, by each walk; and the most
schedules tried then."""

HANDFUL, MOST_FOR_EACH = 8, 1_000
"""Up to 8 jobs have few schedules: a thousand for each job are enough."""

FIRST_LOOK = 16
"""Steps until a cycle first checks its best. Each interval is twice as long."""

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

    Jobs that `start` begins before slot `keep_before` stay in place, and no other job begins
    earlier. `start` need not have all jobs then. With the same `work`, seed and number of threads
    the same schedules are tried on every machine, unless the time runs out before.
    """
    search = _LocalSearch(instance, limits, rng)
    if start is not None and keep_before is not None:
        search.keep(start, keep_before)
    search.target, search.work = target, work
    if work is None and limits.time_s is None:
        most = min(MOST_TRIED, max(1, JOBS_IN_ALL // (jobs := len(instance.jobs))))
        if jobs <= HANDFUL:
            most = MOST_FOR_EACH * jobs
        search.work = most * len(search.walks)
    stop = search.begin(start)
    cycle = SHORTEST
    while stop is None:
        stop = search.cycle(cycle)
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
        if any(job.held for job in instance.jobs):
            self._give(begun(instance), 0.0)
        self.best = BestPlan(instance, limits, "local-search")
        self.start: Schedule | None = None
        self.tried = 0
        self.target: Fraction | int | None = None
        self.work: int | None = None

    def keep(self, start: Schedule, before: int) -> None:
        """Let jobs stay where and when they begin before a slot, and no other begin earlier."""
        self._give(_begun(self.instance, start, before), float(before))

    def _give(self, given: PlacedStarts, since: float) -> None:
        self.walks = [
            walk._replace(scratch=with_given(walk.scratch, given, since)) for walk in self.walks
        ]

    def begin(self, start: Schedule | None) -> TerminationReason | None:
        """Decode the start and all priorities. Start the walks from the best."""
        walk, stop = self.walks[0], None
        found = (np.inf, walk.order.copy(), walk.rules.copy())
        for order, rules in self._beginnings(start):
            makespan = self._decode(walk, order, rules)
            if makespan < found[0]:
                found = makespan, order, rules
            self.tried += 1
            stop = self._stop()
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
            yield from _orders_like(plan.start, np.diff(plan.first), self.least)
        yield from beginnings(self.instance, self.least)

    def cycle(self, steps: int) -> TerminationReason | None:
        """Let all walks cool down once from the best order and rules; then share the best."""
        work = self.work
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
            self._report()
            stop = self._stop()
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
            list(threads.map(lambda walk: anneal(self.model, walk, count, cycle), self.walks))

    def _leader(self) -> Annealing:
        return min(self.walks, key=lambda walk: float(walk.numbers[0]["best"]))

    def _report(self) -> None:
        """Report the best schedule of all walks."""
        walk = self._leader()
        if walk.numbers[0]["best"] < self.best.makespan:
            self._decode(walk, walk.best_order, walk.best_rules)

    def _decode(self, walk: Annealing, order: Ints, rules: Ints) -> float:
        walk.next_order[:], walk.next_rules[:] = order, rules
        makespan = float(anneal(self.model, walk, 0, 0))
        if makespan < self.best.makespan and self._kept(walk):
            self.best.offer(gather(walk.scratch.state, walk.scratch.lists.holds), makespan)
        return makespan

    def _kept(self, walk: Annealing) -> bool:
        """Return True if all jobs that are to stay start as given, in the schedule just decoded."""
        given, start = walk.scratch.given, walk.scratch.state.runs["start"]
        kept = np.diff(given.first) > 0
        return not kept.any() or bool((start[kept] == given.start[kept]).all())

    def _stop(self) -> TerminationReason | None:
        if self.target is not None and self.best.makespan <= float(self.target) * (1 + ROUNDING):
            return TerminationReason.DONE
        if self.work is not None and self.tried >= self.work:
            return TerminationReason.WORK_LIMIT
        return TerminationReason.TIME_LIMIT if self.limits.over() else None

    def outcome(self, termination: TerminationReason) -> Outcome:
        """Return the best schedule, possibly the start itself."""
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
        [
            [(numbers[name], n) for name, n in (job.held or () if one is None else one.gpus)]
            for job, one in zip(instance.jobs, known, strict=True)
        ],
    )


def _orders_like(start: Floats, servers: Ints, least: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield orders and rules that may decode into a schedule like the given one."""
    order = np.lexsort((-least, start))
    for cap in range(CAPS):
        yield order, np.where(servers > 1, rule_of(cap) + EAGER, rule_of(cap))
