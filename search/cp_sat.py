"""The CP-SAT sandwich: a model that loses no schedule, and an engine that confirms what it finds.

It asks whether all jobs can end by slot H, for H from below, where a no raises the bound, and
from above, where a yes gives a better schedule, with more effort from round to round.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from math import isfinite
from sys import maxsize

from numpy.random import Generator, default_rng

from ..formulations.data import serial_horizon
from ..instances import (
    Bound,
    BoundKind,
    Glimpse,
    Left,
    Limits,
    MakespanInstance,
    Outcome,
    RefusedError,
    Schedule,
    ServerUplink,
    Stop,
)
from ..policies import gang_lpt
from ..simulation import build_model, evaluate, make_plan, to_plan, to_schedule
from ..simulation.model import Floats
from ..simulation.refusal import never_ends
from .bounds import best_bound
from .cp_child import LostError, ask
from .cp_question import Cut, Question, Reply, Stay

METHOD = "cp-sat"

MOST_CELLS = 500_000
"""Jobs times servers times slots up to which the model is built."""

FIRST_EFFORT, GROWTH = 2.0, 6.0
"""Effort spent on a question in the first round, and how this grows from round to round."""


def refuses(instance: MakespanInstance) -> str | None:
    """Say why CP-SAT cannot treat `instance`, or None if it can."""
    if find_spec("ortools") is None:
        return "cp-sat needs OR-Tools, which is not installed; pip install 'ringyard[cpsat]'"
    if instance.progress == "continuous":
        return "cp-sat needs slots: in continuous time the starts are not countable"
    reason = never_ends(instance)
    if reason is not None:
        return reason
    cells = len(instance.jobs) * len(instance.cluster.servers) * int(best_bound(instance).value)
    if cells > MOST_CELLS:
        return (
            f"cp-sat takes at most {MOST_CELLS:,} jobs x servers x slots, and this instance has "
            f"{cells:,} or more; lengthen slot_s"
        )
    return None


def run(instance: MakespanInstance, limits: Limits, rng: Generator) -> Outcome:
    """Return a schedule of the least makespan, or the best found; nothing in it is random."""
    del rng
    search = _Search(instance, limits)
    search.begin()
    effort = FIRST_EFFORT
    while search.goes_on():
        search.round(effort)
        effort *= GROWTH
    return search.outcome()


def solve_within(instance: MakespanInstance, limits: Limits, upper: int) -> Outcome:
    """Return some schedule that ends before slot `upper`, or a proof that there is none."""
    search = _Search(instance, limits)
    search.high = upper
    found = search.ask(upper - 1, float("inf")) if search.goes_on() else None
    if found is False:
        search.low = upper
    outcome = search.outcome()
    return replace(outcome, stop=Stop.DONE) if found else outcome


def _latest(instance: MakespanInstance) -> int:
    """Return a slot by which some schedule ends, if there is one, where gang LPT finds none.

    That happens under `floor` only, where whatever gets on does an iteration per slot or more.
    """
    if isinstance(instance.contention, ServerUplink):
        return serial_horizon(instance)
    last = max(int(job.release_slot) for job in instance.jobs)
    return last + sum(job.iterations for job in instance.jobs)


def _together(stays: dict[str, Stay], until: dict[str, int]) -> Iterator[Cut]:
    """Yield a cut for each group of rings that run without a gap, each until its slot."""
    group: dict[str, Stay] = {}
    last = 0
    for job in sorted(stays, key=lambda job: stays[job].start):
        if group and stays[job].start >= last:
            yield Cut(group, last)
            group = {}
        group = {**group, job: stays[job]}
        last = max(last, until[job])
    if group:
        yield Cut(group, last)


class _Search:
    """What is known of the optimum: at least `low`; at most `high` - 1, or `high` if `best`."""

    def __init__(self, instance: MakespanInstance, limits: Limits) -> None:
        reason = refuses(instance)
        if reason is not None:
            raise RefusedError(reason)
        self.instance, self.limits = instance, limits
        self.model = build_model(instance)
        self.goal = best_bound(instance)
        self.low = int(self.goal.value)
        self.high = maxsize if limits.horizon is None else limits.horizon + 1
        self.best: Schedule | None = None
        self.cuts: list[Cut] = []
        self.branches = 0
        self.lost = ""

    def begin(self) -> None:
        """Start with a schedule by gang LPT, if it ends in time."""
        first = gang_lpt.run(self.instance, replace(self.limits, watch=None), default_rng(0))
        if first.schedule is None:
            self.high = min(self.high, 1 + _latest(self.instance))
        else:
            ends = evaluate(self.model, to_plan(self.instance, first.schedule)).end
            self._keep(first.schedule, ends)

    def goes_on(self) -> bool:
        """Say whether there is something to ask, and time for it."""
        return self.low < self.high and not self.limits.over() and not self.lost

    def round(self, effort: float) -> None:
        """Ask from below until a question stays open, then from above."""
        while self.goes_on() and self.ask(self.low, effort) is False:
            self.low += 1
        while self.goes_on():
            found = self.ask(self.high - 1, effort)
            if found is False:
                self.low = self.high
            elif found is None:
                return

    def ask(self, horizon: int, effort: float) -> bool | None:
        """Ask whether all jobs can end by `horizon` until the engine agrees with a yes.

        The model hears of contention when it has been too hopeful once.
        """
        aware = False
        while True:
            try:
                reply = ask(self._question(horizon, aware, effort))
            except LostError as error:
                self.lost = str(error)
                return None
            self.branches += reply.branches
            if not reply.found:
                return reply.found
            plan = make_plan(reply.starts, reply.pieces)
            result = evaluate(self.model, plan)
            if result.excess <= 0 and result.makespan <= horizon:
                self._keep(to_schedule(self.instance, plan, METHOD), result.end)
                return True
            if isinstance(self.instance.contention, ServerUplink) and not aware:
                aware = True
            else:
                self.cuts += self._cut(reply, result.end)
            if self.limits.over():
                return None

    def _question(self, horizon: int, aware: bool, effort: float) -> Question:
        left = float("inf")
        if self.limits.time_s is not None:
            left = max(0.0, self.limits.started + self.limits.time_s - time.monotonic())
        cuts, threads = tuple(self.cuts), self.limits.threads
        return Question(self.instance, horizon, aware, cuts, left, effort, threads)

    def _cut(self, reply: Reply, ends: Floats) -> list[Cut]:
        """Return what the engine says of rings that the model took for faster.

        That a ring takes long even alone says more than that some together do.
        """
        names = [server.name for server in self.instance.cluster.servers]
        stays: dict[str, Stay] = {}
        alone = []
        until = {}
        for j, job in enumerate(self.instance.jobs):
            shape, start = reply.shapes[j], reply.starts[j]
            if shape is None:
                continue
            servers = frozenset(names[s] for s, _ in reply.pieces[j])
            stays[job.name] = Stay(start, servers, shape, self._slots(ends[j] - start))
            until[job.name] = start + max(stays[job.name].slots, reply.slots[j])
            lone = build_model(replace(self.instance, jobs=(job,)))
            least = evaluate(lone, make_plan([0.0], [reply.pieces[j]])).makespan
            if least > reply.slots[j]:
                stay = replace(stays[job.name], slots=self._slots(least))
                alone.append(Cut({job.name: stay}, None))
        return alone or list(_together(stays, until))

    def _slots(self, slots: float) -> int:
        """Return a whole number of slots; for a ring that never ends, more than there are."""
        return int(slots) if isfinite(slots) else 2 * self.high

    def _keep(self, schedule: Schedule, ends: Floats) -> None:
        """Keep a schedule that ends before `high`."""
        if ends.max() < self.high:
            self.high = int(ends.max())
            self.best = replace(schedule, method=METHOD)
            glimpse = Glimpse(schedule=self.best, value=float(self.high), bound=float(self.low))
            self.limits.tell(glimpse)

    def outcome(self) -> Outcome:
        """Say what was found and proved."""
        bound, done = self.goal, self.low >= self.high
        if self.low > self.goal.value:
            argument = f"CP-SAT found no schedule that ends before slot {self.low}"
            value = Fraction(self.low)
            bound = Bound(value=value, kind=BoundKind.EXACT, name=METHOD, argument=argument)
        left = Left.INFEASIBLE if done else Left.NOTHING
        if self.best is not None:
            left = Left.OPTIMAL if done else Left.FEASIBLE
        stop = Stop.DONE if done else Stop.CRASHED if self.lost else Stop.TIME_LIMIT
        return Outcome(
            schedule=self.best,
            stop=stop,
            left=left,
            value=None if self.best is None else Fraction(self.high),
            bound=bound,
            nodes=self.branches,
            note=self.lost,
        )
