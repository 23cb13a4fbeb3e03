"""Lower and upper bounds on an optimum in slots, and the questions that close the gap.

A *question* is whether all jobs can end by slot H. A no from below raises the bound, a yes from
above gives a better schedule. The effort per question grows from round to round.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import ClassVar

from ....formulations.makespan.data import serial_horizon
from ....instances import (
    Bound,
    Incumbent,
    Limits,
    MakespanInstance,
    Outcome,
    Schedule,
    ServerUplink,
    SolutionStatus,
    TerminationReason,
)
from ....policies.makespan import gang_lpt
from ....policies.request import Request
from ....simulation import build_model, evaluate, to_plan
from ....simulation.makespan.alone import stuck
from .enumeration import safe_horizon, searched_bound


class Bracket(ABC):
    """The optimum is at least `low`, and below `high`, or `high` itself if there is a `best`."""

    method: ClassVar[str]
    prover: ClassVar[str]
    """The prover that no schedule exists, as the subject of a sentence."""
    gives_up: ClassVar[TerminationReason]
    """The termination reason if `lost`, when no progress is possible."""

    def __init__(self, instance: MakespanInstance, limits: Limits, goal: Bound) -> None:
        """Start with a bound, and with only the horizon from above."""
        self.instance, self.limits, self.goal = instance, limits, goal
        self.model = build_model(instance)
        self.low, latest = int(goal.value), limits.horizon
        if latest is None:
            uplinks = isinstance(instance.contention, ServerUplink)
            latest = serial_horizon(instance) if uplinks else safe_horizon(instance)
        self.high = 1 + latest
        self.best: Schedule | None = None
        self.nodes = 0
        self.lost = ""

    @abstractmethod
    def ask(self, horizon: int, effort: float) -> bool | None:
        """Decide whether all jobs can end by `horizon`. Keep the schedule of a yes."""

    def goes_on(self) -> bool:
        """Return True if there is an open question, and time for it."""
        near = self.best is not None and self.limits.near(self.high, self.low)
        return self.low < self.high and not near and not self.limits.over() and not self.lost

    def close(
        self,
        effort: float,
        growth: float,
        start: Schedule | None = None,
        rounds: int | None = None,
    ) -> Outcome:
        """Start from a schedule, by default of gang LPT, and decide until the gap is closed.

        Or until the limits are reached, or all `rounds` are done.
        """
        first = start or gang_lpt.run(self.instance, Request()).schedule
        if first is not None:
            self.keep(first, evaluate(self.model, to_plan(self.instance, first)).makespan)
        while self.goes_on() and rounds != 0:
            self._round(effort)
            effort *= growth
            rounds = None if rounds is None else rounds - 1
        return self.outcome()

    def _round(self, effort: float) -> None:
        """Ask from below until a question stays open, then from above."""
        while self.goes_on() and self.ask(self.low, effort) is False:
            self.low += 1
        while self.goes_on():
            answer = self.ask(self.high - 1, effort)
            if answer is False:
                self.low = self.high
            elif answer is None:
                return

    def keep(self, schedule: Schedule, makespan: float) -> None:
        """Keep a schedule that ends before `high`."""
        if makespan < self.high:
            self.high = int(makespan)
            self.best = replace(schedule, method=self.method)
            incumbent = Incumbent(schedule=self.best, value=float(self.high), bound=float(self.low))
            self.limits.report(incumbent)

    def outcome(self) -> Outcome:
        """Return the schedule and the proved bound."""
        bound, note = self.goal, self.lost
        if self.low > self.goal.value:
            argument = f"{self.prover} found no schedule that ends before slot {self.low}"
            bound = searched_bound(Fraction(self.low), self.method, argument)
        found, closed = self.best is not None, self.low >= self.high
        status = SolutionStatus.FEASIBLE if found else SolutionStatus.NOTHING
        if closed:
            termination = TerminationReason.DONE
            status = SolutionStatus.OPTIMAL if found else SolutionStatus.INFEASIBLE
            note = note if found else stuck(self.instance) or ""
        elif self.lost:
            termination = self.gives_up
        elif self.limits.over():
            termination = TerminationReason.TIME_LIMIT
        else:
            termination = TerminationReason.WORK_LIMIT
        return Outcome(
            schedule=self.best,
            termination=termination,
            status=status,
            value=Fraction(self.high) if found else None,
            bound=bound,
            nodes=self.nodes,
            note=note,
        )
