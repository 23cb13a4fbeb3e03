"""The default: bounds and searches in sequence, each starting where the last one ended.

List schedulers, short searches and the bounds come first. If the gap is still open, branch and
bound follows with few jobs, nested blocks if sizes divide one another, shared-server patterns if
not, and local search. The search stops when a schedule meets a proved bound. Modules that only
later phases need are imported there, because the imports take longer than small instances do.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from math import inf
from typing import Annotated, Any, Literal

from numpy.random import Generator

from ...instances import (
    Bound,
    Incumbent,
    MakespanInstance,
    Outcome,
    RefusedError,
    Schedule,
    SolutionStatus,
    TerminationReason,
)
from ...instances.outcome import StopSearch
from ...policies.makespan import gang_lpt, whole_server_list
from ...policies.request import Request, usual
from ...simulation.jit import expect, load_kept
from ...simulation.makespan.evaluate import unbegun
from ..tiny_instances import best_of
from .bounds.counting import best_bound
from .bounds.slow_bounds import best_slow_bound

METHOD = "portfolio"

FEW = 24
"""Jobs at most for branch and bound, list schedulers and enumeration."""

MANY = 100
"""Jobs from which the first schedules take longer in plain Python than kernels take to load."""

REFUTED = 128
"""Nodes of each question of branch and bound before local search begins."""

GLANCED = 500
"""Schedules that local search tries before the bounds."""

BRIEFLY = 2_000
"""Schedules that local search tries before branch and bound, and before dives."""

ROUNDS = 2
"""Rounds of branch and bound if there is no time limit."""

BRIEF = 3
"""Rounds of nested blocks before dives. The other rounds come after them."""

ENUMERATED = 300_000
"""Nodes of enumeration, which covers all schedules only if there is no time limit."""

PART_FOR_BOUND = 0.4
"""Part of the time that bounds may take."""

PART_FOR_ROUNDING = 0.95
"""Fraction of the remaining time for dives or shared-server patterns before later phases."""

Phase = Callable[["_Known", Generator], Outcome]

PortfolioPart = Literal[
    "area",
    "exclusion",
    "uplinks",
    "loads",
    "server-configurations",
    "branch-and-bound",
    "whole-server-list",
    "list-schedulers",
    "enumeration",
    "nested",
    "trade-all",
    "trade-some",
    "move",
    "swap",
    "heat-bath",
    "block-dive",
    "cells",
    "local-search",
]
"""Optional parts: bounds, phases, and moves of nested blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Options of the default."""

    without: Annotated[
        PortfolioPart | None, "a bound, a phase or a nested-block move to leave out"
    ] = None


def run(instance: MakespanInstance, request: Request[Options]) -> Outcome:
    """Return the best schedule and the best bound of all phases."""
    if request.keep_before is not None:
        from .annealing import local_search

        asked: Request[Any] = replace(request, options=usual(local_search))
        return local_search.run(instance, asked)
    known = _Known(instance, request, deepcopy(request.rng))
    outcome = known.begin(request.rng)
    for part, phase in () if known.closed else _phases(instance):
        if part == known.without:
            continue
        if known.closed or known.near or outcome.status is SolutionStatus.INFEASIBLE:
            break
        if request.limits.over():
            outcome = replace(outcome, termination=TerminationReason.TIME_LIMIT)
            break
        outcome = known.attempt(phase, request.rng)
        known.learn(outcome)
    return known.outcome(outcome)


class _Known:
    """The best schedule and the best bound so far."""

    def __init__(
        self, instance: MakespanInstance, request: Request[Options], rng: Generator
    ) -> None:
        self.instance, self.rng, self.without = instance, rng, request.options.without
        self.limits, self.start = replace(request.limits, watch=self._see), request.start
        self.schedule: Schedule | None = self.start and replace(self.start, method=METHOD)
        self.makespan = inf if request.start_value is None else float(request.start_value)
        self.bound: Bound | None = None
        self.nodes = 0
        self._report = request.limits.report

    def _see(self, incumbent: Incumbent) -> None:
        if incumbent.value < self.makespan:
            self.makespan = incumbent.value
            self.schedule = replace(incumbent.schedule, method=METHOD)
            self._report(replace(incumbent, schedule=self.schedule))
            if self.near:
                raise StopSearch(TerminationReason.GAP)

    def begin(self, rng: Generator) -> Outcome:
        """Run list schedulers, short searches and the bounds."""
        if len(self.instance.jobs) >= MANY:
            load_kept()
        outcome = gang_lpt.run(self.instance, Request(limits=self.limits, rng=rng))
        for part, phase in _glances(self.instance):
            if self._met or self.limits.over():
                break
            if part != self.without:
                self.attempt(phase, rng)
        time_s = self.limits.time_s
        until = Fraction(self.makespan) if self.schedule else None
        short = replace(self.limits, time_s=time_s and PART_FOR_BOUND * time_s)
        without = self.without and self.without.replace("-", " ")
        self.bound = best_slow_bound(self.instance, short, until, without)
        listed = (
            outcome.status is SolutionStatus.FEASIBLE
            and outcome.termination is TerminationReason.DONE
        )
        return replace(outcome, termination=TerminationReason.WORK_LIMIT) if listed else outcome

    def attempt(self, phase: Phase, rng: Generator) -> Outcome:
        """Run a phase. A refusal inside it ends only that phase."""
        try:
            return phase(self, rng)
        except RefusedError as error:
            return Outcome(
                schedule=None,
                termination=TerminationReason.FAILED,
                status=SolutionStatus.NOTHING,
                note=str(error),
            )
        except StopSearch as enough:
            if not self.near:
                raise
            return Outcome(
                schedule=None, termination=enough.termination, status=SolutionStatus.NOTHING
            )

    def learn(self, outcome: Outcome) -> None:
        """Keep the bound of a phase. Its schedules have been reported."""
        self.nodes += outcome.nodes or 0
        if outcome.bound and (self.bound is None or outcome.bound.value > self.bound.value):
            self.bound = outcome.bound

    @property
    def near(self) -> bool:
        """True if the best schedule is within the requested gap of the best bound."""
        return self.bound is not None and self.limits.near(self.makespan, self.bound.value)

    @property
    def closed(self) -> bool:
        """True if the best schedule meets the best bound."""
        return self.bound is not None and self.makespan <= float(self.bound.value)

    @property
    def _met(self) -> bool:
        """True if the best schedule meets a bound of the whole default, before bounds are known."""
        found = self.schedule is not None and self.without is None
        return found and self.makespan <= float(self.goal.value)

    @property
    def goal(self) -> Bound:
        """The best bound, or a combinatorial one if no bound is known yet."""
        return self.bound or self._first

    @cached_property
    def _first(self) -> Bound:
        return best_bound(self.instance)

    def outcome(self, last: Outcome) -> Outcome:
        """Return the best schedule and bound, and why the last phase stopped."""
        found, slotted = self.schedule is not None, self.instance.progress != "continuous"
        status = SolutionStatus.FEASIBLE if found else SolutionStatus.NOTHING
        if found and self.closed and slotted:
            status = SolutionStatus.OPTIMAL
        elif not found and last.status is SolutionStatus.INFEASIBLE:
            status = SolutionStatus.INFEASIBLE
        termination = TerminationReason.GAP if self.near else last.termination
        return Outcome(
            schedule=self.schedule,
            termination=TerminationReason.DONE if self.closed else termination,
            status=status,
            bound=self.bound,
            nodes=self.nodes,
            note="" if found else last.note,
        )


def _glances(instance: MakespanInstance) -> Iterator[tuple[PortfolioPart, Phase]]:
    """Yield searches of 0.1 s: two for many jobs, and one for jobs larger than servers."""
    if len(instance.jobs) > FEW:
        from .annealing import nested
        from .diving import MOST_JOBS

        if unbegun(instance) is None and nested.refuses(instance) is None:
            yield "nested", _glance
        if len(instance.jobs) <= MOST_JOBS:
            yield "local-search", partial(_search, work=GLANCED)
    if whole_server_list.rings(instance).any():
        yield "whole-server-list", _alone


def _phases(instance: MakespanInstance) -> Iterator[tuple[PortfolioPart, Phase]]:
    """Yield the phases in turn, each with the name by which it can be left out.

    Behind jobs that hold GPUs, local search finds better schedules than nested blocks.
    """
    from .exact import branch_and_bound, enumeration

    few = len(instance.jobs) <= FEW
    if few and branch_and_bound.refuses(instance) is None:
        if instance.progress != "continuous":
            yield "branch-and-bound", _refute
        yield "local-search", partial(_search, work=BRIEFLY)
        yield "branch-and-bound", _prove
    if few:
        yield "list-schedulers", _ask_policies
    if enumeration.refuses(instance) is None:
        # Far fewer schedules never let a job wait next to enough idle GPUs.
        yield "enumeration", partial(_enumerate, no_idling=True)
        yield "enumeration", _enumerate
    from .annealing import nested
    from .diving import MOST_JOBS, block_dive
    from .shared_servers import cells

    if unbegun(instance) is None and nested.refuses(instance) is None:
        if block_dive.beyond(instance) is not None:
            yield "nested", _nest
        elif len(instance.jobs) > MOST_JOBS:
            yield "block-dive", _dive
            yield "nested", _nest
        else:
            yield "nested", partial(_nest, rounds=slice(BRIEF))
            yield "local-search", partial(_search, work=BRIEFLY)
            yield "block-dive", _dive
            yield "nested", partial(_nest, rounds=slice(BRIEF, None))
    elif not few and cells.refuses(instance) is None:
        yield "cells", _cut
    yield "local-search", _search


def _refute(known: _Known, _: Generator) -> Outcome:
    """Raise the bound by a few nodes of branch and bound. The searches look for schedules."""
    from .exact import branch_and_bound

    return branch_and_bound.improve(
        known.instance,
        replace(known.limits, watch=None),
        start=known.schedule,
        bound=known.bound,
        rounds=1,
        effort=REFUTED,
    )


def _search(known: _Known, rng: Generator, work: int | None = None) -> Outcome:
    from .annealing import local_search

    target = known.goal.value
    return local_search.improve(
        known.instance, known.limits, rng, start=known.schedule, target=target, work=work
    )


def _prove(known: _Known, _: Generator) -> Outcome:
    """Let branch and bound have a few rounds, or half of the time."""
    from .exact import branch_and_bound

    return branch_and_bound.improve(
        known.instance,
        known.limits.part(1 / 2),
        start=known.schedule,
        bound=known.bound,
        rounds=ROUNDS if known.limits.time_s is None else None,
    )


def _ask_policies(known: _Known, _: Generator) -> Outcome:
    """Run the other list schedulers, which place rings by other rules."""
    from ...policies.makespan import sjf_bco
    from ...policies.makespan.baselines import FIRST_FIT, LIST_SCHEDULING, RANDOM
    from ...policies.makespan.sjf_bco import SJF_BCO_PROVED

    def ask(policy: Any) -> Outcome:
        outcome: Outcome = policy.run(
            known.instance,
            Request(limits=known.limits, rng=deepcopy(known.rng), options=usual(policy)),
        )
        return outcome

    policies: tuple[Any, ...] = (LIST_SCHEDULING, FIRST_FIT, sjf_bco, SJF_BCO_PROVED, RANDOM)
    asks = (partial(ask, policy) for policy in policies)
    return best_of(asks, lambda _, last: last, lambda _: known.limits.over())


def _enumerate(known: _Known, _: Generator, no_idling: bool = False) -> Outcome:
    """Enumerate schedules: some that idle on purpose are found by no other phase."""
    from .exact.enumeration import enumerate_best

    return enumerate_best(
        known.instance,
        known.limits.part(1 / 2),
        upper=int(known.makespan) if known.schedule else None,
        no_idling=no_idling,
        nodes=ENUMERATED if no_idling or known.limits.time_s is None else None,
    )


def _alone(known: _Known, rng: Generator) -> Outcome:
    """Give jobs larger than servers idle servers, which pays where crossing is expensive."""
    options = whole_server_list.Options()
    return whole_server_list.run(
        known.instance, Request(limits=known.limits, rng=rng, options=options)
    )


def _glance(known: _Known, rng: Generator) -> Outcome:
    from .annealing import nested
    from .annealing.block_annealing import anneal_layout
    from .annealing.block_moves import move_odds

    expect(anneal_layout)
    odds = move_odds(known.without)
    return nested.improve(
        known.instance, known.limits, rng, known.goal, None, slice(1), odds, glance=True
    )


def _nest(known: _Known, rng: Generator, rounds: slice = slice(None)) -> Outcome:
    from .annealing import nested
    from .annealing.block_moves import move_odds

    return nested.improve(
        known.instance,
        known.limits,
        rng,
        known.goal,
        known.schedule if rounds.start else known.start,
        rounds,
        move_odds(known.without),
    )


def _dive(known: _Known, rng: Generator) -> Outcome:
    from .diving import block_dive

    return block_dive.improve(
        known.instance, known.limits, rng, known.goal, known.makespan, PART_FOR_ROUNDING
    )


def _cut(known: _Known, rng: Generator) -> Outcome:
    from .shared_servers import cells

    limits = known.limits.part(PART_FOR_ROUNDING)
    return cells.improve(known.instance, limits, rng, known.goal, known.makespan)
